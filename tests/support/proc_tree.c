// SPDX-License-Identifier: Apache-2.0
// A folder that looks like /proc and /sys.
#include "tests/support/proc_tree.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/buf.h"
#include "engines/base/fs.h"

void proc_tree_init(struct proc_tree *tree)
{
    snprintf(tree->root, sizeof(tree->root), "/tmp/tacho-proc-XXXXXX");
    cr_assert(mkdtemp(tree->root));
}

static void file_write(const struct proc_tree *tree, const char *path, const char *bytes,
                       size_t length)
{
    char whole[512];
    struct err e;

    snprintf(whole, sizeof(whole), "%s/%s", tree->root, path);
    *strrchr(whole, '/') = '\0';
    cr_assert_eq(fs_make_directories(whole, &e), ERR_OK, "%s", whole);
    snprintf(whole, sizeof(whole), "%s/%s", tree->root, path);
    cr_assert_eq(fs_write_file(whole, bytes, length, &e), ERR_OK, "%s", whole);
}

void proc_tree_write(const struct proc_tree *tree, const char *path, const char *format, ...)
{
    char text[8192];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    file_write(tree, path, text, strlen(text));
}

void proc_tree_remove(const struct proc_tree *tree, const char *path)
{
    char whole[512];

    snprintf(whole, sizeof(whole), "%s/%s", tree->root, path);
    cr_assert_eq(fs_remove_tree(whole, NULL), ERR_OK, "%s", whole);
}

void proc_tree_unpack(const struct proc_tree *tree, const char *name)
{
    char path[256];
    struct buf text;

    snprintf(path, sizeof(path), "tests/fixtures/%s.txt", name);
    buf_init(&text, 1 << 20);
    cr_assert_eq(fs_read_file(path, &text, NULL), ERR_OK, "%s", path);
    buf_add(&text, "", 1);
    for (char *at = strstr(text.bytes, "== "); at;) {
        char *line_end = strchr(at, '\n');
        cr_assert(line_end, "%s: a path without a line end", path);
        char *next = strstr(line_end, "\n== ");
        const char *end = next ? next + 1 : line_end + strlen(line_end);

        *line_end = '\0';
        file_write(tree, at + 3, line_end + 1,
                   next && next == line_end ? 0 : (size_t)(end - line_end - 1));
        at = next ? next + 1 : NULL;
    }
    buf_release(&text);
}

void proc_tree_release(struct proc_tree *tree)
{
    cr_expect_eq(fs_remove_tree(tree->root, NULL), ERR_OK);
}
