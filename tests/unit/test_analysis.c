// SPDX-License-Identifier: Apache-2.0
// From a session to what may be said of it: each check, each verdict, and how often they are wrong.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "engines/base/attr.h"
#include "report/judge/analysis.h"
#include "tests/support/results_builder.h"
#include "tests/support/session_fixture.h"

TestSuite(analysis, .init = session_folder_make, .fini = session_folder_remove);

Test(analysis, of_the_demo_session)
{
    struct results *results = session_build(&(struct results_builder){0});
    struct analysis *analysis = session_analyse(results);
    static const char *const order[] = {"limit", "blocking (A/A)", "blocking", "epoll"};

    cr_assert_eq(analysis->row_count, 4);
    for (size_t i = 0; i < 4; i++) {
        cr_expect_str_eq(results->engines[analysis->rows[i].engine_index].name, order[i]);
    }
    const struct analysis_row *epoll = analysis_find_row(analysis, "epoll");
    const struct analysis_row *limit = analysis_find_row(analysis, "limit");

    cr_expect_eq(epoll->verdict, VERDICT_DIFFERENT);
    cr_expect_eq(epoll->ratio_p, 0.03125); /* 2/2^6, one comparison: Holm changes nothing */
    cr_expect_eq(epoll->ratio.count, 6);
    cr_expect(epoll->ratio.low < 52.0 / 31 && epoll->ratio.high > 52.0 / 31);
    cr_expect_eq(analysis_find_row(analysis, "blocking (A/A)")->verdict, VERDICT_EQUIVALENT);
    cr_expect_eq(analysis_find_row(analysis, "blocking")->verdict, VERDICT_NONE);
    cr_expect_eq(limit->verdict, VERDICT_NONE);
    cr_expect(isnan(limit->limit_ratio.value));
    cr_expect_eq(epoll->limit_ratio.value, epoll->ok_per_s.value / limit->ok_per_s.value);
    cr_expect_eq(epoll->saturation, SATURATION_SERVER);
    cr_expect_eq(analysis->margin, 0.02);
    cr_expect_eq(analysis->trust, TRUST_WARNINGS); /* the preflight's warning about the governor */
    cr_expect_eq(analysis->sample_count, 160);
    cr_expect_eq(analysis->sample_missing_count, 0);
    cr_expect_leq(analysis->lateness_ns_p99, analysis->lateness_ns_max);
    cr_expect(fabs(analysis->limit_drift) < 0.06);
    for (size_t i = 0; i < results->trial_count; i++) {
        cr_expect(analysis->trials[i].valid, "trial %zu", i);
        cr_expect_eq(analysis->trials[i].finding_count, 0, "trial %zu", i);
    }
    results_builder_alter(session_path, "DELETE FROM event");
    session_discard(analysis, results);
    struct err e;

    cr_assert_eq(results_load(session_path, true, &results, &e), ERR_OK);
    analysis = session_analyse(results);
    cr_expect_eq(analysis->trust, TRUST_VALID);
    session_discard(analysis, results);
}

