// SPDX-License-Identifier: Apache-2.0
// Checks a bundle in stages, from its outermost bytes to the report. Executes nothing of it and
// writes nothing of it but the results file, into a private folder under a name of its own.
#ifndef REPORT_BUNDLE_VERIFY_H
#define REPORT_BUNDLE_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/digest.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"

#define VERIFY_FINDING_COUNT_MAX 200
#define VERIFY_NOTE_COUNT_MAX    8
#define VERIFY_TEXT_BYTES        400
#define VERIFY_SIGNER_BYTES      256

/* Something that must not be. Code and stage are stable; the text is free of control characters. */
struct verify_finding {
    const char *stage; /* "V5" */
    const char *code;  /* "extra-file" */
    char text[VERIFY_TEXT_BYTES];
};

struct file_tree;
struct verify_result;

struct verify_stage_info {
    const char *code, *name;
};
/* In order; the last one has a NULL code. */
extern const struct verify_stage_info verify_stages[];

/* What V11 wants of the measurement; with zeros what the plan itself says. */
struct verify_policy {
    bool is_off;             /* V11 is not asked */
    int64_t trials_min;      /* finished ones of an engine in a cell that was begun */
    int64_t window_min_ns;   /* 0: the plan's window */
    int64_t spacing_percent; /* how far a sample's length may be from the plan's */
    bool allow_gaps, allow_failed;
};
#define VERIFY_POLICY_USUAL                                                                        \
    {                                                                                              \
        .trials_min = 1, .spacing_percent = 10                                                     \
    }

struct verify_config {
    const char *path;   /* of an archive, or of the folder that was in one */
    const char *sha256; /* that the archive must have, 64 lower-case digits; NULL: not known */
    const char *signers_path; /* ssh-keygen's file of allowed signers; NULL: V8 is not asked */
    const char *identity;     /* who of them must have signed; NULL: any */
    struct verify_policy policy;
    const char *program_version;  /* of this program */
    size_t bytes_max;             /* of an archive and each of its files; 0: the usual limits */
    const char *temporary_folder; /* where a private folder is made and removed */
    /* Called when V0 … V9 passed and, as V10 says, the rows agree, instead of the later stages,
     * with a private copy of the results that lives no longer than the call; what it returns
     * verify_run returns, but ERR_FORMAT is a finding: the rows are at fault. NULL: verify all. */
    enum err_code (*use)(const char *results_path, void *context, struct err *e);
    /* Called when all stages passed, with the files that they saw, which live no longer than the
     * call; what it returns verify_run returns. NULL: nobody takes them. */
    enum err_code (*take)(const struct verify_result *result, const struct file_tree *tree,
                          void *context, struct err *e);
    void *use_context;
};

struct verify_result {
    struct verify_finding findings[VERIFY_FINDING_COUNT_MAX];
    size_t finding_count, finding_left_out_count;
    char notes[VERIFY_NOTE_COUNT_MAX][VERIFY_TEXT_BYTES]; /* what could not be compared, and why */
    size_t note_count;
    size_t stage_passed_count; /* stages of verify_stages that passed; the next one has findings */
    bool verified;
    char archive_sha256[DIGEST_HEX_BYTES], id[DIGEST_HEX_BYTES], samples_digest[DIGEST_HEX_BYTES];
    /* What V12 found equal: "bytes": every file; "but-figures": all but pictures, which another
     * gnuplot drew or one that is not here; "numbers": verdict and tables of report.json and
     * claims.json, of another tacho; "none": those of another tacho are other ones; NULL: V12 was
     * not reached or has findings */
    const char *report_level;
    /* "trusted", "unknown", "bad", "missing", "not-asked"; NULL: V8 was not reached */
    const char *signature;
    char signer[VERIFY_SIGNER_BYTES], signer_key[VERIFY_SIGNER_BYTES]; /* "" when not known */
};

/*
 * Runs the stages up to the first with findings.
 *
 * result_out   on the heap: free
 * errors       ERR_SYS: no such file, no temporary folder; ERR_FORMAT: neither a file nor a folder;
 *              ERR_LIMIT: memory. What is wrong with the bundle is a finding, not an error.
 */
enum err_code verify_run(const struct verify_config *config, struct verify_result **result_out,
                         struct err *e) ATTR_MUST_USE;

/* Of verify_stages[index]: "ok", "failed", "not-asked", "not-reached"; of V12 also
 * "partly": not all of the report could be compared, "differs": another tacho has other numbers. */
const char *verify_get_state(const struct verify_config *config, const struct verify_result *result,
                             size_t index);

/* Foreign names reach a terminal: all but printable ASCII is shown as \xNN; what is too long is
 * cut.
 */
void verify_escape_text(const char *text, char out[VERIFY_TEXT_BYTES]);

#endif
