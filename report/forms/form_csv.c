// SPDX-License-Identifier: Apache-2.0
// The tidy tables: one observation a line, names with units, numbers bare. That of the samples is
// written while they are read, by report/samples_file.h.
#include "report/forms/form.h"
#include "report/render/render.h"

enum err_code form_csv(struct compose *compose, struct form_folder *folder, struct err *e)
{
    const struct {
        const char *name;
        const struct document_table *table;
    } tables[] = {{"tables/comparisons.csv", compose->comparisons},
                  {"tables/trials.csv", compose->trials}};
    struct buf out;
    enum err_code code = ERR_OK;

    buf_init(&out, FORM_BYTES_MAX);
    for (size_t i = 0; i < ARRAY_COUNT(tables) && code == ERR_OK; i++) {
        buf_clear(&out);
        render_csv(tables[i].table, &out);
        code = form_write(folder, tables[i].name, &out, e);
    }
    buf_release(&out);
    return code;
}