/* Window of a trial against sums made by hand over the rows. */
Test(analysis, a_trials_numbers_are_those_of_its_window_alone)
{
    struct results *results = session_build(&(struct results_builder){0});
    struct analysis *analysis = session_analyse(results);
    const struct results_trial *trial = &results->trials[2]; /* blocking */
    const struct trial_summary *summary = &analysis->trials[2];
    int64_t ok = 0;
    int64_t sum_ns = 0;
    int64_t cpu_ns = 0;
    int64_t best = 0;
    int64_t max_ns = 0;

    for (size_t i = 1; i < 7; i++) { /* 0 is warm-up, 7 the drain */
        const int64_t *metrics = trial->samples[i].metrics;

        cr_assert_eq(trial->samples[i].phase, SAMPLE_PHASE_WINDOW);
        ok += metrics[METRIC_ok_count];
        sum_ns += metrics[METRIC_latency_sum_ns];
        cpu_ns += metrics[METRIC_server_user_ns] + metrics[METRIC_server_system_ns];
        best = metrics[METRIC_ok_count] > best ? metrics[METRIC_ok_count] : best;
        max_ns = metrics[METRIC_latency_max_ns] > max_ns ? metrics[METRIC_latency_max_ns] : max_ns;
    }
    cr_expect_eq(summary->window_s, 3.0);
    cr_expect_float_eq(summary->ok_per_s, (double)ok / 3, 1e-9);
    cr_expect_float_eq(summary->peak_per_s, (double)best * 2, 1e-9);
    cr_expect_float_eq(summary->latency_mean_ns, (double)sum_ns / (double)ok, 1e-6);
    cr_expect_float_eq(summary->server_cpu_us_per_request, (double)cpu_ns / 1e3 / (double)ok, 1e-9);
    cr_expect_float_eq(summary->server_cpu_share, (double)cpu_ns / 3e9, 1e-12);
    cr_expect_eq(summary->latency_max_ns, max_ns);
    /* B03: quantiles and maximum are in order (p99.9 of 92000 requests is not shown). */
    cr_expect(summary->latency_ns[0] <= summary->latency_ns[1] &&
              summary->latency_ns[1] <= summary->latency_ns[2] &&
              summary->latency_ns[2] <= (double)max_ns);
    cr_expect(isnan(summary->latency_ns[3]));
    for (size_t r = 0; r < analysis->row_count; r++) {
        const struct latency_profile *profile = analysis_profile(analysis, &analysis->rows[r]);
        uint64_t requests = 0;

        for (size_t i = 0; i < results->trial_count; i++) {
            bool is_of = results->trials[i].cell_index == analysis->rows[r].cell_index &&
                         results->trials[i].engine_index == analysis->rows[r].engine_index;
            requests += is_of ? analysis->trials[i].outcomes[OUTCOME_OK] : 0;
        }
        cr_assert_not_null(profile);
        cr_expect_eq(profile->merged.total_count, requests, "row %zu: every request once", r);
        cr_expect_eq(profile->trial_count, analysis->rows[r].valid_count);
        cr_expect(profile->low_ns[LATENCY_PROFILE_CURVE_COUNT] <=
                  histogram_quantile(&profile->merged, 0.5));
        cr_expect(profile->high_ns[LATENCY_PROFILE_CURVE_COUNT] >=
                  histogram_quantile(&profile->merged, 0.5));
    }
    session_discard(analysis, results);
}

/* What is done to the samples or the row of one trial (index 2: epoll or blocking in block 0). */
enum change {
    CHANGE_NOTHING,
    CHANGE_STATE,
    CHANGE_ERRORS,
    CHANGE_FEW_ERRORS,
    CHANGE_ESTABLISHED,
    CHANGE_SERVED,
    CHANGE_COUNT_MORE,
    CHANGE_COUNT_IN_FLIGHT,
    CHANGE_FOREIGN,
    CHANGE_LATENCY,
    CHANGE_LATENCY_LONG,
    CHANGE_DRIVER,
    CHANGE_OVERFLOW,
    CHANGE_GAP,
    CHANGE_LATE,
    CHANGE_LATE_ONCE,
    CHANGE_PEAK,
    CHANGE_NO_OK,
    CHANGE_UNKNOWN,
};

