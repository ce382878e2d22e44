// SPDX-License-Identifier: Apache-2.0
// The real gnuplot with hostile names and poor data: nothing runs, every picture is whole.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engines/base/attr.h"
#include "engines/base/fs.h"
#include "report/plot/plot.h"

/* B12, B13, B19 */
static const char *const names[] = {
    "a`touch pwned`b",
    "$(touch pwned)",
    "it's",
    "'; system('touch pwned'); '",
    "quote\" `touch pwned`",
    "back\\slash",
    "new\n!touch pwned",
    "epoll_server_v2",
    "a^2 {x} @y",
    "100 % %s %d",
    "# comment",
    "\xff\xfe",
    "\xe2\x80\xaeover",
    "<b>&amp;</b>",
    "\x01\x02",
    "\xd7\x90\xd7\x91 12",
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
};
#define NAME_COUNT ARRAY_COUNT(names)

static void set_dots(struct plot *plot, const double *values, size_t count)
{
    plot_init(plot, "dots", "report/plot/dots.gp");
    plot_set_texts(plot, "row_name", names, NAME_COUNT);
    plot_set_number(plot, "row_count", NAME_COUNT);
    plot_set_number(plot, "counted_count", 1);
    plot_set_number(plot, "excluded_count", 0);
    plot_set_number(plot, "label_share", 0.3);
    plot_set_number(plot, "x_scale", 1);
    plot_set_number(plot, "x_max", 10);
    plot_set_text(plot, "x_unit", names[0]);
    plot->height_px = 600;
    for (int block = 0; block < 3; block++) {
        for (size_t i = 0; i < count; i++) {
            plot_add_row(plot, (const double[4]){1 + (double)i, values[i], values[i], values[i]},
                         4);
        }
        plot_end_block(plot);
    }
}

static char folder[] = "/tmp/tacho-plot-XXXXXX";

static void make_folder(void)
{
    cr_assert_not_null(mkdtemp(folder));
}

static void remove_folder(void)
{
    struct err e;

    if (fs_remove_tree(folder, &e) != ERR_OK) {
        fprintf(stderr, "%s\n", e.text);
    }
}

Test(plot_draw, hostile_names_are_drawn_and_nothing_runs, .init = make_folder,
     .fini = remove_folder)
{
    static const double values[] = {1, 5, 9};
    struct plot plot;
    bool available = false;
    char marker[100];
    struct err e;

    set_dots(&plot, values, 3);
    cr_assert_eq(plot_draw(&plot, 1, folder, NULL, 60000, &available, &e), ERR_OK, "%s", e.text);
    cr_assert(available, "gnuplot is not installed");
    snprintf(marker, sizeof(marker), "%s/pwned", folder);
    cr_expect(!fs_exists(marker) && !fs_exists("pwned"), "a label was executed");
    cr_expect_not_null(strstr(plot.svg.bytes, "a`touch pwned`b"));
    cr_expect_not_null(strstr(plot.svg.bytes, "epoll_server_v2"), "B13: no subscript");
    cr_expect_not_null(strstr(plot.svg.bytes, "a^2 {x} @y"));
    cr_expect_not_null(strstr(plot.svg.bytes, "100 % %s %d"));
    cr_expect_null(strstr(plot.svg.bytes, "GNUPLOT"));
    plot_release(&plot);
}

Test(plot_draw, poor_data_still_make_a_picture, .init = make_folder, .fini = remove_folder)
{
    /* B14: one value, all equal, zeros */
    static const double rows[][3] = {{5, 5, 5}, {0, 0, 0}, {NAN, 5, NAN}};

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct plot plot;
        bool available = false;
        struct err e;

        set_dots(&plot, rows[i], 3);
        cr_expect_eq(plot_draw(&plot, 1, folder, NULL, 60000, &available, &e), ERR_OK,
                     "row %zu: %s", i, e.text);
        plot_release(&plot);
    }
}

Test(plot_draw, a_complaint_of_gnuplot_is_an_error, .init = make_folder, .fini = remove_folder)
{
    struct plot plot;
    bool available = false;
    struct err e;

    set_dots(&plot, NULL, 0); /* no data at all */
    cr_expect_eq(plot_draw(&plot, 1, folder, NULL, 60000, &available, &e), ERR_FORMAT);
    cr_expect_not_null(strstr(e.text, "gnuplot"));
    plot_release(&plot);
}

static void write_program(const char *name, const char *text, char path_out[100])
{
    struct err e;

    snprintf(path_out, 100, "%s/%s", folder, name);
    cr_assert_eq(fs_write_file(path_out, text, strlen(text), &e), ERR_OK, "%s", e.text);
    cr_assert_eq(chmod(path_out, 0755), 0);
}

/* One that says nothing, one that talks and stays, one that closes its standard error and stays,
 * one whose child stays. None may hold up a report. */
