// SPDX-License-Identifier: Apache-2.0
// A plan with every kind of claim, measured and reported: the words, the last line, the exit
// status.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "engines/base/fs.h"
#include "report/judge/analysis.h"
#include "tests/support/tacho_run.h"

TestSuite(claims_run, .init = run_set_up, .fini = run_tear_down, .timeout = 180);

/* `slow` works four times as long for each request, so what is claimed is true by far. */
static const char plan[] =
    "title: claims\ntrials: 6\naa: false\nsettle: 0s\nwarmup: 100ms\nwindow: 300ms\n"
    "cooldown: 0s\nsample: 100ms\ntimeout: 500ms\n"
    "engines:\n"
    "  - { name: epoll, builtin: epoll, threads: 1 }\n"
    "  - { name: slow, builtin: epoll, threads: 1, extra_work: 300 }\n"
    "workloads:\n"
    "  - { name: ping, get: /ping, expect: { body: pong }, connections: 4 }\n"
    "  - { name: flood, get: /ping, expect: { body: pong }, flood: { connections: 200, for: 200ms, "
    "recover_within: 500ms } }\n"
    "claims:\n"
    "  - { id: ratio, ratio: server_cpu, of: slow, over: epoll, at_least: 1.2 }\n"
    "  - { id: order, order: server_cpu, engines: [epoll, slow] }\n"
    "  - { id: bound, bound: rss, of: epoll, at_most: 512MiB }\n"
    "  - { id: level, level: rss, of: epoll, value: 64MiB, within: 98.5% }\n"
    "  - { id: errors, no_errors: true }\n"
    "  - { id: flood, recovers: epoll }\n";

static int report_run(const char *options)
{
    const char *build = getenv("TACHO_BUILD");
    char command[512];

    snprintf(command, sizeof(command), "%s/tacho report %s -o %s/report --format md %s >%s 2>&1",
             build ? build : "build/release", run_results_path, run_folder, options, run_out_path);
    int status = system(command);

    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A busy machine leaves every claim open; a wrong word is wrong on any machine. */
Test(claims_run, every_kind_gets_its_word_and_the_exit_status_follows)
{
    struct results *results = NULL;
    struct analysis *analysis = NULL;
    struct err e;

    cr_assert_eq(fs_write_file(run_plan_path, plan, strlen(plan), &e), ERR_OK, "%s", e.text);
    int status = run_wait(run_start(0));

    if (status == 4 &&
        run_query_number("SELECT count(*) FROM trial WHERE state <> 'finished'") <= 3) {
        cr_skip_test("a trial of 0.3 s got no answer: other programs take CPU time");
    }
    cr_assert_eq(status, 0, "%s", run_file_text(run_err_path));
    cr_assert_eq(results_load(run_results_path, true, &results, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(analysis_make(results, &analysis, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(analysis->claim_count, PLAN_CLAIM_KIND_COUNT);
    bool is_fit = analysis->trust != TRUST_UNFIT;

    for (size_t i = 0; i < analysis->claim_count; i++) {
        const struct claim_result *claim = &analysis->claims[i];

        cr_expect_eq(claim->claim->kind, (enum plan_claim_kind)i);
        cr_assert_gt(claim->part_count, 0, "%s", claim->claim->id);
        cr_expect_neq(claim->word, CLAIM_REFUTED, "%s: %g [%g, %g] n %zu", claim->claim->id,
                      claim->parts[0].estimate.value, claim->parts[0].estimate.low,
                      claim->parts[0].estimate.high, claim->parts[0].estimate.count);
        cr_expect(claim->word == CLAIM_SUPPORTED || claim->parts[0].reason, "%s", claim->claim->id);
        cr_expect(is_fit || claim->word == CLAIM_INCONCLUSIVE, "%s", claim->claim->id);
    }
    enum claim_word word = claims_word(analysis);
    char last[64];

    snprintf(last, sizeof(last), "VERDICT=%s\n", is_fit ? claim_word_names[word] : "UNFIT");
    cr_expect_eq(report_run(""), 0);
    cr_expect(run_out_ends_with(last), "%s", run_file_text(run_out_path));
    cr_expect_eq(report_run("--require-verdict"), word == CLAIM_SUPPORTED && is_fit ? 0 : 3);
    analysis_free(analysis);
    results_free(results);
}
