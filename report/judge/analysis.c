// SPDX-License-Identifier: Apache-2.0
// Puts the analysis of a session together and says how far it can be trusted.
#include "report/judge/analysis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collector/plan/plan.h"
#include "report/judge/analysis_load.h"
#include "report/judge/comparisons.h"
#include "report/judge/findings.h"
#include "report/judge/groups.h"
#include "report/judge/soundness.h"
#include "report/judge/trial_summary.h"
#include "report/stats/summary.h"

#define LATENESS_QUANTILE 0.99
#define DRIFT_MAX         0.05

/* Until the last trial is added. */
struct analysis_work {
    struct trial_scratch scratch;
    double *lateness; /* every known one of the session, ns */
    size_t lateness_count, lateness_capacity;
};

static enum err_code take_lateness(struct analysis_work *work, const struct results_trial *trial,
                                   struct err *e)
{
    size_t needed = work->lateness_count + trial->sample_count;

    if (needed > work->lateness_capacity) {
        size_t capacity = 2 * needed;
        double *lateness = realloc(work->lateness, capacity * sizeof(*lateness));

        if (!lateness) {
            return err_set(e, ERR_LIMIT, "no memory for %zu samples", needed);
        }
        work->lateness = lateness;
        work->lateness_capacity = capacity;
    }
    for (size_t i = 0; i < trial->sample_count; i++) {
        int64_t lateness_ns = trial->samples[i].metrics[METRIC_lateness_ns];

        if (lateness_ns != METRIC_UNKNOWN) {
            work->lateness[work->lateness_count++] = (double)lateness_ns;
        }
    }
    return ERR_OK;
}

static size_t arm_index(const struct analysis *analysis, size_t cell_index, size_t engine_index)
{
    return cell_index * analysis->results->engine_count + engine_index;
}

struct analysis_trials analysis_trials_of(const struct analysis *analysis, size_t cell_index,
                                          size_t engine_index)
{
    if (engine_index == SIZE_MAX) {
        return (struct analysis_trials){NULL, 0};
    }
    const size_t *begin = &analysis->arm_begins[arm_index(analysis, cell_index, engine_index)];

    return (struct analysis_trials){analysis->by_arm + begin[0], begin[1] - begin[0]};
}

struct analysis_trials analysis_row_trials(const struct analysis *analysis,
                                           const struct analysis_row *row)
{
    return analysis_trials_of(analysis, row->cell_index, row->engine_index);
}

const struct latency_profile *analysis_profile(const struct analysis *analysis,
                                               const struct analysis_row *row)
{
    return analysis->profiles[arm_index(analysis, row->cell_index, row->engine_index)];
}

static enum err_code take_latencies(struct analysis *analysis, const struct results_trial *trial,
                                    struct err *e)
{
    struct latency_profile **place =
        &analysis->profiles[arm_index(analysis, trial->cell_index, trial->engine_index)];

    if (!*place) {
        *place = calloc(1, sizeof(**place));
    }
    if (!*place) {
        return err_set(e, ERR_LIMIT, "no memory for the latencies of trial %lld",
                       (long long)trial->trial_id);
    }
    latency_profile_add(*place, &analysis->work->scratch.latency);
    return ERR_OK;
}

/* 0: not known. */
static int64_t planned_window_ns(const struct analysis *analysis, const struct results_trial *trial)
{
    const struct results *results = analysis->results;
    const struct results_workload *workload =
        &results->workloads[results->cells[trial->cell_index].workload_index];

    if (workload->flood_ns > 0) {
        return workload->flood_ns + workload->recover_within_ns;
    }
    return analysis->claim_plan ? analysis->claim_plan->window_ns : 0;
}

enum err_code analysis_add_trial(struct analysis *analysis, size_t trial_index, struct err *e)
{
    const struct results_trial *trial = &analysis->results->trials[trial_index];
    struct trial_summary *summary = &analysis->trials[trial_index];
    struct analysis_work *work = analysis->work;
    struct trial_window window;
    enum err_code code =
        trial_summary_make(analysis->results, trial_index, &work->scratch, summary, &window, e);

