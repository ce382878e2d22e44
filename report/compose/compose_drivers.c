// SPDX-License-Identifier: Apache-2.0
// What another load driver said of the same server, beside what tacho's own measured.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/run/wrk_text.h"
#include "report/compose/compose_parts.h"

enum column {
    ENGINE,
    WORKLOAD,
    CONNECTIONS,
    TRIALS,
    THEIR_RATE,
    THEIR_P50,
    THEIR_P99,
    THEIR_ERRORS,
    OUR_WORKLOAD,
    OUR_RATE,
    OUR_P50,
    OUR_P99,
    RATIO,
    COLUMN_COUNT
};

#define MS 1e-6

static const struct document_column columns[COLUMN_COUNT] = {
    [ENGINE] = COMPOSE_PLACE_COLUMNS,
    [TRIALS] = {"trial_count", "1", "trials", .number = DOCUMENT_INTEGER, .views = 1},
    [THEIR_RATE] = {"wrk_requests_per_s", "1/s", "wrk: requests/s", .number = DOCUMENT_SIGNIFICANT,
                    .views = 1},
    [THEIR_P50] = {"wrk_p50_ns", "ns", "wrk: p50 (ms)", MS, DOCUMENT_SIGNIFICANT, .views = 1},
    [THEIR_P99] = {"wrk_p99_ns", "ns", "wrk: p99 (ms)", MS, DOCUMENT_SIGNIFICANT, .views = 1},
    [THEIR_ERRORS] = {"wrk_error_count", "1", "wrk: errors", .number = DOCUMENT_INTEGER,
                      .views = 1},
    [OUR_WORKLOAD] = {"tacho_workload", NULL, "tacho: workload", .precision = 24},
    [OUR_RATE] = {"tacho_ok_per_s", "1/s", "tacho: requests/s", .number = DOCUMENT_SIGNIFICANT,
                  .views = 1},
    [OUR_P50] = {"tacho_p50_ns", "ns", "tacho: p50 (ms)", MS, DOCUMENT_SIGNIFICANT, .views = 1},
    [OUR_P99] = {"tacho_p99_ns", "ns", "tacho: p99 (ms)", MS, DOCUMENT_SIGNIFICANT, .views = 1},
    [RATIO] = {"ratio", "1", "tacho / wrk", .number = DOCUMENT_SIGNIFICANT, .views = 1},
};

/* A value of each trial. */
struct said {
    double *rates_per_s, *p50_ns, *p99_ns;
    int64_t error_count;
    size_t count;
};

/* What cannot be read is not counted: the trial's own words stay in the results file. */
static void said_add(const char *output, struct said *said)
{
    struct buf warnings;
    struct wrk_run run;
    struct err why;

    buf_init(&warnings, WRK_TEXT_BYTES_MAX);
    if (wrk_text_parse("wrk", output, strlen(output), &run, &warnings, &why) == ERR_OK) {
        double errors = wrk_run_number(&run, "error_count");

        said->rates_per_s[said->count] = wrk_run_number(&run, "requests_per_s");
        said->p50_ns[said->count] = wrk_run_time_ns(&run, "latency_p50");
        said->p99_ns[said->count] = wrk_run_time_ns(&run, "latency_p99");
        said->error_count += isnan(errors) ? 0 : (int64_t)errors;
        said->count++;
        wrk_run_release(&run);
    }
    buf_release(&warnings);
}

static int doubles_compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* NaN when one of them is not known. */
static double median(double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i])) {
            return (double)NAN;
        }
    }
    if (count == 0) {
        return (double)NAN;
    }
    qsort(values, count, sizeof(*values), doubles_compare);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static bool is_like(const struct compose *compose, size_t cell_index, size_t their_index)
{
    const struct results_workload *ours = compose_workload(compose, cell_index);
    const struct results_workload *theirs = compose_workload(compose, their_index);

    return !ours->is_foreign && !ours->is_calibration && ours->mixed_count == 0 &&
           ours->think_ns == METRIC_UNKNOWN && ours->pipeline_count == 1 &&
           ours->requests_per_connection == METRIC_UNKNOWN &&
           strcmp(ours->request.method, theirs->request.method) == 0 &&
           strcmp(ours->request.path, theirs->request.path) == 0 &&
           compose_cell(compose, cell_index)->rate_per_s == METRIC_UNKNOWN &&
           compose_cell(compose, cell_index)->connection_count ==
               compose_cell(compose, their_index)->connection_count;
}

