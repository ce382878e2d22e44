// SPDX-License-Identifier: Apache-2.0
// Names from outside in every form of a report: a few at a time, until each of
// tests/support/hostile_names.json was an engine, and most a workload, a title or a reason.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "report/render/text_safe.h"
#include "tests/support/hostile_names.h"
#include "tests/support/results_builder.h"
#include "tests/support/shell_case.h"

/* Where a name can stand. */
static const char *const places[] = {
    "UPDATE engine SET name = %s WHERE engine_id = 1",
    "UPDATE engine SET name = %s WHERE engine_id = 2",
    "UPDATE engine SET name = %s WHERE engine_id = 3",
    "UPDATE engine SET name = %s WHERE engine_id = 4",
    "UPDATE workload SET name = %s WHERE workload_id = 1",
    "UPDATE session SET title = %s, reason = %s, state = 'failed'",
    "UPDATE trial SET reason = %s, server_exit = %s",
    "UPDATE fact SET value = %s WHERE name = 'cpu.model'",
    "UPDATE workload SET path = %s WHERE workload_id = 1",
};

/* CAST(X'3c62' AS TEXT): bytes that no quoting of SQL can change. */
static void add_literal(struct buf *out, const char *bytes)
{
    buf_add_text(out, "CAST(X'");
    for (; *bytes; bytes++) {
        buf_addf(out, "%02x", (unsigned)(unsigned char)*bytes);
    }
    buf_add_text(out, "' AS TEXT)");
}

static void add_statement(struct buf *sql, const char *place, const char *name)
{
    for (const char *slot; (slot = strstr(place, "%s")) != NULL; place = slot + 2) {
        buf_add(sql, place, (size_t)(slot - place));
        add_literal(sql, name);
    }
    buf_addf(sql, "%s;\n", place);
}

static void make_results(const char *path, const char *const *names, size_t count, size_t first)
{
    struct results_builder builder = {.faults = RESULTS_BUILDER_CRASHED};
    struct buf sql;

    buf_init(&sql, 1 << 20);
    for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
        add_statement(&sql, places[i], names[(first + i) % count]);
    }
    cr_assert(!sql.failed);
    results_builder_make(&builder, path);
    results_builder_alter(path, sql.bytes);
    buf_release(&sql);
}

/* Four engines at a time, so that each name once labels a curve; all forms, and what they must
 * be for programs that are here. */
Test(report_names, that_are_text_break_no_form_and_start_nothing, .init = shell_case_make,
     .fini = shell_case_remove, .timeout = 240)
{
    size_t count;
    const char *const *names = hostile_names_load(&count);
    char path[128];

    snprintf(path, sizeof(path), "%s/r.db", shell_case_folder);
    while (!text_is_utf8(names[count - 1], strlen(names[count - 1]))) {
        count--;
        make_results(path, names, count + 1, count);
        shell_case_expect("$TACHO report r.db -o a 2> err; test $? -eq 2 && grep 'no UTF-8' err");
    }
    for (size_t first = 0; first < count; first += 4) {
        make_results(path, names, count, first);
        shell_case_expect(
            "rm -rf a; $TACHO report r.db -o a 2> err; s=$?; cat err; test $s -eq 0 -a ! -s err");
        shell_case_expect(
            "test -s a/plots/throughput.svg && xmllint --noout a/plots/*.svg a/junit.xml");
        shell_case_expect("test -z \"$(find . -name 'pwned*')\"");
        /* Neither markup nor a control or direction character that is alive. */
        shell_case_expect("! grep -Ei '<(script|img src=x|svg/|style>\\*|a href=.https|b>|i>)' "
                          "a/report.html a/report.md a/summary.md a/comment.md a/junit.xml");
        shell_case_expect("! LC_ALL=C grep -lP '[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f]|"
                          "\\xe2\\x80[\\xaa-\\xae]|\\xe2\\x81[\\xa6\\xa7]' a/*.html a/*.md a/*.txt "
                          "a/*.xml a/latex/*.tex a/plots/*.svg");
        shell_case_expect(
            "iconv -f UTF-8 -t UTF-8 -o /dev/null a/*.* a/*/*.csv a/*/*.tex a/*/*.gp");
        shell_case_expect("test $(wc -c < a/comment.md) -lt 65536");
    }
    hostile_names_free(names);
}