    if (code != ERR_OK) {
        return code;
    }
    window.planned_ns = planned_window_ns(analysis, trial);
    findings_collect(analysis->results, &window, summary);
    if (!analysis->results->cells[trial->cell_index]
             .rate_course) { /* else it is not to be steady */
        code = steadiness_find(trial, &summary->steadiness, e);
    }
    if (code == ERR_OK && recovery_is_flood(analysis->results, trial->cell_index)) {
        code = recovery_watch_make(analysis->results, trial, &summary->watch, e);
    }
    if (code == ERR_OK && summary->valid && work->scratch.has_latency) {
        code = take_latencies(analysis, trial, e);
    }
    analysis->sample_count += (int64_t)trial->sample_count;
    analysis->sample_missing_count += findings_count_missing(trial);
    if (!isnan(summary->foreign_cpu_share) &&
        !(summary->foreign_cpu_share <= analysis->foreign_cpu_share_max)) {
        analysis->foreign_cpu_share_max = summary->foreign_cpu_share;
    }
    return code == ERR_OK ? take_lateness(work, trial, e) : code;
}

static void work_free(struct analysis_work *work)
{
    if (work) {
        histogram_decoder_free(work->scratch.decoder);
        free(work->lateness);
        free(work);
    }
}

static void finish_work(struct analysis *analysis)
{
    struct analysis_work *work = analysis->work;

    analysis->lateness_ns_p99 =
        stats_select_nearest(work->lateness, work->lateness_count, LATENESS_QUANTILE);
    analysis->lateness_ns_max = stats_select_nearest(work->lateness, work->lateness_count, 1);
    work_free(work);
    analysis->work = NULL;
}

/* Last counted limit trial against the first one of the same cell. */
static double find_limit_drift(const struct analysis *analysis)
{
    const struct results *results = analysis->results;
    size_t first = SIZE_MAX;
    size_t last = SIZE_MAX;

    for (size_t i = 0; i < results->trial_count; i++) {
        const struct results_trial *trial = &results->trials[i];

        if (strcmp(results->engines[trial->engine_index].role, "limit") != 0 ||
            !analysis->trials[i].valid) {
            continue;
        }
        if (first == SIZE_MAX) {
            first = i;
        } else if (trial->cell_index == results->trials[first].cell_index) {
            last = i;
        }
    }
    if (last == SIZE_MAX) {
        return (double)NAN;
    }
    return analysis->trials[last].ok_per_s / analysis->trials[first].ok_per_s - 1;
}

static bool has_finding(const struct trial_summary *summary, enum finding_kind kind,
                        bool invalidating)
{
    for (size_t i = 0; i < summary->finding_count; i++) {
        if (summary->findings[i].kind == kind &&
            (summary->findings[i].invalidates || !invalidating)) {
            return true;
        }
    }
    return false;
}

static void find_disturbed(struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->results->trial_count; i++) {
        analysis->disturbed_count += has_finding(&analysis->trials[i], FINDING_FOREIGN_CPU, true);
    }
    if (3 * analysis->disturbed_count > analysis->results->trial_count) {
        analysis->unfit_causes |= UNFIT_FOREIGN_CPU;
    }
}

/* The first arm that speaks against the session is kept: its numbers are told. */
static void find_noisy_arm(struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->row_count && analysis->unfit_row_index == SIZE_MAX; i++) {
        const struct analysis_row *row = &analysis->rows[i];
        unsigned causes = 0;

        if (strcmp(analysis->results->engines[row->engine_index].role, "aa") != 0) {
            continue;
        }
        if (row->verdict == VERDICT_DIFFERENT) {
            causes |= UNFIT_AA_DIFFERS;
        }
        if (row->ratio.count >= COMPARISON_PAIRS_MIN &&
            comparisons_half_width(row) > COMPARISON_MARGIN_UNFIT) {
            causes |= UNFIT_AA_WIDE;
        }
        if (causes) {
            analysis->unfit_causes |= causes;
            analysis->unfit_row_index = i;
        }
    }
}

