// SPDX-License-Identifier: Apache-2.0
// Names in a bundle, their order, and the reading of folders.
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engines/base/fs.h"
#include "report/bundle/file_tree.h"
#include "report/bundle/folder.h"

Test(file_tree, takes_portable_paths_and_no_others)
{
    static const struct {
        const char *path;
        bool good;
    } rows[] = {
        {"data/README.md", true},
        {"a", true},
        {"a+b/c-d/e_f.g", true},
        {"1/2/3/4/5/6/7/8/9/10/11/12", true},
        {"1/2/3/4/5/6/7/8/9/10/11/12/13", false},
        {"", false},
        {"/etc/passwd", false},           /* C05 */
        {"data/../../etc/passwd", false}, /* C05 */
        {"data/./x", false},
        {"data//x", false},
        {"data/x/", false},
        {"data/.hidden", false},
        {"data/-rf", false},
        {"data/a b", false},         /* C01 */
        {"data/back\\slash", false}, /* C01 */
        {"data/new\nline", false},   /* C01 */
        {"data/cr\r", false},        /* C01 */
        {"data/\x1b[2J", false},
        {"data/a:b", false}, /* C04 */
        {"data/\xc3\xbc", false},
        {"data/results.db-wal", false},
        {"data/results.db-shm", false},
        {"data/results.db-journal", false},
        {"data/x.sig", false},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct err e = {0};
        enum err_code code = file_tree_check_path(rows[i].path, &e);
        cr_expect_eq(code, rows[i].good ? ERR_OK : ERR_FORMAT, "row %zu: %s", i, e.text);
    }
}

Test(file_tree, limits_components_to_100_bytes_and_paths_to_240)
{
    char path[400];

    memset(path, 'a', sizeof(path));
    path[100] = '\0';
    cr_expect_eq(file_tree_check_path(path, NULL), ERR_OK);
    path[100] = 'a';
    path[101] = '\0';
    cr_expect_eq(file_tree_check_path(path, NULL), ERR_FORMAT);
    memset(path, 'a', sizeof(path));
    path[80] = path[160] = '/';
    path[240] = '\0';
    cr_expect_eq(file_tree_check_path(path, NULL), ERR_OK);
    path[240] = 'a';
    path[241] = '\0';
    cr_expect_eq(file_tree_check_path(path, NULL), ERR_FORMAT);
}

/* '-' (0x2d) and '.' (0x2e) sort before '/' (0x2f), yet the folder "a" comes with all it holds
 * before "a-b". */
Test(file_tree, orders_component_by_component)
{
    static const char *const want[] = {"a", "a/b", "a/b/c", "a-b", "a.c", "a0", "b"};
    struct file_tree tree;
    struct err e;

    file_tree_init(&tree);
    cr_assert_eq(file_tree_add_file(&tree, "b", "", 0, &e), ERR_OK);
    cr_assert_eq(file_tree_add_file(&tree, "a0", "", 0, &e), ERR_OK);
    cr_assert_eq(file_tree_add_file(&tree, "a.c", "", 0, &e), ERR_OK);
    cr_assert_eq(file_tree_add_file(&tree, "a-b", "", 0, &e), ERR_OK);
    cr_assert_eq(file_tree_add_file(&tree, "a/b/c", "x", 1, &e), ERR_OK);
    cr_assert_eq(file_tree_complete(&tree, &e), ERR_OK);
    cr_assert_eq(tree.count, 7);
    for (size_t i = 0; i < tree.count; i++) {
        cr_expect_str_eq(tree.entries[i].path, want[i]);
        cr_expect_eq(file_tree_find(&tree, want[i]), &tree.entries[i]);
    }
    cr_expect_null(file_tree_find(&tree, "a/c"));
    cr_expect_null(file_tree_find_collision(&tree, &e));
    file_tree_release(&tree);
}

/* C04 */
Test(file_tree, sees_names_that_differ_in_case_alone)
{
    struct file_tree tree;
    struct err e;

    file_tree_init(&tree);
    cr_assert_eq(file_tree_add_file(&tree, "data/Nginx/a", "", 0, &e), ERR_OK);
    cr_assert_eq(file_tree_add_file(&tree, "data/nginx/b", "", 0, &e), ERR_OK);
    cr_assert_eq(file_tree_complete(&tree, &e), ERR_OK);
    cr_expect_not_null(file_tree_find_collision(&tree, &e));
    file_tree_release(&tree);
}

