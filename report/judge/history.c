// SPDX-License-Identifier: Apache-2.0
// Reads the earlier sessions of a plan one after another and keeps their ratios.
#include "report/judge/history.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/judge/analysis_load.h"
#include "report/judge/sittings.h"
#include "report/stats/series.h"
#include "report/stats/summary.h"

#define RANGE_TO_SD 1.128 /* d2 of two values */
#define BAND_SDS    3
#define BAND_LEAST  0.1 /* of the margin: sessions that are all but alike make no narrower one */

/* --- band and changes --- */

/* A stretch of sessions with a ratio. */
struct stretch {
    double values[HISTORY_SESSION_MAX];
    size_t places[HISTORY_SESSION_MAX];
    size_t count;
};

static void add_value(struct stretch *stretch, double value, size_t place)
{
    stretch->values[stretch->count] = value;
    stretch->places[stretch->count++] = place;
}

static void find_band(const struct stretch *stretch, double margin, struct history_series *series)
{
    double logs[HISTORY_SESSION_MAX], range = 0;

    if (stretch->count < HISTORY_BAND_MIN) {
        return;
    }
    for (size_t i = 0; i < stretch->count; i++) {
        logs[i] = log(stretch->values[i]);
        range += i > 0 ? fabs(logs[i] - logs[i - 1]) : 0;
    }
    double mean = stats_mean(logs, stretch->count);
    double reach = fmax(BAND_SDS * range / (double)(stretch->count - 1) / RANGE_TO_SD,
                        BAND_LEAST * log1p(margin));

    series->band_low = exp(mean - reach);
    series->band_high = exp(mean + reach);
    series->band_count = stretch->count;
}

/* The median: one session that is far off makes no level look lower. */
static double find_middle(const double *values, size_t count)
{
    double sorted[HISTORY_SESSION_MAX];

    memcpy(sorted, values, count * sizeof(*values));
    stats_sort(sorted, count);
    return stats_median(sorted, count);
}

static enum err_code find_changes(const struct stretch *stretch, double margin,
                                  struct history_series *series, struct err *e)
{
    size_t changes[HISTORY_CHANGE_COUNT], count = 0;

    if (stretch->count < HISTORY_CHANGES_MIN) {
        return ERR_OK;
    }
    enum err_code code = series_find_changes(stretch->values, stretch->count, changes, &count, e);
    for (size_t i = 0; code == ERR_OK && i < count; i++) {
        size_t before = i > 0 ? changes[i - 1] : 0;
        size_t end = i + 1 < count ? changes[i + 1] : stretch->count;
        double step = stats_mean(stretch->values + changes[i], end - changes[i]) /
                      stats_mean(stretch->values + before, changes[i] - before);

        if (fabs(log(step)) >= log1p(margin)) {
            series->steps[series->change_count] =
                find_middle(stretch->values + changes[i], end - changes[i]) /
                find_middle(stretch->values + before, changes[i] - before);
            series->changes[series->change_count++] = stretch->places[changes[i]];
        }
    }
    return code;
}

/* The sessions with a ratio from `first` up to `end`. */
static void take_stretch(const struct history_series *series, size_t first, size_t end,
                         struct stretch *stretch_out)
{
    stretch_out->count = 0;
    for (size_t i = first; i < end; i++) {
        if (series->ratios[i].count > 0) {
            add_value(stretch_out, series->ratios[i].value, i);
        }
    }
}

enum err_code history_judge(const struct history_session *sessions, size_t session_count,
                            double margin, struct history_series *series, struct err *e)
{
    struct stretch stretch;
    size_t last = session_count > 0 ? session_count - 1 : 0, first = last;

    while (first > 0 && !sessions[first].is_boundary) {
        first--;
    }
    series->band_low = series->band_high = (double)NAN;
    series->band_count = series->change_count = 0;
    series->from_middle = (double)NAN;
    series->is_outside = false;
    take_stretch(series, first, session_count, &stretch);
    enum err_code code = find_changes(&stretch, margin, series, e);

    if (code != ERR_OK) {
        return code;
    }
    if (series->change_count > 0) {
        first = series->changes[series->change_count - 1];
    }
    series->band_first = first;
    take_stretch(series, first, last, &stretch);
    find_band(&stretch, margin, series);
    if (session_count > 0 && series->ratios[last].count > 0) {
        double value = series->ratios[last].value;

        series->is_outside = value < series->band_low || value > series->band_high;
        series->from_middle = value / sqrt(series->band_low * series->band_high) - 1;
    }
    return ERR_OK;
}

/* --- the sessions --- */

static bool is_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* What parts stretches: kept of the session before. */
struct ground {
    char machine[DIGEST_HEX_BYTES], baseline[DIGEST_HEX_BYTES];
};

static enum err_code take_ground(const struct analysis *analysis, struct ground *ground_out,
                                 struct err *e)
{
    const struct results *results = analysis->results;
    const char *baseline = analysis->baseline_index == SIZE_MAX
                               ? NULL
                               : results->engines[analysis->baseline_index].binary_sha256;

    snprintf(ground_out->baseline, DIGEST_HEX_BYTES, "%s", baseline ? baseline : "");
    return sittings_find_fingerprint(results, ground_out->machine, e);
}

static bool is_same_cell(const struct results *a, const struct results_cell *left,
                         const struct results *b, const struct results_cell *right)
{
    return results_cells_match(left, right) &&
           strcmp(a->workloads[left->workload_index].name,
                  b->workloads[right->workload_index].name) == 0;
}

