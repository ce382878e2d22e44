// SPDX-License-Identifier: Apache-2.0
// RO-Crate metadata of a bundle.
#include <criterion/criterion.h>
#include <string.h>

#include "report/bundle/crate.h"
#include "report/bundle/file_tree.h"
#include "tests/support/edge_buf.h"

/* printf abc | sha256sum: FIPS 180-2, appendix B.1 */
#define ABC_SHA256 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define ABC                                                                                        \
    "{\"@id\":\"abc.txt\",\"@type\":\"File\",\"contentSize\":\"3\",\"sha256\":\"" ABC_SHA256 "\"}"

static void tree_make(struct file_tree *tree, const char *metadata)
{
    file_tree_init(tree);
    cr_assert_eq(file_tree_add_file(tree, "data/abc.txt", "abc", 3, NULL), ERR_OK);
    cr_assert_eq(file_tree_add_file(tree, "bagit.txt", "x", 1, NULL), ERR_OK);
    if (metadata) {
        cr_assert_eq(file_tree_add_file(tree, CRATE_PATH, metadata, strlen(metadata), NULL),
                     ERR_OK);
    }
    cr_assert_eq(file_tree_complete(tree, NULL), ERR_OK);
}

Test(crate, must_tell_of_each_file_and_of_no_other)
{
    static const struct {
        const char *metadata, *says; /* says: NULL when it is right */
    } rows[] = {
        {"{\"@graph\":[" ABC "]}", NULL},
        {"{\"@graph\":[{\"@id\":\"./\",\"@type\":\"Dataset\"}," ABC "]}", NULL},
        {NULL, "is not there"},
        {"", "line 1"},
        {"[]", "no @graph"},
        {"{\"@graph\":{}}", "no @graph"},
        {"{\"@graph\":[]}", "tells of 0 files, there are 1"},
        {"{\"@graph\":[" ABC "," ABC "]}", "two with the same"},
        {"{\"@graph\":[3]}", "without @id"},
        {"{\"@graph\":[" ABC "],\"@graph\":[" ABC "]}", "duplicate"},
        {"{\"@graph\":[{\"@id\":\"abc.txt\",\"@type\":\"File\",\"contentSize\":\"3\"}]}",
         "without @id, contentSize"},
        {"{\"@graph\":[{\"@id\":\"abc.txt\",\"@type\":\"File\",\"contentSize\":\"4\",\"sha256\":"
         "\"" ABC_SHA256 "\"}]}",
         "another size"},
        {"{\"@graph\":[{\"@id\":\"abc.txt\",\"@type\":\"File\",\"contentSize\":\"3\",\"sha256\":"
         "\"00\"}]}",
         "another size"},
        {"{\"@graph\":[" ABC ",{\"@id\":\"../bagit.txt\",\"@type\":\"File\",\"contentSize\":\"1\","
         "\"sha256\":\"00\"}]}",
         "is not in the bundle"},
        {"{\"@graph\":[" ABC ",{\"@id\":\"ro-crate-metadata.json\",\"@type\":\"File\","
         "\"contentSize\":\"1\",\"sha256\":\"00\"}]}",
         "is not in the bundle"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct file_tree tree;
        struct err e = {0};

        tree_make(&tree, rows[i].metadata);
        enum err_code code = crate_check(&tree, &e);
        cr_expect_eq(code, rows[i].says ? ERR_FORMAT : ERR_OK, "row %zu: %s", i, e.text);
        cr_expect(!rows[i].says || strstr(e.text, rows[i].says), "row %zu: %s", i, e.text);
        file_tree_release(&tree);
    }
}

/* The bytes may end at an unreadable page. */
Test(crate, reads_nothing_behind_its_end)
{
    static const char whole[] = "{\"@graph\":[" ABC "]}";

    for (size_t length = 0; length <= strlen(whole); length++) {
        struct file_tree_entry entries[] = {
            {.path = (char[]){"data/abc.txt"}, .bytes = (char[]){"abc"}, .length = 3},
            {.path = (char[]){CRATE_PATH}, .length = length}};
        const struct file_tree tree = {.entries = entries, .count = 2, .capacity = 2};
        struct edge_buf edge;

        edge_buf_init(&edge, whole, length);
        entries[1].bytes = edge.bytes;
        cr_expect_eq(crate_check(&tree, NULL), length == strlen(whole) ? ERR_OK : ERR_FORMAT,
                     "length %zu", length);
        edge_buf_release(&edge);
    }
}