static void change_sample(enum change change, double amount, struct sample *sample)
{
    int64_t *metrics = sample->metrics;

    switch (change) {
    case CHANGE_ERRORS:
    case CHANGE_FEW_ERRORS:
        sample->outcomes[OUTCOME_HTTP_5XX] =
            (uint64_t)(amount * (double)sample->outcomes[OUTCOME_OK]);
        break;
    case CHANGE_FOREIGN: /* `amount` of both CPUs' time goes from idle to busy */
        metrics[METRIC_machine_busy_ns] += (int64_t)(amount * 1e9);
        metrics[METRIC_machine_idle_ns] -= (int64_t)(amount * 1e9);
        break;
    case CHANGE_LATENCY:
    case CHANGE_LATENCY_LONG:
        metrics[METRIC_latency_sum_ns] = (int64_t)((double)metrics[METRIC_latency_sum_ns] * amount);
        break;
    case CHANGE_DRIVER:
        metrics[METRIC_driver_user_ns] = (int64_t)(amount * 5e8) - metrics[METRIC_driver_system_ns];
        metrics[METRIC_machine_busy_ns] -= metrics[METRIC_server_user_ns] + 50000000;
        metrics[METRIC_machine_idle_ns] += metrics[METRIC_server_user_ns] + 50000000;
        metrics[METRIC_machine_user_ns] -= metrics[METRIC_server_user_ns];
        metrics[METRIC_server_user_ns] = 0;
        metrics[METRIC_server_system_ns] -= 50000000; /* below 80 % as well */
        break;
    case CHANGE_OVERFLOW:
        metrics[METRIC_machine_listen_overflow_count] = (int64_t)amount;
        break;
    case CHANGE_LATE:
        metrics[METRIC_lateness_ns] = (int64_t)amount;
        break;
    case CHANGE_PEAK:
        if (sample->index == 3) {
            sample->outcomes[OUTCOME_OK] =
                (uint64_t)(amount * (double)sample->outcomes[OUTCOME_OK]);
            metrics[METRIC_latency_sum_ns] = METRIC_UNKNOWN; /* so that Little's law is silent */
        }
        break;
    case CHANGE_NO_OK:
        sample->outcomes[OUTCOME_OK] = 0;
        break;
    case CHANGE_UNKNOWN:
        for (int i = 0; i < METRIC_COUNT; i++) {
            metrics[i] = METRIC_UNKNOWN;
        }
        break;
    default:
        break;
    }
}

static void change_trial(enum change change, double amount, struct results_trial *trial)
{
    static const char *const states[] = {"crashed", "failed", "interrupted", "aborted", "running"};

    for (size_t i = 0; i < trial->sample_count; i++) {
        change_sample(change, amount, &trial->samples[i]);
    }
    switch (change) {
    case CHANGE_STATE:
        trial->state = states[(int)amount];
        break;
    case CHANGE_ERRORS: /* the server counted these as well */
    case CHANGE_FEW_ERRORS:
    case CHANGE_PEAK:
    case CHANGE_NO_OK:
        trial->server_request_count = METRIC_UNKNOWN;
        break;
    case CHANGE_ESTABLISHED:
        trial->connections_established = (int64_t)amount;
        trial->connections_served = (int64_t)amount;
        break;
    case CHANGE_SERVED:
        trial->connections_served = (int64_t)amount;
        break;
    case CHANGE_COUNT_MORE:
        trial->server_request_count += (int64_t)amount;
        break;
    case CHANGE_COUNT_IN_FLIGHT:
        trial->server_request_count += 5;
        trial->samples[7].outcomes[OUTCOME_IN_FLIGHT_AT_END] = 5;
        break;
    case CHANGE_GAP:
        memmove(&trial->samples[3], &trial->samples[4],
                (trial->sample_count - 4) * sizeof(trial->samples[0]));
        trial->sample_count--;
        trial->server_request_count = METRIC_UNKNOWN;
        break;
    case CHANGE_LATE_ONCE:
        trial->samples[2].metrics[METRIC_lateness_ns] = (int64_t)amount;
        break;
    default:
        break;
    }
}

#define NO_FINDING FINDING_KIND_COUNT

