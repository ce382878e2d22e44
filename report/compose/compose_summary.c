// SPDX-License-Identifier: Apache-2.0
// The summary: one row for each engine and load point, as shown in pages and kept in
// comparisons.csv.
#include <math.h>
#include <string.h>

#include "report/compose/compose_parts.h"

enum column {
    ENGINE,
    ROLE,
    WORKLOAD,
    CONNECTIONS,
    TRIALS,
    RATE,
    RATIO,
    RATIO_P,
    VERDICT_WORD,
    VERDICT_SHOWN,
    GROUP,
    COUNTED,
    MINIMAL_EFFECT,
    BLOCKS_NEEDED,
    LATENCY_KIND,
    P50,
    P90,
    P99,
    P999,
    LATENCY_MAX,
    ERRORS,
    CRASHES,
    COMPLETED,
    LIMIT_RATIO,
    SERVER_CPU,
    DRIVER_CPU,
    SATURATED,
    UNSTEADY_SHARE,
    LAG1,
    RSS,
    THREADS,
    PEAK,
    COLUMN_COUNT
};

#define MAIN  1u
#define COST  2u
#define BOTH  3u
#define CRASH 4u  /* with MAIN, where a server ended, */
#define TAIL  8u  /* where a latency is known, */
#define TIED  16u /* where there are groups, */
#define OPEN  32u /* where the latencies of a session are of two kinds */
#define MS    1e-6

static const struct document_column columns[COLUMN_COUNT] = {
    [ENGINE] = {"engine", NULL, "engine", .views = BOTH, .precision = 32},
    [ROLE] = {"role", NULL, "role", .views = 0},
    [WORKLOAD] = {"workload", NULL, "workload", .views = BOTH, .precision = 24},
    [CONNECTIONS] = {"connection_count", "1", "connections", .number = DOCUMENT_INTEGER,
                     .views = BOTH},
    [TRIALS] = {"trial_count", "1", "trials", .number = DOCUMENT_INTEGER},
    [RATE] = {"ok_per_s", "1/s", "requests/s", .number = DOCUMENT_SIGNIFICANT, .views = MAIN,
              .has_interval = true},
    [RATIO] = {"ratio", "1", "ratio to baseline", .number = DOCUMENT_SIGNIFICANT, .views = MAIN,
               .has_interval = true},
    [RATIO_P] = {"ratio_p_adjusted", "1", "p", .number = DOCUMENT_SIGNIFICANT},
    [VERDICT_WORD] = {"verdict", NULL, "verdict", .views = 0},
    [VERDICT_SHOWN] = {"verdict_text", NULL, "verdict", .views = MAIN},
    [GROUP] = {"group", NULL, "group", .views = TIED},
    [COUNTED] = {"counted_trial_count", "1", "n (trials)", .number = DOCUMENT_INTEGER,
                 .views = MAIN},
    [MINIMAL_EFFECT] = {"minimal_effect", "1", "detectable", .number = DOCUMENT_SIGNIFICANT},
    [BLOCKS_NEEDED] = {"blocks_needed", "1", "blocks needed", .number = DOCUMENT_SIGNIFICANT},
    [LATENCY_KIND] = {"latency_kind", NULL, "latency", .views = OPEN},
    [P50] = {"latency_ns_p50", "ns", "p50 (ms)", MS, DOCUMENT_SIGNIFICANT, .views = TAIL,
             .has_interval = true},
    [P90] = {"latency_ns_p90", "ns", "p90 (ms)", MS, DOCUMENT_SIGNIFICANT, .has_interval = true},
    [P99] = {"latency_ns_p99", "ns", "p99 (ms)", MS, DOCUMENT_SIGNIFICANT, .views = TAIL,
             .has_interval = true},
    [P999] = {"latency_ns_p99_9", "ns", "p99.9 (ms)", MS, DOCUMENT_SIGNIFICANT, .views = TAIL,
              .has_interval = true},
    [LATENCY_MAX] = {"latency_ns_max", "ns", "max (ms)", MS, DOCUMENT_SIGNIFICANT, .views = COST},
    [ERRORS] = {"error_count", "1", "errors", .number = DOCUMENT_INTEGER, .views = MAIN},
    [CRASHES] = {"crash_count", "1", "crashes", .number = DOCUMENT_INTEGER, .views = CRASH},
    [COMPLETED] = {"completed_count", "1", "completed", .number = DOCUMENT_INTEGER},
    [LIMIT_RATIO] = {"limit_ratio", "1", "ratio to limit", .number = DOCUMENT_SIGNIFICANT,
                     .views = COST, .has_interval = true},
    [SERVER_CPU] = {"server_cpu_us_per_request", "us", "server CPU (\xc2\xb5s/request)",
                    .number = DOCUMENT_SIGNIFICANT, .views = COST, .has_interval = true},
    [DRIVER_CPU] = {"driver_cpu_us_per_request", "us", "driver CPU (\xc2\xb5s/request)",
                    .number = DOCUMENT_SIGNIFICANT, .views = COST, .has_interval = true},
    [UNSTEADY_SHARE] = {"unsteady_share", "1", "unsteady", .number = DOCUMENT_SIGNIFICANT},
    [LAG1] = {"lag1_autocorrelation", "1", "lag-1 r", .number = DOCUMENT_SIGNIFICANT},
    [SATURATED] = {"saturated", NULL, "saturated", .views = COST},
    [RSS] = {"rss_kib_peak", "KiB", "peak memory (MiB)", 1.0 / 1024, DOCUMENT_SIGNIFICANT,
             .views = COST},
    [THREADS] = {"thread_count_peak", "1", "peak threads", .number = DOCUMENT_INTEGER,
                 .views = COST},
    [PEAK] = {"peak_per_s", "1/s", "best sample (requests/s): peak, not throughput",
              .number = DOCUMENT_SIGNIFICANT, .views = COST},
};

