// SPDX-License-Identifier: Apache-2.0
// The checklist in the report: what passes and fails follows from the session.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/fs.h"
#include "report/compose/compose.h"
#include "tests/support/results_builder.h"

static const struct document_table *find_table(const struct document *document, const char *name)
{
    for (const struct document_section *section = document->first; section;
         section = section->next) {
        for (const struct document_block *block = section->first; block; block = block->next) {
            if (block->table && strcmp(block->table->name, name) == 0) {
                return block->table;
            }
        }
    }
    cr_assert_fail("no table %s", name);
    return NULL;
}

/* Letters of the twelve rules: p for pass, f for fail. */
Test(checklist, follows_the_session)
{
    static const struct {
        struct results_builder builder;
        const char *want;
    } rows[] = {
        /* A whole session: every engine has a p99. */
        {{.block_count = 8}, "pppppppppppp"},
        {{.block_count = 8, .faults = RESULTS_BUILDER_NO_HISTOGRAM}, "pppppppfpppp"},
        /* Too few blocks for a test; one trial has no interval. */
        {{.block_count = 5}, "ppppppfppppp"},
        {{.block_count = 1}, "ppppfpfppppp"},
        /* Nothing was measured: no comparison, no interval, no tail, no bound. */
        {{.block_count = 6, .faults = RESULTS_BUILDER_NOTHING}, "pffpfpffppf"},
    };
    char folder[] = "/tmp/tacho-checklist-XXXXXX";
    char path[128];

    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/results.db", folder);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct results *results = NULL;
        struct analysis *analysis = NULL;
        struct compose compose;
        char have[13] = "";
        struct err e;

        results_builder_make(&rows[i].builder, path);
        cr_assert_eq(results_load(path, true, &results, &e), ERR_OK, "%s", e.text);
        cr_assert_eq(analysis_make(results, &analysis, &e), ERR_OK, "%s", e.text);
        cr_assert_eq(compose_make(analysis, "d", &compose, &e), ERR_OK, "%s", e.text);
        const struct document_table *table = find_table(compose.document, "checklist");

        cr_assert_eq(table->row_count, 12);
        for (size_t k = 0; k < 12; k++) {
            have[k] = table->rows[k][2].text[0];
        }
        cr_expect_eq(strncmp(have, rows[i].want, strlen(rows[i].want)), 0, "row %zu: %s", i, have);
        compose_release(&compose);
        analysis_free(analysis);
        results_free(results);
    }
    cr_expect_eq(fs_remove_tree(folder, NULL), ERR_OK);
}
