// SPDX-License-Identifier: Apache-2.0
// Writes the evidence bundle of a results file: the results file and the program alone decide its
// bytes, not time, place, locale or umask.
#ifndef REPORT_BUNDLE_BUNDLE_H
#define REPORT_BUNDLE_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/digest.h"
#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"
#include "report/bundle/verify.h"
#include "report/forms/form.h"
#include "report/render/catalogue.h"

#define BUNDLE_NAME_BYTES 128
#define BUNDLE_KEY_BYTES  256

/* What a reproduction puts in beside its own results. */
struct bundle_reproduction {
    const char *original_id; /* of the bundle that was reproduced */
    const struct buf *verdict, *markdown, *html;
};

struct bundle_config {
    const char *results_path;
    const char *folder; /* made when missing */
    const char *program_version;
    bool skip_scan;       /* seal without secret_check_tree */
    const char *key_path; /* NULL: not signed; else as for signature_make */
    const char *language; /* of .publish.md and .html; NULL: English */
    const struct bundle_reproduction *reproduction; /* NULL: it reproduces nothing */
};

#define BUNDLE_REFUSAL_COUNT_MAX 3

/* For what a verification will refuse it, in its words: V10, and V11 unless that is not asked. */
struct bundle_refusal {
    const char *stage; /* "V10" */
    const char *code;  /* "policy-trials" */
    char text[VERIFY_TEXT_BYTES];
};

struct bundle_result {
    char name[BUNDLE_NAME_BYTES]; /* SLUG-ID16, without ".tar" */
    char archive_sha256[DIGEST_HEX_BYTES], id[DIGEST_HEX_BYTES], samples_digest[DIGEST_HEX_BYTES];
    uint64_t archive_bytes, sample_count;
    bool has_sources;
    const char *sources_words; /* static; those of content_sources_words, "" without sources */
    char signer_key[BUNDLE_KEY_BYTES]; /* "ED25519 key SHA256:…"; "" when not signed */
    char notice[FORM_NOTICE_BYTES];    /* "" when there is nothing to say */
    struct bundle_refusal refusals[BUNDLE_REFUSAL_COUNT_MAX]; /* the first ones */
    size_t refusal_count;                                     /* all of them */
    bool rows_disagree;                                       /* some are of V10 */
};

/*
 * Writes FOLDER/NAME.tar, .tar.sha256, .publish.{md,html,json} and, when asked to, .tar.sig, each
 * under a temporary name first: what is at a final name is whole.
 *
 * errors   those of secret_check_tree, signature_make, export_write, results_load and report_write;
 * ERR_SYS: the folder or the disk
 */
enum err_code bundle_write(const struct bundle_config *config, struct bundle_result *result_out,
                           struct err *e) ATTR_MUST_USE;

/* The lines for an article: what to download, its SHA-256, how to check it.
 * words   of the article's language; NULL: English */
void bundle_format_snippet(const struct bundle_result *result, const struct catalogue *words,
                           struct buf *out);

/* The same as HTML, a list of definitions, and as a JSON object. errors ERR_LIMIT */
void bundle_format_html(const struct bundle_result *result, const struct catalogue *words,
                        struct buf *out);
enum err_code bundle_format_json(const struct bundle_result *result, struct buf *out,
                                 struct err *e) ATTR_MUST_USE;

/* "tacho VERSION" as bag-info.txt has it. */
void bundle_format_agent(const char *program_version, char *out, size_t out_bytes);

#endif