static const char notes[] =
    "requests/s counts only answers with the expected status, length and bytes that completed in "
    "the window: geometric mean over the counted trials with its 95 % interval. errors: all other "
    "ends of requests in the windows of all trials, counted or not. Latency is service time: from "
    "the actual send to the last byte, in a closed loop, so it does not show what requests would "
    "have waited for at a fixed arrival rate. n/a: not known, or fewer than 100 requests lie "
    "beyond "
    "the quantile. group: engines of a load point that share a letter are not told apart (all "
    "pairs, exact sign-flip test, Holm at 0.05; letters by Piepho 2004); there are no ranks, and "
    "\xe2\x80\x93 is for what is not compared. limit: the built-in engine that answers without "
    "parsing; what driver and machine can do.";

static const char open_notes[] =
    " A workload with a rate is an open loop: requests are due at that rate whatever the server "
    "does, "
    "and their latency is response time, from when a request was due to its last byte. Response "
    "and "
    "service times are different things: compare neither with the other.";

static const char crash_notes[] =
    " crashes: trials in which the server ended by itself. Such a trial is not counted, and what a "
    "server that is gone did not answer is not among the errors.";

static const char cost_notes[] =
    "ratio to limit: against the built-in engine that answers without parsing, on this machine, "
    "at the same number of connections. driver CPU: without the time that it polled with nothing "
    "to do, which spares the server the cost of waking it. saturated: which side had no CPU time "
    "left; with the "
    "driver saturated the server could do more than is shown. max, peak memory, peak threads: the "
    "highest of all counted trials, where a claim of the plan takes their mean. The best sample is "
    "the highest rate of one sampling interval; it is a peak, not throughput, and is never "
    "compared.";

static enum document_tone verdict_tone(enum verdict verdict)
{
    switch (verdict) {
    case VERDICT_DIFFERENT:
    case VERDICT_SMALL:
    case VERDICT_EQUIVALENT:
        return DOCUMENT_GOOD;
    case VERDICT_TOO_FEW:
    case VERDICT_INCONCLUSIVE:
        return DOCUMENT_CAUTION;
    case VERDICT_NONE:
        break;
    }
    return DOCUMENT_PLAIN;
}

