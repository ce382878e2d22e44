// SPDX-License-Identifier: Apache-2.0
// An engine of a plan: which server, and how it is started.
#ifndef COLLECTOR_PLAN_PLAN_ENGINE_H
#define COLLECTOR_PLAN_PLAN_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAN_VARIABLE_COUNT_MAX 16
#define PLAN_ARGUMENT_COUNT_MAX 16
#define PLAN_COMMAND_COUNT_MAX  32
#define PLAN_PACKAGE_COUNT_MAX  8
#define PLAN_PORT_WORD          "{port}" /* stands for the port in commands and variables */

/* A variable of an engine's environment. */
struct plan_variable {
    const char *name, *value;
};

enum plan_engine_kind {
    PLAN_ENGINE_BUILTIN,
    PLAN_ENGINE_COMMAND,
    PLAN_ENGINE_EXTERNAL, /* a folder of engines/external, carried in the program */
    PLAN_ENGINE_URL,      /* a server that runs already */
};
extern const char *const plan_engine_kind_names[]; /* as in SQL, and the key that makes it so */

/* What a server that is not built in gets as its standard input. */
enum plan_input {
    PLAN_INPUT_OPEN,     /* a pipe that stays open and silent */
    PLAN_INPUT_NULL,     /* /dev/null: ends at once */
    PLAN_INPUT_TERMINAL, /* a terminal where nobody types */
};
extern const char *const plan_input_names[]; /* NULL at the end */

extern const char *const plan_allocator_names[]; /* the C library's first; NULL at the end */

/* When a server that is not built in is ready. */
struct plan_ready {
    const char *path;  /* asked by GET; NULL: the workload's own request */
    int status;        /* 0: the workload's, with a path 200 */
    int64_t within_ns; /* 0: the plan's ready_within */
};

#define PLAN_ENGINE_ADDRESS   "127.0.0.1" /* where every server of a plan is */
#define PLAN_ENGINE_LOCALHOST "localhost"

/* How a server that is not built in is spoken to. */
struct plan_tls {
    bool is_on;
    bool is_insecure; /* its certificate is not looked at */
    bool reuses;      /* connections resume sessions of earlier ones */
    const char *host; /* in its certificate; NULL: see plan_engine_host */
    const char *ca;   /* file of certificates, from the plan's folder; NULL: the system's */
};

struct plan_words {
    const char *items[PLAN_COMMAND_COUNT_MAX];
    size_t count;
};

/* A package of Debian and the file or program that is there when it is. */
struct plan_package {
    const char *name, *proof;
};

struct plan_engine {
    const char *name;                     /* unique in the plan; any UTF-8 */
    const char *builtin, *external, *url; /* one of them, or a command */
    struct plan_words command;            /* also of an external engine */
    const char *folder;                   /* where it runs, from the plan's; NULL: there */
    const char *plan_folder;              /* of the file that names it; not in its text */
    uint32_t port;                        /* of a command: 0: any free one; of a URL */
    uint32_t pid;                         /* of a URL: its process; 0: not told */
    const char *input;                    /* of plan_input_names */
    bool is_daemon;                       /* its first process may end, others serve */
    struct plan_ready ready;              /* not built in */
    struct plan_tls tls;                  /* likewise, but of an external one */
    const char *allocator;                /* of plan_allocator_names; NULL: its own */
    struct plan_words build;              /* of an external engine: before it is started */
    struct plan_words answers;            /* of an external engine: paths */
    struct plan_package packages[PLAN_PACKAGE_COUNT_MAX];
    size_t package_count;
    uint32_t thread_count;       /* 0: the engine's own default */
    uint32_t extra_work_percent; /* busy work beside its own, of its CPU time */
    struct plan_variable variables[PLAN_VARIABLE_COUNT_MAX]; /* beside those it always gets */
    size_t variable_count;
    const char *arguments[PLAN_ARGUMENT_COUNT_MAX]; /* after those it always gets */
    size_t argument_count;
};

enum plan_engine_kind plan_engine_kind(const struct plan_engine *engine);

/* What it is one of, as in SQL: a built-in engine, a folder of engines/external, a URL, a program.
 */
const char *plan_engine_source(const struct plan_engine *engine);

/* The name or address that it is asked by: of a plain one 127.0.0.1, else `host`, or the URL's. */
const char *plan_engine_host(const struct plan_engine *engine);

/* The value of a variable that the plan gives it; NULL: none. */
const char *plan_engine_variable(const struct plan_engine *engine, const char *name);

/* Its place among plan_input_names. */
enum plan_input plan_engine_input(const struct plan_engine *engine);

#endif
