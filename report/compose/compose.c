// SPDX-License-Identifier: Apache-2.0
// The report's order of sections, and what they share.
#include "report/compose/compose.h"

#include <math.h>
#include <string.h>

#include "report/compose/compose_parts.h"
#include "report/render/number.h"

const struct results_engine *compose_engine(const struct compose *compose, size_t engine_index)
{
    return &compose->results->engines[engine_index];
}

const struct results_cell *compose_cell(const struct compose *compose, size_t cell_index)
{
    return &compose->results->cells[cell_index];
}

const char *compose_load_name(struct compose *compose, size_t cell_index)
{
    const struct results_cell *cell = compose_cell(compose, cell_index);
    const char *name = compose_workload(compose, cell_index)->name;

    if (compose_workload(compose, cell_index)->is_replay) {
        name = document_format(compose->document, "%s (replayed)", name);
    }
    if (cell->rate_per_s == METRIC_UNKNOWN) {
        return name;
    }
    return cell->rate_course
               ? document_format(compose->document, "%s, %s/s", name, cell->rate_course)
               : document_format(compose->document, "%s, %lld/s", name,
                                 (long long)cell->rate_per_s);
}

bool compose_has_open(const struct compose *compose)
{
    for (size_t i = 0; i < compose->results->cell_count; i++) {
        if (compose->results->cells[i].rate_per_s != METRIC_UNKNOWN) {
            return true;
        }
    }
    return false;
}

const struct results_workload *compose_workload(const struct compose *compose, size_t cell_index)
{
    return &compose->results->workloads[compose_cell(compose, cell_index)->workload_index];
}

bool compose_engine_is(const struct compose *compose, size_t engine_index, const char *role)
{
    return strcmp(compose_engine(compose, engine_index)->role, role) == 0;
}

bool compose_has_arm(const struct compose *compose)
{
    for (size_t i = 0; i < compose->results->engine_count; i++) {
        if (compose_engine_is(compose, i, "aa")) {
            return true;
        }
    }
    return false;
}

void compose_order_rows(const struct compose *compose, const struct analysis_row **rows_out)
{
    const struct analysis *analysis = compose->analysis;
    size_t used = 0;

    for (int calibration = 0; calibration < 2; calibration++) {
        for (size_t i = 0; i < analysis->row_count; i++) {
            const struct analysis_row *row = &analysis->rows[i];

            if (compose_workload(compose, row->cell_index)->is_calibration == (calibration == 1)) {
                rows_out[used++] = row;
            }
        }
    }
}

const struct analysis_row **compose_rows(const struct compose *compose)
{
    const struct analysis_row **rows =
        document_allocate(compose->document, (compose->analysis->row_count + 1) * sizeof(*rows));

    if (rows) {
        compose_order_rows(compose, rows);
    }
    return rows;
}

const char *compose_ratio(struct compose *compose, const struct estimate *estimate)
{
    char text[NUMBER_TEXT_BYTES];

    number_format_estimate(estimate->value, estimate->low, estimate->high, "\xc3\x97", text);
    return document_format(compose->document, "%s", text);
}

/* "12.1 % to 13.0 %"; one number where both are the same. */
static const char *range_words(struct compose *compose, const char *low, const char *high)
{
    return strcmp(low, high) == 0 ? low : document_format(compose->document, "%s to %s", low, high);
}

const char *compose_findings_between(struct compose *compose, const struct finding *lowest,
                                     const struct finding *highest)
{
    struct document *document = compose->document;
    char pattern[FINDING_TEXT_BYTES], low[2][FINDING_NUMBER_BYTES], high[2][FINDING_NUMBER_BYTES];
    struct buf out;

    finding_format_parts(lowest, pattern, low[0], low[1]);
    finding_format_parts(highest, pattern, high[0], high[1]);
    buf_init(&out, 4096);
    for (const char *at = document_tr(document, pattern); *at; at++) {
        if (at[0] == '{' && (at[1] == '1' || at[1] == '2') && at[2] == '}') {
            buf_add_text(&out, range_words(compose, low[at[1] - '1'], high[at[1] - '1']));
            at += 2;
        } else {
            buf_add_char(&out, *at);
        }
    }
    const char *kept = document_keep(document, out.bytes, out.length);
    document->failed = document->failed || out.failed;
    buf_release(&out);
    return kept;
}

const char *compose_finding(struct compose *compose, const struct finding *finding)
{
    return compose_findings_between(compose, finding, finding);
}

const char *compose_percent(struct compose *compose, double share)
{
    char text[NUMBER_TEXT_BYTES];

    if (!isfinite(share)) {
        return NUMBER_NONE;
    }
    number_format_significant(share * 100, 2, text);
    return document_format(compose->document, "%s %%", text);
}

const char *compose_cpu_share(struct compose *compose, double share)
{
    char text[NUMBER_TEXT_BYTES];

    if (!isfinite(share)) {
        return NUMBER_NONE;
    }
    number_format_fixed(share * 100, 1, 0, text);
    return document_format(compose->document, "%s %%", text);
}

const char *compose_count(struct compose *compose, int64_t count)
{
    char text[NUMBER_TEXT_BYTES];

    return document_format(compose->document, "%s", number_format_integer(count, text));
}

const char *compose_seconds(struct compose *compose, double seconds)
{
    char text[NUMBER_TEXT_BYTES];

    return document_format(compose->document, "%s", number_format_plain(seconds, text));
}

