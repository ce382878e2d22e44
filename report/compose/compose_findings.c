// SPDX-License-Identifier: Apache-2.0
// The findings of all trials: what to do about each kind, and a table of every one in files.
#include "report/compose/compose_parts.h"

enum column {
    ORDER,
    ENGINE,
    WORKLOAD,
    CONNECTIONS,
    BLOCK,
    KIND,
    INVALIDATES,
    VALUE,
    LIMIT,
    TEXT,
    ADVICE,
    COLUMN_COUNT
};

static const struct document_column columns[COLUMN_COUNT] = {
    [ORDER] = {.name = "order_index", .unit = "1", .number = DOCUMENT_INTEGER},
    [ENGINE] = {.name = "engine", .heading = "engine"},
    [WORKLOAD] = {.name = "workload", .heading = "workload"},
    [CONNECTIONS] = {.name = "connection_count",
                     .unit = "1",
                     .heading = "connections",
                     .number = DOCUMENT_INTEGER},
    [BLOCK] = {.name = "block_index", .unit = "1", .number = DOCUMENT_INTEGER},
    [KIND] = {.name = "finding", .heading = "finding"},
    [INVALIDATES] = {.name = "invalidates", .heading = "not counted for it"},
    [VALUE] = {.name = "value", .heading = "value", .number = DOCUMENT_SIGNIFICANT},
    [LIMIT] = {.name = "limit", .heading = "limit", .number = DOCUMENT_SIGNIFICANT},
    [TEXT] = {.name = "text", .heading = "what"},
    [ADVICE] = {.name = "advice", .heading = "what to do"},
};

static void add_row(struct compose *compose, struct document_table *table,
                    const struct results_trial *trial, const struct finding *finding)
{
    struct document_cell *cells = document_add_row(table);

    document_set_integer(cells, ORDER, trial->order_index);
    compose_set_place(compose, cells, ENGINE, trial->engine_index, trial->cell_index);
    document_set_integer(cells, BLOCK, trial->block_index);
    document_set_sentence(cells, KIND, finding_name(finding->kind));
    document_set_sentence(cells, INVALIDATES, finding->invalidates ? "yes" : "no");
    document_set_number(cells, VALUE, finding->value);
    document_set_number(cells, LIMIT, finding->limit);
    document_set_sentence(cells, TEXT, compose_finding(compose, finding));
    document_set_sentence(cells, ADVICE, finding_advice(finding->kind));
}

void compose_findings(struct compose *compose, struct document_section *section)
{
    struct document *document = compose->document;
    struct document_table *table =
        document_new_table(document, "findings", "Findings", columns, COLUMN_COUNT);
    size_t counts[FINDING_KIND_COUNT] = {0};

    for (size_t i = 0; i < compose->results->trial_count; i++) {
        const struct trial_summary *summary = &compose->analysis->trials[i];

        for (size_t k = 0; k < summary->finding_count; k++) {
            add_row(compose, table, &compose->results->trials[i], &summary->findings[k]);
            counts[summary->findings[k].kind]++;
        }
    }
    for (int kind = 0; kind < FINDING_KIND_COUNT; kind++) {
        if (counts[kind] > 0) {
            document_add(
                document, section, DOCUMENT_ITEM,
                document_format(document, "%s (%zu %s): %s.", finding_name((enum finding_kind)kind),
                                counts[kind],
                                document_tr(document, counts[kind] == 1 ? "trial" : "trials"),
                                document_tr(document, finding_advice((enum finding_kind)kind))))
                ->folded = "What to do about it";
        }
    }
    compose->findings = table->row_count > 0 ? table : NULL;
    table->is_files = true;
    document_show_table(section, table, DOCUMENT_VIEW_ALL);
}
