// SPDX-License-Identifier: Apache-2.0
// Results files with flipped bits in bundles that are sealed again, so that every hash is right.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/fs.h"
#include "report/bundle/bag.h"
#include "report/bundle/content.h"
#include "report/query/results.h"
#include "tests/support/prop.h"
#include "tests/support/sealed_bundle.h"
#include "tests/support/tree_bytes.h"

#define FLIP_CASE_COUNT 240 /* TACHO_FLIPS: another number */
#define PAGE_BYTES      4096
#define PAGE_HEAD_BYTES 40 /* of a page: its header and where its first cells are */

/* Up to four bits: anywhere, or where pages say what is in them. */
static void bits_flip(struct rng *rng, struct file_tree_entry *database)
{
    size_t count = 1 + rng_below(rng, 4), page_count = database->length / PAGE_BYTES;
    bool is_head = rng_below(rng, 2) == 0;

    for (size_t i = 0; i < count; i++) {
        size_t at = is_head
                        ? rng_below(rng, page_count) * PAGE_BYTES + rng_below(rng, PAGE_HEAD_BYTES)
                        : rng_below(rng, database->length);

        database->bytes[at] = (char)(database->bytes[at] ^ (1 << rng_below(rng, 8)));
    }
}

/* An attacker tells the digest of the rows that are left, where they can be read. */
static void digest_renew(struct file_tree *tree, const struct file_tree_entry *database)
{
    char path[128], hex[DIGEST_HEX_BYTES];

    snprintf(path, sizeof(path), "%s/flipped.db", sealed_bundle.folder);
    cr_assert_eq(fs_write_file(path, database->bytes, database->length, NULL), ERR_OK);
    if (results_digest(path, true, hex, NULL) == ERR_OK) {
        sealed_entry_edit(tree, BAG_INFO, sealed_bundle.result.samples_digest, hex);
    }
}

static bool is_digest_known(const struct verify_result *result)
{
    return strcmp(result->findings[0].code, "samples-digest") != 0;
}

/* As by another version, which what is remade of the results is not compared with. A7 */
Test(verify_database, with_flipped_bits_is_judged_soon, .init = sealed_bundle_make,
     .fini = sealed_bundle_remove, .timeout = 600)
{
    const char *given = getenv("TACHO_FLIPS");
    int case_count = given ? atoi(given) : FLIP_CASE_COUNT, refused_count = 0, digest_count = 0;

    for_each_case(rng, case_count, 23)
    {
        struct file_tree tree;
        struct buf bytes;
        struct err e = {0};
        int64_t time_s = 0;
        char what[60];

        snprintf(what, sizeof(what), "seed %llu", (unsigned long long)prop_case_seed);
        sealed_bundle_unpack(&tree, &time_s);
        sealed_entry_edit(&tree, BAG_INFO, "tacho " SEALED_BUNDLE_VERSION, "tacho 9.9.9");
        bits_flip(&rng, sealed_entry_get(&tree, CONTENT_RESULTS));
        if (rng_below(&rng, 2) == 0) {
            digest_renew(&tree, sealed_entry_get(&tree, CONTENT_RESULTS));
        }
        sealed_bundle_reseal(&tree);
        buf_init(&bytes, (size_t)64 << 20);
        cr_assert_eq(tree_bytes_pack(&tree, time_s, &bytes, &e), ERR_OK, "%s", e.text);
        sealed_bundle_write(bytes.bytes, bytes.length);
        struct verify_result *result = sealed_bundle_verify_bounded(what);
        /* The hashes are right: what is found is found in the database, or because of it. */
        cr_expect(result->stage_passed_count >= 9, "%s: %s", what, sealed_bundle_verdict(result));
        refused_count += !result->verified;
        digest_count += !result->verified && !is_digest_known(result);
        free(result);
        buf_release(&bytes);
        file_tree_release(&tree);
    }
    /* Nearly every bit of these pages counts; more than the digest alone finds them. */
    cr_expect_gt(refused_count, case_count * 9 / 10);
    cr_expect_lt(digest_count, refused_count);
}
