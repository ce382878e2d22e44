// SPDX-License-Identifier: Apache-2.0
// A built session in a folder of its own.
#include "tests/support/session_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/fs.h"

static char folder[] = "/tmp/tacho-analysis-XXXXXX";
char session_path[128];

void session_folder_make(void)
{
    cr_assert(mkdtemp(folder));
    snprintf(session_path, sizeof(session_path), "%s/results.db", folder);
}

void session_folder_remove(void)
{
    struct err e;

    cr_expect_eq(fs_remove_tree(folder, &e), ERR_OK);
}

struct results *session_build(const struct results_builder *builder)
{
    struct results *results = NULL;
    struct err e = {0};

    results_builder_make(builder, session_path);
    cr_assert_eq(results_load(session_path, true, &results, &e), ERR_OK, "%s", e.text);
    return results;
}

struct analysis *session_analyse(const struct results *results)
{
    struct analysis *analysis = NULL;
    struct err e = {0};

    cr_assert_eq(analysis_make(results, &analysis, &e), ERR_OK, "%s", e.text);
    return analysis;
}

const struct analysis_row *analysis_find_row(const struct analysis *analysis, const char *engine)
{
    for (size_t i = 0; i < analysis->row_count; i++) {
        if (strcmp(analysis->results->engines[analysis->rows[i].engine_index].name, engine) == 0) {
            return &analysis->rows[i];
        }
    }
    cr_assert_fail("no row for %s", engine);
    return NULL;
}

void session_discard(struct analysis *analysis, struct results *results)
{
    analysis_free(analysis);
    results_free(results);
}
