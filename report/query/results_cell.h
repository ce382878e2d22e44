// SPDX-License-Identifier: Apache-2.0
// A load point of a workload, as the file has it.
#ifndef REPORT_QUERY_RESULTS_CELL_H
#define REPORT_QUERY_RESULTS_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct results_cell {
    int64_t cell_id;
    size_t workload_index; /* into workloads */
    int64_t connection_count;
    int64_t rate_per_s;      /* open loop; METRIC_UNKNOWN: closed loop */
    bool is_poisson;         /* open loop: the arrivals; else uniform */
    const char *rate_course; /* "1000..5000", rate_per_s is its mean; NULL: it does not change */
};
/* Whether they are the same load, of workloads that have the same name. */
bool results_cells_match(const struct results_cell *a, const struct results_cell *b);

/* Beside a point, where the rate changes. */
struct results_course_point {
    int64_t scheduled_count, latency_sum_ns, latency_max_ns, lag_max_ns;
};

#endif
