// SPDX-License-Identifier: Apache-2.0
// One small document in every form. Expected text by hand.
#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/attr.h"
#include "report/render/render.h"
#include "report/render/text_wrap.h"

static const struct document_column columns[] = {
    {"engine", NULL, "engine", .views = 1, .precision = 20},
    {"ok_per_s", "1/s", "requests/s", .number = DOCUMENT_SIGNIFICANT, .views = 1,
     .has_interval = true},
    {"latency_ns", "ns", "p99 (ms)", 1e-6, DOCUMENT_SIGNIFICANT, .views = 1},
    {"count", "1", "files-only", .number = DOCUMENT_INTEGER},
};

/* B11 to B19: names that must stay text everywhere. */
static const char *const names[] = {
    "<img src=x onerror=alert(1)>",
    "\" onmouseover=\"x",
    "</script><script>",
    "A | B | C",
    "`tick`",
    "a\nb",
    "# heading",
    "tail\\",
    "=1+1",
    "@x",
    "epoll_server_v2",
    "\xff\xfe",
    "\xe2\x80\xaereversed",
    "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d 12",
    "\xf0\x9f\x9a\x80",
    "</td></tr></table>",
    "{{body}}",
    "&amp;",
    "'",
    "[x](javascript:alert(1))",
};

static struct document *make_document(void)
{
    struct document *document = document_new();
    struct document_section *section = document_add_section(document, "results", "Results");
    struct document_table *table =
        document_new_table(document, "rows", "Rows", columns, ARRAY_COUNT(columns));

    document->title = names[0];
    document->word = "VALID";
    document->tone = DOCUMENT_GOOD;
    document->program = "0.1";
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        struct document_cell *row = document_add_row(table);

        document_set_text(row, 0, names[i]);
        document_set_estimate(row, 1, (const double[3]){54321.9, 53921, 54721}, 6);
        document_set_number(row, 2, 2.5e6);
        document_set_integer(row, 3, -2);
        document_add(document, section, DOCUMENT_ITEM,
                     document_format(document, "%s is fast.", document_name(document, names[i])));
    }
    struct document_cell *empty = document_add_row(table);
    document_set_text(empty, 0, "empty");
    document_set_estimate(empty, 1, (const double[3]){NAN, NAN, NAN}, 0);
    document_set_number(empty, 2, INFINITY);
    document_show_table(section, table, 1);
    return document;
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;

    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part)) {
        count++;
    }
    return count;
}

Test(render, html_keeps_foreign_text_as_text)
{
    struct document *document = make_document();
    struct buf out;

    buf_init(&out, 1 << 20);
    render_html(document, &out);
    cr_expect_null(strstr(out.bytes, "<img src=x"));
    cr_expect_null(strstr(out.bytes, "<script"));
    cr_expect_null(strstr(out.bytes, "onmouseover=\""));
    cr_expect_eq(count_of(out.bytes, "{{"), 2, "a slot was left, or a name was taken for one");
    cr_expect_null(strstr(out.bytes, "\xe2\x80\xae"));
    cr_expect_not_null(strstr(out.bytes, "&lt;img src=x onerror=alert(1)&gt;"));
    cr_expect_eq(count_of(out.bytes, "<bdi>"), count_of(out.bytes, "</bdi>"));
    cr_expect_eq(count_of(out.bytes, "<tr>"), ARRAY_COUNT(names) + 2);
    cr_expect_not_null(strstr(out.bytes, "default-src 'none'"));
    cr_expect_not_null(strstr(out.bytes, "54\xe2\x80\xaf"
                                         "320 <span class=\"interval\">[53\xe2\x80\xaf"
                                         "920, "
                                         "54\xe2\x80\xaf"
                                         "720]</span>"));
    cr_expect_null(strstr(out.bytes, "files-only"));
    buf_release(&out);
    document_free(document);
}

