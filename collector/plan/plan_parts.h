// SPDX-License-Identifier: Apache-2.0
// The parts of a plan: its engines, workloads, load points and machine.
#ifndef COLLECTOR_PLAN_PLAN_PARTS_H
#define COLLECTOR_PLAN_PLAN_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAN_NAME_BYTES_MAX       300
#define PLAN_ENGINE_COUNT_MAX     64
#define PLAN_WORKLOAD_COUNT_MAX   64
#define PLAN_LOAD_POINT_COUNT_MAX 16
#define PLAN_BODY_BYTES_MAX       (16 << 20)
#define PLAN_AA_SUFFIX            " (A/A)" /* the A/A arm's name is the baseline's with this */
#define PLAN_BUILTIN_ASSET        "datasets/plans/demo.yaml"

#define PLAN_VARIABLE_COUNT_MAX 16
#define PLAN_ARGUMENT_COUNT_MAX 16

/* A variable of an engine's environment. */
struct plan_variable {
    const char *name, *value;
};

struct plan_engine {
    const char *name;            /* unique in the plan; any UTF-8 */
    const char *builtin;         /* name of a built-in engine */
    uint32_t thread_count;       /* 0: the engine's own default */
    uint32_t extra_work_percent; /* busy work beside its own, of its CPU time */
    struct plan_variable variables[PLAN_VARIABLE_COUNT_MAX]; /* beside those it always gets */
    size_t variable_count;
    const char *arguments[PLAN_ARGUMENT_COUNT_MAX]; /* after those it always gets */
    size_t argument_count;
};

struct plan_expect {
    int status;         /* default 200 */
    int64_t body_bytes; /* -1: not stated */
    const char *body;   /* the literal body (body_bytes long), NULL: not stated */
    const char
        *body_sha256; /* 64 hex digits, NULL: not stated; made from `body` when that is given */
};

/* Connections are opened without a pause, each asks once and goes away unread when so many newer
 * ones are open; then the server is watched. */
struct plan_flood {
    uint32_t connection_count; /* open at once, at most; 0: no flood */
    int64_t for_ns, recover_within_ns;
};

/* What a workload has otherwise than its plan. */
struct plan_override {
    bool is_set;
    int64_t ns;
};

struct plan_workload {
    const char *name;      /* unique in the plan */
    const char *method;    /* "GET", "HEAD", "POST" */
    const char *path;      /* begins with '/' */
    const char *body_path; /* as written in the plan, NULL: no body */
    const char *body;      /* request body, body_bytes long; "" when none */
    size_t body_bytes;
    const char *body_sha256; /* of the request body; NULL when none */
    struct plan_expect expect;
    uint32_t connection_counts[PLAN_LOAD_POINT_COUNT_MAX]; /* one load point each: `connections:
                                                              125` or `[64, 512]` */
    size_t load_point_count;
    uint32_t rates_per_s[PLAN_LOAD_POINT_COUNT_MAX]; /* open loop, `rate: 2000/s` or a list: a cell
                                                        for each with each count of connections */
    size_t rate_count;                               /* 0: closed loop */
    bool is_poisson;                  /* `arrivals: poisson`; the default is uniform */
    uint32_t requests_per_connection; /* a connection is closed after so many; 0: it is kept */
    uint32_t pipeline_count; /* requests that a connection may have on the way: 1; a closed loop's
                                `pipeline` */
    struct plan_flood flood; /* then its connections are the only load point */
    struct plan_override settle, warmup, window, cooldown, timeout;
};

/* One load point of a workload. */
struct plan_cell {
    uint32_t connection_count, rate_per_s; /* rate_per_s 0: closed loop */
};
size_t plan_cell_count(const struct plan_workload *workload);
struct plan_cell plan_cell(const struct plan_workload *workload, size_t index);

struct plan_machine {
    const char *server_cpus; /* CPU list as in "0" or "0-1,4"; NULL: not pinned */
    const char *driver_cpus;
    uint32_t nofile;         /* wanted RLIMIT_NOFILE; 0: leave */
    uint32_t driver_threads; /* 0: one a CPU of driver_cpus, else one */
};

#endif
