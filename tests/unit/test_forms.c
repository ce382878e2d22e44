// SPDX-License-Identifier: Apache-2.0
// The forms that programs read, over whole sessions, and the pages that have limits. `ci/run
// formats` has other people's programs read the same.
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engines/base/attr.h"
#include "engines/base/fs.h"
#include "report/forms/form.h"
#include "tests/support/results_builder.h"

static char folder[64];
static struct results *results;
static struct analysis *analysis;
static struct compose compose;

static void session_open(const struct results_builder *builder, const char *sql)
{
    char path[128];
    struct err e;

    snprintf(folder, sizeof(folder), "/tmp/tacho-forms-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/results.db", folder);
    results_builder_make(builder, path);
    if (sql) {
        results_builder_alter(path, sql);
    }
    cr_assert_eq(results_load(path, true, &results, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(analysis_make(results, &analysis, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(compose_make(analysis, "d", &compose, &e), ERR_OK, "%s", e.text);
}

static void session_close(void)
{
    compose_release(&compose);
    analysis_free(analysis);
    results_free(results);
    cr_expect_eq(fs_remove_tree(folder, NULL), ERR_OK);
}

static void form_read(enum form_id id, const char *name, struct buf *out)
{
    struct form_folder to = {.path = folder};
    char path[128];
    struct err e;

    cr_assert_eq(forms[id].write(&compose, &to, &e), ERR_OK, "%s", e.text);
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    buf_init(out, 64 << 20);
    cr_assert_eq(fs_read_file(path, out, &e), ERR_OK, "%s", e.text);
}

Test(forms, are_named_in_a_list)
{
    static const struct {
        const char *list;
        uint64_t want; /* 0: refused */
    } rows[] = {
        {"html", FORM_BIT(html)},
        {"md,json", FORM_BIT(md) | FORM_BIT(json)},
        {"csv,csv", FORM_BIT(csv)},
        {"", 0},
        {"html,", 0},
        {"HTML", 0},
        {"htm", 0},
        {"html md", 0},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        uint64_t set = 0;
        struct err e;

        cr_expect_eq(form_parse(rows[i].list, &set, &e), rows[i].want ? ERR_OK : ERR_USAGE, "%s",
                     rows[i].list);
        cr_expect_eq(set, rows[i].want, "%s", rows[i].list);
    }
}

Test(forms, stand_in_the_manual)
{
    struct buf manual;
    struct err e;

    buf_init(&manual, 1 << 20);
    cr_assert_eq(fs_read_file("report/tacho.1", &manual, &e), ERR_OK, "%s", e.text);
    for (size_t i = 0; i < FORM_COUNT; i++) {
        char item[64];

        snprintf(item, sizeof(item), "\n.It Cm %s ", forms[i].name);
        cr_expect_not_null(strstr(manual.bytes, item), "%s", forms[i].name);
    }
    buf_release(&manual);
}

/* A regression fails, what is invalid is an error, what cannot be told is skipped. */
/* What a session does not have is no file: there is no flood in it. */
Test(forms, csv_has_what_was_claimed_and_found)
{
    static const struct {
        const char *name, *begins, *holds;
    } rows[] = {
        {"tables/claims.csv", "claim,kind,", "\r\nC,no_errors,"},
        {"tables/findings.csv", "order_index,engine,workload,", ",crashed,yes,"},
    };
    char path[128];

    session_open(&(struct results_builder){.faults = RESULTS_BUILDER_CRASHED},
                 "UPDATE session SET plan_text = 'claims: [{ id: C, no_errors: true }]'");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct buf text;

        form_read(FORM_csv, rows[i].name, &text);
        cr_expect_eq(strncmp(text.bytes, rows[i].begins, strlen(rows[i].begins)), 0, "%s",
                     text.bytes);
        cr_expect_not_null(strstr(text.bytes, rows[i].holds), "%s", text.bytes);
        buf_release(&text);
    }
    snprintf(path, sizeof(path), "%s/tables/floods.csv", folder);
    cr_expect_neq(access(path, F_OK), 0);
    session_close();
}

Test(forms, junit_follows_the_session)
{
    static const struct {
        struct results_builder builder;
        const char *want;
    } rows[] = {
        {{.epoll_per_s = 52000}, "failures=\"0\" errors=\"0\" skipped=\"0\""},
        {{.epoll_per_s = 20000}, "failures=\"1\" errors=\"0\" skipped=\"0\""},
        /* Three engines and limit have no counted trial, and neither has the session. */
        {{.faults = RESULTS_BUILDER_NOTHING}, "failures=\"0\" errors=\"5\" skipped=\"1\""},
        /* The session, and the comparison that gets no verdict; every trial was disturbed. */
        {{.faults = RESULTS_BUILDER_FOREIGN_CPU}, "failures=\"0\" errors=\"4\" skipped=\"2\""},
        {{.block_count = 3}, "failures=\"0\" errors=\"0\" skipped=\"1\""},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct buf out;

        session_open(&rows[i].builder, NULL);
        form_read(FORM_junit, "junit.xml", &out);
        const char *root = strstr(out.bytes, "<testsuites");
        cr_assert_not_null(root);
        const char *counts = strstr(root, "failures=");
        cr_expect_eq(strncmp(counts, rows[i].want, strlen(rows[i].want)), 0, "row %zu: %.60s", i,
                     counts);
        buf_release(&out);
        session_close();
    }
}

/* Values are those of the analysis, in the order lower, value, upper; an unfit session has none. */
Test(forms, trackers_get_the_analysis_and_nothing_of_an_unfit_session)
{
    const struct results_builder fit = {0}, unfit = {.faults = RESULTS_BUILDER_FOREIGN_CPU};
    struct buf out;

    session_open(&fit, NULL);
    form_read(FORM_bmf, "bmf.json", &out);
    json_t *root = json_loads(out.bytes, JSON_REJECT_DUPLICATES, NULL);
    cr_assert_not_null(root);
    cr_expect_eq(json_object_size(root), analysis->row_count);
    json_t *rate = json_object_get(json_object_get(root, "ping/125/epoll"), "throughput");
    double value = json_number_value(json_object_get(rate, "value"));
    bool found = false;
    for (size_t i = 0; i < analysis->row_count; i++) {
        found = found || value == analysis->rows[i].ok_per_s.value ||
                (value - analysis->rows[i].ok_per_s.value < 1e-6 &&
                 analysis->rows[i].ok_per_s.value - value < 1e-6);
    }
    cr_expect(found, "%f", value);
    cr_expect_lt(json_number_value(json_object_get(rate, "lower_value")), value);
    cr_expect_gt(json_number_value(json_object_get(rate, "upper_value")), value);
    json_decref(root);
    buf_release(&out);
    session_close();
    session_open(&unfit, NULL);
    form_read(FORM_bmf, "bmf.json", &out);
    cr_expect_str_eq(out.bytes, "{}\n");
    buf_release(&out);
    form_read(FORM_custom, "customSmallerIsBetter.json", &out);
    cr_expect_str_eq(out.bytes, "[]\n");
    buf_release(&out);
    session_close();
}

/* Names that are one once they are clean stay two keys. */
Test(forms, keep_engines_apart_whose_names_look_alike)
{
    const struct results_builder builder = {0};
    struct buf out;

    session_open(&builder, "UPDATE engine SET name = 'a' || char(1) WHERE name = 'epoll';"
                           "UPDATE engine SET name = 'a' || char(2) WHERE name = 'blocking'");
    form_read(FORM_bmf, "bmf.json", &out);
    cr_expect_not_null(strstr(out.bytes, "\"ping/125/a\xef\xbf\xbd\": {"));
    cr_expect_not_null(strstr(out.bytes, "\"ping/125/a\xef\xbf\xbd #2\": {"));
    buf_release(&out);
    session_close();
}

/* source   golang/proposal, design/14313-benchmark-format.md */
Test(forms, benchstat_has_a_line_for_each_counted_trial)
{
    const struct results_builder builder = {0};
    struct buf out;
    size_t count = 0, counted = 0;

    session_open(&builder, "UPDATE engine SET name = 'e/p=o l-8' WHERE name = 'epoll'");
    form_read(FORM_benchstat, "benchstat.txt", &out);
    for (size_t i = 0; i < results->trial_count; i++) {
        counted += analysis->trials[i].valid;
    }
    cr_expect_not_null(
        strstr(out.bytes, "\nBenchmarkHTTP/workload=ping/engine=e_p_o_l_8/connections=125 "));
    for (char *line = strtok(out.bytes, "\n"); line; line = strtok(NULL, "\n")) {
        if (strncmp(line, "Benchmark", 9) == 0) {
            size_t spaces = 0;

            for (const char *at = line; *at; at++) {
                spaces += *at == ' ';
            }
            cr_expect_eq(spaces % 2, 1, "a name, a count, pairs of value and unit: %s", line);
            count++;
        }
    }
    cr_expect_eq(count, counted);
    buf_release(&out);
    session_close();
}

/* The last line has all requests of the counted trials; no line goes back. */
Test(forms, percentile_files_hold_every_request)
{
    const struct results_builder builder = {.faults = RESULTS_BUILDER_CRASHED};
    struct buf out;
    unsigned long long ok = 0, last_count = 0;
    double last_ms = 0;

    session_open(&builder, NULL);
    size_t engine_index = analysis->trials[1].trial_index;
    engine_index = results->trials[engine_index].engine_index;
    size_t cell_index = results->trials[analysis->trials[1].trial_index].cell_index;
    for (size_t i = 0; i < results->trial_count; i++) {
        if (analysis->trials[i].valid && results->trials[i].engine_index == engine_index &&
            results->trials[i].cell_index == cell_index) {
            ok += analysis->trials[i].outcomes[OUTCOME_OK];
        }
    }
    char name[80];
    snprintf(name, sizeof(name), "histograms/cell-%zu-engine-%zu.hgrm", cell_index + 1,
             engine_index + 1);
    form_read(FORM_hgrm, name, &out);
    for (char *line = strtok(out.bytes, "\n"); line; line = strtok(NULL, "\n")) {
        double ms, share;
        unsigned long long count;

        if (sscanf(line, "%lf %lf %llu", &ms, &share, &count) == 3) {
            cr_expect_geq(ms, last_ms);
            cr_expect_geq(count, last_count);
            last_ms = ms;
            last_count = count;
        }
    }
    cr_expect_eq(last_count, ok);
    buf_release(&out);
    session_close();
}

/* --- pages with limits --------------------------------------------------------------------------
 */

static const struct document_column long_columns[] = {
    {.name = "name", .heading = "name", .views = DOCUMENT_VIEW_ALL, .precision = 300},
    {.name = "count", .heading = "count", .views = DOCUMENT_VIEW_ALL, .number = DOCUMENT_INTEGER},
};

static void add_long_table(struct document *document, struct document_section *section,
                           size_t row_count)
{
    struct document_table *table =
        document_new_table(document, "long", "Long", long_columns, ARRAY_COUNT(long_columns));

    for (size_t i = 0; i < row_count; i++) {
        struct document_cell *row = document_add_row(table);

        document_set_text(row, 0, document_format(document, "%0200d|||||||||||||||", (int)i));
        document_set_integer(row, 1, (int64_t)i);
    }
    document_show_table(section, table, DOCUMENT_VIEW_ALL);
}

/* What is left out and what stands make the whole. */
/* The number before the words; 0 where they are not. */
static size_t number_before(const char *text, const char *words)
{
    const char *at = strstr(text, words), *begin = at;

    while (at && begin > text && begin[-1] >= '0' && begin[-1] <= '9') {
        begin--;
    }
    return at ? strtoull(begin, NULL, 10) : 0;
}

Test(forms, that_are_posted_keep_their_limits_and_say_what_they_left_out)
{
    static const struct {
        enum form_id id;
        const char *name;
        size_t item_count, row_count, limit_bytes;
        bool is_whole;
    } rows[] = {
        {FORM_comment, "comment.md", 3, 5, 65535, true},
        {FORM_comment, "comment.md", 3, 5000, 65535, false},
        {FORM_comment, "comment.md", 2000, 100, 65535, false},
        {FORM_summary, "summary.md", 3, 500, 1 << 20, true},
        {FORM_summary, "summary.md", 20000, 20000, 1 << 20, false},
    };

    snprintf(folder, sizeof(folder), "/tmp/tacho-forms-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct document *document = document_new();
        struct document_section *section = document_add_section(document, "summary", "Results");
        size_t items = 0, parts, left_rows, shown;
        struct buf out;

        compose = (struct compose){.document = document};
        document->title = "<b>title";
        document->word = "VALID";
        for (size_t k = 0; k < rows[i].item_count; k++) {
            document_add(document, &document->lead, DOCUMENT_ITEM,
                         "A sentence that is long enough to fill the page in the end, as sentences "
                         "of real reports are.");
        }
        add_long_table(document, section, rows[i].row_count);
        form_read(rows[i].id, rows[i].name, &out);
        cr_expect_leq(out.length, rows[i].limit_bytes);
        for (const char *at = out.bytes; (at = strstr(at, "- A sentence")); at++) {
            items++;
        }
        const char *left = strstr(out.bytes, "Left out, because");
        cr_expect_eq(left == NULL, rows[i].is_whole, "row %zu", i);
        if (left) {
            parts = number_before(left, " part");
            left_rows = number_before(left, " row");
            cr_expect_null(strstr(left, " 0 "), "row %zu: what is not left out is not told", i);
            const char *first = strstr(out.bytes, "The first ");
            shown = first ? strtoull(first + 10, NULL, 10) : 0;
            cr_expect_eq(items + parts + (first ? 0 : (size_t)-1), rows[i].item_count, "row %zu",
                         i);
            cr_expect(!first || shown + left_rows == rows[i].row_count, "row %zu", i);
        } else {
            cr_expect_eq(items, rows[i].item_count);
        }
        buf_release(&out);
        document_free(document);
    }
    cr_expect_eq(fs_remove_tree(folder, NULL), ERR_OK);
}
