// SPDX-License-Identifier: Apache-2.0
// The tidy tables: one observation a line, names with units, numbers bare. That of the samples is
// written while they are read, by report/samples_file.h.
#include <math.h>

#include "report/compose/compose_parts.h"
#include "report/forms/form.h"
#include "report/forms/form_rows.h"
#include "report/render/render.h"

enum column { ENGINE, WORKLOAD, CONNECTIONS, TRIALS, PERCENTILE, VALUE, BEYOND, COLUMN_COUNT };

static const struct document_column columns[COLUMN_COUNT] = {
    [ENGINE] = {.name = "engine"},
    [WORKLOAD] = {.name = "workload"},
    [CONNECTIONS] = {.name = "connection_count", .number = DOCUMENT_INTEGER},
    [TRIALS] = {.name = "counted_trial_count", .number = DOCUMENT_INTEGER},
    [PERCENTILE] = {.name = "percentile", .number = DOCUMENT_SIGNIFICANT},
    [VALUE] = {.name = "latency_ns", .number = DOCUMENT_INTEGER},
    [BEYOND] = {.name = "requests_beyond", .number = DOCUMENT_INTEGER},
};

#define BEYOND_MIN 100 /* requests beyond a quantile that is shown */

/* What lies beyond the last bucket is in no bucket: quantiles are not known then. */
static void add_percentiles(struct compose *compose, const struct analysis_row *measured,
                            const struct histogram *histogram, struct document_table *table)
{
    static const double percentiles[] = {10, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 99.999};

    for (size_t i = 0; i < ARRAY_COUNT(percentiles); i++) {
        struct document_cell *row = document_add_row(table);
        double count = (double)histogram->total_count;
        double beyond = floor(count * (100 - percentiles[i]) / 100);

        document_set_text(row, ENGINE, compose_engine(compose, measured->engine_index)->name);
        document_set_text(row, WORKLOAD, compose_load_name(compose, measured->cell_index));
        document_set_integer(row, CONNECTIONS,
                             compose_cell(compose, measured->cell_index)->connection_count);
        document_set_integer(row, TRIALS, (int64_t)measured->valid_count);
        document_set_number(row, PERCENTILE, percentiles[i]);
        document_set_number(row, BEYOND, beyond);
        if (beyond >= BEYOND_MIN && histogram->overflow_count == 0) {
            document_set_integer(row, VALUE, histogram_quantile(histogram, percentiles[i] / 100));
        }
    }
}

/* Of the requests of all counted trials of a row together; trials.csv has those of each trial. */
static const struct document_table *make_percentiles(struct compose *compose)
{
    struct document_table *table =
        document_new_table(compose->document, "percentiles", "", columns, COLUMN_COUNT);
    const struct form_rows rows = form_rows_make(compose);

    for (size_t i = 0; i < rows.count; i++) {
        const struct histogram *histogram = form_row_histogram(compose, rows.items[i].row);

        if (histogram) {
            add_percentiles(compose, rows.items[i].row, histogram, table);
        }
    }
    return table;
}

enum err_code form_csv(struct compose *compose, struct form_folder *folder, struct err *e)
{
    const struct {
        const char *name;
        const struct document_table *table;
    } tables[] = {{"tables/comparisons.csv", compose->comparisons},
                  {"tables/trials.csv", compose->trials},
                  {"tables/percentiles.csv", make_percentiles(compose)},
                  {"tables/findings.csv", compose->findings},
                  {"tables/claims.csv", compose->claims},
                  {"tables/floods.csv", compose->floods}};
    struct buf out;
    enum err_code code = document_check(compose->document, e);

    buf_init(&out, FORM_BYTES_MAX);
    for (size_t i = 0; i < ARRAY_COUNT(tables) && code == ERR_OK; i++) {
        if (!tables[i].table) {
            continue;
        }
        buf_clear(&out);
        render_csv(tables[i].table, &out);
        code = form_write(folder, tables[i].name, &out, e);
    }
    buf_release(&out);
    return code;
}