static const struct {
    enum change change;
    double amount;
    enum finding_kind kind;
    bool invalidates;
    double value; /* NaN: not looked at */
    const char *text;
} faults[] = {
    {CHANGE_NOTHING, 0, NO_FINDING, false, NAN, ""},
    {CHANGE_STATE, 0, FINDING_CRASHED, true, 0, "the server ended"},
    {CHANGE_STATE, 1, FINDING_FAILED, true, 0, "could not be carried out"},
    {CHANGE_STATE, 2, FINDING_INTERRUPTED, true, 0, "interrupted"},
    {CHANGE_STATE, 3, FINDING_INTERRUPTED, true, 0, "interrupted"},
    {CHANGE_STATE, 4, FINDING_INTERRUPTED, true, 0, "interrupted"},
    {CHANGE_ERRORS, 0.25, FINDING_ERRORS, true, 0.2,
     "20.00 % of the requests failed (limit 0.10 %)"},
    {CHANGE_ERRORS, 0.0012, FINDING_ERRORS, true, NAN, "0.12 %"},
    {CHANGE_FEW_ERRORS, 0.0009, NO_FINDING, false, NAN, ""},
    {CHANGE_ESTABLISHED, 124, FINDING_CONNECTIONS, true, 124, "124 of 125 connections"},
    {CHANGE_SERVED, 100, FINDING_UNSERVED, true, 0.8, "only 80.0 % of the connections"},
    {CHANGE_COUNT_MORE, 1, FINDING_COUNT_MISMATCH, true, 1, "counted +1 requests against"},
    {CHANGE_COUNT_MORE, -3, FINDING_COUNT_MISMATCH, true, -3, "counted -3 requests against"},
    {CHANGE_COUNT_IN_FLIGHT, 0, NO_FINDING, false, NAN, ""},
    {CHANGE_FOREIGN, 0.03, FINDING_FOREIGN_CPU, false, 0.034, "took 3.4 %"},
    {CHANGE_FOREIGN, 0.08, FINDING_FOREIGN_CPU, true, 0.084, "(limit 5 %)"},
    {CHANGE_FOREIGN, 0.01, NO_FINDING, false, NAN, ""},
    {CHANGE_LATENCY, 0.95, FINDING_LITTLE, true, NAN, "% off the connections"},
    {CHANGE_LATENCY_LONG, 1.05, FINDING_LITTLE, true, NAN, "(limit 3.0 %)"},
    {CHANGE_LATENCY, 0.98, NO_FINDING, false, NAN, ""},
    {CHANGE_DRIVER, 0.85, FINDING_DRIVER_BOUND, false, 0.85, "was 85 % busy"},
    {CHANGE_OVERFLOW, 2, FINDING_LISTEN_OVERFLOW, true, 12, "12 connections were dropped"},
    {CHANGE_GAP, 0, FINDING_SAMPLES_MISSING, true, 1, "1 samples are missing"},
    {CHANGE_LATE, 12e6, FINDING_SAMPLE_LATE, false, 12e6, "up to 12.0 ms late"},
    {CHANGE_LATE_ONCE, 11e6, FINDING_SAMPLE_LATE, false, 11e6, "up to 11.0 ms late"},
    {CHANGE_LATE, 9e6, NO_FINDING, false, NAN, ""},
    {CHANGE_PEAK, 1.9, FINDING_PEAK, false, NAN, "do not quote it as throughput"},
    {CHANGE_PEAK, 1.4, NO_FINDING, false, NAN, ""},
    {CHANGE_NO_OK, 0, FINDING_NOTHING_MEASURED, true, 0, "no right answer"},
    {CHANGE_UNKNOWN, 0, NO_FINDING, false, NAN, ""},
};

