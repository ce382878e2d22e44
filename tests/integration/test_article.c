// SPDX-License-Identifier: Apache-2.0
// The folder of an article by the real program: whole or absent, the same bytes twice, pictures in
// the sizes of columns that their scripts draw again, and the SHA-256 of the bundle beside it.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "engines/base/attr.h"
#include "tests/support/namespaces.h"
#include "tests/support/shell_case.h"

Test(article, has_every_figure_in_both_widths_and_three_formats, .init = shell_case_make,
     .fini = shell_case_remove, .timeout = 60)
{
    shell_case_expect("$TACHO report r.db --article a > out && grep -qx 'a/article.md' out && "
                      "test ! -e r-report");
    shell_case_expect(
        "for csv in a/figures/*.csv; do for width in single double; do "
        "for form in svg pdf png gp tsv; do test -s ${csv%.csv}-$width.$form || exit 1; "
        "done; done; done");
    shell_case_expect(
        "ls a/figures/*.csv | tr '\\n' ' ' | grep -q 'costs.csv.*order.csv.*ratios.csv.*"
        "resources.csv.*throughput.csv.*trials.csv'");
    /* 84 mm and 174 mm: 238 and 493 points of 1/72 inch; of PNG 2 x 357 and 2 x 740 pixels. */
    shell_case_expect("grep -q 'width=\"84.0mm\"' a/figures/trials-single.svg && "
                      "grep -q 'width=\"174.0mm\"' a/figures/trials-double.svg");
    shell_case_expect("grep -aq 'MediaBox \\[ 0 0 238' a/figures/trials-single.pdf && "
                      "grep -aq 'MediaBox \\[ 0 0 493' a/figures/trials-double.pdf");
    shell_case_expect("test $(od -An -tu1 -j 16 -N 4 a/figures/trials-single.png | "
                      "awk '{ print $3 * 256 + $4 }') = 714 && "
                      "test $(od -An -tu1 -j 16 -N 4 a/figures/trials-double.png | "
                      "awk '{ print $3 * 256 + $4 }') = 1480");
    shell_case_expect("xmllint --noout a/figures/*.svg");
    shell_case_expect("cd a/figures && cp trials-single.png kept && for form in svg pdf png; do "
                      "test -z \"$(gnuplot -d -c trials-single.gp $form 2>&1)\" || exit 1; done && "
                      "cmp kept trials-single.png");
    /* Numbered from 1 in all pages, and by LaTeX; an interval is said only where there is one. */
    shell_case_expect(
        "cd a && seq $(ls figures/*-double.svg | wc -l) > wanted && "
        "sed -n 's/^Figure \\([0-9]*\\): .*/\\1/p' article.md | cmp - wanted && "
        "sed -n 's/^<figcaption>Figure \\([0-9]*\\): .*/\\1/p' article.html | cmp - wanted && "
        "for width in single double; do sed -n 's/^Figure \\([0-9]*\\): .*/\\1/p' "
        "figures/captions-$width.md | cmp - wanted || exit 1; done && "
        "test $(grep -c '^.begin.figure' article.tex) = $(wc -l < wanted) && "
        "for t in $(sed -n 's/^.input{\\(.*\\)}/\\1/p' article.tex); do grep -l 'caption{' $t.tex; "
        "done | seq $(wc -l) > tables.wanted && "
        "sed -n 's/^Table \\([0-9]*\\): .*/\\1/p' article.md | cmp - tables.wanted && "
        "rm wanted tables.wanted");
    shell_case_expect("cd a && grep -q '^The figures show every trial (figure 1), ' article.md");
    shell_case_expect("cd a && grep -q '^\\*\\*VALID' article.md && grep -q '<strong>VALID' "
                      "article.html && grep -q 'textbf{VALID' article.tex");
    shell_case_expect("cd a/tables && ! grep 'intervals: 95' checklist.md && grep -q Evidence "
                      "checklist.md && grep -q 'intervals: 95' comparisons.md");
    /* What pages name is there. */
    shell_case_expect("for name in $(grep -o 'figures/[a-z-]*\\.[a-z]*\\|tables/[a-z0-9-]*' "
                      "a/article.md a/article.html a/article.tex -h); do test -s a/$name || "
                      "test -s a/$name.tex || exit 1; done");
}

