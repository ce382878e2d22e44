// SPDX-License-Identifier: Apache-2.0
// A verified bundle is measured again: its engines are built from its sources, asked for the right
// answers, loaded by the same plan, and each of its claims is judged by what came out.
#ifndef REPORT_REPRODUCE_REPRODUCE_H
#define REPORT_REPRODUCE_REPRODUCE_H

#include <signal.h>
#include <stdbool.h>

#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/clock.h"
#include "engines/base/err.h"
#include "report/bundle/file_tree.h"
#include "report/bundle/verify.h"
#include "report/judge/replication.h"
#include "report/judge/surroundings.h"
#include "report/render/document_language.h"
#include "report/reproduce/rebuild.h"

#define REPRODUCE_NAME_BYTES 128

struct reproduce_config {
    const struct verify_result *verified; /* of the bundle */
    const char *folder;                   /* for what comes out; must not exist, or be empty */
    const char *program_version;
    bool is_quick;
    const struct clock *clock;
    const volatile sig_atomic_t *stop;            /* NULL: never */
    void (*notice)(void *self, const char *text); /* what is done now, one line; NULL: nobody */
    void *self;
    size_t text_column_count; /* of the terminal that the outcome is for */
    const char *language;     /* of what readers get: "en", "pt-BR"; NULL: English */
};

/* What is known of a reproduction, for those who write it down. */
struct reproduce_state {
    const struct reproduce_config *config;
    const struct analysis *published, *here; /* here NULL: nothing was measured */
    const struct build_record *record;
    struct rebuild_result rebuilt;
    bool gate_was_asked, gate_passed;
    struct buf gate_text; /* a line for each wrong answer */
    struct buf text;      /* the outcome for a terminal */
    struct surroundings surroundings;
    struct replication replication;
    char here_samples_digest[DIGEST_HEX_BYTES]; /* "" without */
    char bundle_name[REPRODUCE_NAME_BYTES];     /* of the new bundle, without ".tar"; "" without */
    char bundle_sha256[DIGEST_HEX_BYTES];
};

struct reproduction;

/*
 * Makes the folder and takes out of a verified bundle what is needed.
 *
 * tree     the files that were verified; not needed afterwards
 * errors   ERR_USAGE: the folder is not empty; ERR_FORMAT: the bundle does not carry what is
 * needed, with what is missing; ERR_SYS, ERR_LIMIT
 */
enum err_code reproduce_open(const struct reproduce_config *config, const struct file_tree *tree,
                             struct reproduction **reproduction_out, struct err *e) ATTR_MUST_USE;

/* Whether a sandbox can be had. errors ERR_SYS, with the step that failed */
enum err_code reproduce_check_sandbox(const struct reproduction *reproduction,
                                      struct err *e) ATTR_MUST_USE;

/* Every command that will run, and where, for a person to decide: in the language of `words`. */
void reproduce_list(const struct reproduction *reproduction, struct document *words,
                    struct buf *out);

/*
 * Does all of it, and writes into the folder verdict.json, reproduction.md, reproduction.html,
 * results.db, report/, logs/ and a new bundle that names the original.
 *
 * errors   ERR_SYS: no sandbox, the disk; ERR_LIMIT. Interrupted: ERR_LIMIT and *config->stop is
 *          set. What is wrong with the bundle's engines is a verdict, not an error.
 */
enum err_code reproduce_run(struct reproduction *reproduction, struct err *e) ATTR_MUST_USE;

/* After reproduce_run: what came out; belongs to the reproduction. */
const struct reproduce_state *reproduce_get_state(const struct reproduction *reproduction);

/* Removes what only the way needed; a folder without a verdict goes whole. NULL is accepted. */
void reproduce_free(struct reproduction *reproduction);

#endif
