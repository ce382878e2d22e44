// SPDX-License-Identifier: Apache-2.0
// What differs between two machines is listed, and what can be expected to matter is marked.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/attr.h"
#include "engines/base/fs.h"
#include "report/judge/surroundings.h"
#include "tests/support/results_builder.h"

static char folder[] = "/tmp/tacho-surroundings-XXXXXX";
static char path[64];

static struct results *session_make(const char *facts)
{
    static const struct results_builder one_block = {.block_count = 1};
    struct results *results = NULL;
    char sql[1024];
    struct err e;

    snprintf(sql, sizeof(sql), "DELETE FROM fact; INSERT INTO fact VALUES %s", facts);
    results_builder_make(&one_block, path);
    results_builder_alter(path, sql);
    cr_assert_eq(results_load(path, true, &results, &e), ERR_OK, "%s", e.text);
    return results;
}

#define FACT(name, value) "(1, 'start', '" name "', " value ")"

/* "cpu.model!" of each row, '!' when it matters, '?' when nothing can be said. */
static void rows_format(const struct surroundings *surroundings, char out[256])
{
    out[0] = '\0';
    for (size_t i = 0; i < surroundings->count; i++) {
        const struct surrounding *row = &surroundings->rows[i];

        snprintf(out + strlen(out), 256 - strlen(out), "%s%s%s", i ? " " : "", row->name,
                 !row->is_known ? "?"
                 : row->matters ? "!"
                                : "");
    }
}

Test(surroundings, are_what_lasts_and_differs)
{
    static const char base[] = FACT("cpu.model", "'A'") "," FACT("cpu.online", "'0-1'");
    static const struct {
        const char *published, *here, *differs;
        bool same_class;
    } rows[] = {
        {base, base, "", true},
        {base, FACT("cpu.model", "'B'") "," FACT("cpu.online", "'0-1'"), "cpu.model!", false},
        {base, FACT("cpu.model", "'A'") "," FACT("cpu.online", "'0-7'"), "cpu.online!", false},
        {base, FACT("cpu.online", "'0-1'"), "cpu.model?", false},
        {base, FACT("cpu.model", "NULL") "," FACT("cpu.online", "'0-1'"), "cpu.model?", false},
        /* Of two machines of which nothing is known nothing is known. */
        {FACT("os.name", "'x'"), FACT("os.name", "'x'"), "", false},
        {FACT("cpu.model", "'A'") "," FACT("kernel.release", "'6.1'") "," FACT(
             "program.sqlite", "'3.40'") "," FACT("kernel.boot_id", "'1'") "," FACT("state.load",
                                                                                    "'1'"),
         FACT("cpu.model", "'A'") "," FACT("kernel.release", "'6.2'") "," FACT(
             "program.sqlite", "'3.41'") "," FACT("kernel.boot_id", "'2'") "," FACT("state.load",
                                                                                    "'2'"),
         "kernel.release! program.sqlite", true},
        {FACT("cpu.model", "'A'") "," FACT("cpu.governor", "'performance'"),
         FACT("cpu.model", "'A'") "," FACT("net.lo_mtu", "'1500'"), "cpu.governor? net.lo_mtu?",
         true},
    };

    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/r.db", folder);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct results *published = session_make(rows[i].published);
        struct results *here = session_make(rows[i].here);
        struct surroundings surroundings;
        char differs[256];

        cr_assert_eq(surroundings_make(published, here, &surroundings, NULL), ERR_OK);
        rows_format(&surroundings, differs);
        cr_expect_str_eq(differs, rows[i].differs, "row %zu: %s", i, differs);
        cr_expect_eq(surroundings.same_class, rows[i].same_class, "row %zu", i);
        surroundings_release(&surroundings);
        results_free(published);
        results_free(here);
    }
    cr_expect_eq(fs_remove_tree(folder, NULL), ERR_OK);
}
