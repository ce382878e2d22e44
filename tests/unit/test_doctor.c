// SPDX-License-Identifier: Apache-2.0
// What doctor makes of numbers: the rows of the preflight, the burn-in, the outlook of a plan.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "collector/probe/burn_in.h"
#include "collector/probe/preflight.h"
#include "engines/base/attr.h"
#include "report/doctor.h"

/* scipy: t.ppf(.975, n - 1) * s / sqrt(n), and with t.ppf(.8, n - 1) added; exp(x) - 1 of both. */
Test(doctor, tells_what_a_plan_can_expect_of_a_noise)
{
    static const struct {
        double sd;
        uint32_t rounds;
        double half_width, detectable;
    } rows[] = {{0.02, 10, 0.0144100, 0.0200935},
                {0.10, 6, 0.1106479, 0.1531344},
                {0.02, 2, 0.1968497, 0.2203746},
                {0.0, 10, 0.0, 0.0}};

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const struct doctor_noise noise = {.round_count = 6, .sd = rows[i].sd};
        struct doctor_outlook outlook = doctor_make_outlook(&noise, rows[i].rounds);

        cr_expect_float_eq(outlook.half_width, rows[i].half_width, 1e-6, "row %zu: %.7f", i,
                           outlook.half_width);
        cr_expect_float_eq(outlook.detectable, rows[i].detectable, 1e-6, "row %zu: %.7f", i,
                           outlook.detectable);
    }
    const struct doctor_noise unknown = {.sd = NAN}, known = {.round_count = 6, .sd = 0.1};
    cr_expect(isnan(doctor_make_outlook(&unknown, 10).half_width));
    cr_expect(isnan(doctor_make_outlook(&known, 1).detectable), "one round has no interval");
}

/* Blocks of a session; rates by hand: ln(110/100) and ln(90/100), the third has no A/A trial. */
Test(doctor, takes_the_noise_from_pairs_of_finished_trials)
{
    struct results_engine engines[] = {{.role = "baseline"}, {.role = "aa"}, {.role = "limit"}};
    static const struct {
        size_t engine;
        int64_t block;
        const char *state;
        uint64_t ok;
    } rows[] = {{0, 0, "finished", 100},           {1, 0, "finished", 110}, {1, 1, "finished", 90},
                {0, 1, "finished", 100},           {0, 2, "finished", 100}, {1, 2, "crashed", 500},
                {2, METRIC_UNKNOWN, "finished", 7}};
    struct sample samples[ARRAY_COUNT(rows)][2];
    struct results_trial trials[ARRAY_COUNT(rows)];

    memset(samples, 0, sizeof(samples));
    memset(trials, 0, sizeof(trials));
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        samples[i][0].phase = SAMPLE_PHASE_WARMUP; /* not counted */
        samples[i][0].outcomes[OUTCOME_OK] = 12345;
        samples[i][1].phase = SAMPLE_PHASE_WINDOW;
        samples[i][1].outcomes[OUTCOME_OK] = rows[i].ok;
        samples[i][1].end_ns = 1000;
        trials[i].engine_index = rows[i].engine;
        trials[i].block_index = rows[i].block;
        trials[i].state = rows[i].state;
        trials[i].samples = samples[i];
        trials[i].sample_count = 2;
    }
    const struct results results = {
        .engines = engines, .engine_count = 3, .trials = trials, .trial_count = ARRAY_COUNT(rows)};
    struct doctor_noise noise = doctor_read_noise(&results);
    cr_expect_eq(noise.round_count, 2);
    cr_expect_float_eq(noise.sd, (log(1.1) - log(0.9)) / sqrt(2), 1e-12);
}

/* By hand: mean 12, squares 4 · 4 + 64 = 80, over 4 = 20, sd 4.4721360. */
Test(doctor, summarises_the_burn_in)
{
    int64_t durations[] = {10, 20, 10, 10, 10};
    struct burn_in_pieces pieces = burn_in_summarise(durations, 5);

    cr_expect_eq(pieces.count, 5);
    cr_expect_float_eq(pieces.median_ns, 10, 1e-12);
    cr_expect_float_eq(pieces.variation, 4.4721360 / 12, 1e-7);
    cr_expect_float_eq(pieces.slowest_ratio, 2, 1e-12);
    cr_expect(isnan(burn_in_summarise(durations, 1).variation));
}

static int64_t step_ns(void *self)
{
    int64_t *now_ns = self;

    return *now_ns += 40;
}

static int64_t step_back_ns(void *self)
{
    int64_t *call_count = self;

    return ++*call_count == 100 ? 4000 - 41 : *call_count * 40;
}

Test(doctor, measures_a_clock_and_sees_it_step_back)
{
    int64_t now_ns = 0, call_count = 0;
    const struct clock steady = {.monotonic_ns = step_ns, .self = &now_ns};
    const struct clock jumping = {.monotonic_ns = step_back_ns, .self = &call_count};
    struct burn_in_clock measured = burn_in_clock_measure(&steady);

    cr_expect_float_eq(measured.cost_ns, 40, 1e-9);
    cr_expect_eq(measured.resolution_ns, 40);
    cr_expect_eq(measured.backward_count, 0);
    cr_expect_eq(burn_in_clock_measure(&jumping).backward_count, 1);
}

static const struct preflight_row *row_find(const struct preflight_row *rows, size_t count,
                                            const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

Test(doctor, lists_every_rule_with_value_threshold_and_what_mends_it)
{
    struct preflight_row rows[PREFLIGHT_FINDING_COUNT_MAX];
    struct preflight_input input = {.connection_count_max = 100,
                                    .nofile_hard = 100,
                                    .engine_program = "/x/tacho-engine",
                                    .program_version = "1",
                                    .results_folder = ".",
                                    .pressure_cpu_centi = 1234,
                                    .pressure_io_centi = -1,
                                    .somaxconn = 4096,
                                    .local_port_count = 28232};

    CPU_SET(0, &input.allowed_cpus);
    size_t count = preflight_list(&input, false, rows);
    const struct preflight_row *nofile = row_find(rows, count, "nofile_low");
    const struct preflight_row *pressure = row_find(rows, count, "pressure_cpu");
    const struct preflight_row *io = row_find(rows, count, "pressure_io");
    const struct preflight_row *backlog = row_find(rows, count, "backlog");

    cr_assert(nofile && pressure && io && backlog);
    cr_expect(nofile->is_violated && nofile->consequence == PREFLIGHT_REFUSE && nofile->fix);
    cr_expect_str_eq(nofile->value, "100");
    cr_expect_str_eq(nofile->threshold, "at least 264 for 100 connections");
    cr_expect(pressure->is_violated && pressure->consequence == PREFLIGHT_WARN);
    cr_expect_str_eq(pressure->value, "12.34 % of the last 10 s");
    cr_expect(!io->is_violated && !io->is_known);
    cr_expect_str_eq(io->value, "not known");
    cr_expect(!backlog->is_violated && backlog->is_known);
    cr_expect_null(row_find(rows, count, "cpus_dropped"), "a plan of one's own is never unpinned");
    cr_expect_null(row_find(rows, count, "nofile_lower"), "the plan wants no number");
    input.pinning_optional = true;
    input.nofile_wanted = 10;
    cr_expect_eq(preflight_list(&input, false, rows), count + 1);
    for (size_t i = 0; i < count; i++) {
        cr_expect(rows[i].value[0] && rows[i].threshold[0] && rows[i].title[0], "row %zu", i);
    }
}
