// SPDX-License-Identifier: Apache-2.0
// The payload that is made from the results: README, plan, facts, sources, build records, samples.
// The same results and the same program give the same bytes.
#ifndef REPORT_BUNDLE_CONTENT_H
#define REPORT_BUNDLE_CONTENT_H

#include <stdbool.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/bundle/file_tree.h"
#include "report/query/results.h"

#define CONTENT_README  "data/README.md"
#define CONTENT_RESULTS "data/results/results.db"
#define CONTENT_SAMPLES "data/results/samples.csv"
#define CONTENT_LOGS    "data/results/logs/"
#define CONTENT_PLAN    "data/plan/plan.resolved.yaml" /* canonical: every default written out */
#define CONTENT_WRITTEN "data/plan/plan.yaml"          /* as it was written, where that is known */
#define CONTENT_PLANS   "data/plan/plan."              /* how both begin */
#define CONTENT_FACTS   "data/env/host-1.json"
#define CONTENT_DRIVER  "data/load/src/"
#define CONTENT_SERVERS "data/servers/"
#define CONTENT_SOURCES "data/servers/tacho-engine/src/"
#define CONTENT_BUILD   "data/servers/tacho-engine/build.json"
#define CONTENT_REPORT  "data/report"

/* Of a bundle that reproduces another one: what came out of it. */
#define CONTENT_REPRODUCTION          "data/reproduction/"
#define CONTENT_REPRODUCTION_VERDICT  CONTENT_REPRODUCTION "verdict.json"
#define CONTENT_REPRODUCTION_MARKDOWN CONTENT_REPRODUCTION "reproduction.md"
#define CONTENT_REPRODUCTION_HTML     CONTENT_REPRODUCTION "reproduction.html"

struct content_config {
    const struct results *results;
    const char *results_path;    /* where they came from, for what is too large to hold: a file in a
                                    private folder that was checked whole */
    const char *program_version; /* of the program that makes the bundle */
    const char *samples_digest;
    const char *based_on; /* id of the bundle that this one reproduces; NULL: none */
    /* NULL, or told of each thing for which stage V11 would refuse the bundle. */
    void (*refusal)(void *self, const char *code, const char *text);
    void *self;
};

/*
 * Adds all of it; CONTENT_RESULTS and CONTENT_REPORT are the caller's. What is large goes into the
 * tree's store; without one it has a digest, which is all that comparing needs.
 *
 * errors   ERR_FORMAT, ERR_LIMIT; ERR_SYS: the disk
 */
enum err_code content_add(const struct content_config *config, struct file_tree *tree,
                          struct err *e) ATTR_MUST_USE;

/* Seconds since 1970 of the end of the last trial: the time of everything in the bundle. */
int64_t content_time_s(const struct results *results);

/* Whether the engines' sources go in: those of this program are those that were measured only when
 * the versions are equal and the program is the same byte for byte. */
bool content_has_sources(const struct content_config *config);

/* Whose sources these are, as a list of contents begins: "server sources, "; "sources of the
 * built-in servers, " where others were measured as well; "" where limit alone is built in. */
const char *content_sources_words(const struct results *results);

/* Rows of CONTENT_SAMPLES, without the heading. */
uint64_t content_count_samples(const struct results *results);

/* "data/servers/SLUG-HASH8/build.json" of an engine, whatever its name is. */
#define CONTENT_PATH_BYTES 128
enum err_code content_format_build_path(const char *engine_name, char out[CONTENT_PATH_BYTES],
                                        struct err *e) ATTR_MUST_USE;

#endif
