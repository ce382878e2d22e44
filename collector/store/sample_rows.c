// SPDX-License-Identifier: Apache-2.0
// Samples of a foreign file, with the checks that make them samples.
#include "collector/store/sample_rows.h"

/* The last column of the table is asked for first: then SQLite looks through the header of a row
 * once, and not for each column. */
static const char sample_sql[] =
    "SELECT row_take(?2, lag_histogram, sample_index, phase, start_ns, end_ns"
#define METRIC(name, unit, kind, scope, help) ", " #name
#include "collector/metrics.def"
#undef METRIC
    ", histogram, service_histogram) FROM sample WHERE trial_id = ?1 ORDER BY sample_index";
static const char outcome_sql[] = "SELECT row_take(?2, sample_index, kind, count) FROM outcome "
                                  "WHERE trial_id = ?1 ORDER BY sample_index, kind";

enum {
    COLUMN_LAG_HISTOGRAM,
    COLUMN_INDEX,
    COLUMN_PHASE,
    COLUMN_START,
    COLUMN_END,
    COLUMN_METRICS,
    COLUMN_HISTOGRAM = COLUMN_METRICS + METRIC_COUNT,
    COLUMN_SERVICE_HISTOGRAM
};
static const char *const sample_columns[] = {
    "lag_histogram", "sample_index",      "phase", "start_ns", "end_ns",
#define METRIC(name, unit, kind, scope, help) #name,
#include "collector/metrics.def"
#undef METRIC
    "histogram",     "service_histogram",
};
static const char *const outcome_columns[] = {"sample_index", "kind", "count"};

_Static_assert(METRIC_lateness_ns + 1 == METRIC_COUNT,
               "the one metric that may be negative is last");

/* The grid goes forward and the phases follow each other; intervals may be missing (a finding). */
static void check_sample(struct row_reader *reader, const struct sample *sample,
                         const struct sample *previous)
{
    if (sample->end_ns < sample->start_ns) {
        row_refuse(reader, "it ends before it starts");
    }
    if (previous && (sample->start_ns < previous->end_ns || sample->phase < previous->phase)) {
        row_refuse(reader, "it does not follow the sample before it");
    }
}

static void take_sample(struct row_reader *reader, void *self)
{
    struct sample_rows *rows = self;
    struct sample *sample = row_add(reader);

    if (!sample) {
        return;
    }
    int64_t index = row_integer(reader, COLUMN_INDEX, 0);

    if (index > UINT32_MAX) {
        row_refuse(reader, "sample_index is too large");
    }
    sample->index = (uint32_t)index;
    sample->phase = (enum sample_phase)row_word(reader, COLUMN_PHASE, sample_phase_names, 3);
    sample->start_ns = row_integer(reader, COLUMN_START, ROW_ANY_INTEGER);
    sample->end_ns = row_integer(reader, COLUMN_END, ROW_ANY_INTEGER);
    row_integers_or_unknown(reader, COLUMN_METRICS, METRIC_lateness_ns, 0, sample->metrics);
    sample->metrics[METRIC_lateness_ns] =
        row_integer_or_unknown(reader, COLUMN_METRICS + METRIC_lateness_ns, ROW_ANY_INTEGER);
    sample->histogram.bytes = row_blob_or_null(reader, COLUMN_HISTOGRAM, &sample->histogram.length);
    sample->service_histogram.bytes =
        row_blob_or_null(reader, COLUMN_SERVICE_HISTOGRAM, &sample->service_histogram.length);
    sample->lag_histogram.bytes =
        row_blob_or_null(reader, COLUMN_LAG_HISTOGRAM, &sample->lag_histogram.length);
    check_sample(reader, sample, reader->count > 1 ? sample - 1 : NULL);
    if (rows->take && reader->code == ERR_OK) {
        reader->code = rows->take(rows->self, rows->trial_id, sample, reader->e);
    }
}

static void load_samples(struct row_reader *reader, struct sample_rows *rows)
{
    static const struct row_lending lending = {.sql = sample_sql,
                                               .names = sample_columns,
                                               .table = "sample",
                                               .item_bytes = sizeof(struct sample),
                                               .take = take_sample};

    row_lend(reader, &lending, rows->trial_id, rows);
    rows->samples = row_end(reader, &rows->count);
}

static struct sample *find_sample(const struct sample_rows *rows, int64_t index, size_t *from)
{
    while (*from < rows->count && rows->samples[*from].index < index) {
        ++*from;
    }
    return *from < rows->count && rows->samples[*from].index == index ? &rows->samples[*from]
                                                                      : NULL;
}

struct outcome_rows {
    const struct sample_rows *samples;
    const char *names[OUTCOME_COUNT];
    size_t at; /* the sample of the row before */
};

static void take_outcome(struct row_reader *reader, void *self)
{
    struct outcome_rows *rows = self;

    if (!row_add(reader)) {
        return;
    }
    struct sample *sample = find_sample(rows->samples, row_integer(reader, 0, 0), &rows->at);
    size_t kind = row_word(reader, 1, rows->names, OUTCOME_COUNT);
    int64_t count = row_integer(reader, 2, 1);

    if (!sample) {
        row_refuse(reader, "its sample is missing");
    } else if (reader->code == ERR_OK) {
        sample->outcomes[kind] = (uint64_t)count;
    }
}

static void load_outcomes(struct row_reader *reader, const struct sample_rows *samples)
{
    static const struct row_lending lending = {.sql = outcome_sql,
                                               .names = outcome_columns,
                                               .table = "outcome",
                                               .item_bytes = 1, /* is counted */
                                               .take = take_outcome};
    struct outcome_rows rows = {.samples = samples};
    size_t count = 0;

    for (int i = 0; i < OUTCOME_COUNT; i++) {
        rows.names[i] = outcome_infos[i].name;
    }
    row_lend(reader, &lending, samples->trial_id, &rows);
    row_end(reader, &count);
}

/* The counts of a sample by class are the sums of its outcomes. */
static void check_outcomes(struct row_reader *reader, const struct sample_rows *rows)
{
    static const enum metric metrics[] = {[OUTCOME_CLASS_OK] = METRIC_ok_count,
                                          [OUTCOME_CLASS_HTTP] = METRIC_http_error_count,
                                          [OUTCOME_CLASS_FAULT] = METRIC_fault_count};

    for (size_t i = 0; i < rows->count && reader->code == ERR_OK; i++) {
        const struct sample *sample = &rows->samples[i];
        uint64_t sums[OUTCOME_CLASS_OPEN + 1] = {0};

        for (int kind = 0; kind < OUTCOME_COUNT; kind++) {
            sums[outcome_infos[kind].class] += sample->outcomes[kind];
        }
        for (size_t class = 0; class < ARRAY_COUNT(metrics); class ++) {
            int64_t want = sample->metrics[metrics[class]];

            if (want != METRIC_UNKNOWN && (uint64_t)want != sums[class]) {
                reader->count = i + 1;
                reader->table = "sample";
                row_refuse(reader, "its counts are not the sums of its outcomes");
            }
        }
    }
}

void sample_rows_load(struct row_reader *reader, struct sample_rows *rows)
{
    load_samples(reader, rows);
    load_outcomes(reader, rows);
    check_outcomes(reader, rows);
}