/* The same engine under the same load by tacho's driver; NULL: the plan has none. */
static const struct analysis_row *find_ours(const struct compose *compose, size_t engine_index,
                                            size_t their_index)
{
    for (size_t i = 0; i < compose->analysis->row_count; i++) {
        const struct analysis_row *row = &compose->analysis->rows[i];

        if (row->engine_index == engine_index && is_like(compose, row->cell_index, their_index)) {
            return row;
        }
    }
    return NULL;
}

static void add_row(struct compose *compose, struct document_table *table, size_t engine_index,
                    size_t cell_index, struct said *said)
{
    const struct analysis_row *ours = find_ours(compose, engine_index, cell_index);
    struct document_cell *cells = document_add_row(table);
    double rate = median(said->rates_per_s, said->count);

    document_set_text(cells, ENGINE, compose_engine(compose, engine_index)->name);
    document_set_text(cells, WORKLOAD, compose_workload(compose, cell_index)->name);
    document_set_integer(cells, CONNECTIONS, compose_cell(compose, cell_index)->connection_count);
    document_set_integer(cells, TRIALS, (int64_t)said->count);
    document_set_number(cells, THEIR_RATE, rate);
    document_set_number(cells, THEIR_P50, median(said->p50_ns, said->count));
    document_set_number(cells, THEIR_P99, median(said->p99_ns, said->count));
    document_set_integer(cells, THEIR_ERRORS, said->error_count);
    document_set_text(cells, OUR_WORKLOAD,
                      ours ? compose_load_name(compose, ours->cell_index) : "");
    document_set_number(cells, OUR_RATE, ours ? ours->ok_per_s.value : (double)NAN);
    document_set_number(cells, OUR_P50, ours ? ours->latency_ns[0].value : (double)NAN);
    document_set_number(cells, OUR_P99, ours ? ours->latency_ns[2].value : (double)NAN);
    document_set_number(cells, RATIO, ours && rate > 0 ? ours->ok_per_s.value / rate : (double)NAN);
}

static void add_cell(struct compose *compose, struct document_table *table, size_t cell_index,
                     struct said *said)
{
    const struct results *results = compose->results;

    for (size_t engine = 0; engine < results->engine_count; engine++) {
        said->count = 0;
        said->error_count = 0;
        for (size_t i = 0; i < results->trial_count; i++) {
            const struct results_trial *trial = &results->trials[i];

            if (trial->cell_index == cell_index && trial->engine_index == engine && trial->said &&
                compose->analysis->trials[i].valid) {
                said_add(trial->said->output, said);
            }
        }
        if (said->count > 0) {
            add_row(compose, table, engine, cell_index, said);
        }
    }
}

static bool has_wrk(const struct results *results)
{
    for (size_t i = 0; i < results->workload_count; i++) {
        if (results->workloads[i].is_foreign && !results->workloads[i].is_replay) {
            return true;
        }
    }
    return false;
}

void compose_drivers(struct compose *compose, struct document_section *section)
{
    const struct results *results = compose->results;
    size_t count = has_wrk(results) ? results->foreign_load_count : 0;
    double *values =
        count > 0 ? document_allocate(compose->document, 3 * count * sizeof(*values)) : NULL;

    if (!values) {
        return;
    }
    struct said said = {
        .rates_per_s = values, .p50_ns = values + count, .p99_ns = values + 2 * count};
    struct document_table *table =
        document_new_table(compose->document, "drivers", "Another load driver on the same servers",
                           columns, COLUMN_COUNT);

    for (size_t cell = 0; cell < results->cell_count; cell++) {
        if (!compose_workload(compose, cell)->is_replay) {
            add_cell(compose, table, cell, &said);
        }
    }
    table->note =
        "What wrk says in its own words (medians over the counted trials), and beside it what "
        "tacho's driver measured at the same request and number of connections. wrk counts every "
        "status as a request, checks no body and corrects its latencies after the fact, so only "
        "the order of magnitude is comparable. No verdict rests on it.";
    document_show_table(section, table, 1);
}
