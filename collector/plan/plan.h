// SPDX-License-Identifier: Apache-2.0
// The plan: what to measure, from YAML. Its canonical text (every default written out) has the
// digest that names it.
#ifndef COLLECTOR_PLAN_PLAN_H
#define COLLECTOR_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/driver/driver_io.h"
#include "collector/plan/plan_claim.h"
#include "collector/plan/plan_engine.h"
#include "collector/plan/plan_workload.h"
#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"

#define PLAN_NAME_BYTES_MAX      300
#define PLAN_ENGINE_COUNT_MAX    64
#define PLAN_WORKLOAD_COUNT_MAX  64
#define PLAN_ADDRESS_COUNT_MAX   64
#define PLAN_ARTICLE_BLOCK_COUNT 20
#define PLAN_SOURCE_BYTES_MAX    1000000 /* what a results file's text may be, see row_reader.h */
#define PLAN_BODY_BYTES_MAX      (16 << 20)
#define PLAN_AA_SUFFIX           " (A/A)" /* the A/A arm's name is the baseline's with this */
#define PLAN_BUILTIN_ASSET       "datasets/plans/demo.yaml"

struct plan_machine {
    const char *server_cpus; /* CPU list as in "0" or "0-1,4"; NULL: not pinned */
    const char *driver_cpus;
    uint32_t nofile;         /* wanted RLIMIT_NOFILE; 0: leave */
    uint32_t driver_threads; /* 0: one a CPU of driver_cpus, else one */
    enum driver_io io;       /* of the driver */
    const char
        *source_addresses[PLAN_ADDRESS_COUNT_MAX]; /* the driver's, of 127.0.0.0/8, in turn */
    size_t source_address_count;                   /* 0: the kernel chooses */
};

struct plan {
    const char *title;
    const char *baseline; /* name of an engine; the first one by default */
    uint32_t block_count; /* `trials`: 1 …, or `article`; default 10 */
    bool
        aa_arm; /* `aa`: the baseline a second time under the name "BASELINE (A/A)"; default true */
    int64_t settle_ns, warmup_ns, window_ns, cooldown_ns, sample_ns, timeout_ns, ready_within_ns;
    uint64_t seed;
    struct plan_machine machine;
    struct plan_engine engines[PLAN_ENGINE_COUNT_MAX];
    size_t engine_count;
    struct plan_workload workloads[PLAN_WORKLOAD_COUNT_MAX];
    size_t workload_count;
    struct plan_claim claims[PLAN_CLAIM_COUNT_MAX];
    size_t claim_count;
    const char *source; /* as it was written, see plan_source.h; NULL: too long to be kept */
    void *memory;       /* the plan's own: freed by plan_free */
};

/*
 * Reads a plan.
 *
 * name      for messages: "demo.yaml:7:13: …"
 * folder    body files are looked up relative to it; NULL: the current folder
 * plan_out  on the heap; plan_free
 * errors    ERR_USAGE: "NAME:LINE:COLUMN: what is wrong, and what would be right"; ERR_LIMIT
 */
enum err_code plan_parse(const char *name, const char *folder, const char *text, size_t length,
                         struct plan **plan_out, struct err *e) ATTR_MUST_USE;
void plan_free(struct plan *plan);

/* Changes to a plan, each "KEY=VALUE": a key of the plan, or of machine, an engine or a workload,
 * "engines.NAME.threads=2". */
struct plan_settings {
    const char *const *texts;
    size_t count;
};

/* Reads a plan from a file, what it includes and its body files relative to the file's folder;
 * NULL: the built-in plan. errors as plan_parse */
enum err_code plan_load(const char *path, struct plan **plan_out, struct err *e) ATTR_MUST_USE;
/* The same with changes; a mistake in one of them is told as "--set KEY=VALUE: …". */
enum err_code plan_load_changed(const char *path, const struct plan_settings *settings,
                                struct plan **plan_out, struct err *e) ATTR_MUST_USE;

/*
 * Reads only the claims of a canonical text that was stored, whose names may be anything, and its
 * window (0: it does not say one for all workloads). Reads no file.
 *
 * errors   ERR_USAGE: not a plan, or claims of a newer version; ERR_LIMIT
 */
enum err_code plan_parse_claims(const char *name, const char *text, size_t length,
                                struct plan **plan_out, struct err *e) ATTR_MUST_USE;

/*
 * Appends the canonical text: YAML with fixed key order, one spelling of each value, every default
 * written out; `claims`, `rate`, `requests_per_connection`, `pipeline`, `think_time`, `io` and
 * `source_addresses` only where they are not the usual. plan_parse of it gives an equal plan, and
 * its canonical text is itself.
 */
void plan_format(const struct plan *plan, struct buf *out);

/* SHA-256 of the canonical text, in lower-case hex. */
enum err_code plan_digest(const struct plan *plan, char hex_out[65], struct err *e) ATTR_MUST_USE;

/* Few short trials, to see whether a plan works: at most 3 blocks of 2 s. */
void plan_make_quick(struct plan *plan);

/* Time that the plan takes when nothing is slow: all trials with settle, warm-up, window and
 * cool-down, in ns. */
int64_t plan_duration_ns(const struct plan *plan);

#endif
