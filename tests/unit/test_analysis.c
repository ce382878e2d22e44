// SPDX-License-Identifier: Apache-2.0
// From a session to what may be said of it: each check, each verdict, and how often they are wrong.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/fs.h"
#include "report/judge/analysis.h"
#include "tests/support/results_builder.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char folder[] = "/tmp/tacho-analysis-XXXXXX";
static char path[128];

static void setup(void)
{
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/results.db", folder);
}

static void teardown(void)
{
    struct err e;

    cr_expect_eq(fs_remove_tree(folder, &e), ERR_OK);
}

TestSuite(analysis, .init = setup, .fini = teardown);

static struct results *build(const struct results_builder *builder)
{
    struct results *results = NULL;
    struct err e = {0};

    results_builder_make(builder, path);
    cr_assert_eq(results_load(path, true, &results, &e), ERR_OK, "%s", e.text);
    return results;
}

static struct analysis *analyse(const struct results *results)
{
    struct analysis *analysis = NULL;
    struct err e = {0};

    cr_assert_eq(analysis_make(results, &analysis, &e), ERR_OK, "%s", e.text);
    return analysis;
}

static const struct analysis_row *find_row(const struct analysis *analysis, const char *engine)
{
    for (size_t i = 0; i < analysis->row_count; i++) {
        if (strcmp(analysis->results->engines[analysis->rows[i].engine_index].name, engine) == 0) {
            return &analysis->rows[i];
        }
    }
    cr_assert_fail("no row for %s", engine);
    return NULL;
}

static void discard(struct analysis *analysis, struct results *results)
{
    analysis_free(analysis);
    results_free(results);
}

Test(analysis, of_the_demo_session)
{
    struct results *results = build(&(struct results_builder){0});
    struct analysis *analysis = analyse(results);
    static const char *const order[] = {"limit", "blocking (A/A)", "blocking", "epoll"};

    cr_assert_eq(analysis->row_count, 4);
    for (size_t i = 0; i < 4; i++) {
        cr_expect_str_eq(results->engines[analysis->rows[i].engine_index].name, order[i]);
    }
    const struct analysis_row *epoll = find_row(analysis, "epoll");
    const struct analysis_row *limit = find_row(analysis, "limit");

    cr_expect_eq(epoll->verdict, VERDICT_DIFFERENT);
    cr_expect_eq(epoll->ratio_p, 0.03125); /* 2/2^6, one comparison: Holm changes nothing */
    cr_expect_eq(epoll->ratio.count, 6);
    cr_expect(epoll->ratio.low < 52.0 / 31 && epoll->ratio.high > 52.0 / 31);
    cr_expect_eq(find_row(analysis, "blocking (A/A)")->verdict, VERDICT_EQUIVALENT);
    cr_expect_eq(find_row(analysis, "blocking")->verdict, VERDICT_NONE);
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
    results_builder_alter(path, "DELETE FROM event");
    discard(analysis, results);
    struct err e;

    cr_assert_eq(results_load(path, true, &results, &e), ERR_OK);
    analysis = analyse(results);
    cr_expect_eq(analysis->trust, TRUST_VALID);
    discard(analysis, results);
}

