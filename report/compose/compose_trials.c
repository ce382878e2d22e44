// SPDX-License-Identifier: Apache-2.0
// Every trial in the order it ran, counted or not, with what was found; and how requests ended.
#include <math.h>
#include <string.h>

#include "engines/base/clock.h"
#include "report/compose/compose_parts.h"
#include "report/render/recorded_text.h"
#include "report/render/render.h"

enum column {
    ORDER,
    ATTEMPT,
    SITTING,
    TRIAL_ID,
    ENGINE,
    WORKLOAD,
    CONNECTIONS,
    BLOCK,
    POSITION,
    STARTED,
    STATE,
    COUNTED,
    RATE,
    COMPLETED_RATE,
    PEAK,
    P50,
    P90,
    P99,
    P999,
    LATENCY_MEAN,
    LATENCY_MAX,
    ERRORS,
    WINDOW,
    SERVER_CPU,
    DRIVER_CPU,
    SERVER_SHARE,
    DRIVER_SHARE,
    SATURATED,
    RSS,
    THREADS,
    FOREIGN,
    STEADINESS,
    DRIFT,
    LAG1,
    ESTABLISHED,
    SERVED,
    STARTED_COUNT,
    SERVER_COUNT,
    READY,
    SERVER_EXIT,
    REASON,
    FINDINGS,
    COLUMN_COUNT
};

#define MS 1e-6

static const struct document_column columns[COLUMN_COUNT] = {
    [ORDER] = {"order_index", "1", "trial", .number = DOCUMENT_INTEGER, .views = 1, .page_plus = 1},
    [ATTEMPT] = {"attempt_index", "1", "attempt", .number = DOCUMENT_INTEGER},
    [SITTING] = {"sitting_index", "1", "sitting", .number = DOCUMENT_INTEGER},
    [TRIAL_ID] = {"trial_id", "1", "id", .number = DOCUMENT_INTEGER},
    [ENGINE] = COMPOSE_PLACE_COLUMNS,
    [BLOCK] = {"block_index", "1", "block", .number = DOCUMENT_INTEGER, .views = 1, .page_plus = 1},
    [POSITION] = {"position_index", "1", "position", .number = DOCUMENT_INTEGER},
    [STARTED] = {"started_utc", NULL, "started (UTC)", .views = 0},
    [STATE] = {"state", NULL, "state", .views = 1},
    [COUNTED] = {"counted", NULL, "counted", .views = 1},
    [RATE] = {"ok_per_s", "1/s", "requests/s", .number = DOCUMENT_SIGNIFICANT, .views = 1},
    [COMPLETED_RATE] = {"completed_per_s", "1/s", "completed/s", .number = DOCUMENT_SIGNIFICANT},
    [PEAK] = {"peak_per_s", "1/s", "peak", .number = DOCUMENT_SIGNIFICANT},
    [P50] = {"latency_ns_p50", "ns", "p50 (ms)", MS, DOCUMENT_SIGNIFICANT, .views = 1},
    [P90] = {"latency_ns_p90", "ns", "p90 (ms)", MS, DOCUMENT_SIGNIFICANT, .views = 0},
    [P99] = {"latency_ns_p99", "ns", "p99 (ms)", MS, DOCUMENT_SIGNIFICANT, .views = 1},
    [P999] = {"latency_ns_p99_9", "ns", "p99.9 (ms)", MS, DOCUMENT_SIGNIFICANT, .views = 0},
    [LATENCY_MEAN] = {"latency_ns_mean", "ns", "mean (ms)", MS, DOCUMENT_SIGNIFICANT, .views = 0},
    [LATENCY_MAX] = {"latency_ns_max", "ns", "max (ms)", MS, DOCUMENT_SIGNIFICANT, .views = 1},
    [ERRORS] = {"error_count", "1", "errors", .number = DOCUMENT_INTEGER, .views = 1},
    [WINDOW] = {"window_s", "s", "window (s)", .number = DOCUMENT_SIGNIFICANT},
    [SERVER_CPU] = {"server_cpu_us_per_request", "us", "server CPU",
                    .number = DOCUMENT_SIGNIFICANT},
    [DRIVER_CPU] = {"driver_cpu_us_per_request", "us", "driver CPU",
                    .number = DOCUMENT_SIGNIFICANT},
    [SERVER_SHARE] = {"server_cpu_share", "1", "server CPUs busy", .number = DOCUMENT_SIGNIFICANT},
    [DRIVER_SHARE] = {"driver_cpu_share", "1", "driver CPUs busy", .number = DOCUMENT_SIGNIFICANT},
    [SATURATED] = {"saturated", NULL, "saturated", .views = 0},
    [RSS] = {"rss_kib_peak", "KiB", "peak memory", .number = DOCUMENT_INTEGER},
    [THREADS] = {"thread_count_peak", "1", "peak threads", .number = DOCUMENT_INTEGER},
    [STEADINESS] = {"steadiness", NULL, "steadiness", .views = 0},
    [DRIFT] = {"drift", "1", "drift", .number = DOCUMENT_SIGNIFICANT},
    [LAG1] = {"lag1_autocorrelation", "1", "lag-1 r", .number = DOCUMENT_SIGNIFICANT},
    [FOREIGN] = {"foreign_cpu_share", "1", "foreign CPU (%)", 100, DOCUMENT_FIXED, 1, .views = 1},
    [ESTABLISHED] = {"connections_established", "1", "established", .number = DOCUMENT_INTEGER},
    [SERVED] = {"connections_served", "1", "served", .number = DOCUMENT_INTEGER},
    [STARTED_COUNT] = {"started_count", "1", "started", .number = DOCUMENT_INTEGER},
    [SERVER_COUNT] = {"server_request_count", "1", "server's count", .number = DOCUMENT_INTEGER},
    [READY] = {"ready_ns", "ns", "ready", MS, DOCUMENT_SIGNIFICANT, .views = 0},
    [SERVER_EXIT] = {"server_exit", NULL, "server's end", .views = 0},
    [REASON] = {"reason", NULL, "reason", .views = 0},
    [FINDINGS] = {"findings", NULL, "findings", .views = 1, .precision = 300},
};

