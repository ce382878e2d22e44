// SPDX-License-Identifier: Apache-2.0
// BagIt's tag files, and manifests in all their spellings.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/bundle/bag.h"
#include "tests/support/edge_buf.h"
#include "tests/support/prop.h"

/* SHA-256 of nothing (FIPS 180-4 test vectors). */
#define NOTHING "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define UPPER   "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855"

/* C01, C02: the right column is what GNU sha256sum -c of coreutils 9.1 makes of the line. */
Test(bag, reads_manifests_in_the_spellings_that_are_about)
{
    static const struct {
        const char *text;
        const char *path; /* NULL: refused */
        bool canonical;
    } rows[] = {
        {NOTHING "  data/a\n", "data/a", true},
        {NOTHING "  a b\n", "a b", true},
        {NOTHING "   lead\n", " lead", true},
        {NOTHING "  tab\there\n", "tab\there", true},
        {NOTHING "  data/a\r\n", "data/a", false},              /* CRLF */
        {NOTHING " data/a\n", "data/a", false},                 /* one space */
        {NOTHING " *data/a\n", "data/a", false},                /* binary mark */
        {UPPER "  data/a\n", "data/a", false},                  /* upper case */
        {NOTHING "  data/a", "data/a", false},                  /* no final newline */
        {"\xef\xbb\xbf" NOTHING "  data/a\n", "data/a", false}, /* BOM */
        {"\\" NOTHING "  new\\nline\n", "new\nline", false},
        {"\\" NOTHING "  back\\\\slash\n", "back\\slash", false},
        {"\\" NOTHING "  cr\\r\n", "cr\r", false},
        {NOTHING "  not\\nescaped\n", "not\\nescaped", true},
        {"\\" NOTHING "  bad\\t\n", NULL, false},
        {"\\" NOTHING "  bad\\\n", NULL, false},
        {NOTHING "  \n", NULL, false},
        {NOTHING "\n", NULL, false},
        {NOTHING "0  data/a\n", NULL, false},
        {"e3b0  data/a\n", NULL, false},
        {"g3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  data/a\n", NULL, false},
        {"\n", NULL, false},
        {"# comment\n", NULL, false},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct bag_manifest manifest = {0};
        struct edge_buf edge;
        struct err e = {0};

        edge_buf_init(&edge, rows[i].text, strlen(rows[i].text));
        enum err_code code = bag_parse_manifest(edge.bytes, edge.length, &manifest, &e);
        cr_expect_eq(code, rows[i].path ? ERR_OK : ERR_FORMAT, "row %zu: %s", i, e.text);
        if (code == ERR_OK && rows[i].path) {
            cr_expect_eq(manifest.count, 1, "row %zu", i);
            cr_expect_str_eq(manifest.lines[0].path, rows[i].path, "row %zu", i);
            cr_expect_str_eq(manifest.lines[0].hex, NOTHING, "row %zu", i);
            cr_expect_eq(manifest.is_canonical, rows[i].canonical, "row %zu", i);
        }
        bag_release_manifest(&manifest);
        edge_buf_release(&edge);
    }
}

Test(bag, takes_an_empty_manifest_for_one_without_lines)
{
    struct bag_manifest manifest;
    struct err e;

    cr_assert_eq(bag_parse_manifest("", 0, &manifest, &e), ERR_OK);
    cr_expect_eq(manifest.count, 0);
    bag_release_manifest(&manifest);
}

Test(bag, refuses_a_nul_in_a_name)
{
    static const char text[] = NOTHING "  a\0b\n";
    struct bag_manifest manifest;
    struct err e;

    cr_expect_eq(bag_parse_manifest(text, sizeof(text) - 1, &manifest, &e), ERR_FORMAT);
}

Test(bag, reads_no_manifest_beyond_its_end)
{
    static const char text[] = NOTHING "  data/a\n\\" UPPER " *b\\nc\r\n";

    for (size_t length = 0; length < sizeof(text); length++) {
        struct bag_manifest manifest = {0};
        struct edge_buf edge;

        edge_buf_init(&edge, text, length);
        enum err_code code = bag_parse_manifest(edge.bytes, edge.length, &manifest, NULL);
        /* The first name begins at 66; the second at 140, where 142 ends inside an escape. */
        bool whole = length == 0 || (length > 66 && length < 74) || length == 141 || length > 142;
        cr_expect_eq(code == ERR_OK, whole, "length %zu: %d", length, (int)code);
        bag_release_manifest(&manifest);
        edge_buf_release(&edge);
    }
}

Test(bag, survives_any_bytes)
{
    static const char alphabet[] = "0123456789abcdefABCDEF \\\n\r*nr/x";

    for_each_case(rng, 2000, 3)
    {
        struct bag_manifest manifest = {0};
        size_t length = rng_below(&rng, 300);
        char *text = malloc(length + 1);

        for (size_t i = 0; i < length; i++) {
            text[i] = alphabet[rng_below(&rng, sizeof(alphabet))];
        }
        struct edge_buf edge;
        edge_buf_init(&edge, text, length);
        if (bag_parse_manifest(edge.bytes, edge.length, &manifest, NULL) == ERR_OK) {
            for (size_t i = 0; i < manifest.count; i++) {
                cr_expect_eq(strlen(manifest.lines[i].hex), 64);
                cr_expect_neq(*manifest.lines[i].path, '\0');
            }
        }
        bag_release_manifest(&manifest);
        edge_buf_release(&edge);
        free(text);
    }
}