static size_t count_crashes(const struct compose *compose, const struct analysis_row *row)
{
    const struct analysis_trials trials = analysis_row_trials(compose->analysis, row);
    size_t count = 0;

    for (size_t i = 0; i < trials.count; i++) {
        count += strcmp(compose->results->trials[trials.indices[i]].state, "crashed") == 0;
    }
    return count;
}

/* Returns whether there is one. */
static bool set_crashes(const struct compose *compose, const struct analysis_row *row,
                        struct document_cell *cells)
{
    size_t count = count_crashes(compose, row);

    document_set_integer(cells, CRASHES, (int64_t)count);
    if (cells && count > 0) {
        cells[CRASHES].tone = DOCUMENT_BAD;
    }
    return count > 0;
}

static void set_names(struct compose *compose, const struct analysis_row *row,
                      struct document_cell *cells)
{
    const struct results_engine *engine = compose_engine(compose, row->engine_index);

    document_set_text(cells, ENGINE, engine->name);
    document_set_text(cells, ROLE, engine->role);
    document_set_text(cells, WORKLOAD, compose_load_name(compose, row->cell_index));
    document_set_integer(cells, CONNECTIONS,
                         compose_cell(compose, row->cell_index)->connection_count);
    document_set_sentence(cells, LATENCY_KIND,
                          compose_cell(compose, row->cell_index)->rate_per_s == METRIC_UNKNOWN
                              ? "service"
                              : "response");
    document_set_integer(cells, TRIALS, (int64_t)row->trial_count);
    document_set_integer(cells, COUNTED, (int64_t)row->valid_count);
    document_set_integer(cells, ERRORS, (int64_t)row->error_count);
    document_set_integer(cells, COMPLETED, (int64_t)row->completed_count);
}

static const char *verdict_shown(struct compose *compose, const struct analysis_row *row)
{
    const char *word = document_tr(compose->document, verdict_names[row->verdict]);

    if (row->verdict == VERDICT_NONE) {
        return "\xe2\x80\x93"; /* – */
    }
    if (row->verdict == VERDICT_TOO_FEW) {
        word = document_tr(compose->document,
                           compose->analysis->is_quick ? "descriptive only" : "too few blocks");
    }
    return compose_engine_is(compose, row->engine_index, "aa")
               ? document_format(compose->document, "A/A: %s", word)
               : word;
}

static void set_comparison(struct compose *compose, const struct analysis_row *row,
                           struct document_cell *cells)
{
    bool is_baseline = row->engine_index == compose->analysis->baseline_index;

    if (row->verdict != VERDICT_NONE) {
        document_set_sentence(cells, VERDICT_WORD, verdict_names[row->verdict]);
    }
    document_set_sentence(cells, VERDICT_SHOWN,
                          is_baseline ? "baseline" : verdict_shown(compose, row));
    if (cells) {
        cells[VERDICT_SHOWN].tone = verdict_tone(row->verdict);
    }
    document_set_sentence(cells, GROUP, row->letters[0] ? row->letters : "\xe2\x80\x93"); /* – */
    compose_set_estimate(cells, RATIO, &row->ratio);
    document_set_number(cells, RATIO_P, row->ratio_p);
    document_set_number(cells, MINIMAL_EFFECT, row->minimal_effect);
    document_set_number(cells, BLOCKS_NEEDED, row->blocks_needed);
}

