// SPDX-License-Identifier: Apache-2.0
// What became of the servers after a flood: one row for each engine and flood.
#include <math.h>

#include "report/compose/compose_parts.h"
#include "report/render/number.h"

enum column {
    ENGINE,
    ROLE,
    WORKLOAD,
    CONNECTIONS,
    FLOOD,
    TRIALS,
    RECOVERED,
    CRASHED,
    ANSWERED,
    BACK,
    RSS,
    THREADS,
    FDS,
    COLUMN_COUNT
};

#define SECONDS 1e-9

static const struct document_column columns[COLUMN_COUNT] = {
    [ENGINE] = {"engine", NULL, "engine", .views = 1, .precision = 32},
    [ROLE] = {"role", NULL, "role", .views = 0},
    [WORKLOAD] = {"workload", NULL, "workload", .views = 1, .precision = 24},
    [CONNECTIONS] = {"connection_count", "1", "connections", .number = DOCUMENT_INTEGER,
                     .views = 1},
    [FLOOD] = {"flood_ns", "ns", "for (s)", SECONDS, DOCUMENT_SIGNIFICANT, .views = 1},
    [TRIALS] = {"trial_count", "1", "trials", .number = DOCUMENT_INTEGER, .views = 1},
    [RECOVERED] = {"recovered_count", "1", "recovered", .number = DOCUMENT_INTEGER, .views = 1},
    [CRASHED] = {"crashed_count", "1", "crashed", .number = DOCUMENT_INTEGER, .views = 1},
    [ANSWERED] = {"answered_ns_max", "ns", "answered again after (s)", SECONDS,
                  DOCUMENT_SIGNIFICANT, .views = 1},
    [BACK] = {"recovered_ns_max", "ns", "as before after (s)", SECONDS, DOCUMENT_SIGNIFICANT,
              .views = 1},
    [RSS] = {"rss_growth_kib_max", "KiB", "memory kept (MiB)", 1.0 / 1024, DOCUMENT_SIGNIFICANT,
             .views = 1},
    [THREADS] = {"thread_growth_max", "1", "threads kept", .number = DOCUMENT_INTEGER, .views = 1},
    [FDS] = {"fd_growth_max", "1", "descriptors kept", .number = DOCUMENT_INTEGER, .views = 1},
};

static void set_growth(struct document_cell *cells, const struct recovery_row *row)
{
    if (row->rss_growth_kib_max == METRIC_UNKNOWN) {
        return;
    }
    document_set_number(cells, RSS, (double)row->rss_growth_kib_max);
    document_set_integer(cells, THREADS, row->thread_growth_max);
    document_set_integer(cells, FDS, row->fd_growth_max);
}

static void add_row(struct compose *compose, struct document_table *table,
                    const struct recovery_row *row)
{
    const struct results_engine *engine = compose_engine(compose, row->engine_index);
    const struct results_workload *workload = compose_workload(compose, row->cell_index);
    struct document_cell *cells = document_add_row(table);

    document_set_text(cells, ENGINE, engine->name);
    document_set_text(cells, ROLE, engine->role);
    document_set_text(cells, WORKLOAD, workload->name);
    document_set_integer(cells, CONNECTIONS,
                         compose_cell(compose, row->cell_index)->connection_count);
    document_set_number(cells, FLOOD, (double)workload->flood_ns);
    document_set_integer(cells, TRIALS, (int64_t)row->trial_count);
    document_set_integer(cells, RECOVERED, (int64_t)row->recovered_count);
    document_set_integer(cells, CRASHED, (int64_t)row->crashed_count);
    document_set_number(cells, ANSWERED, row->answered_ns_max);
    document_set_number(cells, BACK, row->recovered_ns_max);
    set_growth(cells, row);
    if (cells) {
        cells[RECOVERED].tone =
            row->recovered_count == row->trial_count ? DOCUMENT_GOOD : DOCUMENT_BAD;
    }
}

void compose_recovery(struct compose *compose)
{
    const struct analysis *analysis = compose->analysis;
    char text[NUMBER_TEXT_BYTES];

    if (analysis->recovery_count == 0) {
        return;
    }
    struct document_section *section =
        document_add_section(compose->document, "floods", "After the flood");
    struct document_table *table = document_new_table(
        compose->document, "floods", "What became of the servers", columns, COLUMN_COUNT);

    for (size_t i = 0; i < analysis->recovery_count; i++) {
        add_row(compose, table, &analysis->recoveries[i]);
    }
    table->note = document_format(
        compose->document,
        "In a flood connections are opened without a pause, each asks once and is reset unread "
        "when so many newer ones are open. Recovered: afterwards the server gave the right answer, "
        "and its memory was within %s MiB, its threads and descriptors within %d of what they were "
        "before, until the end of the watching. The columns hold the worst of all trials; times "
        "count from the flood's end, and \xe2\x80\x9c"
        "as before\xe2\x80\x9d is known to a sample. Nothing of a flood is counted as throughput.",
        number_format_plain((double)PLAN_CLAIM_GROWTH_DEFAULT / (1 << 20), text),
        RECOVERY_COUNT_SLACK);
    compose->floods = table;
    document_show_table(section, table, DOCUMENT_VIEW_ALL);
}