static const char info_text[] = "Bag-Software-Agent: tacho 0.1.0\n"
                                "Bagging-Date: 2026-11-01\n"
                                "External-Identifier: 00112233445566778899aabbccddeeff\n"
                                "Payload-Oxum: 11.2\n"
                                "Tacho-Format: 1\n"
                                "Tacho-Renderer: gnuplot 5.4 patchlevel 4\n"
                                "Tacho-Time: 1793491200\n"
                                "Tacho-Samples-Digest: " NOTHING "\n"
                                "Tacho-Plan-Digest: " NOTHING "\n";

Test(bag, reads_the_info_that_it_writes)
{
    struct bag_info info;
    struct err e = {0};
    struct buf again;

    cr_assert_eq(bag_parse_info(info_text, strlen(info_text), &info, &e), ERR_OK, "%s", e.text);
    cr_expect_str_eq(info.software_agent, "tacho 0.1.0");
    cr_expect_str_eq(info.renderer, "gnuplot 5.4 patchlevel 4");
    cr_expect_eq(info.payload_bytes, 11);
    cr_expect_eq(info.payload_files, 2);
    cr_expect_eq(info.time_s, 1793491200);
    buf_init(&again, 4096);
    bag_format_info(&info, &again);
    cr_expect_str_eq(again.bytes, info_text);
    buf_release(&again);
}

/* Any other byte anywhere gives another info or none. */
Test(bag, takes_the_info_in_one_spelling_alone)
{
    static const struct {
        const char *from, *to;
        enum err_code want;
    } rows[] = {
        {"Tacho-Format: 1", "Tacho-Format: 2", ERR_MISMATCH},
        {"Tacho-Format: 1", "Tacho-Format: 01", ERR_MISMATCH},
        {"11.2", "011.2", ERR_FORMAT},
        {"11.2", "11", ERR_FORMAT},
        {"2026-11-01", "2026-11-02", ERR_FORMAT},
        {"1793491200", "-1", ERR_FORMAT},
        {"1793491200", "99999999999999999999", ERR_FORMAT},
        {"Tacho-Time: ", "Tacho-Time:  ", ERR_FORMAT},
        {"Payload-Oxum", "payload-oxum", ERR_FORMAT},
        {"e3b0", "E3B0", ERR_FORMAT},
        {"\nBagging", "\r\nBagging", ERR_OK}, /* the agent's name is free text */
        {"\nTacho-Format", "\r\nTacho-Format", ERR_FORMAT},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const char *at = strstr(info_text, rows[i].from);
        char text[1024];
        struct bag_info info;

        snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - info_text), info_text, rows[i].to,
                 at + strlen(rows[i].from));
        cr_expect_eq(bag_parse_info(text, strlen(text), &info, NULL), rows[i].want, "row %zu", i);
    }
    for (size_t length = 0; length < strlen(info_text); length++) {
        struct edge_buf edge;
        struct bag_info info;

        edge_buf_init(&edge, info_text, length);
        cr_expect_eq(bag_parse_info(edge.bytes, length, &info, NULL), ERR_FORMAT, "length %zu",
                     length);
        edge_buf_release(&edge);
    }
}

/* Manifests worked out with sha256sum: "hello\n" and the empty file. */
Test(bag, seals_a_tree)
{
    static const char manifest[] =
        "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03  data/a-b\n" NOTHING
        "  data/a/empty\n";
    struct bag_info info = {.time_s = 1793491200};
    struct file_tree tree;
    char id[DIGEST_HEX_BYTES], own[DIGEST_HEX_BYTES], top[64];
    struct err e;

    strcpy(info.software_agent, "tacho 0.1.0");
    file_tree_init(&tree);
    cr_assert_eq(file_tree_add_file(&tree, "data/a/empty", "", 0, &e), ERR_OK);
    cr_assert_eq(file_tree_add_file(&tree, "data/a-b", "hello\n", 6, &e), ERR_OK);
    cr_assert_eq(bag_seal(&tree, &info, "slug", id, &e), ERR_OK);
    cr_expect_str_eq(file_tree_find(&tree, "manifest-sha256.txt")->bytes, manifest);
    cr_expect_str_eq(file_tree_find(&tree, "bagit.txt")->bytes,
                     "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
    cr_expect_not_null(strstr(file_tree_find(&tree, "bag-info.txt")->bytes, "Payload-Oxum: 6.2\n"));
    const struct file_tree_entry *tags = file_tree_find(&tree, "tagmanifest-sha256.txt");
    cr_assert_eq(digest_bytes(tags->bytes, tags->length, own, &e), ERR_OK);
    cr_expect_str_eq(id, own);
    snprintf(top, sizeof(top), "slug-%.16s", id);
    cr_expect_str_eq(tree.top, top);
    cr_expect_eq(tree.count, 8); /* data, data/a, two files, four tag files */
    file_tree_release(&tree);
}
