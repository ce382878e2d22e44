// SPDX-License-Identifier: Apache-2.0
// Figures of an article fit a page, however many engines and workloads there are, and say what they
// leave out.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engines/base/attr.h"
#include "engines/base/fs.h"
#include "report/compose/compose.h"
#include "tests/support/results_builder.h"
#include "tests/support/results_sql.h"

#define HEIGHT_MAX_MM 240 /* of the 297 mm of A4 with room for margins and a caption */

static char path[64];

/* 20 engines at 8 load points. */
static void wide_make(void)
{
    struct buf sql;
    struct err e;
    sqlite3 *db;

    snprintf(path, sizeof(path), "/tmp/tacho-heights-XXXXXX");
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    buf_init(&sql, 64 << 20);
    cr_assert_eq(fs_read_file("datasets/runs/wide.sql", &sql, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
    sql_execute(db, sql.bytes);
    sqlite3_close(db);
    buf_release(&sql);
}

static void wide_remove(void)
{
    unlink(path);
}

static bool is_cut(const char *name, const char *cut)
{
    char marked[40], list[200];

    snprintf(marked, sizeof(marked), " %s ", name);
    snprintf(list, sizeof(list), " %s ", cut);
    return strstr(list, marked);
}

/* The text behind the results. */
static const char *find_references(const struct document *document)
{
    for (const struct document_section *section = document->first; section;
         section = section->next) {
        if (strcmp(section->id, "summary") == 0) {
            return section->last->text ? section->last->text : "";
        }
    }
    return "";
}

/* Figures, in the width of one column and of two; those of `cut` say how many they show. */
static void expect_heights(const char *what, const char *sql, const char *const cut[2])
{
    static const unsigned widths_px[2] = {FIGURE_WIDTH_SINGLE_PX, FIGURE_WIDTH_DOUBLE_PX};
    static const struct {
        const char *language, *words;
    } languages[] = {{"en", "Shown are the first"}, {"pt-BR", "Mostram-se os primeiros"}};
    struct results *results = NULL;
    struct analysis *analysis = NULL;
    struct err e;

    results_builder_alter(path, sql);
    cr_assert_eq(results_load(path, true, &results, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(analysis_make(results, &analysis, &e), ERR_OK, "%s", e.text);
    for (size_t i = 0; i < 4; i++) {
        const struct compose_config as = {.language = languages[i / 2].language,
                                          .figure_width_px = widths_px[i % 2],
                                          .is_article = true};
        struct compose compose;

        cr_assert_eq(compose_make_as(&as, analysis, "d", &compose, &e), ERR_OK, "%s", e.text);
        for (size_t k = 0; k < compose.plot_count; k++) {
            double mm = compose.plots[k].height_px * PLOT_PAPER_MM_PER_PX;
            const struct document_figure *figure = compose.figures[k];

            cr_expect_leq(mm, HEIGHT_MAX_MM, "%s: %s of %u px: %.0f mm", what, figure->name,
                          widths_px[i % 2], mm);
            cr_expect_eq(strstr(figure->caption, languages[i / 2].words) != NULL,
                         is_cut(figure->name, cut[i % 2]), "%s: %s of %u px: %s", what,
                         figure->name, widths_px[i % 2], figure->caption);
            char reference[32];

            snprintf(reference, sizeof(reference), i < 2 ? "(figure %zu)" : "(figura %zu)", k + 1);
            cr_expect_eq(figure->number, k + 1, "%s", figure->name);
            cr_expect_not_null(strstr(find_references(compose.document), reference), "%s: %s",
                               figure->name, find_references(compose.document));
        }
        compose_release(&compose);
    }
    analysis_free(analysis);
    results_free(results);
}

#define OF_THE_PLAN "(SELECT workload_id FROM workload WHERE is_calibration = 0)"

Test(figure_heights, fit_a_page, .init = wide_make, .fini = wide_remove)
{
    expect_heights(
        "20 engines", "",
        (const char *const[2]){"trials ratios throughput latency costs resources scaling",
                               "trials ratios throughput latency costs resources "
                               "scaling"});
    /* The load points as rates. */
    expect_heights("rates",
                   "UPDATE cell SET rate_per_s = connection_count * 100 + cell_id, arrivals = "
                   "'uniform', connection_count = 16 WHERE workload_id IN " OF_THE_PLAN,
                   (const char *const[2]){"trials ratios throughput latency costs resources load",
                                          "trials ratios throughput latency costs resources "
                                          "load"});
}