/* Nothing of a row without a counted trial is a performance figure. */
static void set_figures(const struct analysis_row *row, struct document_cell *cells)
{
    if (row->valid_count == 0) {
        return;
    }
    compose_set_estimate(cells, RATE, &row->ok_per_s);
    compose_set_estimate(cells, P50, &row->latency_ns[0]);
    compose_set_estimate(cells, P90, &row->latency_ns[1]);
    compose_set_estimate(cells, P99, &row->latency_ns[2]);
    compose_set_estimate(cells, P999, &row->latency_ns[3]);
    document_set_integer(cells, LATENCY_MAX, row->latency_max_ns);
    compose_set_estimate(cells, LIMIT_RATIO, &row->limit_ratio);
    compose_set_estimate(cells, SERVER_CPU, &row->server_cpu_us);
    compose_set_estimate(cells, DRIVER_CPU, &row->driver_cpu_us);
    document_set_number(cells, UNSTEADY_SHARE, row->unsteady_share);
    document_set_number(cells, LAG1, row->lag1);
    document_set_sentence(cells, SATURATED, saturation_names[row->saturation]);
    document_set_integer(cells, RSS, row->rss_kib_peak);
    document_set_integer(cells, THREADS, row->thread_count_peak);
    document_set_number(cells, PEAK, row->peak_per_s);
}

/* Columns that are n/a throughout say nothing. */
static unsigned choose_views(const struct compose *compose, bool has_crash)
{
    unsigned views = has_crash ? MAIN | CRASH : MAIN;

    for (size_t i = 0; i < compose->analysis->row_count; i++) {
        const struct analysis_row *row = &compose->analysis->rows[i];

        for (size_t k = 0; k < ANALYSIS_QUANTILE_COUNT && row->valid_count > 0; k++) {
            views |= isfinite(row->latency_ns[k].value) ? TAIL : 0;
        }
        views |= row->letters[0] ? TIED : 0;
    }
    if (views & TAIL && compose_has_open(compose)) {
        views |= OPEN;
    }
    return views;
}

static const char *make_notes(struct compose *compose, bool has_crash)
{
    struct document *document = compose->document;

    return document_format(
        document, "%s%s%s%s", document_tr(document, notes),
        has_crash ? document_tr(document, crash_notes) : "",
        compose_has_open(compose) ? document_tr(document, open_notes) : "",
        compose->analysis->pairs_untellable
            ? document_tr(document, " There are no groups here: so few blocks cannot tell any two "
                                    "of these engines apart among so many pairs.")
            : "");
}

void compose_summary(struct compose *compose)
{
    struct document *document = compose->document;
    struct document_section *section = document_add_section(document, "summary", "Results");
    struct document_table *table = document_new_table(
        document, "comparisons",
        compose_has_open(compose) ? "Throughput and latency" : "Throughput and service time",
        columns, COLUMN_COUNT);
    const struct analysis_row **rows = compose_rows(compose);
    struct document_table *cost;
    bool has_crash = false, has_counted = false;

    compose->comparisons = table;
    document_group(table, WORKLOAD, CONNECTIONS);
    for (size_t i = 0; rows && i < compose->analysis->row_count; i++) {
        struct document_cell *cells = document_add_row(table);

        set_names(compose, rows[i], cells);
        set_comparison(compose, rows[i], cells);
        set_figures(rows[i], cells);
        has_crash = set_crashes(compose, rows[i], cells) || has_crash;
        has_counted = has_counted || rows[i]->valid_count > 0;
    }
    table->note = has_counted ? make_notes(compose, has_crash) : NULL;
    document_show_table(section, table, choose_views(compose, has_crash));
    /* The same rows once more with other columns: JSON takes a table by its name, once. */
    cost = document_new_table(document, "comparisons", "What it cost, and what limited it", columns,
                              COLUMN_COUNT);
    cost->rows = table->rows;
    cost->row_count = table->row_count;
    cost->note = cost_notes;
    document_group(cost, WORKLOAD, CONNECTIONS);
    if (has_counted) {
        document_show_table(section, cost, COST);
    }
    compose_mix(compose, section);
    compose_course(compose, section);
    compose_tls(compose, section);
    compose_drivers(compose, section);
    compose_replays(compose, section);
    compose_secondary(compose, section);
}