Test(analysis, finds_what_is_wrong_with_a_trial)
{
    struct results *results = session_build(&(struct results_builder){0});

    for (size_t i = 0; i < ARRAY_COUNT(faults); i++) {
        struct results_trial saved = results->trials[2];
        struct sample samples[8];
        char text[FINDING_TEXT_BYTES];

        memcpy(samples, saved.samples, sizeof(samples));
        change_trial(faults[i].change, faults[i].amount, &results->trials[2]);
        struct analysis *analysis = session_analyse(results);
        const struct trial_summary *summary = &analysis->trials[2];

        cr_expect_eq(summary->finding_count, faults[i].kind != NO_FINDING, "row %zu: %zu findings",
                     i, summary->finding_count);
        cr_expect_eq(summary->valid, !faults[i].invalidates, "row %zu", i);
        if (summary->finding_count) {
            const struct finding *finding = &summary->findings[0];

            cr_expect_eq(finding->kind, faults[i].kind, "row %zu: %s", i,
                         finding_name(finding->kind));
            cr_expect_eq(finding->invalidates, faults[i].invalidates, "row %zu", i);
            cr_expect(isnan(faults[i].value) || fabs(finding->value - faults[i].value) < 2e-3,
                      "row %zu: %g", i, finding->value);
            cr_expect(strstr(finding_format(finding, text), faults[i].text), "row %zu: %s", i,
                      text);
        }
        cr_expect_eq(analysis->trials[3].finding_count, 0, "row %zu", i);
        analysis_free(analysis);
        results->trials[2] = saved;
        memcpy(saved.samples, samples, sizeof(samples));
    }
    results_free(results);
}

/* With one connection the driver's own handling is a large part of each turn: no fault. */
Test(analysis, littles_law_allows_for_the_drivers_handling)
{
    struct results *results =
        session_build(&(struct results_builder){.connection_counts = {1}, .epoll_per_s = 20000});

    for (size_t i = 0; i < results->trial_count; i++) {
        change_trial(CHANGE_LATENCY, 0.5, &results->trials[i]);
    }
    struct analysis *analysis = session_analyse(results); /* the driver is busy 66 % of the time */

    for (size_t i = 0; i < results->trial_count; i++) {
        cr_expect_eq(analysis->trials[i].finding_count, 0, "trial %zu", i);
    }
    session_discard(analysis, results);
}

/* Two requests on the way on each connection: the same rate at twice the service time. */
Test(analysis, littles_law_counts_every_request_on_the_way)
{
    struct results *results = session_build(&(struct results_builder){0});

    for (size_t i = 0; i < results->workload_count; i++) {
        results->workloads[i].pipeline_count = 2;
    }
    change_trial(CHANGE_LATENCY_LONG, 2, &results->trials[2]);
    struct analysis *analysis = session_analyse(results);

    cr_expect_eq(analysis->trials[2].finding_count, 0);
    cr_assert_eq(analysis->trials[3].finding_count, 1);
    cr_expect_eq(analysis->trials[3].findings[0].kind, FINDING_LITTLE);
    cr_expect_float_eq(analysis->trials[3].findings[0].value, 0.5, 0.02);
    session_discard(analysis, results);
    /* with a pause too little is no fault: it may end late */
    results = session_build(&(struct results_builder){0});
    results->workloads[1].think_ns = 700000;
    change_trial(CHANGE_LATENCY, 0.1, &results->trials[2]);
    analysis = session_analyse(results);
    cr_expect(analysis->trials[2].finding_count == 0 && analysis->trials[3].finding_count == 1);
    session_discard(analysis, results);
}

Test(analysis, unknown_values_stay_unknown)
{
    struct results *results = session_build(&(struct results_builder){0});

    for (size_t i = 0; i < results->trial_count; i++) {
        change_trial(CHANGE_UNKNOWN, 0, &results->trials[i]);
    }
    struct analysis *analysis = session_analyse(results);
    const struct analysis_row *epoll = analysis_find_row(analysis, "epoll");

    cr_expect_eq(epoll->verdict, VERDICT_DIFFERENT); /* the outcomes are still there */
    cr_expect_eq(epoll->saturation, SATURATION_UNKNOWN);
    cr_expect_eq(epoll->rss_kib_peak, METRIC_UNKNOWN);
    cr_expect_eq(epoll->latency_max_ns, METRIC_UNKNOWN);
    cr_expect(isnan(epoll->server_cpu_us.value));
    cr_expect_eq(epoll->server_cpu_us.count, 0);
    cr_expect(isnan(analysis->trials[2].latency_mean_ns));
    cr_expect(isnan(analysis->foreign_cpu_share_max));
    cr_expect(isnan(analysis->lateness_ns_p99));
    session_discard(analysis, results);
}