const char *compose_trial_reason(struct compose *compose, size_t trial_index,
                                 enum finding_kind kind)
{
    const char *reason = compose->results->trials[trial_index].reason;
    bool is_of_state =
        kind == FINDING_CRASHED || kind == FINDING_FAILED || kind == FINDING_INTERRUPTED;

    return is_of_state && reason ? recorded_text(compose->document, reason) : NULL;
}

static const char *findings_text(struct compose *compose, const struct trial_summary *summary,
                                 const char *reason)
{
    const char *all = reason ? recorded_text(compose->document, reason) : "";

    for (size_t i = 0; i < summary->finding_count; i++) {
        const struct finding *finding = &summary->findings[i];
        const char *text = compose_finding(compose, finding);

        /* A reason that says the same as well is not repeated. */
        if (!compose_trial_reason(compose, summary->trial_index, finding->kind) &&
            !strstr(all, text)) {
            all = document_format(
                compose->document, "%s%s%s%s", all, *all ? "; " : "",
                finding->invalidates ? "" : document_tr(compose->document, "warning: "), text);
        }
    }
    return all;
}

static uint64_t error_count(const struct trial_summary *summary)
{
    uint64_t count = 0;

    for (int i = 0; i < OUTCOME_COUNT; i++) {
        if (outcome_infos[i].class == OUTCOME_CLASS_HTTP ||
            outcome_infos[i].class == OUTCOME_CLASS_FAULT) {
            count += summary->outcomes[i];
        }
    }
    return count;
}

static void set_identity(struct compose *compose, const struct results_trial *trial,
                         struct document_cell *cells)
{
    char started[CLOCK_TEXT_BYTES];