Test(plot_draw, a_gnuplot_that_hangs_is_stopped, .init = make_folder, .fini = remove_folder,
     .timeout = 60)
{
    static const char *const texts[] = {
        "#!/bin/sh\nexec sleep 1000\n",
        "#!/bin/sh\necho hello >&2; exec sleep 1000\n",
        "#!/bin/sh\nexec sleep 1000 2>&-\n",
        "#!/bin/sh\nsleep 1000 & exit 0\n",
    };
    static const double values[] = {1, 2, 3};

    for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
        struct plot plot;
        bool available = false;
        char program[100];
        struct err e;

        write_program("gnuplot", texts[i], program);
        set_dots(&plot, values, 3);
        cr_expect_eq(plot_draw(&plot, 1, folder, program, 100, &available, &e), ERR_FORMAT,
                     "row %zu", i);
        cr_expect_not_null(strstr(e.text, "did not end"), "row %zu: %s", i, e.text);
        plot_release(&plot);
    }
}

/* An old picture would pass for one of this session; a link would be written through. */
Test(plot_draw, an_earlier_picture_is_taken_away_first, .init = make_folder, .fini = remove_folder)
{
    static const double values[] = {1, 2, 3};
    struct plot plot;
    bool available = true;
    char picture[100], victim[100];
    struct buf text;
    struct err e;

    snprintf(picture, sizeof(picture), "%s/dots.svg", folder);
    write_program("victim", "mine", victim);
    cr_assert_eq(symlink("victim", picture), 0);
    set_dots(&plot, values, 3);
    cr_assert_eq(plot_draw(&plot, 1, folder, "/nonexistent/gnuplot", 60000, &available, &e), ERR_OK,
                 "%s", e.text);
    cr_expect_not(fs_exists(picture));
    cr_assert_eq(symlink("victim", picture), 0);
    cr_assert_eq(plot_draw(&plot, 1, folder, NULL, 60000, &available, &e), ERR_OK, "%s", e.text);
    buf_init(&text, 100);
    cr_assert_eq(fs_read_file(victim, &text, &e), ERR_OK, "%s", e.text);
    cr_expect_str_eq(text.bytes, "mine");
    buf_release(&text);
    plot_release(&plot);
}

Test(plot_draw, without_gnuplot_scripts_and_data_are_written, .init = make_folder,
     .fini = remove_folder)
{
    static const double values[] = {1, 2, 3};
    struct plot plot;
    bool available = true;
    char path[100];
    struct err e;

    set_dots(&plot, values, 3);
    cr_assert_eq(plot_draw(&plot, 1, folder, "/nonexistent/gnuplot", 60000, &available, &e),
                 ERR_OK);
    cr_expect_not(available);
    snprintf(path, sizeof(path), "%s/dots.gp", folder);
    cr_expect(fs_exists(path));
    snprintf(path, sizeof(path), "%s/dots.svg", folder);
    cr_expect_not(fs_exists(path));
    plot_release(&plot);
}

/* Whatever a gnuplot leaves that failed, no picture of it stays. */
Test(plot_draw, a_gnuplot_that_fails_leaves_no_picture, .init = make_folder, .fini = remove_folder,
     .timeout = 60)
{
    static const char svg[] = "echo '<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>' > dots.svg";
    static const struct {
        const char *text, *said;
        bool is_paper;
    } rows[] = {
        {"exit 1", "gnuplot ended with 1 and said nothing", false},
        {"exit 0", "gnuplot ended with 0 and drew no dots.svg", false},
        {"exit 0", "gnuplot ended with 0 and drew no dots.svg", true},
        {"%s; exit 0", "gnuplot ended with 0 and drew no dots.pdf", true},
        {"%s; echo 'no such font' >&2; exit 3", "gnuplot ended with 3: no such font", true},
        {"%s; echo warning >&2; exit 0", "gnuplot ended with 0: warning", false},
    };
    static const double values[] = {1, 2, 3};

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        char program[100], picture[100], text[300];
        const char *place = strstr(rows[i].text, "%s");
        struct plot plot;
        bool available = false;
        struct err e;

        snprintf(text, sizeof(text), "#!/bin/sh\n%s%s\n", place ? svg : "",
                 place ? place + 2 : rows[i].text);
        write_program("gnuplot", text, program);
        set_dots(&plot, values, 3);
        plot.is_paper = rows[i].is_paper;
        cr_expect_eq(plot_draw(&plot, 1, folder, program, 60000, &available, &e), ERR_FORMAT,
                     "row %zu", i);
        cr_expect_not_null(strstr(e.text, rows[i].said), "row %zu: %s", i, e.text);
        snprintf(picture, sizeof(picture), "%s/dots.svg", folder);
        cr_expect(!fs_exists(picture), "row %zu", i);
        cr_expect_eq(plot.svg.length, 0, "row %zu", i);
        plot_release(&plot);
    }
}
