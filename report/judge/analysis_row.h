// SPDX-License-Identifier: Apache-2.0
// What is said of one engine in one cell.
#ifndef REPORT_JUDGE_ANALYSIS_ROW_H
#define REPORT_JUDGE_ANALYSIS_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/judge/claim.h"
#include "report/stats/letters.h"

#define ANALYSIS_QUANTILE_COUNT 4
extern const double analysis_quantiles[ANALYSIS_QUANTILE_COUNT]; /* 0.5, 0.9, 0.99, 0.999 */

/* Which side had no CPU time left in the window (busy share of its own CPUs above 0.9). */
enum saturation {
    SATURATION_NEITHER,
    SATURATION_SERVER,
    SATURATION_DRIVER,
    SATURATION_BOTH,
    SATURATION_UNKNOWN
};

enum verdict {
    VERDICT_NONE,    /* no comparison: the baseline itself, the limit engine, or an unfit session */
    VERDICT_TOO_FEW, /* fewer than 6 pairs: no inference */
    VERDICT_DIFFERENT,
    VERDICT_SMALL,
    VERDICT_EQUIVALENT,
    VERDICT_INCONCLUSIVE,
};

/* One engine in one cell. */
struct analysis_row {
    size_t cell_index, engine_index;
    size_t trial_count, valid_count;
    struct estimate ok_per_s; /* geometric mean, t interval on logs over trials */
    struct estimate latency_ns[ANALYSIS_QUANTILE_COUNT];
    struct estimate server_cpu_us, driver_cpu_us;
    struct estimate ratio; /* to the baseline, from paired log ratios over blocks; NaN for itself */
    double ratio_p; /* exact sign-flip p, Holm-adjusted over the session's comparisons; NaN when
                       none */
    double minimal_effect;   /* smallest ratio difference found with 80 % power at Holm's strictest
                                level, e.g. 0.02; NaN: so few blocks tell nothing apart */
    double blocks_needed;    /* with INCONCLUSIVE: blocks that would decide; NaN else */
    bool intervals_disagree; /* the t and the Hodges–Lehmann interval say different things about a
                                ratio of 1: INCONCLUSIVE whatever the p */
    enum verdict verdict;
    /* Its group of ties in the cell: two engines that share a letter are not told apart. Holm over
     * all pairs of the session; "" without 6 blocks for each pair, and in an unfit session. */
    char letters[LETTERS_TEXT_BYTES];
    struct estimate
        limit_ratio; /* to the limit engine at the same connection count, of the means */
    double
        peak_per_s; /* highest 500 ms rate of any counted trial: marked as a peak, never ranked */
    int64_t rss_kib_peak, thread_count_peak, latency_max_ns;
    double lag1;                           /* mean of its counted trials' */
    double unsteady_share;                 /* of its counted trials; NaN: too short to say */
    enum saturation saturation;            /* of the majority of its trials */
    uint64_t error_count, completed_count; /* in the windows of all its trials, valid or not */
};

extern const char *const verdict_names[];    /* "DIFFERENT" … */
extern const char *const saturation_names[]; /* "neither", "server", "driver", "both", "unknown" */

#endif
