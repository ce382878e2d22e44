// SPDX-License-Identifier: Apache-2.0
// What may be said of a session: estimates with intervals, comparisons, validity. Pure: results in,
// analysis out.
#ifndef REPORT_JUDGE_ANALYSIS_H
#define REPORT_JUDGE_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/judge/analysis_row.h"
#include "report/judge/claim.h"
#include "report/judge/finding.h"
#include "report/judge/latency_profile.h"
#include "report/judge/recovery.h"
#include "report/judge/secondary.h"
#include "report/judge/steadiness.h"
#include "report/query/results.h"

#define TRIAL_FINDING_COUNT_MAX FINDING_KIND_COUNT

/* What one trial says by itself. Rates over the window's real length. NaN or METRIC_UNKNOWN where
 * unknown. */
struct trial_summary {
    size_t trial_index; /* into results->trials */
    bool valid;         /* counted in the estimates */
    struct finding findings[TRIAL_FINDING_COUNT_MAX];
    size_t finding_count;
    double window_s;
    double ok_per_s;        /* ok requests / window: the trial's value */
    double completed_per_s; /* with the unexpected answers */
    double peak_per_s;      /* highest rate of one full sample */
    double latency_mean_ns;
    double latency_ns[4]; /* p50, p90, p99, p99.9 of the merged histogram; NaN with fewer than 100
                             requests beyond it */
    int64_t latency_max_ns;
    double server_cpu_us_per_request, driver_cpu_us_per_request; /* (user + system) / ok requests;
                                                                 the driver without its spinning */
    double server_cpu_share, driver_cpu_share; /* of one CPU; may exceed 1 with several threads */
    enum saturation saturation;
    int64_t rss_kib_peak, thread_count_peak;
    double foreign_cpu_share;
    double lag_p99_ns; /* open loop: of the requests of the window; NaN: closed loop */
    uint64_t outcomes[OUTCOME_COUNT]; /* of the window */
    struct steadiness steadiness;
    struct recovery_watch *watch; /* of a flood, owned by the analysis; NULL: none */
};
/*
 * UNFIT: one of unfit_cause. Such a session keeps its estimates and gets no verdicts and no p.
 * NOTHING: no ok request in any window. WARNINGS: any finding or remark, any event that is not
 * 'info', a limit engine that drifted, or a session that is not finished.
 */
enum trust { TRUST_VALID, TRUST_WARNINGS, TRUST_UNFIT, TRUST_NOTHING };

enum unfit_cause {
    UNFIT_FOREIGN_CPU = 1 << 0, /* more than a third of the trials invalid by foreign CPU */
    UNFIT_AA_DIFFERS = 1 << 1,  /* an A/A arm is DIFFERENT from its baseline */
    UNFIT_AA_WIDE = 1 << 2,     /* an A/A interval of 6 pairs or more is wider than ±20 % */
    UNFIT_NONE_COUNTED = 1 << 3 /* no trial of any engine but limit is counted */
};

struct analysis {
    const struct results *results;
    struct latency_profile **profiles; /* by cell · engine_count + engine: analysis_profile */
    size_t profile_count;
    struct analysis_work *work;   /* while trials are added */
    size_t baseline_index;        /* into results->engines; SIZE_MAX: not in the file */
    struct trial_summary *trials; /* one for each of results->trials */
    size_t *by_arm;               /* their indices, sorted: analysis_trials_of */
    size_t *arm_begins;           /* into by_arm, by cell · engine_count + engine */
    size_t trial_count;           /* of them: to be freed when the results are gone */
    struct analysis_row *rows; /* cells in order; in each the A/A arm first, then the baseline, then
                                  the others by rate; limit last */
    size_t row_count;
    bool is_quick;         /* descriptive only, whatever the number of blocks: no verdicts */
    size_t left_out_count; /* engines in cells without a trial, because of --only */
    enum trust trust;
    unsigned unfit_causes;  /* bits of enum unfit_cause; 0 unless UNFIT */
    size_t disturbed_count; /* trials invalid by foreign CPU */
    size_t unfit_row_index; /* the A/A arm of UNFIT_AA_…; SIZE_MAX: none */
    double
        margin; /* δ = max(2 %, half-width of the widest A/A interval); verdicts use ±ln(1 + δ) */
    size_t comparison_count; /* Holm's family: comparisons of 6 pairs or more, no A/A arm */
    size_t block_count_most; /* most pairs of such a comparison, whatever their number */
    bool pairs_untellable;   /* no two engines could be told apart by so few blocks: no letters */
    size_t aa_row_index;     /* the A/A arm whose ratio is farthest from 1; SIZE_MAX: no ratio */
    double lateness_ns_p99, lateness_ns_max; /* over all samples of the session */
    int64_t sample_count, sample_missing_count;
    double foreign_cpu_share_max;
    double limit_drift;     /* rate of the last limit trial over the first, − 1; NaN without */
    struct remark *remarks; /* on cells, in the order of rows and cells */
    size_t remark_count;
    struct secondary *secondaries; /* exploratory comparisons */
    size_t secondary_count;
    struct recovery_row *recoveries; /* of cells with a flood, which have no rows */
    size_t recovery_count;
    struct plan *claim_plan;     /* what is read of the stored plan; `claims` point into it; NULL */
    struct claim_result *claims; /* in the order of the plan */
    size_t claim_count;
    char claims_problem[ERR_TEXT_BYTES]; /* why the stored plan's claims cannot be read; "" */
};

/* errors   ERR_LIMIT: memory; ERR_FORMAT: a histogram in the file cannot be read (names trial and
 * sample) */
enum err_code analysis_make(const struct results *results, struct analysis **analysis_out,
                            struct err *e) ATTR_MUST_USE;
void analysis_free(struct analysis *analysis);

/* The trials of an engine in a cell, in the order they ran; none of an engine SIZE_MAX. */
struct analysis_trials {
    const size_t *indices;
    size_t count;
};
struct analysis_trials analysis_trials_of(const struct analysis *analysis, size_t cell_index,
                                          size_t engine_index);
struct analysis_trials analysis_row_trials(const struct analysis *analysis,
                                           const struct analysis_row *row);

/* The latencies of a row's counted trials; NULL: none has a histogram. */
const struct latency_profile *analysis_profile(const struct analysis *analysis,
                                               const struct analysis_row *row);

/* The limit engine's last trial is 5 % or more off its first. */
bool analysis_has_drifted(const struct analysis *analysis);

/* The word of the session's last line: NOTHING MEASURED or UNFIT, else that of the claims, else
 * that of the trust. */
const char *analysis_word(const struct analysis *analysis);

extern const char
    *const trust_names[]; /* "VALID", "VALID WITH WARNINGS", "UNFIT", "NOTHING MEASURED" */

#endif
