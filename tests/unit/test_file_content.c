// SPDX-License-Identifier: Apache-2.0
// Contents that stay on disk: read piece by piece, and never other than they were first.
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engines/base/fs.h"
#include "report/bundle/file_tree.h"
#include "report/bundle/secret.h"
#include "report/bundle/spool.h"
#include "report/bundle/work_folder.h"

#define LARGE_BYTES ((size_t)600 << 10) /* more than two windows of the scan for secrets */

static char folder[64], path[100];
static char large[LARGE_BYTES];

static void folder_make(void)
{
    strcpy(folder, "/tmp/tacho-test-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/file", folder);
    for (size_t i = 0; i < sizeof(large); i++) {
        large[i] = "0123456789,.\n"[(i * 7 + i / 1000) % 13];
    }
}

static void folder_remove(void)
{
    cr_assert_eq(fs_remove_tree(folder, NULL), ERR_OK);
}

Test(file_content, on_disk_is_read_again_only_as_it_was, .init = folder_make, .fini = folder_remove)
{
    static const char *const others[] = {"abd", "ab", "abcd", ""};
    struct file_tree tree;
    struct err e = {0};
    struct buf out;

    file_tree_init(&tree);
    buf_init(&out, 1000);
    cr_assert_eq(fs_write_file(path, "abc", 3, NULL), ERR_OK);
    cr_assert_eq(file_tree_add_disk(&tree, "data/a", path, &e), ERR_OK, "%s", e.text);
    const struct file_tree_entry *entry = file_tree_find(&tree, "data/a");
    /* printf abc | sha256sum: FIPS 180-2, appendix B.1 */
    cr_expect_str_eq(entry->sha256,
                     "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    cr_expect_eq(file_tree_load(&tree, entry, &out, &e), ERR_OK, "%s", e.text);
    cr_expect_str_eq(out.bytes, "abc");
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        cr_assert_eq(fs_write_file(path, others[i], strlen(others[i]), NULL), ERR_OK);
        enum err_code code = file_tree_load(&tree, entry, &out, &e);
        /* What was appended later is not looked at. */
        cr_expect_eq(code, strcmp(others[i], "abcd") == 0 ? ERR_OK : ERR_MISMATCH, "%s", others[i]);
    }
    cr_assert_eq(unlink(path), 0);
    cr_expect_eq(file_tree_load(&tree, entry, &out, &e), ERR_SYS);
    cr_assert_eq(mkfifo(path, 0600), 0); /* does not wait for a writer */
    cr_expect_eq(file_tree_load(&tree, entry, &out, &e), ERR_SYS);
    buf_release(&out);
    file_tree_release(&tree);
}

Test(file_content, of_a_spool_lies_in_the_store_one_after_the_other, .init = folder_make,
     .fini = folder_remove)
{
    for (int with_store = 0; with_store < 2; with_store++) {
        char hex[DIGEST_HEX_BYTES];
        struct spool *spool = NULL;
        struct file_tree tree;
        struct err e = {0};
        struct buf out;

        file_tree_init(&tree);
        buf_init(&out, 2 * LARGE_BYTES);
        tree.store_fd = with_store ? open(path, O_RDWR | O_CREAT | O_EXCL, 0600) : -1;
        cr_assert_eq(spool_new(&tree, &spool, &e), ERR_OK);
        spool_add(spool, large, 100);
        spool_add(spool, large + 100, LARGE_BYTES - 100);
        cr_expect_eq(spool_end_file(spool, "data/large", &e), ERR_OK, "%s", e.text);
        cr_expect_eq(spool_end_file(spool, "data/none", &e), ERR_OK, "%s", e.text);
        spool_add(spool, "abc", 3);
        cr_expect_eq(spool_end_file(spool, "data/abc", &e), ERR_OK, "%s", e.text);
        spool_free(spool);
        cr_expect_eq(tree.entries[2].offset, LARGE_BYTES);
        cr_assert_eq(digest_bytes(large, LARGE_BYTES, hex, NULL), ERR_OK);
        cr_expect_str_eq(tree.entries[0].sha256, hex);
        cr_expect_eq(file_tree_load(&tree, &tree.entries[0], &out, &e),
                     with_store ? ERR_OK : ERR_SYS);
        cr_expect(!with_store || memcmp(out.bytes, large, LARGE_BYTES) == 0);
        if (with_store) {
            close(tree.store_fd);
        }
        buf_release(&out);
        file_tree_release(&tree);
    }
}

/* A secret is found wherever the pieces of a large file end: here at each place around the end of
 * the first and of the second window of 256 KiB, and at both ends of the file. */
