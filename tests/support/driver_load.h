// SPDX-License-Identifier: Apache-2.0
// One load of the driver on a scripted peer, with the checks that hold for every load.
#ifndef TESTS_SUPPORT_DRIVER_LOAD_H
#define TESTS_SUPPORT_DRIVER_LOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "collector/driver/driver.h"
#include "engines/base/clock.h"
#include "tests/support/scripted_peer.h"

#define MS             CLOCK_NS_PER_MS
#define INTERVAL_LIMIT 64
#define GET            "GET / HTTP/1.1\r\nHost: peer\r\n\r\n"
#define OK_HEAD        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"
#define OK_RESPONSE    OK_HEAD "pong"
/* printf pong | xxhsum -H1 */
#define PONG_XXH64 UINT64_C(0x79fb150e408c989f)

struct load {
    const char *request; /* NULL: GET */
    bool is_head;
    int status; /* 0: 200 */
    uint32_t connections, threads;
    int64_t window_ns, warmup_ns, interval_ns, timeout_ns; /* 0: the usual */
    int kill_signal; /* sent to the peer at kill_at_ns of the load */
    int64_t kill_at_ns;
    int64_t stop_at_ns; /* driver_stop; 0: never */
    bool any_body;
    int64_t body_bytes;    /* of the expected body, whose bytes may be any; 0: it is "pong" */
    int64_t take_after_ns; /* the first driver_take; 0: at once */
    rlim_t nofile_in_load; /* RLIMIT_NOFILE once all is open; 0: as it was */
};

struct outcome_of_load {
    struct driver_totals totals;
    struct driver_interval intervals[INTERVAL_LIMIT];
    struct histogram histogram; /* of all intervals */
    uint32_t interval_count;
    int64_t elapsed_ns; /* from grid zero to the end of driver_close */
    int64_t sums[METRIC_COUNT];
    uint64_t peer_requests, peer_used, peer_accepted, peer_responses, peer_bytes;
};

extern enum driver_io load_io;             /* epoll, unless a test says so */
extern struct outcome_of_load load_result; /* too large for a stack; each test is a process */

/* A script of these replies, and one reply. */
#define REPLY(...)                                                                                 \
    {                                                                                              \
        .replies = {__VA_ARGS__},                                                                  \
        .reply_count =                                                                             \
            sizeof((const struct peer_reply[]){__VA_ARGS__}) / sizeof(struct peer_reply)           \
    }
#define SAY(...)                                                                                   \
    {                                                                                              \
        .bytes = __VA_ARGS__                                                                       \
    }

/* What driver_open is given for `load`. */
void load_config(const struct load *load, uint16_t port, struct driver_config *config_out);

/* Takes every interval into `load_result`; signals and stops as `load` says, and
 * where the driver is exhausted. */
void load_take(struct driver *driver, const struct load *load, const struct peer *peer,
               int64_t zero_ns);

/* Outcomes of `load_result`, by interval and in total, add up to the started requests. */
void load_check_sums(const char *name);

/* Drives a peer with this script from start to end, into `load_result`. */
void load_drive(const char *name, const struct peer_script *script, const struct load *load);

uint64_t load_outcome_count(enum outcome outcome);

#endif
