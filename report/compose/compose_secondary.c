// SPDX-License-Identifier: Apache-2.0
// Comparisons of latency, CPU time and memory, marked as exploratory.
#include <math.h>

#include "report/compose/compose_metrics.h"
#include "report/compose/compose_parts.h"
#include "report/judge/secondary.h"
#include "report/render/number.h"

enum column { ENGINE, WORKLOAD, CONNECTIONS, METRIC, RATIO, Q, FOUND, COLUMN_COUNT };

static const struct document_column columns[COLUMN_COUNT] = {
    [ENGINE] = COMPOSE_PLACE_COLUMNS,
    [METRIC] = {"metric", NULL, "metric", .views = 1},
    [RATIO] = {"ratio", "1", "ratio to baseline", .number = DOCUMENT_SIGNIFICANT, .views = 1,
               .has_interval = true},
    [Q] = {"q", "1", "q", .number = DOCUMENT_SIGNIFICANT, .views = 1},
    [FOUND] = {"found", NULL, "found", .views = 1},
};

static void add_row(struct compose *compose, struct document_table *table,
                    const struct secondary *secondary)
{
    struct document_cell *cells = document_add_row(table);

    compose_set_place(compose, cells, ENGINE, secondary->engine_index, secondary->cell_index);
    document_set_sentence(cells, METRIC, compose_metric_name(secondary->metric));
    compose_set_estimate(cells, RATIO, &secondary->ratio);
    document_set_number(cells, Q, secondary->q);
    document_set_sentence(cells, FOUND, secondary->is_found ? "yes" : "no");
}

void compose_secondary(struct compose *compose, struct document_section *section)
{
    const struct analysis *analysis = compose->analysis;

    if (analysis->secondary_count == 0) {
        return;
    }
    struct document_table *table = document_new_table(
        compose->document, "exploratory", "Exploratory comparisons", columns, COLUMN_COUNT);

    document_group(table, WORKLOAD, CONNECTIONS);
    for (size_t i = 0; i < analysis->secondary_count; i++) {
        add_row(compose, table, &analysis->secondaries[i]);
    }
    table->note =
        "Exploratory: many comparisons at once, beside the throughput that the verdicts are about; "
        "a claim of the plan about one of them is judged by itself, above. Paired ratios with "
        "Student's t "
        "interval; q is the exact sign-flip p adjusted by Benjamini and Hochberg over this table, "
        "so of those found (q below 0.05) one in twenty is false on average. They carry no "
        "verdict: to claim one, write it as a claim and measure anew.";
    document_show_table(section, table, 1)->folded =
        "Latency, CPU time and memory against the baseline (exploratory)";
}