/* C04 */
Test(file_tree, makes_portable_slugs)
{
    static const char *const rows[][2] = {
        {"An Article: Nginx?", "an-article-nginx"},
        {"epoll against one thread per connection", "epoll-against-one-thread-per-connection"},
        {"../../etc", "etc"},
        {"", "bundle"},
        {"???", "bundle"},
        {"\xc3\xa9t\xc3\xa9", "t"},
        {"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddX", "aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd"},
        {"aaaaaaaaaabbbbbbbbbbccccccccccddddddddd X", "aaaaaaaaaabbbbbbbbbbccccccccccdddddddddx"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char slug[FILE_TREE_SLUG_BYTES];
        file_tree_format_slug(rows[i][0], slug);
        cr_expect_str_eq(slug, rows[i][1], "row %zu: %s", i, slug);
    }
}

static char folder[64];

static void folder_make(void)
{
    strcpy(folder, "/tmp/tacho-test-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
}

static void folder_remove(void)
{
    cr_assert_eq(fs_remove_tree(folder, NULL), ERR_OK);
}

static char *inside(const char *name)
{
    static char path[256];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void file_make(const char *name)
{
    cr_assert_eq(fs_write_file(inside(name), "x", 1, NULL), ERR_OK);
    cr_assert_eq(chmod(inside(name), 0644), 0);
}

/* Each row makes one thing that a bundle must not have. A FIFO must not block the reader. C05 */
static void symlink_make(void)
{
    cr_assert_eq(symlink("/etc/passwd", inside("link")), 0);
}
static void folder_link_make(void)
{
    cr_assert_eq(symlink("..", inside("loop")), 0);
}
static void fifo_make(void)
{
    cr_assert_eq(mkfifo(inside("fifo"), 0644), 0);
}
static void hard_link_make(void)
{
    char first[256];

    file_make("one");
    strcpy(first, inside("one"));
    cr_assert_eq(link(first, inside("two")), 0);
}
static void executable_make(void)
{
    file_make("run");
    cr_assert_eq(chmod(inside("run"), 0755), 0);
}
static void set_id_make(void)
{
    file_make("run");
    cr_assert_eq(chmod(inside("run"), 04644), 0);
}
static void hidden_make(void)
{
    file_make(".hidden");
}

Test(folder, refuses_what_is_no_plain_file, .init = folder_make, .fini = folder_remove,
     .timeout = 20)
{
    static const struct {
        void (*make)(void);
        const char *fault;
    } rows[] = {
        {symlink_make, "not-regular"}, {folder_link_make, "not-regular"},
        {fifo_make, "not-regular"},    {hard_link_make, "not-regular"},
        {executable_make, "mode"},     {set_id_make, "mode"},
        {hidden_make, "bad-path"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const char *fault = "none";
        struct file_tree tree;
        struct err e = {0};

        rows[i].make();
        file_tree_init(&tree);
        cr_expect_eq(folder_read(folder, "", &tree, &fault, &e), ERR_FORMAT, "row %zu", i);
        cr_expect_str_eq(fault, rows[i].fault, "row %zu: %s: %s", i, fault, e.text);
        file_tree_release(&tree);
        cr_assert_eq(fs_remove_tree(folder, NULL), ERR_OK);
        cr_assert_eq(mkdir(folder, 0700), 0);
    }
}

Test(folder, reads_files_and_folders_below_a_prefix, .init = folder_make, .fini = folder_remove)
{
    const char *fault = NULL;
    struct file_tree tree;
    struct buf content;
    struct err e;

    cr_assert_eq(mkdir(inside("sub"), 0755), 0);
    file_make("sub/b");
    file_make("a");
    file_tree_init(&tree);
    cr_assert_eq(folder_read(folder, "data/report", &tree, &fault, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(tree.count, 3);
    cr_expect_str_eq(tree.entries[0].path, "data/report/a");
    cr_expect_str_eq(tree.entries[1].path, "data/report/sub");
    cr_expect(tree.entries[1].is_folder);
    cr_expect_str_eq(tree.entries[2].path, "data/report/sub/b");
    buf_init(&content, 10);
    cr_assert_eq(file_tree_load(&tree, &tree.entries[2], &content, &e), ERR_OK, "%s", e.text);
    cr_expect_str_eq(content.bytes, "x");
    buf_release(&content);
    file_tree_release(&tree);
}