/* Cells of a GFM row: pipes that are not escaped, less one. Entities are not pipes. */
Test(render, every_markdown_row_has_the_headings_cells)
{
    struct document *document = make_document();
    struct buf out;
    size_t row_count = 0;

    buf_init(&out, 1 << 20);
    render_markdown(document, &out);
    for (char *line = strtok(out.bytes, "\n"); line; line = strtok(NULL, "\n")) {
        if (line[0] == '|') {
            size_t length = strlen(line);

            cr_expect_eq(count_of(line, "|"), 4, "%s", line);
            cr_expect_eq(line[length - 1], '|', "%s", line);
            cr_expect_null(strpbrk(line, "<>`\\"), "%s", line[1] ? "markup" : "");
            row_count++;
        }
    }
    cr_expect_eq(row_count, ARRAY_COUNT(names) + 3); /* heading, rule, the empty row */
    buf_release(&out);
    document_free(document);
}

Test(render, json_is_strict_and_keeps_whole_names)
{
    struct document *document = make_document();
    struct buf out;
    struct err e;
    json_error_t error;

    buf_init(&out, 1 << 20);
    cr_assert_eq(render_json(document, &out, &e), ERR_OK);
    json_t *root = json_loadb(out.bytes, out.length, JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(root, "%s", error.text);
    /* It is written row by row, and is laid out as the library lays out a whole tree. */
    char *whole = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    size_t whole_length = strlen(whole);
    cr_assert_eq(out.length, whole_length + 1);
    cr_expect_eq(memcmp(out.bytes, whole, whole_length), 0);
    free(whole);
    json_t *rows =
        json_object_get(json_object_get(json_object_get(root, "tables"), "rows"), "rows");
    cr_assert_eq(json_array_size(rows), ARRAY_COUNT(names) + 1);
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        json_t *engine = json_object_get(json_array_get(rows, i), "engine");

        if (strcmp(names[i], "\xff\xfe") == 0) {
            cr_expect_str_eq(json_string_value(json_object_get(engine, "hex")), "fffe");
        } else {
            cr_expect_str_eq(json_string_value(engine), names[i], "row %zu", i);
        }
    }
    json_t *rate = json_object_get(json_array_get(rows, 0), "ok_per_s");
    cr_expect_eq(json_real_value(json_object_get(rate, "value")), 54321.9);
    cr_expect_eq(json_integer_value(json_object_get(rate, "n")), 6);
    json_t *empty = json_array_get(rows, ARRAY_COUNT(names));
    cr_expect(json_is_null(json_object_get(json_object_get(empty, "ok_per_s"), "value")));
    cr_expect(json_is_null(json_object_get(empty, "latency_ns")), "B11: infinity is null");
    cr_expect_eq(json_integer_value(json_object_get(root, "schema_version")), 1);
    json_decref(root);
    buf_release(&out);
    document_free(document);
}

Test(render, csv_has_one_field_a_column_and_numbers_stay_numbers)
{
    struct document *document = make_document();
    struct buf out;

    buf_init(&out, 1 << 20);
    render_csv(document->first->last->table, &out);
    cr_expect_eq(strncmp(out.bytes,
                         "engine,ok_per_s,ok_per_s_low,ok_per_s_high,ok_per_s_n,"
                         "latency_ns,count\r\n",
                         72),
                 0);
    cr_expect_not_null(strstr(out.bytes, "\r\n'=1+1,54321.9,53921,54721,6,2500000,-2\r\n"));
    cr_expect_not_null(strstr(out.bytes, "\r\nempty,,,,,,\r\n"), "unknown is empty, not 0");
    cr_expect_not_null(strstr(out.bytes, "\"a\nb\","));
    buf_release(&out);
    document_free(document);
}

Test(render, a_value_without_repetition_has_no_interval)
{
    /* B27 */
    char value[NUMBER_TEXT_BYTES], interval[NUMBER_TEXT_BYTES];
    const struct document_cell cell = {
        .kind = DOCUMENT_CELL_NUMBER, .value = 54321, .low = NAN, .high = NAN, .count = 1};
    const struct document_cell none = {.kind = DOCUMENT_CELL_NONE};

    render_cell_number(&columns[1], &cell, value, interval);
    cr_expect_str_eq(value, "54\xe2\x80\xaf"
                            "300");
    cr_expect_str_eq(interval, "");
    render_cell_number(&columns[1], &none, value, interval);
    cr_expect_str_eq(value, "n/a"); /* B26 */
}

