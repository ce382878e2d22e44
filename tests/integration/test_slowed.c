// SPDX-License-Identifier: Apache-2.0
// An engine that is slower by a known amount: a real session finds it, or says that it cannot tell.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "engines/base/fs.h"
#include "report/judge/analysis.h"

#define EXTRA 1.5 /* CPU time of the slowed engine over that of the other: extra_work 50 */

static char folder[] = "/tmp/tacho-slowed-XXXXXX";

static const char plan[] =
    "title: slowed by half\n"
    "trials: 8\nsettle: 0s\nwarmup: 200ms\nwindow: 500ms\ncooldown: 0s\nsample: 100ms\nseed: 5\n"
    "engines:\n"
    "  - { name: epoll, builtin: epoll, threads: 1 }\n"
    "  - { name: slowed, builtin: epoll, threads: 1, extra_work: 50 }\n"
    "workloads:\n"
    "  - { name: ping, get: /ping, expect: { status: 200, body: pong }, connections: 8 }\n"
    "claims:\n"
    "  - { id: C1, ratio: server_cpu, of: slowed, over: epoll, workload: ping, at_least: 1.05 }\n";

static const struct analysis_row *find_row(const struct analysis *analysis, const char *name)
{
    for (size_t i = 0; i < analysis->row_count; i++) {
        if (strcmp(analysis->results->engines[analysis->rows[i].engine_index].name, name) == 0) {
            return &analysis->rows[i];
        }
    }
    cr_assert_fail("no row for %s", name);
    return NULL;
}

/* The interval, wider by a tenth on each side: this test is not one of those where 1 in 20 misses.
 */
static bool holds(const struct estimate *estimate, double truth)
{
    return estimate->low * 0.9 <= truth && truth <= estimate->high * 1.1;
}

/* CPU time for each request over all trials of an engine, counted or not: other programs' load
 * stretches the wall clock, hardly that. */
static double cpu_per_request(const struct analysis *analysis, const char *name)
{
    const struct results *results = analysis->results;
    double log_sum = 0;
    size_t count = 0;

    for (size_t i = 0; i < results->trial_count; i++) {
        double us = analysis->trials[i].server_cpu_us_per_request;

        if (strcmp(results->engines[results->trials[i].engine_index].name, name) == 0 && us > 0) {
            log_sum += log(us);
            count++;
        }
    }
    cr_assert_gt(count, 0);
    return exp(log_sum / (double)count);
}

static void check_claim(const struct claim_result *claim)
{
    cr_assert_eq(claim->part_count, 1);
    cr_expect_neq(claim->word, CLAIM_REFUTED);
    if (claim->word == CLAIM_SUPPORTED) {
        const struct estimate *ratio = &claim->parts[0].estimate;

        cr_expect(holds(ratio, EXTRA), "CPU ratio %g [%g, %g]", ratio->value, ratio->low,
                  ratio->high);
    } else {
        cr_expect(claim->parts[0].reason);
    }
}

Test(slowed, is_found_or_said_to_be_open, .timeout = 120)
{
    char path[96], command[512];
    struct results *results = NULL;
    struct analysis *analysis = NULL;
    const char *build = getenv("TACHO_BUILD");
    struct err e;

    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/plan.yaml", folder);
    cr_assert_eq(fs_write_file(path, plan, strlen(plan), &e), ERR_OK);
    snprintf(command, sizeof(command), "%s/tacho run --wait 0s %s -o %s/r.db >%s/out 2>&1",
             build ? build : "build/release", path, folder, folder);
    int status = WEXITSTATUS(system(command));

    snprintf(path, sizeof(path), "%s/r.db", folder);
    /* 4: a trial is not valid; 3: none is counted, for others */
    cr_assert(status == 0 || status == 3 || status == 4, "tacho run: %d", status);
    cr_assert_eq(results_load(path, true, &results, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(analysis_make(results, &analysis, &e), ERR_OK, "%s", e.text);
    const struct analysis_row *slowed = find_row(analysis, "slowed");

    cr_assert_eq(analysis->claim_count, 1, "%s", analysis->claims_problem);
    check_claim(&analysis->claims[0]);
    double cpu_ratio = cpu_per_request(analysis, "slowed") / cpu_per_request(analysis, "epoll");

    cr_expect(cpu_ratio > 1.2 && cpu_ratio < 2.2, "CPU time a request: %g", cpu_ratio);
    switch (slowed->verdict) {
    case VERDICT_DIFFERENT:
    case VERDICT_SMALL:
        /* With the server as the bottleneck the rate falls by as much as the CPU time grows, else
         * by less; never does it rise. */
        cr_expect_lt(slowed->ratio.value, 1);
        cr_expect(slowed->saturation != SATURATION_SERVER || holds(&slowed->ratio, 1 / EXTRA),
                  "%g [%g, %g]", slowed->ratio.value, slowed->ratio.low, slowed->ratio.high);
        break;
    case VERDICT_EQUIVALENT:
        /* A driver that is itself the limit hides it, and then that is said. */
        cr_expect_neq(slowed->saturation, SATURATION_SERVER);
        break;
    case VERDICT_TOO_FEW:
    case VERDICT_INCONCLUSIVE:
        break;
    case VERDICT_NONE:
        cr_expect_eq(analysis->trust, TRUST_UNFIT);
        break;
    }
    printf("slowed by half: trust %s, CPU time %.3f, throughput %g [%g, %g] %s, claim %s\n",
           trust_names[analysis->trust], cpu_ratio, slowed->ratio.value, slowed->ratio.low,
           slowed->ratio.high, verdict_names[slowed->verdict],
           claim_word_names[analysis->claims[0].word]);
    analysis_free(analysis);
    results_free(results);
    cr_expect_eq(fs_remove_tree(folder, NULL), ERR_OK);
}