    clock_format_utc(trial->started_utc_ns, started);
    document_set_integer(cells, ORDER, trial->order_index);
    document_set_integer(cells, ATTEMPT, trial->attempt_index);
    document_set_integer(cells, SITTING, trial->sitting_index);
    document_set_integer(cells, TRIAL_ID, trial->trial_id);
    compose_set_place(compose, cells, ENGINE, trial->engine_index, trial->cell_index);
    document_set_integer(cells, BLOCK, trial->block_index);
    document_set_integer(cells, POSITION, trial->position_index);
    document_set_sentence(cells, STARTED, document_format(compose->document, "%s", started));
    document_set_sentence(cells, STATE, document_word(compose->document, trial->state));
    document_set_integer(cells, ESTABLISHED, trial->connections_established);
    document_set_integer(cells, SERVED, trial->connections_served);
    document_set_integer(cells, STARTED_COUNT, trial->started_count);
    document_set_integer(cells, SERVER_COUNT, trial->server_request_count);
    document_set_integer(cells, READY, trial->ready_ns);
    document_set_text(cells, SERVER_EXIT, trial->server_exit);
    document_set_text(cells, REASON, trial->reason);
}

static void set_figures(const struct trial_summary *summary, struct document_cell *cells)
{
    document_set_number(cells, RATE, summary->ok_per_s);
    document_set_number(cells, COMPLETED_RATE, summary->completed_per_s);
    document_set_number(cells, PEAK, summary->peak_per_s);
    for (size_t i = 0; i < ANALYSIS_QUANTILE_COUNT; i++) {
        document_set_number(cells, P50 + i, summary->latency_ns[i]);
    }
    document_set_number(cells, LATENCY_MEAN, summary->latency_mean_ns);
    document_set_integer(cells, LATENCY_MAX, summary->latency_max_ns);
    document_set_number(cells, WINDOW, summary->window_s);
    document_set_number(cells, SERVER_CPU, summary->server_cpu_us_per_request);
    document_set_number(cells, DRIVER_CPU, summary->driver_cpu_us_per_request);
    document_set_number(cells, SERVER_SHARE, summary->server_cpu_share);
    document_set_number(cells, DRIVER_SHARE, summary->driver_cpu_share);
    document_set_sentence(cells, SATURATED, saturation_names[summary->saturation]);
    document_set_integer(cells, RSS, summary->rss_kib_peak);
    document_set_integer(cells, THREADS, summary->thread_count_peak);
    document_set_number(cells, FOREIGN, summary->foreign_cpu_share);
    document_set_sentence(cells, STEADINESS, series_class_names[summary->steadiness.class]);
    document_set_number(cells, DRIFT, summary->steadiness.drift.share);
    document_set_number(cells, LAG1, summary->steadiness.lag1);
}

/* What did not answer as it should has no speed worth showing; what was merely disturbed has. */
static bool has_answers(const struct trial_summary *summary)
{
    for (size_t i = 0; i < summary->finding_count; i++) {
        enum finding_kind kind = summary->findings[i].kind;

        if (summary->findings[i].invalidates &&
            (kind == FINDING_CRASHED || kind == FINDING_FAILED || kind == FINDING_ERRORS ||
             kind == FINDING_NOTHING_MEASURED)) {
            return false;
        }
    }
    return true;
}

static void add_trial(struct compose *compose, struct document_table *table, size_t trial_index)
{
    const struct results_trial *trial = &compose->results->trials[trial_index];
    const struct trial_summary *summary = &compose->analysis->trials[trial_index];
    struct document_cell *cells = document_add_row(table);

    set_identity(compose, trial, cells);
    document_set_sentence(cells, COUNTED, summary->valid ? "yes" : "no");
    if (cells) {
        cells[COUNTED].tone = summary->valid ? DOCUMENT_GOOD : DOCUMENT_BAD;
    }
    document_set_integer(cells, ERRORS, (int64_t)error_count(summary));
    if (has_answers(summary)) {
        set_figures(summary, cells);
    }
    document_set_sentence(cells, FINDINGS, findings_text(compose, summary, trial->reason));
}

enum outcome_column {
    OUTCOME_ENGINE,
    OUTCOME_WORKLOAD,
    OUTCOME_CONNECTIONS,
    OUTCOME_KIND,
    OUTCOME_HELP,
    OUTCOME_TOTAL,
    OUTCOME_COLUMN_COUNT
};

