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

#define ENGINE_IDLE_SECONDS   60 /* without a request, or without progress of one: closed */
#define ENGINE_HEAD_SECONDS   10 /* from the first byte of a head to its last: else 408 */
#define ENGINE_LINGER_SECONDS 2  /* how long what comes after the last answer is read away */
#define ENGINE_INPUT_BYTES    ((size_t)256 << 10) /* one read of an event loop */

struct engine_config {
    const int *listen_fds; /* from net_listen; as many as threads when the engine wants that */
    uint32_t listen_count;
    int stop_fd; /* readable, and left so, when the engine is to end */
    uint32_t thread_count;
    uint32_t extra_work_percent;    /* of its own CPU time (extra_work.h); limit has none */
    struct counters_page *counters; /* never NULL */
};

struct engine {
    const char *name;
    const char *summary; /* one line for --list */
    /* A fixed number of event loops (thread_count), each with a listening socket and a slot of the
     * counters of its own. Otherwise threads come with connections and thread_count is 0. */
    bool has_loops;
    /* Serves until stop_fd is readable. Closes the connections that it accepted, not the
     * descriptors of the config. errors ERR_SYS, ERR_LIMIT: could not begin */
    enum err_code (*run)(const struct engine_config *config, struct err *e);
};

#define ENGINE(name) extern const struct engine engine_##name;
#include "engines/engines.def"
#undef ENGINE

/* By name; NULL when there is none. */
const struct engine *engine_find(const char *name);
/* The index-th of all, NULL behind the last. */
const struct engine *engine_get(size_t index);

#endif