/* The same plan has the same names. */
static const struct analysis_row *find_row(const struct analysis *analysis,
                                           const struct results *reported,
                                           const struct history_series *series)
{
    const struct results *results = analysis->results;

    for (size_t i = 0; i < analysis->row_count; i++) {
        const struct analysis_row *row = &analysis->rows[i];

        if (is_same_text(results->engines[row->engine_index].name,
                         reported->engines[series->engine_index].name) &&
            is_same_cell(results, &results->cells[row->cell_index], reported,
                         &reported->cells[series->cell_index])) {
            return row;
        }
    }
    return NULL;
}

/* Whether the engine's program is another than before; one that is not known is no other. */
static bool take_program(struct history_series *series, const char *binary_sha256)
{
    if (!binary_sha256 || strcmp(series->program, binary_sha256) == 0) {
        return false;
    }
    bool is_other = *series->program != '\0';

    snprintf(series->program, sizeof(series->program), "%s", binary_sha256);
    return is_other;
}

static enum err_code take_session(struct history *history, const struct analysis *analysis,
                                  const struct results *reported, struct ground *ground,
                                  struct err *e)
{
    size_t at = history->session_count++;
    struct history_session *session = &history->sessions[at];
    bool is_fit = analysis->trust == TRUST_VALID || analysis->trust == TRUST_WARNINGS;
    struct ground here;

    if (take_ground(analysis, &here, e) != ERR_OK) {
        return e->code;
    }
    snprintf(session->uid, SESSION_UID_BYTES, "%s", analysis->results->session_uid);
    session->started_utc_ns = analysis->results->started_utc_ns;
    session->trust = analysis->trust;
    session->is_boundary = at > 0 && (strcmp(here.machine, ground->machine) != 0 ||
                                      strcmp(here.baseline, ground->baseline) != 0);
    *ground = here;
    for (size_t i = 0; i < history->series_count; i++) {
        struct history_series *series = &history->series[i];
        const struct analysis_row *row = find_row(analysis, reported, series);
        bool is_known = is_fit && row && row->ratio.value > 0 && isfinite(row->ratio.value);

        series->is_new_program[at] =
            row &&
            take_program(series, analysis->results->engines[row->engine_index].binary_sha256);
        series->ratios[at] =
            is_known ? row->ratio : (struct estimate){(double)NAN, (double)NAN, (double)NAN, 0};
    }
    return ERR_OK;
}

static enum err_code load_session(const char *path, bool immutable, const char *uid,
                                  struct history *history, const struct results *reported,
                                  struct ground *ground, struct err *e)
{
    /* The pages of the file were looked at when the reported session was loaded. */
    const struct results_pass pass = {.session = uid, .is_checked = true};
    struct results *results = NULL;
    struct analysis *analysis = NULL;
    enum err_code code = analysis_load(path, immutable, &pass, &results, &analysis, e);

    if (code == ERR_OK) {
        code = take_session(history, analysis, reported, ground, e);
        analysis_free(analysis);
        results_free(results);
    }
    return code;
}

/* A series for each engine that is compared with the baseline. */
static enum err_code make_series(const struct analysis *analysis, struct history *history,
                                 struct err *e)
{
    history->series = calloc(analysis->row_count + 1, sizeof(*history->series));
    if (!history->series) {
        return err_set(e, ERR_LIMIT, "no memory for the history");
    }
    for (size_t i = 0; i < analysis->row_count; i++) {
        const struct analysis_row *row = &analysis->rows[i];
        const char *role = analysis->results->engines[row->engine_index].role;

        if (strcmp(role, "subject") == 0 || strcmp(role, "aa") == 0) {
            struct history_series *series = &history->series[history->series_count++];

            series->engine_index = row->engine_index;
            series->cell_index = row->cell_index;
        }
    }
    return ERR_OK;
}

static enum err_code fill(const char *path, bool immutable, const struct analysis *analysis,
                          char (*uids)[SESSION_UID_BYTES], size_t count, struct history *history,
                          struct err *e)
{
    struct ground ground = {{0}, {0}};
    enum err_code code = make_series(analysis, history, e);

    for (size_t i = count; i > 0 && code == ERR_OK; i--) {
        code = load_session(path, immutable, uids[i - 1], history, analysis->results, &ground, e);
    }
    if (code == ERR_OK) {
        code = take_session(history, analysis, analysis->results, &ground, e);
    }
    for (size_t i = 0; i < history->series_count && code == ERR_OK; i++) {
        code = history_judge(history->sessions, history->session_count, analysis->margin,
                             &history->series[i], e);
    }
    return code;
}

enum err_code history_make(const char *path, bool immutable, const struct analysis *analysis,
                           struct history **history_out, struct err *e)
{
    char uids[HISTORY_SESSION_MAX - 1][SESSION_UID_BYTES];
    size_t total = 0;
    enum err_code code = session_history_load(path, immutable, analysis->results->session_id,
                                              HISTORY_SESSION_MAX - 1, uids, &total, e);

    if (code != ERR_OK) {
        return code;
    }
    if (total == 0 || analysis->baseline_index == SIZE_MAX) {
        *history_out = NULL;
        return ERR_OK;
    }
    struct history *history = calloc(1, sizeof(*history));
    if (!history) {
        return err_set(e, ERR_LIMIT, "no memory for the history");
    }
    size_t count = total < HISTORY_SESSION_MAX - 1 ? total : HISTORY_SESSION_MAX - 1;
    history->left_out_count = total - count;
    code = fill(path, immutable, analysis, uids, count, history, e);
    if (code != ERR_OK) {
        history_free(history);
        return code;
    }
    *history_out = history;
    return ERR_OK;
}

void history_free(struct history *history)
{
    if (history) {
        free(history->series);
        free(history);
    }
}
