// SPDX-License-Identifier: Apache-2.0
// How long a client may take: without bytes, for a head, and for a body, which must come at a
// minimum rate. Reads no clock: times are handed in, from one clock, above 0.
#ifndef ENGINES_PATIENCE_H
#define ENGINES_PATIENCE_H

#include "engines/engine.h"
#include "engines/http/http_conn.h"

#define PATIENCE_WINDOW_SECONDS 5 /* over so long the rate of a body is taken, time and again */

struct patience {
    int64_t active_ns;     /* when bytes came or went last */
    int64_t started_ns;    /* when the unfinished request began; 0: none */
    int64_t window_ns;     /* when the present window of its body began; 0: no body is awaited */
    uint64_t window_bytes; /* what came since */
};

enum patience_state {
    PATIENCE_WAITS,
    PATIENCE_ENDS,  /* silent for too long between requests: close */
    PATIENCE_TELLS, /* too long with a request half sent: 408, then close */
};

/* Bytes came. */
static inline void patience_receive(struct patience *patience, size_t bytes, int64_t now_ns)
{
    patience->active_ns = now_ns;
    patience->window_bytes += bytes;
}

/*
 * Input was processed.
 *
 * left_bytes   what the connection keeps
 * is_next      something was used up: what is left belongs to another request than before
 */
void patience_settle(struct patience *patience, const struct http_conn *http, size_t left_bytes,
                     bool is_next, int64_t now_ns);

/* Begins the next window of a body when the last one brought enough. */
enum patience_state patience_check(struct patience *patience, const struct engine_config *config,
                                   int64_t now_ns);

/* For a connection that waits for its client to take what is sent or, when it lingers, to close.
 * Never PATIENCE_TELLS. */
enum patience_state patience_check_last(const struct patience *patience,
                                        const struct engine_config *config, bool lingers,
                                        int64_t now_ns);

/* How long a thread may wait for bytes before it must look at the times. */
int patience_wait_ms(const struct engine_config *config);

#endif
