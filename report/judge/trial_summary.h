// SPDX-License-Identifier: Apache-2.0
// What one trial says by itself: rates, latencies and CPU of its window.
#ifndef REPORT_JUDGE_TRIAL_SUMMARY_H
#define REPORT_JUDGE_TRIAL_SUMMARY_H

#include <stdint.h>

#include "collector/plan/plan_claim.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/judge/analysis.h"

/* Sums over the samples of a trial's window: METRIC_UNKNOWN when one of them is unknown or there is
 * none. */
struct trial_window {
    size_t sample_count;
    int64_t length_ns, longest_ns; /* of the window; of its longest sample */
    int64_t planned_ns;            /* length of the window in the plan; 0: not known */
    int64_t metrics[METRIC_COUNT]; /* DELTA: the sum; GAUGE and MAXIMUM: the largest known value */
};

/* Memory that the summaries of all trials use one after the other. */
struct trial_scratch {
    struct histogram_decoder *decoder;
    struct histogram latency, lag; /* of the last trial's window */
    bool has_latency, has_lag;     /* false: no sample of the window has one */
};

/*
 * Fills everything of the summary but `valid` and the findings.
 *
 * scratch  its decoder is the caller's
 * errors   ERR_FORMAT: a histogram cannot be read
 */
enum err_code trial_summary_make(const struct results *results, size_t trial_index,
                                 struct trial_scratch *scratch, struct trial_summary *summary_out,
                                 struct trial_window *window_out, struct err *e) ATTR_MUST_USE;

/* The trial's value of a claim's metric, in the metric's unit; NaN where it is not known. */
double trial_metric(const struct trial_summary *summary, enum plan_claim_metric metric);

/* Sum of two counts; METRIC_UNKNOWN when one is, INT64_MAX when it does not fit. */
int64_t trial_add_counts(int64_t left, int64_t right);

/* CPUs that the side may use at once: NaN when not known. "driver" or "server" by its facts, the
 * machine's CPUs and its threads. */
double trial_driver_cpus(const struct results *results);
double trial_server_cpus(const struct results *results, const struct trial_window *window);

#endif