static void find_none_counted(struct analysis *analysis)
{
    bool has_only_floods = analysis->recovery_count > 0;

    for (size_t i = 0; i < analysis->row_count; i++) {
        const struct analysis_row *row = &analysis->rows[i];

        if (strcmp(analysis->results->engines[row->engine_index].role, "limit") == 0) {
            continue;
        }
        if (row->valid_count > 0) {
            return;
        }
        has_only_floods = false;
    }
    analysis->unfit_causes |= has_only_floods ? 0 : UNFIT_NONE_COUNTED;
}

bool analysis_has_drifted(const struct analysis *analysis)
{
    return fabs(analysis->limit_drift) >= DRIFT_MAX; /* false for NaN */
}

static bool has_warning(const struct analysis *analysis)
{
    const struct results *results = analysis->results;

    for (size_t i = 0; i < results->trial_count; i++) {
        if (analysis->trials[i].finding_count > 0) {
            return true;
        }
    }
    for (size_t i = 0; i < results->event_count; i++) {
        if (strcmp(results->events[i].severity, "info") != 0) {
            return true;
        }
    }
    return analysis->remark_count > 0 || analysis_has_drifted(analysis) ||
           strcmp(results->state, "finished") != 0;
}

/* A replay's answers were another session's. */
static bool has_measured(const struct analysis *analysis)
{
    const struct results *results = analysis->results;

    for (size_t i = 0; i < results->trial_count; i++) {
        size_t workload_index = results->cells[results->trials[i].cell_index].workload_index;

        if (analysis->trials[i].outcomes[OUTCOME_OK] > 0 &&
            !results->workloads[workload_index].is_replay) {
            return true;
        }
    }
    return false;
}

static void decide_trust(struct analysis *analysis)
{
    if (!has_measured(analysis)) {
        analysis->trust = TRUST_NOTHING;
        return;
    }
    find_disturbed(analysis);
    find_noisy_arm(analysis);
    find_none_counted(analysis);
    if (analysis->unfit_causes) {
        analysis->trust = TRUST_UNFIT;
        comparisons_withdraw(analysis, VERDICT_NONE);
    } else {
        analysis->trust = has_warning(analysis) ? TRUST_WARNINGS : TRUST_VALID;
    }
}

