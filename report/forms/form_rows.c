// SPDX-License-Identifier: Apache-2.0
// The rows of an analysis as programs name them.
#include "report/forms/form_rows.h"

#include <string.h>

#include "report/compose/compose_parts.h"
#include "report/render/text_safe.h"

static const char *clean(struct compose *compose, const char *text)
{
    struct buf *scratch = &compose->document->scratch;

    buf_clear(scratch);
    text_add_clean(scratch, text);
    return document_keep(compose->document, scratch->bytes, scratch->length);
}

/* Two names may be the same once they are clean. */
static const char *unique_name(struct compose *compose, const struct form_rows *rows,
                               const char *name)
{
    const char *unique = name;

    for (size_t i = 0, copy = 2; i < rows->count; i++) {
        if (strcmp(rows->items[i].name, unique) == 0) {
            unique = document_format(compose->document, "%s #%zu", name, copy++);
            i = SIZE_MAX; /* look again from the first */
        }
    }
    return unique;
}

struct form_rows form_rows_make(struct compose *compose)
{
    const struct analysis_row **order = compose_rows(compose);
    struct form_rows rows = {
        .items = document_allocate(compose->document,
                                   (compose->analysis->row_count + 1) * sizeof(*rows.items))};

    for (size_t i = 0; order && rows.items && i < compose->analysis->row_count; i++) {
        struct form_row item = {
            .row = order[i],
            .engine = clean(compose, compose_engine(compose, order[i]->engine_index)->name),
            .workload = clean(compose, compose_load_name(compose, order[i]->cell_index)),
            .connection_count = compose_cell(compose, order[i]->cell_index)->connection_count};

        item.name = unique_name(compose, &rows,
                                document_format(compose->document, "%s/%lld/%s", item.workload,
                                                item.connection_count, item.engine));
        rows.items[rows.count++] = item;
    }
    return rows;
}

const struct histogram *form_row_histogram(const struct compose *compose,
                                           const struct analysis_row *row)
{
    const struct latency_profile *profile = analysis_profile(compose->analysis, row);

    return profile && profile->merged.total_count > 0 ? &profile->merged : NULL;
}

bool form_is_quotable(const struct compose *compose)
{
    return compose->analysis->trust == TRUST_VALID || compose->analysis->trust == TRUST_WARNINGS;
}