/* Whole sessions with something wrong: trust, and no number where nothing was measured. */
Test(analysis, sessions_that_are_not_whole)
{
    static const struct {
        struct results_builder builder;
        enum trust trust;
        enum verdict epoll;
        size_t valid_count;
        unsigned causes;
    } rows[] = {
        {{.faults = RESULTS_BUILDER_CRASHED}, TRUST_WARNINGS, VERDICT_TOO_FEW, 5, 0},
        {{.faults = RESULTS_BUILDER_CRASHED, .block_count = 7},
         TRUST_WARNINGS,
         VERDICT_DIFFERENT,
         6,
         0},
        {{.faults = RESULTS_BUILDER_FOREIGN_CPU},
         TRUST_UNFIT,
         VERDICT_NONE,
         0,
         UNFIT_FOREIGN_CPU | UNFIT_NONE_COUNTED},
        {{.faults = RESULTS_BUILDER_NOTHING}, TRUST_NOTHING, VERDICT_TOO_FEW, 0, 0},
        {{.faults = RESULTS_BUILDER_EMPTY}, TRUST_NOTHING, VERDICT_TOO_FEW, 0, 0},
        {{.faults = RESULTS_BUILDER_HOSTILE}, TRUST_WARNINGS, VERDICT_DIFFERENT, 6, 0},
        {{.faults = RESULTS_BUILDER_INTERRUPTED}, TRUST_WARNINGS, VERDICT_TOO_FEW, 2, 0},
        {{.faults = RESULTS_BUILDER_NO_AA}, TRUST_WARNINGS, VERDICT_DIFFERENT, 6, 0},
        {{.block_count = 1}, TRUST_WARNINGS, VERDICT_TOO_FEW, 1, 0},
        {{.trial_noise = 0.4}, TRUST_UNFIT, VERDICT_NONE, 6, UNFIT_AA_WIDE},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct results *results = session_build(&rows[i].builder);
        struct analysis *analysis = session_analyse(results);
        const struct analysis_row *epoll = analysis_find_row(analysis, results->engines[0].name);

        cr_expect_eq(analysis->trust, rows[i].trust, "row %zu: %s", i,
                     trust_names[analysis->trust]);
        cr_expect_eq(analysis->unfit_causes, rows[i].causes, "row %zu: %u", i,
                     analysis->unfit_causes);
        cr_expect_eq(epoll->verdict, rows[i].epoll, "row %zu: %s", i,
                     verdict_names[epoll->verdict]);
        cr_expect_eq(epoll->valid_count, rows[i].valid_count, "row %zu: %zu", i,
                     epoll->valid_count);
        cr_expect_eq(epoll->ok_per_s.count, rows[i].valid_count, "row %zu", i);
        cr_expect_eq(isnan(epoll->ok_per_s.value), rows[i].valid_count == 0, "row %zu", i);
        cr_expect_eq(isnan(epoll->ok_per_s.low), rows[i].valid_count < 2, "row %zu", i); /* B27 */
        cr_expect(rows[i].epoll == VERDICT_DIFFERENT || isnan(epoll->ratio_p), "row %zu", i);
        cr_expect_eq(analysis->aa_row_index == SIZE_MAX,
                     rows[i].valid_count == 0 || rows[i].builder.faults == RESULTS_BUILDER_NO_AA,
                     "row %zu", i);
        session_discard(analysis, results);
    }
}

