// SPDX-License-Identifier: Apache-2.0
// Puts the analysis of a session together and says how far it can be trusted.
#include "report/judge/analysis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/judge/comparisons.h"
#include "report/judge/findings.h"
#include "report/judge/trial_summary.h"
#include "report/stats/summary.h"

#define LATENESS_QUANTILE 0.99

static enum err_code summarise_trials(struct analysis *analysis, struct err *e)
{
    const struct results *results = analysis->results;

    analysis->trials = calloc(results->trial_count + 1, sizeof(*analysis->trials));
    if (!analysis->trials) {
        return err_set(e, ERR_LIMIT, "no memory for %zu trials", results->trial_count);
    }
    for (size_t i = 0; i < results->trial_count; i++) {
        struct trial_window window;
        enum err_code code = trial_summary_make(results, i, &analysis->trials[i], &window, e);

        if (code != ERR_OK) {
            return code;
        }
        findings_collect(results, &window, &analysis->trials[i]);
        code = steadiness_find(&results->trials[i], &analysis->trials[i].steadiness, e);
        if (code != ERR_OK) {
            return code;
        }
    }
    return ERR_OK;
}

/* Every known lateness of the session; `values` has room for all samples. */
static size_t list_lateness(const struct results *results, double *values)
{
    size_t count = 0;

    for (size_t i = 0; i < results->trial_count; i++) {
        for (size_t k = 0; k < results->trials[i].sample_count; k++) {
            int64_t lateness_ns = results->trials[i].samples[k].metrics[METRIC_lateness_ns];

            if (lateness_ns != METRIC_UNKNOWN) {
                values[count++] = (double)lateness_ns;
            }
        }
    }
    return count;
}

static enum err_code describe_samples(struct analysis *analysis, struct err *e)
{
    const struct results *results = analysis->results;

    for (size_t i = 0; i < results->trial_count; i++) {
        double share = analysis->trials[i].foreign_cpu_share;

        analysis->sample_count += (int64_t)results->trials[i].sample_count;
        analysis->sample_missing_count += findings_count_missing(&results->trials[i]);
        if (!isnan(share) && !(share <= analysis->foreign_cpu_share_max)) {
            analysis->foreign_cpu_share_max = share;
        }
    }
    double *values = calloc((size_t)analysis->sample_count + 1, sizeof(*values));

    if (!values) {
        return err_set(e, ERR_LIMIT, "no memory for %lld samples",
                       (long long)analysis->sample_count);
    }
    size_t count = list_lateness(results, values);

    stats_sort(values, count);
    analysis->lateness_ns_p99 = stats_quantile_nearest(values, count, LATENESS_QUANTILE);
    analysis->lateness_ns_max = stats_quantile_nearest(values, count, 1);
    free(values);
    return ERR_OK;
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
    return analysis->remark_count > 0 || strcmp(results->state, "finished") != 0;
}

static void decide_trust(struct analysis *analysis)
{
    bool measured = false;

    for (size_t i = 0; i < analysis->results->trial_count; i++) {
        measured = measured || analysis->trials[i].outcomes[OUTCOME_OK] > 0;
    }
    if (!measured) {
        analysis->trust = TRUST_NOTHING;
        return;
    }
    find_disturbed(analysis);
    find_noisy_arm(analysis);
    find_none_counted(analysis);
    if (analysis->unfit_causes) {
        analysis->trust = TRUST_UNFIT;
        comparisons_withdraw(analysis);
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

enum err_code analysis_make(const struct results *results, struct analysis **analysis_out,
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
    enum err_code code = summarise_trials(analysis, e);

    if (code == ERR_OK) {
        code = describe_samples(analysis, e);
    }
    if (code == ERR_OK) {
        code = comparisons_make_rows(analysis, e);
    }
    if (code == ERR_OK) {
        code = comparisons_judge(analysis, e);
    }
    if (code == ERR_OK) {
        code = remarks_collect(analysis, e);
    }
    if (code == ERR_OK) {
        code = recovery_make_rows(analysis, e);
    }
    if (code != ERR_OK) {
        analysis_free(analysis);
        return code;
    }
    analysis->limit_drift = find_limit_drift(analysis);
    decide_trust(analysis);
    code = claims_judge(analysis, e);
    if (code != ERR_OK) {
        analysis_free(analysis);
        return code;
    }
    *analysis_out = analysis;
    return ERR_OK;
}

void analysis_free(struct analysis *analysis)
{
    if (!analysis) {
        return;
    }
    for (size_t i = 0; analysis->trials && i < analysis->results->trial_count; i++) {
        free(analysis->trials[i].histogram);
    }
    claims_free(analysis);
    free(analysis->trials);
    free(analysis->rows);
    free(analysis->remarks);
    free(analysis->recoveries);
    free(analysis);
}
