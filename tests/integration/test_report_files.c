// SPDX-License-Identifier: Apache-2.0
// The report of whole results files by the real program: the same bytes everywhere, nothing of
// hostile names alive, and something readable whatever happened to the session.
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/fs.h"
#include "tests/support/results_builder.h"

static char folder[] = "/tmp/tacho-report-XXXXXX";
static char tacho[4096];

static void make_folder(void)
{
    char here[2048];
    const char *build = getenv("TACHO_BUILD");

    cr_assert_not_null(mkdtemp(folder));
    cr_assert_not_null(getcwd(here, sizeof(here)));
    snprintf(tacho, sizeof(tacho), "%s/%s/tacho", here, build ? build : "build/release");
}

static void remove_folder(void)
{
    struct err e;

    if (fs_remove_tree(folder, &e) != ERR_OK) {
        fprintf(stderr, "%s\n", e.text);
    }
}

/* Runs a shell line in the folder; returns its exit status. */
static int run(const char *line)
{
    pid_t pid = fork();
    int status = -1;

    if (pid == 0) {
        if (chdir(folder) != 0) {
            _exit(126);
        }
        setenv("T", tacho, 1);
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
        _exit(127);
    }
    cr_assert_gt(pid, 0);
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void make_results(unsigned faults, uint32_t block_count)
{
    struct results_builder builder = {.faults = faults, .block_count = block_count};
    char path[100];

    snprintf(path, sizeof(path), "%s/r.db", folder);
    results_builder_make(&builder, path);
}

static void read_text(const char *name, struct buf *out)
{
    char path[200];
    struct err e;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    buf_init(out, 64 << 20);
    cr_assert_eq(fs_read_file(path, out, &e), ERR_OK, "%s", e.text);
}

/* B10: a decimal comma (where the locale exists); another zone, home, start-up file, terminal. */
Test(report_files, are_the_same_bytes_in_any_environment, .init = make_folder,
     .fini = remove_folder, .timeout = 120)
{
    make_results(0, 0);
    cr_assert_eq(run("mkdir -p home other && echo \"set decimalsign ','; set terminal png\" "
                     "> home/.gnuplot"),
                 0);
    cr_expect_eq(run("env -i PATH=\"$PATH\" LC_ALL=C TZ=UTC \"$T\" report r.db -o a > a.out"), 0);
    cr_expect_eq(run("cd other && LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8 TZ=Asia/Kolkata "
                     "HOME=\"$PWD/../home\" FONTCONFIG_FILE=/dev/null XDG_CONFIG_HOME=/x "
                     "COLUMNS=20 GNUTERM=png SOURCE_DATE_EPOCH=1 "
                     "\"$T\" report ../r.db -o ../b > ../b.out"),
                 0);
    cr_expect_eq(run("LC_ALL=xx_invalid TZ=Europe/London \"$T\" report r.db -o c > c.out"), 0);
    cr_expect_eq(run("diff -r a b && diff -r a c"), 0);
    cr_expect_eq(run("test -s a/plots/throughput.svg && test -s a/report.html"), 0);
}

Test(report_files, end_the_output_with_path_and_verdict, .init = make_folder, .fini = remove_folder,
     .timeout = 60)
{
    make_results(0, 0);
    cr_expect_eq(run("\"$T\" report r.db > out"), 0);
    cr_expect_eq(run("test \"$(head -n 1 out)\" = r-report/report.html"), 0);
    cr_expect_eq(run("tail -n 1 out | grep -Eq '^VERDICT=VALID( WITH WARNINGS)?$'"), 0);
    cr_expect_eq(run("\"$T\" report r.db --format md -o m > out && test -s m/report.md && "
                     "test ! -e m/report.html && test ! -e m/plots"),
                 0);
    cr_expect_eq(run("\"$T\" report r.db --format pdf 2> err; test $? -eq 2"), 0);
    cr_expect_eq(run("\"$T\" report missing.db 2> err; test $? -eq 2"), 0);
    cr_expect_eq(run("echo no > no.db; \"$T\" report no.db 2> err; test $? -eq 2"), 0);
}

/* B12, B13, B16 to B19 */
Test(report_files, hold_no_live_markup_of_hostile_names, .init = make_folder, .fini = remove_folder,
     .timeout = 60)
{
    struct buf html, markdown;

    make_results(RESULTS_BUILDER_HOSTILE | RESULTS_BUILDER_CRASHED, 0);
    cr_assert_eq(run("\"$T\" report r.db -o a > out"), 0);
    cr_expect_eq(run("test -z \"$(find . -name 'pwned*')\""), 0, "a name was executed");
    cr_expect_eq(run("xmllint --noout a/plots/*.svg"), 0);
    read_text("a/report.html", &html);
    read_text("a/report.md", &markdown);
    cr_expect_null(strstr(html.bytes, "<script"));
    cr_expect_null(strstr(html.bytes, "<img src=x"));
    cr_expect_null(strstr(html.bytes, "<b>title"));
    cr_expect_null(strstr(markdown.bytes, "<script"));
    cr_expect_null(strstr(markdown.bytes, "<img"));
    cr_expect_null(strstr(markdown.bytes, "<b>title"));
    cr_expect_eq(run("! grep -E '(^|,)\"?[=+@]' a/tables/trials.csv a/tables/comparisons.csv"), 0);
    buf_release(&html);
    buf_release(&markdown);
}

/* B11, B14, B26, B27: poor sessions have a report without NaN, and without an interval that one
 * value cannot give. */
Test(report_files, are_whole_for_every_poor_session, .init = make_folder, .fini = remove_folder,
     .timeout = 120)
{
    static const struct {
        unsigned faults;
        uint32_t block_count;
    } rows[] = {
        {RESULTS_BUILDER_NOTHING, 0},
        {RESULTS_BUILDER_EMPTY, 0},
        {RESULTS_BUILDER_NO_HISTOGRAM, 0},
        {RESULTS_BUILDER_INTERRUPTED, 0},
        {RESULTS_BUILDER_FOREIGN_CPU, 0},
        {RESULTS_BUILDER_NO_AA, 0},
        {0, 1},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        make_results(rows[i].faults, rows[i].block_count);
        cr_expect_eq(run("rm -rf a; \"$T\" report r.db -o a > out 2> err"), 0, "row %zu", i);
        cr_expect_eq(run("test ! -s err"), 0, "row %zu: a notice", i);
        /* Content model of a figure: nothing follows its caption. */
        cr_expect_eq(run("! grep -A1 '</figcaption>' a/report.html | grep -q '<details'"), 0,
                     "row %zu", i);
        cr_expect_eq(run("sed 's/base64,[^\"]*//' a/report.html | "
                         "grep -Ewi 'nan|inf|null|1000\\.0k' > found; test $? -eq 1"),
                     0, "row %zu", i);
        cr_expect_eq(run("grep -Ewi 'nan|inf' a/report.json a/tables/*.csv a/report.md > found; "
                         "test $? -eq 1"),
                     0, "row %zu", i);
    }
    /* The last one: one block. The limit engine ran twice and may have an interval. */
    cr_expect_eq(run("grep -q '^- .* serves ' a/report.md && ! grep -q '^- .* serves .*\\[' "
                     "a/report.md"),
                 0, "one block shows an interval");
}

Test(report_files, show_no_figures_of_performance_when_nothing_was_measured, .init = make_folder,
     .fini = remove_folder, .timeout = 60)
{
    make_results(RESULTS_BUILDER_NOTHING, 0);
    cr_assert_eq(run("\"$T\" report r.db -o a > out"), 0);
    cr_expect_eq(run("grep -qx 'VERDICT=NOTHING MEASURED' out"), 0);
    cr_expect_eq(run("! grep -q 'serves' a/report.md"), 0);
}

/* An UNFIT session says on its first screen, before the list of facts, what made it so. */
Test(report_files, tell_first_why_a_session_is_unfit, .init = make_folder, .fini = remove_folder,
     .timeout = 60)
{
    struct results_builder noisy = {.trial_noise = 0.4};
    char path[100];

    make_results(RESULTS_BUILDER_FOREIGN_CPU, 0);
    cr_assert_eq(run("\"$T\" report r.db --format md -o a > out"), 0);
    cr_expect_eq(run("sed '/^| What/,$d' a/report.md | grep -q 'In 20 of 20 trials .*, 12.[0-9].*% "
                     "at worst'"),
                 0);
    snprintf(path, sizeof(path), "%s/r.db", folder);
    results_builder_make(&noisy, path);
    cr_assert_eq(run("\"$T\" report r.db --format md -o a > out"), 0);
    cr_expect_eq(run("sed '/^| What/,$d' a/report.md | "
                     "grep -Eq 'measured twice.* to .[0-9]+.{1,2}% only .limit 20.{1,2}%'"),
                 0);
    make_results(RESULTS_BUILDER_NOTHING, 0);
    cr_assert_eq(run("\"$T\" report r.db --format md -o a > out"), 0);
    cr_expect_eq(run("sed '/^| What/,$d' a/report.md | grep -q 'attempt was refused'"), 0);
    make_results(RESULTS_BUILDER_CRASHED, 0);
    cr_assert_eq(run("\"$T\" report r.db --format md -o a > out"), 0);
    cr_expect_eq(run("sed '/^| What/,$d' a/report.md | grep -q '1 of 20 trials not counted'"), 0);
}

Test(report_files, need_an_output_that_takes_them, .init = make_folder, .fini = remove_folder,
     .timeout = 60)
{
    make_results(0, 0);
    cr_expect_eq(run("\"$T\" report r.db --format md > /dev/full 2> err; test $? -eq 4"), 0);
    cr_expect_eq(run("grep -q 'standard output' err"), 0);
    cr_expect_eq(
        run("for c in 'report r.db --print' 'results r.db' schema --help; do "
            "\"$T\" $c >&- 2> err; test $? -eq 4 || exit 1; "
            "grep -q 'standard output' err || exit 2; test $(wc -l < err) -eq 1 || exit 3; "
            "done"),
        0);
    cr_expect_eq(run("echo > file; \"$T\" report r.db -o file 2> err; test $? -eq 2"), 0);
    cr_expect_eq(run("\"$T\" report r.db -o '' 2> err; test $? -eq 2"), 0);
}

/* A folder holds one report: what the one before had and this one has not is gone; nobody else's
 * file is. */
Test(report_files, replace_those_of_another_session, .init = make_folder, .fini = remove_folder,
     .timeout = 60)
{
    make_results(0, 0);
    cr_expect_eq(run("mv r.db first.db"), 0);
    make_results(RESULTS_BUILDER_EMPTY, 0);
    cr_assert_eq(run("\"$T\" report r.db -o want > out; \"$T\" report first.db -o a > out && "
                     "test -s a/plots/ratios.svg && test -s a/plots/costs.csv && "
                     "test -s a/histograms/cell-2-engine-1.hgrm"),
                 0);
    cr_expect_eq(run("cp -r a b && cp -r a kept"), 0);
    cr_expect_eq(run("\"$T\" report r.db -o a > out; diff -r want a"), 0);
    cr_expect_eq(run("\"$T\" report first.db -o a > out && diff -r b a"), 0);
    /* Other forms, and files of the user. */
    cr_expect_eq(
        run("for f in notes.md plots/mine.svg plots/ratios.png latex/mine.tex "
            "tables/mine.csv histograms/mine.hgrm; do echo u > b/$f; done; "
            "\"$T\" report r.db --format plots,latex,hgrm -o b > out 2> left; "
            "grep -qx 'tacho: b/report.html is of an earlier report: .*' left && "
            "test $(grep -rlx u b | wc -l) -eq 6 && test ! -e b/plots/ratios.svg && "
            "test ! -e b/plots/costs.csv && test ! -e b/histograms/cell-2-engine-1.hgrm && "
            "cmp b/report.html kept/report.html && rm b/tables/mine.csv && "
            "diff -r b/tables kept/tables && test ! -e b/histograms/cell-2-engine-1.hlog"),
        0);
    /* Not over a link, and then nothing is changed; nothing is left for a report that failed. */
    cr_expect_eq(run("cp -r kept c && ln -sf /dev/null c/junit.xml && cp -r c d && "
                     "! \"$T\" report r.db -o c 2> err && grep -q junit.xml err && "
                     "diff -r c d && ! \"$T\" report no.db -o e 2> err && test ! -e e"),
                 0);
    cr_expect_eq(run("for t in 0.02 0.05 0.1 0.2; do rm -rf c; cp -r kept c; timeout "
                     "--preserve-status -s INT $t \"$T\" report r.db -o c > out 2> err; "
                     "diff -r kept c > out || diff -r want c || exit 1; done"),
                 0);
}

/* The largest numbers that the file may hold. */
Test(report_files, survive_extreme_numbers, .init = make_folder, .fini = remove_folder,
     .timeout = 60)
{
    char path[100];

    make_results(0, 0);
    snprintf(path, sizeof(path), "%s/r.db", folder);
    results_builder_alter(path, "UPDATE trial SET block_index = 9223372036854775807 "
                                "WHERE block_index = 1;"
                                "UPDATE sample SET server_rss_kib = 4611686018427387904, "
                                "lateness_ns = 4611686018427387904, "
                                "latency_sum_ns = 4611686018427387904");
    cr_expect_eq(run("\"$T\" report r.db -o a > out 2> err && test ! -s err"), 0);
    cr_expect_eq(run("grep -q 'a window of 3.*s; 6 blocks' a/report.md"), 0);
}
