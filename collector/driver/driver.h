// SPDX-License-Identifier: Apache-2.0
// The load driver: sends requests over keep-alive connections and records what came back, interval
// by interval. It alone opens connections to the server under load. Closed loop; epoll; one event
// loop a thread.
//
// What is counted. A request is started when it is given to the kernel and ends in exactly one
// outcome, counted in the interval in which it ended. The time of a request is from sending to the
// last byte of its final response. An attempt to connect that fails while load runs is a started
// request with a connect_* outcome, so that the sum of all outcomes equals started_count; attempts
// of the ramp are retried and not counted, nor are those that the window's end cuts off. A
// connection that closes after a whole response while no request is on its way is replaced without
// an outcome; a request that crossed such a close is closed_early (by FIN) or reset (by RST).
// Bytes after a whole response, before the next request, make that next one protocol_status.
#ifndef COLLECTOR_DRIVER_DRIVER_H
#define COLLECTOR_DRIVER_DRIVER_H

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "collector/driver/grid.h"
#include "collector/driver/histogram.h"
#include "collector/sample.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"

/* What a right answer is. The hash is compared on every response whose length is right. */
struct driver_expect {
    int status;             /* 100 … 599 */
    int64_t body_bytes;     /* -1: any length */
    bool body_hash_checked; /* only with body_bytes >= 0 */
    uint64_t body_xxh64;    /* XXH64, seed 0 */
};

struct driver_config {
    struct sockaddr_storage address;
    socklen_t address_bytes;
    const char
        *request; /* the bytes of one whole request, head and body; kept by reference until close */
    size_t request_bytes;
    bool request_is_head; /* HEAD: responses have no body whatever they announce */
    struct driver_expect expect;
    uint32_t connection_count; /* exactly so many; threads get them with the remainder spread */
    uint32_t thread_count;     /* 1 …; lowered to connection_count when above it */
    const cpu_set_t *cpus;     /* threads are pinned to these; NULL: not pinned */
    int64_t timeout_ns; /* from sending a request to the end of its response, and for connecting */
    uint32_t
        connect_rate_per_s; /* ramp of the first connections; reconnects are held to it as well */
    struct grid grid;       /* interval length, warm-up, window */
    int64_t spin_ns;        /* busy-poll before blocking; 0: block at once */
    const volatile sig_atomic_t *stop; /* when it is not 0 the ramp is given up; NULL: never */
};

/* One interval, all threads together. */
struct driver_interval {
    uint32_t index;
    enum sample_phase phase;
    bool is_folded; /* a thread's ring was full at this interval's end (nobody took for seconds):
                       what it did is counted in a later one */
    int64_t start_ns, end_ns; /* from grid zero; the real ones after driver_stop and of the drain */
    int64_t metrics[METRIC_COUNT]; /* those of scope DRIVER; the others METRIC_UNKNOWN */
    uint64_t outcomes[OUTCOME_COUNT];
};

struct driver_totals {
    uint32_t connections_requested, connections_established; /* by the end of the ramp */
    uint32_t connections_served; /* sockets that got at least one whole response */
    uint64_t started_count;      /* all phases; equals the sum of all outcomes */
    uint64_t outcomes[OUTCOME_COUNT];
};

struct driver;

/*
 * Allocates everything that the trial needs, starts the threads and opens the connections (the
 * ramp). Returns when all are established or the ramp's time (count / rate + timeout) is over; how
 * many are is in driver_totals.
 *
 * errors   ERR_SYS: threads or memory; ERR_LIMIT: more descriptors needed than RLIMIT_NOFILE allows
 */
enum err_code driver_open(const struct driver_config *config, struct driver **driver_out,
                          struct err *e) ATTR_MUST_USE;

/* Load begins at grid_zero_ns (CLOCK_MONOTONIC, in the future); from here to the window's end
 * nothing is allocated. */
void driver_start(struct driver *driver, int64_t grid_zero_ns);

/*
 * The next interval, merged over the threads, once all of them are past its end. Non-blocking.
 *
 * histogram_out   cleared and filled with the ok service times of the interval
 * returns         true: *interval_out and *histogram_out are set; false: not there yet (or, after
 * the drain's interval was taken, none is left: driver_finished)
 */
bool driver_take(struct driver *driver, struct driver_interval *interval_out,
                 struct histogram *histogram_out);

/* True when every interval, the drain's included, was taken. */
bool driver_finished(const struct driver *driver);

/* Ends the load early (SIGINT, server gone): the running interval becomes the last one; then as
 * after the window. Called again: what is in flight is not waited for. Same thread as driver_take.
 */
void driver_stop(struct driver *driver);

/* Valid when driver_finished. */
void driver_get_totals(const struct driver *driver, struct driver_totals *totals_out);

/* Joins the threads, closes the connections, frees. NULL is accepted. Waits for no response. */
void driver_close(struct driver *driver);

#endif
