// SPDX-License-Identifier: Apache-2.0
// The load driver: sends requests over keep-alive connections and records what came back, interval
// by interval. It alone opens connections to the server under load; one event loop a thread.
//
// Closed loop: each connection sends its next request when the last one was answered; the latency
// of a request is its service time, from sending to the last byte of its final response. Open loop:
// requests are due by a schedule, whatever the server does; any idle connection sends the next one
// that is due, and when none is idle it waits in the backlog. Its latency is its response time,
// from the moment when it was due; service time and lag are recorded beside it. The lag is the
// driver's own lateness: from when the request was due and a connection was idle to when it was
// sent.
//
// What is counted. A request is started when it is given to the kernel and ends in exactly one
// outcome, counted in the interval in which it ended. An attempt to connect that fails while load
// runs is a started request with a connect_* outcome (over TLS also tls_handshake or
// tls_certificate), so that the sum of all outcomes equals started_count; it is no request of a
// schedule: scheduled = started - those + shed + backlog. Attempts of the ramp are retried and not
// counted, nor are those that the window's end cuts off. A connection that closes after a whole
// response while no request is on its way is replaced without an outcome. A request that crossed
// such a close (FIN came, and the server's kernel took none of it) is sent again on another
// connection, its time goes on, and resent_count tells of it; one that the server's kernel had
// taken is closed_early (by FIN) or reset (by RST). Bytes after a whole response, before the next
// request, make that next one protocol_status. When a connection breaks, the requests behind the
// oldest one on it end as that one does, but after a truncated response as closed_early.
#ifndef COLLECTOR_DRIVER_DRIVER_H
#define COLLECTOR_DRIVER_DRIVER_H

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "collector/driver/arrivals.h"
#include "collector/driver/driver_io.h"
#include "collector/driver/driver_request.h"
#include "collector/driver/grid.h"
#include "collector/driver/histogram.h"
#include "collector/driver/mix.h"
#include "collector/driver/think.h"
#include "collector/driver/tls.h"
#include "collector/sample.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "engines/base/net.h"

struct driver_config {
    struct sockaddr_storage address;
    socklen_t address_bytes;
    const struct net_address *sources;     /* local addresses, in turn; kept by reference */
    uint32_t source_count;                 /* 0: the kernel chooses */
    const struct driver_request *requests; /* copied by driver_open */
    uint32_t request_count; /* 1 … MIX_REQUEST_COUNT_MAX; several are a mix, see mix.h */
    uint64_t mix_seed;
    uint32_t connection_count; /* exactly so many; threads get them with the remainder spread */
    uint32_t thread_count;     /* 1 …; lowered to connection_count when above it */
    const cpu_set_t *cpus;     /* threads are pinned to these; NULL: not pinned */
    int64_t timeout_ns; /* from sending a request to the end of its response, and for connecting */
    uint32_t connect_rate_per_s; /* of the ramp; reconnects are held to it as well */
    enum driver_io io;
    const struct tls_settings *tls;  /* kept by reference; with DRIVER_IO_EPOLL only; NULL: none */
    struct grid grid;                /* interval length, warm-up, window */
    int64_t spin_ns;                 /* busy-poll before blocking; 0: block at once */
    struct arrivals_config arrivals; /* rate_per_s 0: closed loop */
    int64_t deadline_ns; /* open loop: a request that could not be sent so long after it was due is
                            given up; 0: never */
    uint32_t pipeline_count;      /* closed loop without a mix and without pauses: requests that a
                                     connection may have on the way; 0: 1 */
    struct think_config think;    /* closed loop */
    uint32_t connection_requests; /* a connection is closed and opened anew after so many; the first
                                     request's service time begins with the connecting (closed
                                     loop), connect_rate_per_s does not hold it up; 0: never */
    uint64_t request_limit; /* exactly so many requests are started, then driver_is_exhausted; 0:
                               as many as the window holds */
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
    /* Open loop, else NULL; valid until the next driver_take. Service times of ok requests; lags of
     * all requests that were sent. */
    const struct histogram *service, *lag;
};

struct driver_totals {
    enum driver_io io;                   /* that ran */
    char io_reason[DRIVER_REASON_BYTES]; /* why it was not the one asked for; else "" */
    uint32_t connections_requested, connections_established; /* by the end of the ramp */
    uint32_t connections_served; /* sockets that got at least one whole response */
    uint64_t started_count;      /* all phases; equals the sum of all outcomes */
    uint64_t outcomes[OUTCOME_COUNT];
    struct tls_total tls;
};

struct driver;

/*
 * Allocates everything that the trial needs, starts the threads and opens the connections (the
 * ramp). Returns when all are established or the ramp's time (count / rate + timeout) is over; how
 * many are is in driver_totals.
 *
 * errors   ERR_USAGE: tls's file; ERR_SYS: threads or memory; ERR_LIMIT: more descriptors needed
 * than RLIMIT_NOFILE allows
 */
enum err_code driver_open(const struct driver_config *config, struct driver **driver_out,
                          struct err *e) ATTR_MUST_USE;

/* Load begins at grid_zero_ns (CLOCK_MONOTONIC, in the future); from here to the window's end
 * nothing is allocated. */
void driver_start(struct driver *driver, int64_t grid_zero_ns);

/*
 * The next interval, merged over the threads, once all of them are past its end. Non-blocking.
 *
 * histogram_out   cleared and filled with the latencies of the ok requests of the interval
 * returns         true: *interval_out and *histogram_out are set; false: not there yet (or, after
 * the drain's interval was taken, none is left: driver_finished)
 */
bool driver_take(struct driver *driver, struct driver_interval *interval_out,
                 struct histogram *histogram_out);

bool driver_finished(const struct driver *driver); /* every interval was taken, the drain's too */

/* Ends the load early (SIGINT, server gone): the running interval becomes the last one; then as
 * after the window. Called again: what is in flight is not waited for. Same thread as driver_take.
 */
void driver_stop(struct driver *driver);

/* True when request_limit was reached and every request has ended: call driver_stop, which then
 * ends the load where the last request ended. */
bool driver_is_exhausted(const struct driver *driver);

/* Valid when driver_finished. */
void driver_get_totals(const struct driver *driver, struct driver_totals *totals_out);

/* Joins the threads, closes the connections, frees. NULL is accepted. Waits for no response. */
void driver_close(struct driver *driver);

#endif