/* 6 blocks give no p below 2/2^6, which two comparisons make 0.0625: 7 give 2 * 2/2^7 = 0.03125. */
Test(analysis, many_comparisons_need_more_blocks)
{
    struct results *results = session_build(&(struct results_builder){.trial_noise = 0.0001});
    struct err e;

    results_free(results);
    results_builder_alter(session_path, "UPDATE engine SET role = 'subject' WHERE role = 'aa'");
    cr_assert_eq(results_load(session_path, true, &results, &e), ERR_OK, "%s", e.text);
    struct analysis *analysis = session_analyse(results);
    const struct analysis_row *epoll = analysis_find_row(analysis, "epoll");

    cr_expect_eq(epoll->ratio_p, 0.0625);
    cr_expect_eq(epoll->verdict, VERDICT_INCONCLUSIVE);
    cr_expect_eq(epoll->blocks_needed, 7);
    session_discard(analysis, results);
}

/* Sessions in which nothing of the engines counts must not read as valid. */
Test(analysis, of_which_nothing_counts_is_unfit)
{
    static const char *const changes[] = {
        "UPDATE trial SET state = 'crashed'",
        "UPDATE trial SET state = 'interrupted' WHERE block_index IS NOT NULL",
        "UPDATE sample SET end_ns = start_ns", /* no length, no rate */
    };

    for (size_t i = 0; i < ARRAY_COUNT(changes); i++) {
        struct results *results = session_build(&(struct results_builder){0});
        struct err e;

        results_free(results);
        results_builder_alter(session_path, changes[i]);
        cr_assert_eq(results_load(session_path, true, &results, &e), ERR_OK, "row %zu: %s", i,
                     e.text);
        struct analysis *analysis = session_analyse(results);

        cr_expect_eq(analysis->trust, TRUST_UNFIT, "row %zu", i);
        cr_expect_eq(analysis->unfit_causes, (unsigned)UNFIT_NONE_COUNTED, "row %zu", i);
        session_discard(analysis, results);
    }
}

/* A trial that was taken up again: the last counted attempt stands in the pair, once. */
Test(analysis, a_block_counts_once_however_often_it_was_tried)
{
    struct results *results = session_build(&(struct results_builder){0});
    struct analysis *once = session_analyse(results);
    struct estimate want = analysis_find_row(once, "epoll")->ratio;

    analysis_free(once);
    for (size_t i = 0; i < results->trial_count;
         i++) { /* block 5 of epoll becomes a second try of 4 */
        if (results->trials[i].engine_index == 0 && results->trials[i].block_index == 5) {
            results->trials[i].block_index = 4;
            results->trials[i].attempt_index = 1;
        }
    }
    struct analysis *again = session_analyse(results);

    cr_expect_eq(analysis_find_row(again, "epoll")->ratio.count, 5);
    cr_expect_eq(analysis_find_row(again, "epoll")->verdict, VERDICT_TOO_FEW);
    cr_expect_neq(analysis_find_row(again, "epoll")->ratio.value, want.value);
    session_discard(again, results);
}

/* A session that was taken up again in the middle of block 3: that block is no pair. */
Test(analysis, trials_of_two_sittings_are_no_pair)
{
    struct results *results = session_build(&(struct results_builder){.block_count = 8});

    for (size_t i = 0; i < results->trial_count; i++) {
        struct results_trial *trial = &results->trials[i];

        trial->sitting_index =
            trial->block_index > 3 || (trial->block_index == 3 && trial->position_index > 0);
    }
    struct analysis *analysis = session_analyse(results);

    cr_expect_eq(analysis_find_row(analysis, "blocking")->ok_per_s.count, 8);
    size_t split = analysis_find_row(analysis, "epoll")->ratio.count +
                   analysis_find_row(analysis, "blocking (A/A)")->ratio.count;
    /* One of three arms ran before the interruption: with the baseline first both pairs are split,
     * else just that arm's. */
    cr_expect(split == 14 || split == 15, "%zu", split);
    session_discard(analysis, results);
}