Test(render, an_index_is_counted_from_one_in_pages)
{
    char value[NUMBER_TEXT_BYTES], interval[NUMBER_TEXT_BYTES];
    const struct document_column order = {.number = DOCUMENT_INTEGER, .page_plus = 1};
    const struct document_cell first = {.kind = DOCUMENT_CELL_NUMBER, .low = NAN, .high = NAN};

    render_cell_number(&order, &first, value, interval);
    cr_expect_str_eq(value, "1");
}

/* Names stand alone in the first column; a table that is too wide is cut into grids or records. */
Test(render, text_fits_the_terminal_and_has_nothing_that_moves_its_cursor)
{
    static const size_t widths[] = {1, 40, 57, 80, 250};
    struct document *document = make_document();
    struct buf out;

    buf_init(&out, 1 << 20);
    for (size_t i = 0; i < ARRAY_COUNT(widths); i++) {
        size_t width = widths[i] < RENDER_TEXT_COLUMNS_MIN ? RENDER_TEXT_COLUMNS_MIN : widths[i];

        buf_clear(&out);
        render_text(document, widths[i], &out);
        cr_expect_eq(count_of(out.bytes, "epoll_server_v2 is"), 1, "width %zu", width);
        cr_expect_eq(count_of(out.bytes, "54\xe2\x80\xaf"
                                         "320 [53"),
                     ARRAY_COUNT(names), "width %zu", width);
        cr_expect_null(strpbrk(out.bytes, "\r\t\x1b\x7f"));
        cr_expect_null(strstr(out.bytes, "\xe2\x80\xae"));
        for (char *line = strtok(out.bytes, "\n"); line; line = strtok(NULL, "\n")) {
            cr_expect_leq(text_columns(line), width, "%s", line);
            cr_expect_neq(line[strlen(line) - 1], ' ', "%s", line);
        }
    }
    buf_release(&out);
    document_free(document);
}

Test(render, running_out_of_room_is_told)
{
    struct document *document = make_document();
    struct buf out;
    struct err e;

    buf_init(&out, 1000);
    render_html(document, &out);
    cr_expect_eq(buf_check(&out, "report.html", &e), ERR_LIMIT);
    buf_release(&out);
    document_free(document);
}

/* Neighbouring items that are folded alike are one list in one fold; a table for files alone parts
 * no list. Expected by hand. */
Test(render, folds_items_together)
{
    struct document *document = document_new();
    struct document_section *section = document_add_section(document, "results", "Results");
    struct document_table *table =
        document_new_table(document, "rows", NULL, columns, ARRAY_COUNT(columns));
    static const char *const rows[][2] = {{"a", NULL},     {"b", "more"}, {"c", "more"},
                                          {"d", "others"}, {"e", NULL},   {"f", NULL}};
    struct buf out;

    document->title = document->word = document->program = "t";
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        document_add(document, section, DOCUMENT_ITEM, rows[i][0])->folded = rows[i][1];
        if (i == 4) {
            table->is_files = true;
            document_show_table(section, table, 1);
        }
    }
    buf_init(&out, 1 << 20);
    render_markdown(document, &out);
    cr_expect_str_eq(strstr(out.bytes, "- a"),
                     "- a\n\n<details><summary>more</summary>\n\n- b\n- c\n\n</details>\n\n"
                     "<details><summary>others</summary>\n\n- d\n\n</details>\n\n- e\n- f\n\n");
    buf_clear(&out);
    render_html(document, &out);
    cr_expect_eq(count_of(out.bytes, "<ul>"), 5, "a list, two folds, a list, and the contents");
    cr_expect_eq(count_of(out.bytes, "<details>"), 2);
    buf_release(&out);
    document_free(document);
}