static const struct document_column outcome_columns[OUTCOME_COLUMN_COUNT] = {
    [OUTCOME_ENGINE] = COMPOSE_PLACE_COLUMNS,
    [OUTCOME_KIND] = {"outcome", NULL, "outcome", .views = 1},
    [OUTCOME_HELP] = {"meaning", NULL, "meaning", .views = 1},
    [OUTCOME_TOTAL] = {"request_count", "1", "requests", .number = DOCUMENT_INTEGER, .views = 1},
};

static void add_outcomes_of_row(struct compose *compose, struct document_table *table,
                                const struct analysis_row *row)
{
    const struct analysis_trials trials = analysis_row_trials(compose->analysis, row);

    for (int kind = 0; kind < OUTCOME_COUNT; kind++) {
        uint64_t total = 0;

        for (size_t i = 0; i < trials.count; i++) {
            total += compose->analysis->trials[trials.indices[i]].outcomes[kind];
        }
        if (total > 0 || kind == OUTCOME_OK) {
            struct document_cell *cells = document_add_row(table);

            compose_set_place(compose, cells, OUTCOME_ENGINE, row->engine_index, row->cell_index);
            document_set_sentence(cells, OUTCOME_KIND, outcome_infos[kind].name);
            document_set_sentence(cells, OUTCOME_HELP, outcome_infos[kind].help);
            document_set_integer(cells, OUTCOME_TOTAL, (int64_t)total);
        }
    }
}

static void add_outcomes(struct compose *compose, struct document_section *section)
{
    const struct analysis_row **rows = compose_rows(compose);
    struct document_table *table =
        document_new_table(compose->document, "outcomes", "How the requests of all windows ended",
                           outcome_columns, OUTCOME_COLUMN_COUNT);

    for (size_t i = 0; rows && i < compose->analysis->row_count; i++) {
        add_outcomes_of_row(compose, table, rows[i]);
    }
    table->note = "Every request that was started ends as exactly one of these. Only ok counts as "
                  "served. Kinds that did not occur have no row.";
    document_show_table(section, table, 1)->folded = "How the requests ended";
}

/* A long session: the page has the trials that are not counted, the files have all. */
static void add_excluded(struct compose *compose, struct document_section *section)
{
    struct document *document = compose->document;
    struct document_table *table = document_new_table(
        document, "trials_excluded", "Trials that are not counted", columns, COLUMN_COUNT);
    size_t excluded = 0, total = compose->results->trial_count;

    for (size_t i = 0; i < total; i++) {
        excluded += !compose->analysis->trials[i].valid;
        if (!compose->analysis->trials[i].valid && excluded <= RENDER_PAGE_ROW_COUNT_MAX) {
            add_trial(compose, table, i);
        }
    }
    document_add(document, section, DOCUMENT_PARAGRAPH,
                 document_format(document,
                                 "%zu trials ran, too many for a page: tables/trials.csv has all, "
                                 "in the order they ran. Not counted: %zu%s.",
                                 total, excluded,
                                 excluded > RENDER_PAGE_ROW_COUNT_MAX
                                     ? document_tr(document, ", of which the first 200 follow")
                                     : ""));
    document_show_table(section, compose->trials, 1);
    if (excluded > 0) {
        document_show_table(section, table, 1)->folded = "The trials that are not counted";
    }
}

void compose_trials(struct compose *compose)
{
    struct document *document = compose->document;
    struct document_section *section = document_add_section(document, "trials", "Every trial");

    compose->trials = document_new_table(document, "trials", "Trials in the order they ran",
                                         columns, COLUMN_COUNT);
    for (size_t i = 0; i < compose->results->trial_count; i++) {
        add_trial(compose, compose->trials, i);
    }
    if (compose->trials->row_count > RENDER_PAGE_ROW_COUNT_MAX) {
        compose->trials->is_files = true;
        add_excluded(compose, section);
        add_outcomes(compose, section);
        return;
    }
    compose->trials->note = "A trial is one fresh server process with fresh connections. One that "
                            "is not counted is in no mean and no interval; its samples stay in "
                            "the results file and in tables/samples.csv.";
    document_show_table(section, compose->trials, 1)->folded =
        document_format(document, "All %zu trials", compose->results->trial_count);
    add_outcomes(compose, section);
}
