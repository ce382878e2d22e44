// SPDX-License-Identifier: Apache-2.0
// A rate that changes: what was due, answered and late at each time of the window, over the counted
// trials of an engine.
#include <math.h>

#include "report/compose/compose_parts.h"

#define PIECE_COUNT_MAX 40 /* rows of one engine; more samples than these are taken together */
#define MS              1e-6

enum column {
    ENGINE,
    WORKLOAD,
    CONNECTIONS,
    START,
    OFFERED,
    RATE,
    MEAN,
    LONGEST,
    LAG,
    COLUMN_COUNT
};

static const struct document_column columns[COLUMN_COUNT] = {
    [ENGINE] = COMPOSE_PLACE_COLUMNS,
    [START] = {"start_ns", "ns", "from (s)", 1e-9, DOCUMENT_SIGNIFICANT, .views = 1},
    [OFFERED] = {"offered_per_s", "1/s", "due/s", .number = DOCUMENT_SIGNIFICANT, .views = 1},
    [RATE] = {"ok_per_s", "1/s", "right answers/s", .number = DOCUMENT_SIGNIFICANT, .views = 1},
    [MEAN] = {"latency_mean_ns", "ns", "mean response (ms)", MS, DOCUMENT_SIGNIFICANT, .views = 1},
    [LONGEST] = {"latency_max_ns", "ns", "longest (ms)", MS, DOCUMENT_SIGNIFICANT, .views = 1},
    [LAG] = {"driver_lag_max_ns", "ns", "driver late by, at most (ms)", MS, DOCUMENT_SIGNIFICANT,
             .views = 1},
};

/* One piece of the window, of all counted trials together. Doubles: no foreign number goes round.
 */
struct piece {
    double start_ns, length_ns, offered_count, ok_count, latency_sum_ns, latency_max_ns, lag_max_ns;
};

/* What is not known makes the sum unknown. */
static double number(int64_t value)
{
    return value == METRIC_UNKNOWN ? (double)NAN : (double)value;
}

static size_t window_begin(const struct results_trial *trial)
{
    size_t first = 0;

    while (first < trial->sample_count && trial->points[first].phase != SAMPLE_PHASE_WINDOW) {
        first++;
    }
    return first;
}

static size_t window_count(const struct results_trial *trial)
{
    size_t count = 0;

    for (size_t i = 0; i < trial->sample_count; i++) {
        count += trial->points[i].phase == SAMPLE_PHASE_WINDOW;
    }
    return count;
}

static void piece_add(const struct results_trial *trial, size_t begin, size_t first, size_t end,
                      struct piece *piece)
{
    for (size_t i = first; i < end && i < trial->sample_count; i++) {
        const struct results_point *point = &trial->points[i];
        const struct results_course_point *course = &trial->course[i];

        if (point->phase != SAMPLE_PHASE_WINDOW) {
            break;
        }
        piece->start_ns =
            (double)trial->points[first].start_ns - (double)trial->points[begin].start_ns;
        piece->length_ns += (double)point->end_ns - (double)point->start_ns;
        piece->offered_count += number(course->scheduled_count);
        piece->ok_count += number(point->ok_count);
        piece->latency_sum_ns += number(course->latency_sum_ns);
        piece->latency_max_ns = fmax(piece->latency_max_ns, number(course->latency_max_ns));
        piece->lag_max_ns = fmax(piece->lag_max_ns, number(course->lag_max_ns));
    }
}

static void add_row(struct compose *compose, struct document_table *table,
                    const struct analysis_row *row, const struct piece *piece)
{
    struct document_cell *cells = document_add_row(table);
    double length_s = piece->length_ns / 1e9;

    compose_set_place(compose, cells, ENGINE, row->engine_index, row->cell_index);
    document_set_number(cells, START, piece->start_ns);
    document_set_number(cells, OFFERED, piece->offered_count / length_s);
    document_set_number(cells, RATE, piece->ok_count / length_s);
    document_set_number(
        cells, MEAN, piece->ok_count > 0 ? piece->latency_sum_ns / piece->ok_count : (double)NAN);
    document_set_number(cells, LONGEST, piece->ok_count > 0 ? piece->latency_max_ns : (double)NAN);
    document_set_number(cells, LAG, piece->lag_max_ns);
}

static void add_engine(struct compose *compose, struct document_table *table,
                       const struct analysis_row *row)
{
    const struct results *results = compose->results;
    const struct analysis_trials trials = analysis_row_trials(compose->analysis, row);
    size_t count = 0;

    for (size_t i = 0; i < trials.count; i++) {
        const struct results_trial *trial = &results->trials[trials.indices[i]];
        size_t of_trial = trial->course ? window_count(trial) : 0;

        count = of_trial > count ? of_trial : count;
    }
    size_t step = (count + PIECE_COUNT_MAX - 1) / PIECE_COUNT_MAX;
    for (size_t k = 0; k < count; k += step) {
        struct piece piece = {0};

        for (size_t i = 0; i < trials.count; i++) {
            const struct results_trial *trial = &results->trials[trials.indices[i]];

            if (compose->analysis->trials[trials.indices[i]].valid && trial->course) {
                size_t begin = window_begin(trial);

                piece_add(trial, begin, begin + k, begin + k + step, &piece);
            }
        }
        if (piece.length_ns > 0) {
            add_row(compose, table, row, &piece);
        }
    }
}

void compose_course(struct compose *compose, struct document_section *section)
{
    const struct analysis_row **rows = compose_rows(compose);
    struct document_table *table = NULL;

    for (size_t i = 0; rows && i < compose->analysis->row_count; i++) {
        if (!compose_cell(compose, rows[i]->cell_index)->rate_course) {
            continue;
        }
        if (!table) {
            table = document_new_table(compose->document, "course", "Along the rate", columns,
                                       COLUMN_COUNT);
        }
        add_engine(compose, table, rows[i]);
    }
    if (table) {
        table->note = "All counted trials together, from the beginning of the window. A rate "
                      "written 1000..5000 goes straight from the one to the other, 1000,2000 in "
                      "steps of equal length. An answer counts when it came, the request when it "
                      "was due. Whether such a window is steady is not asked.";
        document_show_table(section, table, 1)->folded =
            "What was due and what was answered, along the rate that changes";
    }
}