static size_t find_baseline(const struct results *results)
{
    for (size_t i = 0; i < results->engine_count; i++) {
        if (strcmp(results->engines[i].role, "baseline") == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* tacho run --quick says so of its session. */
static bool is_quick(const struct results *results)
{
    const char *mode = results_find_fact(results, "start", "session.mode");

    return mode && strcmp(mode, "quick") == 0;
}

/* By counting: a list begins where the one before it ended. */
static void sort_trials(struct analysis *analysis)
{
    const struct results *results = analysis->results;
    size_t *ends = analysis->arm_begins + 1; /* of the list before, until it is filled */

    for (size_t i = 0; i < results->trial_count; i++) {
        const struct results_trial *trial = &results->trials[i];

        ends[arm_index(analysis, trial->cell_index, trial->engine_index) + 1]++;
    }
    for (size_t arm = 0; arm < analysis->profile_count; arm++) {
        ends[arm + 1] += ends[arm];
    }
    for (size_t i = 0; i < results->trial_count; i++) {
        const struct results_trial *trial = &results->trials[i];

        analysis->by_arm[ends[arm_index(analysis, trial->cell_index, trial->engine_index)]++] = i;
    }
}

enum err_code analysis_begin(const struct results *results, struct analysis **analysis_out,
                             struct err *e)
{
    struct analysis *analysis = calloc(1, sizeof(*analysis));

    if (!analysis) {
        return err_set(e, ERR_LIMIT, "no memory for the analysis");
    }
    analysis->results = results;
    analysis->baseline_index = find_baseline(results);
    analysis->foreign_cpu_share_max = (double)NAN;
    analysis->unfit_row_index = SIZE_MAX;
    analysis->is_quick = is_quick(results);
    analysis->trials = calloc(results->trial_count + 1, sizeof(*analysis->trials));
    analysis->trial_count = results->trial_count;
    analysis->profile_count = results->cell_count * results->engine_count;
    analysis->profiles = calloc(analysis->profile_count + 1, sizeof(struct latency_profile *));
    analysis->by_arm = calloc(results->trial_count + 1, sizeof(*analysis->by_arm));
    analysis->arm_begins = calloc(analysis->profile_count + 2, sizeof(*analysis->arm_begins));
    analysis->work = calloc(1, sizeof(*analysis->work));
    if (analysis->work) {
        analysis->work->scratch.decoder = histogram_decoder_new();
    }
    if (!analysis->trials || !analysis->profiles || !analysis->by_arm || !analysis->arm_begins ||
        !analysis->work || !analysis->work->scratch.decoder) {
        analysis_free(analysis);
        return err_set(e, ERR_LIMIT, "no memory for %zu trials", results->trial_count);
    }
    sort_trials(analysis);
    enum err_code code = soundness_count_left_out(results, &analysis->left_out_count, e);

    if (code == ERR_OK) {
        code = claims_load(analysis, e);
    }
    if (code != ERR_OK) {
        analysis_free(analysis);
        return code;
    }
    *analysis_out = analysis;
    return ERR_OK;
}

enum err_code analysis_finish(struct analysis *analysis, struct err *e)
{
    finish_work(analysis);
    enum err_code code = comparisons_make_rows(analysis, e);

    if (code == ERR_OK) {
        code = comparisons_judge(analysis, e);
    }
    if (code == ERR_OK) {
        code = groups_make(analysis, e);
    }
    if (code == ERR_OK) {
        code = secondary_make(analysis, e);
    }
    if (code == ERR_OK) {
        code = remarks_collect(analysis, e);
    }
    if (code == ERR_OK) {
        code = recovery_make_rows(analysis, e);
    }
    if (code != ERR_OK) {
        return code;
    }
    analysis->limit_drift = find_limit_drift(analysis);
    if (analysis->is_quick) {
        comparisons_withdraw(analysis, VERDICT_TOO_FEW);
    }
    decide_trust(analysis);
    return claims_judge(analysis, e);
}

enum err_code analysis_make(const struct results *results, struct analysis **analysis_out,
                            struct err *e)
{
    struct analysis *analysis = NULL;
    enum err_code code = analysis_begin(results, &analysis, e);

    for (size_t i = 0; i < results->trial_count && code == ERR_OK; i++) {
        code = analysis_add_trial(analysis, i, e);
    }
    if (code == ERR_OK) {
        code = analysis_finish(analysis, e);
    }
    if (code != ERR_OK) {
        analysis_free(analysis);
        return code;
    }
    *analysis_out = analysis;
    return ERR_OK;
}

static void free_profiles(struct analysis *analysis)
{
    for (size_t i = 0; analysis->profiles && i < analysis->profile_count; i++) {
        free(analysis->profiles[i]);
    }
    free(analysis->profiles);
}

void analysis_free(struct analysis *analysis)
{
    if (!analysis) {
        return;
    }
    work_free(analysis->work);
    free_profiles(analysis);
    claims_free(analysis);
    for (size_t i = 0; analysis->trials && i < analysis->trial_count; i++) {
        free(analysis->trials[i].watch);
    }
    free(analysis->trials);
    free(analysis->by_arm);
    free(analysis->arm_begins);
    free(analysis->rows);
    free(analysis->remarks);
    free(analysis->recoveries);
    free(analysis->secondaries);
    free(analysis);
}
