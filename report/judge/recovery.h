// SPDX-License-Identifier: Apache-2.0
// What became of a server after a flood: whether it answers again, and whether its memory, threads
// and descriptors are back.
#ifndef REPORT_JUDGE_RECOVERY_H
#define REPORT_JUDGE_RECOVERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/query/results.h"

#define RECOVERY_COUNT_SLACK 4 /* threads and descriptors: the asking driver's own connections */

/* Times from the flood's end in ns, NaN: not within the time of watching. Differences from the last
 * sample before the flood to the last one of the watching; METRIC_UNKNOWN where a value is. */
struct recovery {
    bool is_over; /* the trial went to its end, or the server ended by itself */
    bool has_crashed;
    bool is_known;      /* memory, threads and descriptors were read before and after */
    double answered_ns; /* the first right answer */
    double returned_ns; /* from here on memory, threads and descriptors are near the start; it is
                           known to the sample */
    int64_t rss_growth_kib, thread_growth, fd_growth;
};

/* Of a trial of a flood: the samples after it, with what there was more than before. */
struct recovery_watch {
    size_t count;
    struct recovery_point {
        int64_t at_ns; /* from the flood's end to the sample's */
        int64_t rss_growth_kib, thread_growth, fd_growth;
    } points[]; /* those that could be read */
};

bool recovery_is_flood(const struct results *results, size_t cell_index);
/* Whether the cell's throughput is compared: no flood, and tacho's own driver. */
bool recovery_is_compared(const struct results *results, size_t cell_index);

/* Looks at the samples of a trial. *watch_out is on the heap: free. errors ERR_LIMIT: memory */
enum err_code recovery_watch_make(const struct results *results, const struct results_trial *trial,
                                  struct recovery_watch **watch_out, struct err *e) ATTR_MUST_USE;

/* watch   NULL: the samples are not known */
struct recovery recovery_find(const struct results_trial *trial, const struct recovery_watch *watch,
                              double growth_bytes);

/* The later of both times; NaN: not recovered. */
double recovery_time_ns(const struct recovery *recovery);

/* One engine under one flood, with the limits of the workload and PLAN_CLAIM_GROWTH_DEFAULT. */
struct recovery_row {
    size_t cell_index, engine_index;
    size_t trial_count, known_count; /* that are over; of which it is known what became */
    size_t recovered_count, crashed_count;
    double answered_ns_max, recovered_ns_max; /* of those that did; NaN: none */
    int64_t rss_growth_kib_max, thread_growth_max, fd_growth_max;
};

struct analysis;

/* Fills analysis->recoveries, in the order of cells and engines. errors ERR_LIMIT: memory */
enum err_code recovery_make_rows(struct analysis *analysis, struct err *e) ATTR_MUST_USE;

#endif