Test(article, tells_the_sha256_of_the_bundle_that_lies_beside_it, .init = shell_case_make,
     .fini = shell_case_remove, .timeout = 60)
{
    shell_case_expect("$TACHO report r.db --article a > out");
    shell_case_expect("cd a && sha256sum --strict -c *.tar.sha256");
    shell_case_expect("cd a && sum=$(sha256sum *.tar | cut -c 1-64) && "
                      "for page in article.md article.html tables/evidence.md "
                      "*.publish.md; do grep -q $sum $page || exit 1; done");
    shell_case_expect("cd a && sed 's/.allowbreak{}//g' tables/evidence.tex | "
                      "grep -q $(sha256sum *.tar | cut -c 1-64)");
    shell_case_expect("cd a && short=$(sha256sum *.tar | cut -c 1-16) && "
                      "test $(grep -c \"<figcaption>.*n\xc2\xa0=\xc2\xa0"
                      "2 blocks.*$short\" "
                      "article.html) = $(grep -c '<figure' article.html)");
    shell_case_expect("$TACHO verify a/*.tar > out");
    /* Of the sealed bundle the same article, without another bundle in it. */
    shell_case_expect("$TACHO report a/*.tar --article b > out");
    shell_case_expect("test ! -e b/*.tar && diff -r a/figures b/figures");
    shell_case_expect("sed -i 's/server sources, //' a/article.* a/tables/evidence.* && "
                      "diff -r a/tables b/tables && diff a/article.md b/article.md");
}

Test(article, is_the_same_bytes_twice_and_in_another_place, .init = shell_case_make,
     .fini = shell_case_remove, .timeout = 60)
{
    shell_case_expect("mkdir home other && echo \"set decimalsign ','\" > home/.gnuplot");
    shell_case_expect("$TACHO report r.db --article a > out");
    shell_case_expect("cd other && LC_ALL=de_DE.UTF-8 TZ=Asia/Kolkata HOME=$PWD/../home "
                      "$TACHO report ../r.db --article b/c > out");
    shell_case_expect("diff -r a other/b/c");
}

Test(article, appears_whole_or_not_at_all, .init = shell_case_make, .fini = shell_case_remove,
     .timeout = 60)
{
    static const struct {
        const char *before, *options;
        int status;
        const char *said;
    } rows[] = {
        {"mkdir a", "r.db --article a", 2, "it exists"},
        {"echo > a", "r.db --article a", 2, "it exists"},
        {"mkdir a", "r.db --article a -o new", 2, "it exists"}, /* nor the report */
        {":", "r.db --article a -o a", 2, "the report would be in it"},
        {":", "r.db --article a -o \"$PWD/./a//sub\"", 2, "the report would be in it"},
        {":", "r.db --article ''", 2, "empty"},
        {"echo > file", "r.db --article file/a", 2, "file"},
        {":", "missing.db --article a", 2, "missing.db"},
        {"echo '{}' > p.json", "p.json --article a", 2, "published already"},
        {"sqlite3 r.db \"UPDATE sample SET machine_busy_ns = machine_busy_ns + 120000000, "
         "machine_idle_ns = 0 WHERE phase = 'window'\"",
         "r.db --article a", 3, "UNFIT"},
    };
    struct buf out;

    buf_init(&out, 1 << 20);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        char command[400];

        shell_case_expect(rows[i].before);
        shell_case_expect("ls -A > before");
        snprintf(command, sizeof(command), "$TACHO report %s", rows[i].options);
        cr_expect_eq(shell_case_run(command, &out), rows[i].status, "row %zu: %s", i, out.bytes);
        cr_expect_not_null(strstr(out.bytes, rows[i].said), "row %zu: %s", i, out.bytes);
        shell_case_expect("ls -A | diff before -");
        shell_case_expect("rm -rf a file p.json");
    }
    buf_release(&out);
}

/* Wherever a signal meets it, the folder is whole or absent and nothing lies beside it: one that
 * comes after the renaming ends a program that was done. */
Test(article, leaves_nothing_when_a_signal_ends_it, .init = shell_case_make,
     .fini = shell_case_remove, .timeout = 60)
{
    shell_case_expect(
        "mkdir d; for s in INT TERM HUP; do for t in 0.02 0.1 0.3; do "
        "timeout --preserve-status -s $s $t $TACHO report r.db --article d/a > /dev/null 2>&1; "
        "status=$?; if test -e d/a; then (cd d/a && test -s article.tex && sha256sum --quiet "
        "--strict -c *.tar.sha256) || exit 1; rm -r d/a; else test $status -ne 0 || exit 4; fi; "
        "test $status -eq 0 || test $status -gt 128 || exit 2; "
        "test -z \"$(ls -A d)\" || { ls -A d; exit 3; }; done; done");
    shell_case_expect("for s in INT TERM HUP; do timeout --preserve-status -s $s 0.1 $TACHO bundle "
                      "r.db -o d > /dev/null 2>&1; test -z \"$(find d -name '.tacho*')\" || "
                      "exit 1; done");
}