/* Rows of one load point stand under it; CSV keeps the columns. */
Test(render, a_page_shows_what_rows_share_once_over_them)
{
    static const struct document_column grouped[] = {
        {"engine", NULL, "engine", .views = 1},
        {"workload", NULL, "workload", .views = 1},
        {"connection_count", "1", "connections", .number = DOCUMENT_INTEGER, .views = 1},
        {"errors", "1", "errors", .number = DOCUMENT_INTEGER, .views = 1},
    };
    static const struct {
        const char *workload;
        int connection_count;
    } rows[] = {{"a<b", 8}, {"a<b", 8}, {"a<b", 16}, {"c", 16}};
    struct document *document = document_new();
    struct document_section *section = document_add_section(document, "s", "S");
    struct document_table *table =
        document_new_table(document, "t", NULL, grouped, ARRAY_COUNT(grouped));
    size_t groups = 0, bodies = 0;
    struct buf out;

    document->title = document->word = document->program = "x";
    document_group(table, 1, 2);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct document_cell *row = document_add_row(table);

        document_set_text(row, 0, "a_long_engine_name");
        document_set_text(row, 1, rows[i].workload);
        document_set_integer(row, 2, rows[i].connection_count);
        document_set_integer(row, 3, 0);
    }
    document_show_table(section, table, 1);
    buf_init(&out, 1 << 20);
    render_html(document, &out);
    for (const char *at = out.bytes; (at = strstr(at, "scope=\"rowgroup\"")) != NULL; at++) {
        groups++;
    }
    for (const char *at = out.bytes; (at = strstr(at, "<tbody>")) != NULL; at++) {
        bodies++;
    }
    cr_expect_eq(groups, 3);
    cr_expect_eq(bodies, 3);
    cr_expect(strstr(out.bytes, "colspan=\"2\"><span>") && strstr(out.bytes, "a&lt;b") &&
              strstr(out.bytes, ", 16 connections</span>"));
    cr_expect_null(strstr(out.bytes, ">workload<"), "it has no column of its own");
    buf_clear(&out);
    render_text(document, 40, &out);
    cr_expect_eq(count_of(out.bytes, "a<b, 8 connections:\n"), 1, "%s", out.bytes);
    cr_expect_eq(count_of(out.bytes, "\nc, 16 connections:\na_long_engine_name       0\n"), 1);
    cr_expect_null(strstr(out.bytes, "workload"), "nor in a text that is cut into grids");
    buf_clear(&out);
    render_text(document, 80, &out);
    cr_expect_eq(count_of(out.bytes, "connections"), 1, "one grid has columns for them");
    buf_clear(&out);
    render_csv(table, &out);
    cr_expect_eq(strncmp(out.bytes, "engine,workload,connection_count,errors", 39), 0);
    buf_release(&out);
    document_free(document);
}

/* Sentences as they are given, in English and in Portuguese; by hand. */
Test(render, a_number_stays_with_its_unit_and_is_written_as_the_language_does)
{
    static const struct {
        const char *given, *english, *portuguese;
    } rows[] = {
        {"3 % of 1.5 ms, 2 MiB", "3\u00a0% of 1.5\u00a0ms, 2\u00a0MiB",
         "3\u00a0% of 1,5\u00a0ms, 2\u00a0MiB"},
        {"2 servers, 0.5 s", "2 servers, 0.5\u00a0s", "2 servers, 0,5\u00a0s"},
        {"1\u202f234\u00d7 [\u22121.5, 2.25]", "1\u202f234\u00d7 [\u22121.5, 2.25]",
         "1\u202f234\u00d7 [\u22121,5; 2,25]"},
        {"n/a: n/a, n/ab", "n/a: n/a, n/ab", "n/d: n/d, n/ab"},
        {"\u20683 % n/a 1.5\u2069 is", "\u20683 % n/a 1.5\u2069 is",
         "\u20683 % n/a 1.5\u2069 is"}, /* foreign */
    };

    for (size_t i = 0; i < 2 * ARRAY_COUNT(rows); i++) {
        bool is_english = i % 2 == 0;
        struct document *document = document_new();
        struct err e;

        cr_assert_eq(document_set_language(document, is_english ? "en" : "pt-BR", &e), ERR_OK);
        document->title = document->program = "t";
        document->word = "VALID";
        const char *text = document_keep(document, rows[i / 2].given, strlen(rows[i / 2].given));
        const struct document_block *block =
            document_add(document, &document->lead, DOCUMENT_ITEM, text);
        document_finish(document);
        document_finish(document); /* twice is as once */
        cr_expect_str_eq(block->text, is_english ? rows[i / 2].english : rows[i / 2].portuguese,
                         "row %zu", i);
        document_free(document);
    }
}

