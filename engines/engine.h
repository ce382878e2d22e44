// SPDX-License-Identifier: Apache-2.0
// A built-in server: how it is started and stopped. Engines differ in input, output and threads
// only; the HTTP is one and the same (engines/http), but for `limit`, which has none.
#ifndef ENGINES_ENGINE_H
#define ENGINES_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "engines/counters.h"

#define ENGINE_VERSION "0.1.0"

/* Defaults. */
#define ENGINE_IDLE_SECONDS     60  /* without a request, or without progress of one: closed */
#define ENGINE_HEAD_SECONDS     10  /* from the first byte of a head to its last: else 408 */
#define ENGINE_BODY_BYTES_PER_S 240 /* that a body must bring (patience.h): else 408 */
#define ENGINE_QUEUE_COUNT      4096 /* connections or requests that may wait for a worker: else 503 */

#define ENGINE_WORKERS_MAX    1024
#define ENGINE_LINGER_SECONDS 2 /* how long what comes after the last answer is read away */
#define ENGINE_INPUT_BYTES    ((size_t)256 << 10) /* one read of an event loop */

struct engine_config {
    const int *listen_fds; /* from net_listen; as many as threads when the engine wants that */
    uint32_t listen_count;
    int stop_fd; /* readable, and left so, when the engine is to end */
    uint32_t thread_count;
    uint32_t extra_work_percent; /* of its own CPU time (extra_work.h); limit has none */
    uint32_t
        connections_max;  /* 0: as many as there are descriptors; else one more is answered 503 */
    uint32_t queue_count; /* of pool and reactor */
    uint32_t idle_seconds, head_seconds;
    uint32_t body_bytes_per_s;      /* 0: a body may come as slowly as it likes */
    _Atomic uint32_t *open_count;   /* connections now, of all threads */
    struct counters_page *counters; /* never NULL */
};

enum engine_threads {
    ENGINE_THREADS_PER_CONNECTION, /* they come with connections, and thread_count is 0 */
    /* Event loops, thread_count of them, each with a listening socket and a slot of the counters of
     * its own. */
    ENGINE_THREADS_LOOPS,
    /* thread_count workers behind one listening socket. */
    ENGINE_THREADS_WORKERS,
};

struct engine {
    const char *name;
    const char *summary; /* one line for --list */
    enum engine_threads threads;
    uint32_t threads_default; /* 0: one for each CPU that the process may use */
    /* NULL, or says whether this machine can run it. errors ERR_SYS: it refuses, and the text says
     * what to do */
    enum err_code (*probe)(struct err *e);
    /* Serves until stop_fd is readable. Closes the connections that it accepted, not the
     * descriptors of the config. errors ERR_SYS, ERR_LIMIT: could not begin */
    enum err_code (*run)(const struct engine_config *config, struct err *e);
};

#define ENGINE(name) extern const struct engine engine_##name;
#include "engines/engines.def"
#undef ENGINE

/* By name; NULL when there is none. */
const struct engine *engine_find(const char *name);
/* Loops have a slot of the counters page each, workers share them; 0: a thread a connection. */
uint32_t engine_threads_max(const struct engine *engine);
/* Whether this machine can run it; most engines ask for nothing. errors ERR_SYS */
enum err_code engine_probe(const struct engine *engine, struct err *e) ATTR_MUST_USE;
/* The index-th of all, NULL behind the last. */
const struct engine *engine_get(size_t index);

#endif
