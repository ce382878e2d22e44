// SPDX-License-Identifier: Apache-2.0
// What became of each request of a mix, over the counted trials of an engine at a load point.
#include <math.h>
#include <stdlib.h>

#include "collector/driver/histogram.h"
#include "report/compose/compose_parts.h"
#include "report/render/number.h"

#define TAIL_COUNT 100 /* values beyond a quantile, as everywhere in a report */

enum column {
    ENGINE,
    WORKLOAD,
    CONNECTIONS,
    REQUEST,
    WEIGHT,
    STARTED,
    RATE,
    FAILED,
    P50,
    P99,
    RECEIVED,
    COLUMN_COUNT
};

static const struct document_column columns[COLUMN_COUNT] = {
    [ENGINE] = COMPOSE_PLACE_COLUMNS,
    [REQUEST] = {"request", NULL, "request", .views = 1, .precision = 40},
    [WEIGHT] = {"weight", "1", "weight", .number = DOCUMENT_INTEGER, .views = 1},
    [STARTED] = {"started_count", "1", "sent", .number = DOCUMENT_INTEGER},
    [RATE] = {"ok_per_s", "1/s", "right answers/s", .number = DOCUMENT_SIGNIFICANT, .views = 1},
    [FAILED] = {"failed_count", "1", "failed", .number = DOCUMENT_INTEGER, .views = 1},
    [P50] = {"p50_ns", "ns", "p50, ms", .number = DOCUMENT_SIGNIFICANT, .page_scale = 1e-6,
             .views = 1},
    [P99] = {"p99_ns", "ns", "p99, ms", .number = DOCUMENT_SIGNIFICANT, .page_scale = 1e-6,
             .views = 1},
    [RECEIVED] = {"received_bytes", "B", "bytes received", .number = DOCUMENT_INTEGER},
};

/* The counted trials together. */
struct mix_sum {
    int64_t started_count, ok_count, failed_count, received_bytes;
    double window_s;
    struct histogram latency;
};

static void trial_add(const struct results_trial *trial, double window_s, size_t index,
                      struct mix_sum *sum)
{
    const struct results_request_total *total = &trial->totals[index];
    const struct sample_blob *blob = &total->histogram;

    sum->started_count += total->started_count;
    sum->ok_count += total->ok_count;
    sum->failed_count += total->http_error_count + total->fault_count;
    sum->received_bytes += total->received_bytes;
    sum->window_s += window_s;
    /* One that cannot be read leaves its quantiles without these requests. */
    if (blob->bytes && histogram_decode(blob->bytes, blob->length, &sum->latency, NULL) != ERR_OK) {
        sum->latency.overflow_count += (uint64_t)total->ok_count;
    }
}

static void row_sum(const struct compose *compose, const struct analysis_row *row, size_t index,
                    struct mix_sum *sum)
{
    const struct results *results = compose->results;

    *sum = (struct mix_sum){0};
    for (size_t i = 0; i < results->trial_count; i++) {
        const struct results_trial *trial = &results->trials[i];
        const struct trial_summary *summary = &compose->analysis->trials[i];

        if (summary->valid && trial->cell_index == row->cell_index &&
            trial->engine_index == row->engine_index && index < trial->total_count) {
            trial_add(trial, summary->window_s, index, sum);
        }
    }
}

static double quantile_ns(const struct histogram *histogram, double q)
{
    bool has_tail = (1 - q) * (double)histogram->total_count >= TAIL_COUNT;

    return has_tail && histogram->overflow_count == 0 ? (double)histogram_quantile(histogram, q)
                                                      : (double)NAN;
}

static void add_row(struct compose *compose, struct document_table *table,
                    const struct analysis_row *row, size_t index, const struct mix_sum *sum)
{
    const struct results_request *request =
        &compose_workload(compose, row->cell_index)->mixed[index];
    struct document_cell *cells = document_add_row(table);

    compose_set_place(compose, cells, ENGINE, row->engine_index, row->cell_index);
    document_set_text(cells, REQUEST,
                      document_format(compose->document, "%s %s", request->method, request->path));
    document_set_integer(cells, WEIGHT, request->weight);
    document_set_integer(cells, STARTED, sum->started_count);
    document_set_number(cells, RATE,
                        sum->window_s > 0 ? (double)sum->ok_count / sum->window_s : (double)NAN);
    document_set_integer(cells, FAILED, sum->failed_count);
    document_set_number(cells, P50, quantile_ns(&sum->latency, 0.5));
    document_set_number(cells, P99, quantile_ns(&sum->latency, 0.99));
    document_set_integer(cells, RECEIVED, sum->received_bytes);
}

static void add_rows(struct compose *compose, struct document_table *table, struct mix_sum *sum)
{
    for (size_t i = 0; i < compose->analysis->row_count; i++) {
        const struct analysis_row *row = &compose->analysis->rows[i];
        const struct results_workload *workload = compose_workload(compose, row->cell_index);

        for (size_t k = 0; k < workload->mixed_count; k++) {
            row_sum(compose, row, k, sum);
            add_row(compose, table, row, k, sum);
        }
    }
}

void compose_mix(struct compose *compose, struct document_section *section)
{
    struct mix_sum *sum = compose->results->request_count > 0 ? malloc(sizeof(*sum)) : NULL;

    if (!sum) { /* no mix; without memory for it the document could not be made either */
        return;
    }
    struct document_table *table = document_new_table(compose->document, "requests",
                                                      "By request of a mix", columns, COLUMN_COUNT);

    add_rows(compose, table, sum);
    free(sum);
    table->note =
        "The window's requests of all counted trials together: what of a mix is fast and what is "
        "slow. Of so many requests as the weights add up to, each connection's thread sends each "
        "as often as its weight says, in an order from the plan's seed. Attempts to connect are "
        "of no request yet.";
    document_show_table(section, table, 1);
}