/* What is folded in a page, what is said after the verdict, and a number that is marked. */
Test(render, no_form_hides_what_a_page_marks)
{
    static const struct document_column facts[] = {
        {"name", NULL, "What", .views = 1},
        {"count", "1", "Count", .number = DOCUMENT_INTEGER, .views = 1},
    };
    static void (*const forms[])(const struct document *, struct buf *) = {render_html,
                                                                           render_markdown};
    struct document *document = document_new();
    struct document_section *section = document_add_section(document, "s", "S");
    struct document_table *table = document_new_table(document, "t", NULL, facts, 2);
    struct document_cell *row = document_add_row(table);
    struct buf out;

    document->title = document->program = "t";
    document->word = "VALID";
    document->remark = "nothing is decided";
    document_set_sentence(row, 0, "crashes");
    document_set_integer(row, 1, 3);
    row[1].tone = DOCUMENT_BAD;
    document_show_table(section, table, 1);
    buf_init(&out, 1 << 20);
    for (size_t i = 0; i <= ARRAY_COUNT(forms); i++) {
        buf_clear(&out);
        if (i < ARRAY_COUNT(forms)) {
            forms[i](document, &out);
        } else {
            render_text(document, 80, &out);
        }
        cr_expect_not_null(strstr(out.bytes, "nothing is decided"), "form %zu", i);
        cr_expect_not_null(strstr(out.bytes, "\u2718"), "form %zu: its mark", i);
    }
    cr_expect_null(strstr(out.bytes, "folded here"), "nothing is");
    document_add(document, section, DOCUMENT_ITEM, "more")->folded = "The rest";
    buf_clear(&out);
    render_text(document, 200, &out);
    cr_expect_not_null(strstr(out.bytes, "The rest \u2026"));
    cr_expect_not_null(strstr(out.bytes, "report.html"), "where to read it");
    buf_release(&out);
    document_free(document);
}

/* A box of facts shows the sign in its colour; a picture for small screens stands beside the wide
 * one. */
Test(render, html_has_the_tone_of_a_fact_and_both_pictures)
{
    static const struct document_column facts[] = {
        {"name", NULL, "What", .views = 1},
        {"value", NULL, "Value", .views = 1},
    };
    struct document_figure narrow = {.svg = "<n/>", .svg_bytes = 4, .width_px = 3, .height_px = 5};
    struct document *document = document_new();
    struct document_section *section = document_add_section(document, "s", "S");
    struct document_table *table = document_new_table(document, "t", NULL, facts, 2);
    struct document_figure figure = {.name = "f",
                                     .caption = "c",
                                     .alternative = "a",
                                     .table = table,
                                     .svg = "<w/>",
                                     .svg_bytes = 4,
                                     .narrow = &narrow};
    struct document_cell *row = document_add_row(table);
    struct buf out;

    document->title = document->program = document->word = "t";
    table->is_list = true;
    document_set_sentence(row, 0, "trials");
    document_set_sentence(row, 1, "19 of 20");
    row[1].tone = DOCUMENT_CAUTION;
    document_show_table(section, table, 1);
    document_add(document, section, DOCUMENT_FIGURE, NULL)->figure = &figure;
    buf_init(&out, 1 << 20);
    render_html(document, &out);
    cr_expect_not_null(strstr(out.bytes, "<dd class=\"caution\"><span class=\"mark\""));
    /* "<n/>" and "<w/>" by base64 of coreutils */
    cr_expect_not_null(strstr(out.bytes,
                              "<source media=\"(max-width: 30rem)\" width=\"3\" "
                              "height=\"5\" srcset=\"data:image/svg+xml;base64,PG4vPg==\">"));
    cr_expect_not_null(strstr(out.bytes, "src=\"data:image/svg+xml;base64,PHcvPg==\"></picture>"));
    narrow.svg = NULL;
    buf_clear(&out);
    render_html(document, &out);
    cr_expect_null(strstr(out.bytes, "<picture>"));
    buf_release(&out);
    document_free(document);
}