Test(file_content, hides_no_secret_between_two_pieces, .init = folder_make, .fini = folder_remove)
{
    static const char secret[] = "/home/jane/x";
    size_t places[120], count = 0;

    for (size_t i = 0; i < 40; i++) {
        places[count++] = (256 << 10) - 20 + i;
        places[count++] = (256 << 10) - 1044 + i;
        places[count++] = (512 << 10) - 1070 + i;
    }
    places[0] = 0;
    places[1] = LARGE_BYTES - strlen(secret);
    for (size_t i = 0; i < count; i++) {
        struct file_tree tree;
        struct err e = {0};
        char kept[sizeof(secret)], want[100];
        size_t line = 1;

        if (places[i]) {
            large[places[i] - 1] = ','; /* after a digit it would be the middle of a path */
        }
        memcpy(kept, large + places[i], strlen(secret));
        memcpy(large + places[i], secret, strlen(secret));
        for (size_t j = 0; j < places[i]; j++) {
            line += large[j] == '\n';
        }
        snprintf(want, sizeof(want), "data/a: line %zu: a folder of a person", line);
        cr_assert_eq(fs_write_file(path, large, sizeof(large), NULL), ERR_OK);
        file_tree_init(&tree);
        cr_assert_eq(file_tree_add_disk(&tree, "data/a", path, &e), ERR_OK, "%s", e.text);
        cr_expect_eq(secret_check_tree(&tree, &e), ERR_FORMAT, "place %zu", places[i]);
        cr_expect_str_eq(e.text, want, "place %zu: %s", places[i], e.text);
        file_tree_release(&tree);
        memcpy(large + places[i], kept, strlen(secret));
    }
}

Test(work_folder, of_a_killed_program_goes_with_the_next_one, .init = folder_make,
     .fini = folder_remove)
{
    struct work_folder used, next;
    struct stat status;
    struct err e = {0};
    char left[128], inside[PATH_MAX], other[128];

    snprintf(left, sizeof(left), "%s/.work-abcdef", folder);
    snprintf(other, sizeof(other), "%s/.work-abcdefg", folder);
    cr_assert(mkdir(left, 0700) == 0 && mkdir(other, 0700) == 0);
    cr_assert_eq(work_folder_open(&used, folder, ".work", &e), ERR_OK, "%s", e.text);
    cr_expect(access(left, F_OK) < 0);
    cr_expect(access(other, F_OK) == 0, "another name");
    cr_assert_eq(work_folder_join(&used, "x", inside, &e), ERR_OK);
    cr_assert_eq(fs_write_file(inside, "x", 1, NULL), ERR_OK);
    cr_expect(stat(used.path, &status) == 0 && (status.st_mode & 0777) == 0700);
    cr_assert_eq(work_folder_open(&next, folder, ".work", &e), ERR_OK, "%s", e.text);
    cr_expect(access(inside, F_OK) == 0, "one in use was removed");
    cr_expect_eq(work_folder_close(&used, &e), ERR_OK);
    cr_expect(access(used.path, F_OK) < 0);
    cr_expect_eq(work_folder_close(&used, &e), ERR_OK);
    cr_expect_eq(work_folder_close(&next, &e), ERR_OK);
    cr_expect_eq(work_folder_open(&next, "/nonexistent", ".work", &e), ERR_SYS);
}

/* Its guard removes them, so that it makes no difference how the program ends. */
Test(work_folder, that_had_its_parents_made_leaves_none_that_is_empty, .init = folder_make,
     .fini = folder_remove)
{
    static const struct {
        const char *below, *kept; /* a file that is put there; NULL: none */
        const char *stays, *goes; /* NULL: nothing */
    } rows[] = {
        {"a/b/c", NULL, "", "a"},
        {"a//b/", "a/file", "a/file", "a/b"},
        {"a/b/c", "a/b/c/file", "a/b/c/file", NULL},
    };
    struct work_folder used;
    struct err e = {0};

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        char parent[128], at[128];

        snprintf(parent, sizeof(parent), "%s/%s", folder, rows[i].below);
        cr_assert_eq(work_folder_open_in_new(&used, parent, ".work", &e), ERR_OK, "%s", e.text);
        cr_expect_eq(access(used.path, F_OK), 0);
        snprintf(at, sizeof(at), "%s/%s", folder, rows[i].kept ? rows[i].kept : "");
        cr_assert(!rows[i].kept || fs_write_file(at, "x", 1, NULL) == ERR_OK);
        cr_expect_eq(work_folder_close(&used, &e), ERR_OK);
        snprintf(at, sizeof(at), "%s/%s", folder, rows[i].stays);
        cr_expect_eq(access(at, F_OK), 0, "row %zu", i);
        snprintf(at, sizeof(at), "%s/%s", folder, rows[i].goes ? rows[i].goes : "none");
        cr_expect_lt(access(at, F_OK), 0, "row %zu", i);
    }
}