void compose_set_place(struct compose *compose, struct document_cell *row, size_t column_index,
                       size_t engine_index, size_t cell_index)
{
    document_set_text(row, column_index, compose_engine(compose, engine_index)->name);
    document_set_text(row, column_index + 1, compose_load_name(compose, cell_index));
    document_set_integer(row, column_index + 2,
                         compose_cell(compose, cell_index)->connection_count);
}

void compose_set_estimate(struct document_cell *row, size_t column_index,
                          const struct estimate *estimate)
{
    document_set_estimate(row, column_index,
                          (const double[3]){estimate->value, estimate->low, estimate->high},
                          estimate->count);
}

/* Length of all samples of one phase, NaN when there are none. */
static double phase_s(const struct results_trial *trial, enum sample_phase phase)
{
    int64_t ns = 0;

    for (size_t i = 0; i < trial->sample_count; i++) {
        if (trial->points[i].phase == phase) {
            ns += trial->points[i].end_ns - trial->points[i].start_ns;
        }
    }
    return ns > 0 ? (double)ns / 1e9 : (double)NAN;
}

static double first_phase_s(const struct compose *compose, enum sample_phase phase)
{
    for (size_t i = 0; i < compose->results->trial_count; i++) {
        const struct results_trial *trial = &compose->results->trials[i];

        if (strcmp(trial->state, "finished") == 0 && isfinite(phase_s(trial, phase))) {
            return phase_s(trial, phase);
        }
    }
    return (double)NAN;
}

double compose_warmup_s(const struct compose *compose)
{
    return first_phase_s(compose, SAMPLE_PHASE_WARMUP);
}

double compose_window_s(const struct compose *compose)
{
    return first_phase_s(compose, SAMPLE_PHASE_WINDOW);
}

double compose_interval_s(const struct compose *compose)
{
    for (size_t i = 0; i < compose->results->trial_count; i++) {
        const struct results_trial *trial = &compose->results->trials[i];

        for (size_t k = 0; k < trial->sample_count; k++) {
            if (trial->points[k].phase == SAMPLE_PHASE_WINDOW) {
                return (double)(trial->points[k].end_ns - trial->points[k].start_ns) / 1e9;
            }
        }
    }
    return (double)NAN;
}

/* How many different blocks there are: an index alone is foreign and may be any number. */
size_t compose_block_count(const struct compose *compose)
{
    const struct results_trial *trials = compose->results->trials;
    size_t count = 0;

    for (size_t i = 0; i < compose->results->trial_count; i++) {
        bool is_new = trials[i].block_index != METRIC_UNKNOWN;

        for (size_t k = i; k-- > 0 && is_new;) { /* mostly the one before */
            is_new = trials[k].block_index != trials[i].block_index;
        }
        count += is_new;
    }
    return count;
}

size_t compose_counted(const struct compose *compose)
{
    size_t count = 0;

    for (size_t i = 0; i < compose->results->trial_count; i++) {
        count += compose->analysis->trials[i].valid;
    }
    return count;
}

enum err_code compose_make(const struct analysis *analysis, const char *samples_digest,
                           struct compose *compose_out, struct err *e)
{
    return compose_make_as(&(struct compose_config){.language = NULL}, analysis, samples_digest,
                           compose_out, e);
}

enum err_code compose_make_as(const struct compose_config *config, const struct analysis *analysis,
                              const char *samples_digest, struct compose *compose_out,
                              struct err *e)
{
    const char *language = config->language ? config->language : CATALOGUE_ENGLISH;
    unsigned width_px = config->figure_width_px ? config->figure_width_px : FIGURE_WIDTH_PAGE_PX;
    struct compose compose = {.analysis = analysis,
                              .results = analysis->results,
                              .history = config->history,
                              .samples_digest = samples_digest,
                              .figure_width_px = width_px,
                              .is_article = config->is_article,
                              .document = document_new()};

    if (!compose.document) {
        return err_set(e, ERR_LIMIT, "no memory for the report");
    }
    if (document_set_language(compose.document, language, e) != ERR_OK) {
        compose_release(&compose);
        return e->code;
    }
    compose_lead(&compose);
    compose_trust(&compose);
    compose_summary(&compose);
    compose_recovery(&compose);
    compose_claim_results(&compose);
    compose_session(&compose);
    compose_figures(&compose);
    compose_history(&compose);
    compose_figure_references(&compose);
    compose_trials(&compose);
    compose_environment(&compose);
    compose_methods(&compose);
    compose_reading(&compose);
    document_finish(compose.document);
    if (document_check(compose.document, e) != ERR_OK) {
        compose_release(&compose);
        return ERR_LIMIT;
    }
    *compose_out = compose;
    return ERR_OK;
}

void compose_release(struct compose *compose)
{
    for (size_t i = 0; i < compose->plot_count; i++) {
        plot_release(&compose->plots[i]);
    }
    compose->plot_count = 0;
    document_free(compose->document);
    compose->document = NULL;
}

void compose_take_pictures(struct compose *compose, const char *missing)
{
    for (size_t i = 0; i < compose->plot_count && !missing; i++) {
        compose->figures[i]->svg = compose->plots[i].svg.bytes;
        compose->figures[i]->svg_bytes = compose->plots[i].svg.length;
    }
    if (missing && compose->plot_count > 0) {
        compose->figure_notice->kind = DOCUMENT_NOTICE;
        compose->figure_notice->tone = DOCUMENT_CAUTION;
        compose->figure_notice->text = document_format(
            compose->document,
            "The pictures are missing: %s. Their numbers follow as tables, and the scripts in "
            "%s/ draw them where gnuplot is installed.",
            document_owns(compose->document, missing) ? missing
                                                      : document_tr(compose->document, missing),
            compose_plot_folder(compose));
    }
}