/* Window of a trial against sums made by hand over the rows. */
Test(analysis, a_trials_numbers_are_those_of_its_window_alone)
{
    struct results *results = build(&(struct results_builder){0});
    struct analysis *analysis = analyse(results);
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
    cr_expect_eq((int64_t)summary->histogram->total_count, ok);
    /* B03: quantiles and maximum are in order (p99.9 of 92000 requests is not shown). */
    cr_expect(summary->latency_ns[0] <= summary->latency_ns[1] &&
              summary->latency_ns[1] <= summary->latency_ns[2] &&
              summary->latency_ns[2] <= (double)max_ns);
    cr_expect(isnan(summary->latency_ns[3]));
    discard(analysis, results);
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
    CHANGE_COUNT_LESS,
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
    case CHANGE_COUNT_LESS:
        trial->server_request_count -= (int64_t)amount;
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
    {CHANGE_COUNT_LESS, 3, FINDING_COUNT_MISMATCH, true, -3, "counted -3 requests against"},
    {CHANGE_COUNT_IN_FLIGHT, 0, NO_FINDING, false, NAN, ""},
    {CHANGE_FOREIGN, 0.03, FINDING_FOREIGN_CPU, false, 0.034, "at least 3.4 %"},
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
    struct results *results = build(&(struct results_builder){0});

    for (size_t i = 0; i < COUNT(faults); i++) {
        struct results_trial saved = results->trials[2];
        struct sample samples[8];
        char text[FINDING_TEXT_BYTES];

        memcpy(samples, saved.samples, sizeof(samples));
        change_trial(faults[i].change, faults[i].amount, &results->trials[2]);
        struct analysis *analysis = analyse(results);
        const struct trial_summary *summary = &analysis->trials[2];

        cr_expect_eq(summary->finding_count, faults[i].kind != NO_FINDING, "row %zu: %zu findings",
                     i, summary->finding_count);
        cr_expect_eq(summary->valid, !faults[i].invalidates, "row %zu", i);
        if (summary->finding_count) {
            const struct finding *finding = &summary->findings[0];

            cr_expect_eq(finding->kind, faults[i].kind, "row %zu: %s", i,
                         finding_names[finding->kind]);
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
        build(&(struct results_builder){.connection_counts = {1}, .epoll_per_s = 20000});

    for (size_t i = 0; i < results->trial_count; i++) {
        change_trial(CHANGE_LATENCY, 0.5, &results->trials[i]);
    }
    struct analysis *analysis = analyse(results); /* the driver is busy 66 % of the time */

    for (size_t i = 0; i < results->trial_count; i++) {
        cr_expect_eq(analysis->trials[i].finding_count, 0, "trial %zu", i);
    }
    discard(analysis, results);
}

Test(analysis, unknown_values_stay_unknown)
{
    struct results *results = build(&(struct results_builder){0});

    for (size_t i = 0; i < results->trial_count; i++) {
        change_trial(CHANGE_UNKNOWN, 0, &results->trials[i]);
    }
    struct analysis *analysis = analyse(results);
    const struct analysis_row *epoll = find_row(analysis, "epoll");

    cr_expect_eq(epoll->verdict, VERDICT_DIFFERENT); /* the outcomes are still there */
    cr_expect_eq(epoll->saturation, SATURATION_UNKNOWN);
    cr_expect_eq(epoll->rss_kib_peak, METRIC_UNKNOWN);
    cr_expect_eq(epoll->latency_max_ns, METRIC_UNKNOWN);
    cr_expect(isnan(epoll->server_cpu_us.value));
    cr_expect_eq(epoll->server_cpu_us.count, 0);
    cr_expect(isnan(analysis->trials[2].latency_mean_ns));
    cr_expect(isnan(analysis->foreign_cpu_share_max));
    cr_expect(isnan(analysis->lateness_ns_p99));
    discard(analysis, results);
}

/* B02, and the design's 3.6: no quantile with fewer than 100 requests beyond it. */
Test(analysis, quantiles_need_requests_beyond_them)
{
    static const struct {
        double rate;
        bool shown[ANALYSIS_QUANTILE_COUNT];
    } rows[] = {
        {60, {false, false, false, false}}, /* about 180 requests in 3 s */
        {80, {true, false, false, false}},  /* 240 */
        {400, {true, true, false, false}},  /* 1200 */
        {4000, {true, true, true, false}},  /* 12 000 */
        {40000, {true, true, true, true}},  /* 120 000 */
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct results *results =
            build(&(struct results_builder){.block_count = 1, .epoll_per_s = rows[i].rate});
        struct analysis *analysis = analyse(results);
        const struct analysis_row *epoll = find_row(analysis, "epoll");

        for (int q = 0; q < ANALYSIS_QUANTILE_COUNT; q++) {
            cr_expect_eq(!isnan(epoll->latency_ns[q].value), rows[i].shown[q], "row %zu q %d", i,
                         q);
        }
        discard(analysis, results);
    }
}

/* B04 (c4punks/CWIST#25): two parts with p99 of 10 and 100 ms and 10^6 and 10^3 requests have a p99
 * of about 10 ms together, not 55. */
Test(analysis, b04_quantiles_come_from_merged_histograms)
{
    struct histogram *parts = calloc(2, sizeof(*parts));
    struct buf encoded[2];
    struct results *results =
        build(&(struct results_builder){.block_count = 1, .faults = RESULTS_BUILDER_NO_HISTOGRAM});
    struct results_trial *trial = &results->trials[1];

    cr_assert(parts);
    for (size_t i = 0; i < trial->sample_count; i++) {
        trial->samples[i].outcomes[OUTCOME_OK] = 0;
        trial->samples[i].metrics[METRIC_latency_max_ns] = METRIC_UNKNOWN;
    }
    for (int i = 0; i < 2; i++) {
        int count = i ? 1000 : 1000000;

        for (int k = 0; k < count; k++) { /* 98.9 % at a tenth, the rest at the p99 */
            histogram_record(&parts[i],
                             (i ? 10 : 1) * (k < count / 1000 * 989 ? 1000000 : 10000000));
        }
        buf_init(&encoded[i], 1 << 20);
        cr_assert_eq(histogram_encode(&parts[i], &encoded[i], NULL), ERR_OK);
        trial->samples[1 + i].histogram = (const uint8_t *)encoded[i].bytes;
        trial->samples[1 + i].histogram_bytes = encoded[i].length;
        trial->samples[1 + i].outcomes[OUTCOME_OK] = (uint64_t)count;
    }
    struct analysis *analysis = analyse(results);

    cr_expect_float_eq(analysis->trials[1].latency_ns[2], 10e6, 0.01e6);
    discard(analysis, results);
    buf_release(&encoded[0]);
    buf_release(&encoded[1]);
    free(parts);
}

Test(analysis, a_damaged_histogram_is_named)
{
    struct results *results = build(&(struct results_builder){.block_count = 1});
    struct analysis *analysis = NULL;
    struct err e = {0};

    results->trials[1].samples[3].histogram_bytes -= 4;
    cr_expect_eq(analysis_make(results, &analysis, &e), ERR_FORMAT);
    cr_expect_null(analysis);
    cr_expect(strstr(e.text, "trial 2, sample 3"), "%s", e.text);
    results_free(results);
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

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct results *results = build(&rows[i].builder);
        struct analysis *analysis = analyse(results);
        const struct analysis_row *epoll = find_row(analysis, results->engines[0].name);

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
        cr_expect_eq(isnan(analysis->aa_ratio.value),
                     rows[i].valid_count == 0 || rows[i].builder.faults == RESULTS_BUILDER_NO_AA,
                     "row %zu", i);
        discard(analysis, results);
    }
}

/* 6 blocks give no p below 2/2^6, which two comparisons make 0.0625: 7 give 2 * 2/2^7 = 0.03125. */
Test(analysis, many_comparisons_need_more_blocks)
{
    struct results *results = build(&(struct results_builder){.trial_noise = 0.0001});
    struct err e;

    results_free(results);
    results_builder_alter(path, "UPDATE engine SET role = 'subject' WHERE role = 'aa'");
    cr_assert_eq(results_load(path, true, &results, &e), ERR_OK, "%s", e.text);
    struct analysis *analysis = analyse(results);
    const struct analysis_row *epoll = find_row(analysis, "epoll");

    cr_expect_eq(epoll->ratio_p, 0.0625);
    cr_expect_eq(epoll->verdict, VERDICT_INCONCLUSIVE);
    cr_expect_eq(epoll->blocks_needed, 7);
    discard(analysis, results);
}

/* Sessions in which nothing of the engines counts must not read as valid. */
Test(analysis, of_which_nothing_counts_is_unfit)
{
    static const char *const changes[] = {
        "UPDATE trial SET state = 'crashed'",
        "UPDATE trial SET state = 'interrupted' WHERE block_index IS NOT NULL",
        "UPDATE sample SET end_ns = start_ns", /* no length, no rate */
    };

    for (size_t i = 0; i < COUNT(changes); i++) {
        struct results *results = build(&(struct results_builder){0});
        struct err e;

        results_free(results);
        results_builder_alter(path, changes[i]);
        cr_assert_eq(results_load(path, true, &results, &e), ERR_OK, "row %zu: %s", i, e.text);
        struct analysis *analysis = analyse(results);

        cr_expect_eq(analysis->trust, TRUST_UNFIT, "row %zu", i);
        cr_expect_eq(analysis->unfit_causes, (unsigned)UNFIT_NONE_COUNTED, "row %zu", i);
        discard(analysis, results);
    }
}

/* A trial that was taken up again: the last counted attempt stands in the pair, once. */
Test(analysis, a_block_counts_once_however_often_it_was_tried)
{
    struct results *results = build(&(struct results_builder){0});
    struct analysis *once = analyse(results);
    struct estimate want = find_row(once, "epoll")->ratio;

    analysis_free(once);
    for (size_t i = 0; i < results->trial_count;
         i++) { /* block 5 of epoll becomes a second try of 4 */
        if (results->trials[i].engine_index == 0 && results->trials[i].block_index == 5) {
            results->trials[i].block_index = 4;
            results->trials[i].attempt_index = 1;
        }
    }
    struct analysis *again = analyse(results);

    cr_expect_eq(find_row(again, "epoll")->ratio.count, 5);
    cr_expect_eq(find_row(again, "epoll")->verdict, VERDICT_TOO_FEW);
    cr_expect_neq(find_row(again, "epoll")->ratio.value, want.value);
    discard(again, results);
}

Test(analysis, is_the_same_every_time)
{
    struct results *results = build(&(struct results_builder){.block_count = 21});
    struct analysis *first = analyse(results);
    struct analysis *second = analyse(results);

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
    discard(first, results);
}
