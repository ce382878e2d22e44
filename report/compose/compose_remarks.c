// SPDX-License-Identifier: Apache-2.0
// Remarks on cells: trials that were not steady, engines that all meet at the limit.
#include <math.h>

#include "report/compose/compose_parts.h"
#include "report/render/number.h"

enum column { KIND, ENGINE, WORKLOAD, CONNECTIONS, COUNT, VALUE, LIMIT, HINT, COLUMN_COUNT };

static const struct document_column columns[COLUMN_COUNT] = {
    [KIND] = {"kind", NULL, "kind", .views = 0},
    [ENGINE] = {"engine", NULL, "engine", .views = 0},
    [WORKLOAD] = {"workload", NULL, "workload", .views = 0},
    [CONNECTIONS] = {"connection_count", "1", "connections", .number = DOCUMENT_INTEGER},
    [COUNT] = {"count", "1", "count", .number = DOCUMENT_INTEGER},
    [VALUE] = {"value", "1", "value", .number = DOCUMENT_SIGNIFICANT},
    [LIMIT] = {"limit", "1", "limit", .number = DOCUMENT_SIGNIFICANT},
    [HINT] = {"warmup_hint_s", "s", "longer warm-up", .number = DOCUMENT_SIGNIFICANT},
};

static const char *sentence(struct compose *compose, const struct remark *remark)
{
    struct document *document = compose->document;
    char hint[NUMBER_TEXT_BYTES];

    if (remark->kind == REMARK_CLUSTERING) {
        return document_format(
            document,
            "CLUSTERING: %zu engines %s lie within 1 %% of each other and of the limit engine: "
            "what is compared there is the driver or the machine, not the servers.",
            remark->count, compose_place(compose, remark->cell_index));
    }
    return document_format(
        document,
        "UNSTEADY: %zu of the counted trials of %s %s (%s, limit 20 %%) were not on one level "
        "from the beginning of the window to its end%s.",
        remark->count, document_name(document, compose_engine(compose, remark->engine_index)->name),
        compose_place(compose, remark->cell_index), compose_percent(compose, remark->value),
        remark->hint_s > 0
            ? document_format(document,
                              ": lengthen the warm-up for all engines (MSER-5 suggests by %s s)",
                              number_format_plain(remark->hint_s, hint))
            : "");
}

void compose_remarks(struct compose *compose, struct document_section *section)
{
    const struct analysis *analysis = compose->analysis;
    struct document_table *table =
        document_new_table(compose->document, "remarks", "Remarks on cells", columns, COLUMN_COUNT);

    for (size_t i = 0; i < analysis->remark_count; i++) {
        const struct remark *remark = &analysis->remarks[i];
        struct document_cell *row = document_add_row(table);

        document_add(compose->document, section, DOCUMENT_ITEM, sentence(compose, remark))->tone =
            DOCUMENT_CAUTION;
        document_set_sentence(row, KIND, remark_names[remark->kind]);
        if (remark->engine_index != SIZE_MAX) {
            document_set_text(row, ENGINE, compose_engine(compose, remark->engine_index)->name);
        }
        document_set_text(row, WORKLOAD, compose_load_name(compose, remark->cell_index));
        document_set_integer(row, CONNECTIONS,
                             compose_cell(compose, remark->cell_index)->connection_count);
        document_set_integer(row, COUNT, (int64_t)remark->count);
        document_set_number(row, VALUE, remark->value);
        document_set_number(row, LIMIT, remark->limit);
        document_set_number(row, HINT,
                            remark->kind == REMARK_UNSTEADY ? remark->hint_s : (double)NAN);
    }
    table->is_files = true;
    document_show_table(section, table, DOCUMENT_VIEW_ALL);
}
