// SPDX-License-Identifier: Apache-2.0
// Figures of poor data: gnuplot complains of none, what is there is drawn, what is not is left out.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "engines/base/attr.h"
#include "tests/support/results_builder.h"
#include "tests/support/shell_case.h"

#define ALL          "costs ecdf latency order ratios resources scaling throughput trials"
#define WITHOUT_ECDF "costs latency order ratios resources scaling throughput trials"
/* The two cells of the plan as two rates of an open loop. */
#define OPEN                                                                                       \
    "UPDATE cell SET rate_per_s = connection_count * 1000, arrivals = 'uniform' WHERE cell_id IN " \
    "(SELECT cell_id FROM cell JOIN workload USING (workload_id) WHERE is_calibration = 0); "      \
    "UPDATE cell SET connection_count = 16 WHERE rate_per_s IS NOT NULL;"
#define WINDOW " WHERE phase = 'window'"

static const struct {
    const char *what, *sql, *figures;
    uint32_t block_count;
    unsigned faults;
    const char *check; /* a command that succeeds in the report's folder */
} rows[] = {
    {"everything", "", ALL, 10, 0, ":"},
    {"one trial of each engine", "", WITHOUT_ECDF, 1, 0, ":"},
    {"one sample in each window",
     "DELETE FROM outcome WHERE sample_index > 1; DELETE FROM sample WHERE sample_index > 1;"
     "UPDATE sample SET phase = 'window' WHERE sample_index = 1;"
     "UPDATE trial SET server_request_count = NULL;",
     "order throughput trials", 10, 0,
     "grep -q UNFIT plots/trials.svg && grep -q 'not counted' plots/trials.svg"},
    {"equal values",
     "UPDATE sample SET ok_count = 5000, end_ns = start_ns + 500000000" WINDOW ";"
     "UPDATE outcome SET count = 5000 WHERE kind = 'ok' AND (trial_id, sample_index) IN (SELECT "
     "trial_id, sample_index FROM sample" WINDOW "); UPDATE trial SET server_request_count = NULL;",
     ALL, 10, 0, ":"},
    {"gaps",
     "DELETE FROM outcome WHERE sample_index IN (3, 4) AND trial_id % 2 = 0;"
     "DELETE FROM sample WHERE sample_index IN (3, 4) AND trial_id % 2 = 0;",
     WITHOUT_ECDF, 10, 0, "grep -q 'not counted' plots/trials.svg"},
    {"zero on a logarithmic axis", OPEN "UPDATE sample SET latency_sum_ns = 0, latency_max_ns = 0;",
     "costs ecdf latency load order ratios resources throughput trials", 10, 0,
     "grep -q 'response time' plots/load.svg && grep -q 'response time' plots/latency.svg"},
    {"no latency in an open loop", OPEN "UPDATE sample SET histogram = NULL;",
     "costs ecdf load order ratios resources throughput trials", 10, 0,
     "test $(grep -c 'no data' plots/load.svg) = 3"},
    {"no memory, no threads, no CPU",
     "UPDATE sample SET server_rss_kib = NULL, server_thread_count = NULL, server_user_ns = NULL, "
     "server_system_ns = NULL;",
     "ecdf latency order ratios scaling throughput trials", 10, 0, ":"},
    {"nothing served", "", "throughput", 10, RESULTS_BUILDER_NOTHING,
     "! grep -q ' serves ' report.md"},
    {"no samples", "DELETE FROM outcome; DELETE FROM sample;", "", 10, 0,
     "grep -q 'No data' report.md"},
};

Test(figures_poor, are_drawn_or_left_out, .init = shell_case_make, .fini = shell_case_remove,
     .timeout = 120)
{
    struct buf out;
    char path[100], command[600];

    buf_init(&out, 1 << 20);
    snprintf(path, sizeof(path), "%s/r.db", shell_case_folder);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const struct results_builder builder = {.block_count = rows[i].block_count,
                                                .connection_counts = {16, 64},
                                                .faults = rows[i].faults};

        results_builder_make(&builder, path);
        results_builder_alter(path, rows[i].sql);
        shell_case_run(
            "rm -rf a; $TACHO report r.db --format plots,html,md -o a >said 2>notice; cat notice",
            &out);
        cr_expect_str_eq(out.bytes, "", "%s: %s", rows[i].what, out.bytes);
        shell_case_run("cd a/plots 2>/dev/null && for f in *[!w].svg; do test -e $f && basename $f "
                       ".svg; done | xargs echo -n",
                       &out);
        cr_expect_str_eq(out.bytes, rows[i].figures, "%s: %s", rows[i].what, out.bytes);
        shell_case_expect("cd a/plots 2>/dev/null && for f in trials ratios throughput; do "
                          "test -e $f.svg -a -e $f-narrow.svg -o ! -e $f-narrow.svg -a ! -e "
                          "$f.svg || exit 1; done || test ! -e ../a/plots");
        snprintf(command, sizeof(command), "cd a && %s", rows[i].check);
        cr_expect_eq(shell_case_run(command, &out), 0, "%s: %s", rows[i].what, out.bytes);
    }
    buf_release(&out);
}
