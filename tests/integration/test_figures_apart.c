// SPDX-License-Identifier: Apache-2.0
// Words of an article's pictures, where PDF has them: none lies over another, no legend lies on
// curves.
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "engines/base/attr.h"
#include "tests/support/results_builder.h"
#include "tests/support/shell_case.h"

/* 70 and 80 px of resources.gp and scaling.gp in points, as PLOT_PAPER_MM_PER_PX has them. */
Test(figures_apart, keep_legends_off_titles_and_curves, .init = shell_case_make,
     .fini = shell_case_remove, .timeout = 60)
{
    static const struct {
        const char *figures, *axis;
    } rows[] = {{"*", "0"}, {"resources-single", "46.7"}, {"scaling-single", "53.3"}};
    static const struct results_builder builder = {.connection_counts = {16, 64}};
    char path[100], script[PATH_MAX];
    struct buf out;

    cr_assert_not_null(realpath("tests/support/words_apart.awk", script));
    snprintf(path, sizeof(path), "%s/r.db", shell_case_folder);
    results_builder_make(&builder, path);
    shell_case_expect("$TACHO report r.db --article a > out");
    buf_init(&out, 1 << 20);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        char command[PATH_MAX + 400];

        snprintf(
            command, sizeof(command),
            "cd a/figures && for f in %s.pdf; do pdftotext -bbox $f - | awk -v axis=%s -v "
            "names='epoll|blocking' -f %s | sed \"s/^/$f: /\"; done | grep . && exit 1; exit 0",
            rows[i].figures, rows[i].axis, script);
        cr_expect_eq(shell_case_run(command, &out), 0, "%s: %s", rows[i].figures, out.bytes);
    }
    buf_release(&out);
}