/* Of epoll one trial of the two is not counted, of the others none. */
Test(article, says_how_many_trials_each_figure_rests_on_and_names_what_lies_in_its_folder,
     .init = shell_case_make, .fini = shell_case_remove, .timeout = 60)
{
    shell_case_expect(
        "sqlite3 r.db \"UPDATE trial SET state = 'crashed' WHERE trial_id = (SELECT max(trial_id) "
        "FROM trial JOIN engine USING (engine_id) WHERE role = 'baseline')\" && "
        "$TACHO report r.db --article a > out");
    shell_case_expect("grep -q 'n\xc2\xa0=\xc2\xa0"
                      "1 to 2 blocks' a/article.md");
    shell_case_expect("grep -q 'Throughput and service time\\. n' a/tables/comparisons.md");
    shell_case_expect("! grep 'plots/\\|[^/]trials.csv\\|under it' a/article.*");
}

Test(article, and_report_take_the_option_format_several_times, .init = shell_case_make,
     .fini = shell_case_remove, .timeout = 60)
{
    shell_case_expect("$TACHO report r.db -o b --format json --format md,csv > out && "
                      "test -s b/report.json && test -s b/report.md && test -d b/tables && "
                      "test ! -e b/report.html");
}

Test(article, speaks_portuguese, .init = shell_case_make, .fini = shell_case_remove, .timeout = 60)
{
    shell_case_expect("$TACHO report r.db --article a --lang pt-BR > out");
    shell_case_expect(
        "for page in a/article.md a/article.html a/article.tex; do "
        "grep -q 'intervalos: 95' $page && ! grep -qi 'evidence: \\|blocks' $page || exit 1; "
        "done");
    shell_case_expect("grep -q 'lang=\"pt-BR\"' a/article.html && "
                      "grep -q 'mil requisi' a/figures/trials-single.svg");
    shell_case_expect(
        "! grep 'Download\\|Contains\\|Check\\|rows' a/*.publish.md a/*.publish.html && "
        "grep 'Para baixar: .* ([0-9.]* bytes)' a/*.publish.md && "
        "grep '<dt>Conferir</dt>' a/*.publish.html && grep '\"has_sources\"' a/*.publish.json");
    /* Numbers of figures are for programs. */
    shell_case_expect("$TACHO report r.db --format plots -o e > out; for csv in e/plots/*.csv; do "
                      "cmp $csv a/figures/${csv##*/} || exit 1; done");
}

/* Report and article alike are made without pictures, and say why on their pages and in a line. The
 * gnuplot that fails lies over the real one in a mount namespace. */
Test(article, and_report_go_without_pictures_where_gnuplot_fails, .init = shell_case_make,
     .fini = shell_case_remove, .timeout = 60)
{
    static const struct {
        const char *program, *said;
    } rows[] = {
        {"exit 1", "gnuplot ended with 1 and said nothing"},
        {"echo broken font >&2; exit 2",
         "gnuplot ended with 2.* broken font"}, /* Markdown has an entity */
        {"exit 0", "gnuplot ended with 0 and drew no "},
        {"", "gnuplot is not installed"}, /* a file that cannot be executed */
    };
    struct buf out;

    buf_init(&out, 1 << 20);
    if (shell_case_run("unshare -rm true", &out) != 0) {
        cr_skip_test(NAMESPACES_MISSING);
    }
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        char command[600];

        snprintf(
            command, sizeof(command),
            "export TACHO; rm -rf a b; printf '#!/bin/sh\\n%%s\\n' '%s' > fake && chmod %s fake && "
            "unshare -rm sh -c 'mount --bind fake $(readlink -f $(command -v gnuplot)) && "
            "exec $TACHO report r.db --format plots,md -o b --article a' > out 2> said",
            rows[i].program, *rows[i].program ? "755" : "644");
        cr_expect_eq(shell_case_run(command, &out), 0, "row %zu: %s", i, out.bytes);
        snprintf(command, sizeof(command),
                 "test $(wc -l < said) = 1 && grep '%s.*: the article has no pictures' said && "
                 "grep 'pictures are missing: .*%s' a/article.md b/report.md | wc -l | grep 2 && "
                 "! find a b -name '*.svg' -o -name '*.pdf' -o -name '*.png' | grep . && "
                 "test -s a/figures/trials-single.gp -a -s b/plots/trials.gp && "
                 "grep '^Figure 1: ' a/article.md",
                 rows[i].said, rows[i].said);
        cr_expect_eq(shell_case_run(command, &out), 0, "row %zu: %s", i, out.bytes);
    }
    buf_release(&out);
}
