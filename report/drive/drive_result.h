// SPDX-License-Identifier: Apache-2.0
// What one load by hand brought: intervals added up, and what has to be said about the numbers.
// Reads no clock and prints nothing.
#ifndef REPORT_DRIVE_DRIVE_RESULT_H
#define REPORT_DRIVE_DRIVE_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/driver/driver.h"
#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"
#include "report/drive/drive_mix.h"

#define DRIVE_QUANTILE_COUNT  8
#define DRIVE_NOTICE_COUNT    16
#define DRIVE_NOTICE_BYTES    256
#define DRIVE_UNKNOWN_PERCENT (-1.0)

/* What was asked for. */
struct drive_setup {
    const char *url, *program_version;
    const struct drive_request *requests; /* several: a mix */
    size_t request_count;
    const struct driver_config *config;
    uint32_t threads_asked; /* before they were lowered to the connections */
    int64_t started_utc_ns;
};

/* One interval, with what its histogram said. */
struct drive_interval {
    struct driver_interval counts;
    int64_t p50_ns, p99_ns, max_ns; /* METRIC_UNKNOWN: no ok request */
};

struct drive_quantile {
    const char *name; /* "p99.9" */
    double q;
};
extern const struct drive_quantile drive_quantiles[DRIVE_QUANTILE_COUNT];

struct drive_notice {
    const char *kind; /* stable word */
    char text[DRIVE_NOTICE_BYTES];
};

/* One request of a mix in the window. */
struct drive_part {
    struct driver_request_total total;
    int64_t p50_ns, p99_ns, max_ns; /* METRIC_UNKNOWN: too few ok ones */
};

struct drive_result {
    const struct drive_setup *setup;
    struct drive_part parts[MIX_REQUEST_COUNT_MAX]; /* of a mix */
    struct drive_interval *intervals;
    size_t interval_count, interval_capacity;
    int64_t window_ns;            /* length of the window that was measured */
    int64_t window[METRIC_COUNT]; /* sums over the window */
    uint64_t window_outcomes[OUTCOME_COUNT];
    struct histogram latency;      /* ok requests of the window */
    struct histogram service, lag; /* open loop: likewise; of every request that was sent */
    int64_t backlog_count; /* open loop: due and not sent when the window ended; else unknown */
    struct driver_totals totals;
    bool is_interrupted, is_folded;
    struct drive_notice notices[DRIVE_NOTICE_COUNT];
    size_t notice_count;
};

/* Room for every interval of the setup's grid. errors ERR_LIMIT. drive_result_free; NULL is
 * accepted there. */
enum err_code drive_result_new(const struct drive_setup *setup, struct drive_result **result_out,
                               struct err *e) ATTR_MUST_USE;
void drive_result_free(struct drive_result *result);

/* Adds an interval that driver_take gave. */
void drive_result_add(struct drive_result *result, const struct driver_interval *interval,
                      const struct histogram *histogram);

/* After the last interval, of a mix: what became of request `index`. */
void drive_result_add_part(struct drive_result *result, uint32_t index,
                           const struct driver_request_total *total,
                           const struct histogram *latency);

/* After the last interval: finds what has to be said. */
void drive_result_finish(struct drive_result *result, const struct driver_totals *totals,
                         bool is_interrupted);

/* True when the window holds at least one right answer. */
bool drive_result_is_measured(const struct drive_result *result);

/* "GET http://h/", of a mix "9 GET /ping, 1 POST /upload at http://h/". */
void drive_result_name(const struct drive_setup *setup, struct buf *out);

/* Events of the window in one second of it; 0 when it has no length. */
double drive_result_rate(const struct drive_result *result, int64_t count);

/* The quantile, or METRIC_UNKNOWN when fewer than one value lies beyond it: a p99.99 of 100 values
 * would be their maximum under another name. */
int64_t drive_quantile_ns(const struct histogram *histogram, double q);

bool drive_result_is_open(const struct drive_result *result);

/* Requests sent of those that were due in the window; NaN in a closed loop. */
double drive_result_achieved(const struct drive_result *result);

/* Share in percent of the threads' time in which they worked (spinning is no work);
 * DRIVE_UNKNOWN_PERCENT without a window. */
double drive_result_busy_percent(const struct drive_result *result);

#endif
