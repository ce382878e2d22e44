// SPDX-License-Identifier: Apache-2.0
// What was played from a recorded session: shown, marked, and never compared.
#include <math.h>
#include <stdlib.h>

#include "report/compose/compose_parts.h"

enum column { ENGINE, WORKLOAD, CONNECTIONS, BLOCK, RATE, P50, P99, SOURCE, COLUMN_COUNT };

#define MS 1e-6

static const struct document_column columns[COLUMN_COUNT] = {
    [ENGINE] = COMPOSE_PLACE_COLUMNS,
    [BLOCK] = {"block_index", "1", "block", .number = DOCUMENT_INTEGER, .views = 1},
    [RATE] = {"recorded_ok_per_s", "1/s", "recorded requests/s", .number = DOCUMENT_SIGNIFICANT,
              .views = 1},
    [P50] = {"recorded_p50_ns", "ns", "recorded p50 (ms)", MS, DOCUMENT_SIGNIFICANT, .views = 1},
    [P99] = {"recorded_p99_ns", "ns", "recorded p99 (ms)", MS, DOCUMENT_SIGNIFICANT, .views = 1},
    [SOURCE] = {"source", NULL, "played from", .views = 0},
};

static size_t count_replays(const struct results *results)
{
    size_t count = 0;

    for (size_t i = 0; i < results->workload_count; i++) {
        count += results->workloads[i].is_replay;
    }
    return count;
}

bool compose_is_replay(const struct compose *compose)
{
    size_t planned = 0;

    for (size_t i = 0; i < compose->results->workload_count; i++) {
        planned += !compose->results->workloads[i].is_calibration;
    }
    return planned > 0 && count_replays(compose->results) == planned;
}

static void add_trial(struct compose *compose, struct document_table *table, size_t trial_index)
{
    const struct results_trial *trial = &compose->results->trials[trial_index];
    const struct trial_summary *summary = &compose->analysis->trials[trial_index];
    struct document_cell *cells = document_add_row(table);

    compose_set_place(compose, cells, ENGINE, trial->engine_index, trial->cell_index);
    document_set_integer(cells, BLOCK, trial->block_index);
    document_set_number(cells, RATE, summary->ok_per_s);
    document_set_number(cells, P50, summary->latency_ns[0]);
    document_set_number(cells, P99, summary->latency_ns[2]);
    document_set_text(cells, SOURCE, trial->said ? trial->said->output : "");
}

void compose_replays(struct compose *compose, struct document_section *section)
{
    const struct results *results = compose->results;

    if (count_replays(results) == 0) {
        return;
    }
    struct document_table *table = document_new_table(
        compose->document, "replays", "Replayed, not measured", columns, COLUMN_COUNT);

    for (size_t i = 0; i < results->trial_count; i++) {
        if (compose_workload(compose, results->trials[i].cell_index)->is_replay) {
            add_trial(compose, table, i);
        }
    }
    table->note = "The samples of recorded trials, played again: no server ran and nothing was "
                  "sent. The numbers are those of the recorded session, which speaks for itself; "
                  "here they are neither compared nor claimed.";
    document_show_table(section, table, 1);
}