Test(analysis, is_the_same_every_time)
{
    struct results *results = session_build(&(struct results_builder){.block_count = 21});
    struct analysis *first = session_analyse(results);
    struct analysis *second = session_analyse(results);

    cr_assert_eq(first->row_count, second->row_count);
    for (size_t i = 0; i < first->row_count; i++) { /* bit for bit */
        const struct analysis_row *a = &first->rows[i];
        const struct analysis_row *b = &second->rows[i];

        cr_expect_eq(memcmp(&a->ok_per_s, &b->ok_per_s, sizeof(a->ok_per_s)), 0);
        cr_expect_eq(memcmp(&a->ratio, &b->ratio, sizeof(a->ratio)), 0);
        cr_expect_eq(memcmp(&a->ratio_p, &b->ratio_p, sizeof(a->ratio_p)), 0);
        cr_expect_eq(a->engine_index, b->engine_index);
        cr_expect_eq(a->verdict, b->verdict);
    }
    analysis_free(second);
    session_discard(first, results);
}

/* In an open loop Little's law says nothing of the connections; the schedule is judged instead. */
Test(analysis, judges_the_schedule_of_an_open_loop)
{
    static const struct {
        double latency;    /* factor, which in a closed loop would break Little's law */
        double sent_share; /* of what was due */
        int64_t lag_ns;    /* of every request */
        enum finding_kind kind;
        const char *text;
    } rows[] = {
        {0.5, 1, 20000, NO_FINDING, ""},
        {1, 0.991, 99000, NO_FINDING, ""},
        {1, 0.98, 20000, FINDING_RATE, "98.0 % of the requests that were due"},
        {1, 1, 300000, FINDING_DRIVER_LATE, "more than 0.30 ms late (limit 0.10 ms)"},
    };
    struct results *results = session_build(&(struct results_builder){0});
    struct results_trial *trial = &results->trials[2];
    struct histogram *lag = calloc(1, sizeof(*lag));
    struct buf encoded;
    struct sample samples[8];

    cr_assert_not_null(lag);
    buf_init(&encoded, 1 << 20);
    results->cells[trial->cell_index].rate_per_s = 90000;
    memcpy(samples, trial->samples, sizeof(samples));
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        char text[FINDING_TEXT_BYTES];

        histogram_clear(lag);
        for (int k = 0; k < 1000; k++) {
            histogram_record(lag, rows[i].lag_ns);
        }
        buf_clear(&encoded);
        cr_assert_eq(histogram_encode(lag, &encoded, NULL), ERR_OK);
        for (size_t k = 0; k < trial->sample_count; k++) {
            struct sample *sample = &trial->samples[k];

            change_sample(CHANGE_LATENCY, rows[i].latency, sample);
            sample->metrics[METRIC_scheduled_count] =
                (int64_t)((double)sample->metrics[METRIC_started_count] / rows[i].sent_share);
            sample->lag_histogram.bytes = (const uint8_t *)encoded.bytes;
            sample->lag_histogram.length = encoded.length;
        }
        struct analysis *analysis = session_analyse(results);
        const struct trial_summary *summary = &analysis->trials[2];

        cr_expect(summary->valid);
        cr_expect_eq(summary->finding_count, rows[i].kind != NO_FINDING, "row %zu", i);
        if (summary->finding_count) {
            cr_expect_eq(summary->findings[0].kind, rows[i].kind, "row %zu", i);
            cr_expect_not_null(strstr(finding_format(&summary->findings[0], text), rows[i].text),
                               "row %zu: %s", i, text);
        }
        analysis_free(analysis);
        memcpy(trial->samples, samples, sizeof(samples));
    }
    results_free(results);
    buf_release(&encoded);
    free(lag);
}
