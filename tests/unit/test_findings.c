// SPDX-License-Identifier: Apache-2.0
// Each check of a trial at its threshold, just below and just above it.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/buf.h"
#include "report/judge/plausible.h"
#include "tests/support/session_fixture.h"

TestSuite(findings, .init = session_folder_make, .fini = session_folder_remove);

#define WINDOW_COUNT 6                   /* samples of 500 ms; sample 0 is warm-up, 7 the drain */
#define MACHINE_NS   INT64_C(6000000000) /* of two CPUs in the window */

/* What is set in the trial of epoll in block 0. Sums are those of the window. */
enum edit {
    END,
    SUM,         /* a metric that is added up: all of it in the window's first sample */
    EACH,        /* a metric in every sample */
    OK,          /* ok requests, the same number in each sample of the window */
    OUTCOME,     /* another outcome in the window's first sample */
    BEST,        /* ok requests of the window's second sample */
    OPEN,        /* the cell has a rate: Little's law does not hold there */
    RAMP,        /* likewise, and the rate changes */
    QUIET,       /* busy and idle as given, and nothing of it is known to be tacho's */
    LATENCY_SUM, /* so that mean latency x rate is so many connections */
    MEAN,        /* mean latency over its p99 */
    LAG,         /* of every request */
    ESTABLISHED,
    SERVED,
    COUNTED, /* the server's own count less the driver's */
    IN_FLIGHT,
    LATE_ONE, /* lateness of one sample */
    LENGTH,   /* of the window's last sample, more or less than on the grid, ms */
    FASTEST,  /* frequencies of the CPUs: 1 GHz, and the slowest so many kHz below */
};

struct step {
    enum edit edit;
    int which;
    double amount;
};

/* The row's numbers are exact in a double wherever the check compares with >. */
static const struct row {
    struct step steps[5];
    enum finding_kind kind; /* FINDING_KIND_COUNT: none */
    bool invalidates;
} rows[] = {
#define NONE          FINDING_KIND_COUNT, false
#define WARN(kind)    FINDING_##kind, false
#define INVALID(kind) FINDING_##kind, true
    /* 0.1 % of the requests */
    {{{OPEN, 0, 0}, {OK, 0, 99900}, {OUTCOME, OUTCOME_HTTP_5XX, 599}}, NONE},
    {{{OPEN, 0, 0}, {OK, 0, 99900}, {OUTCOME, OUTCOME_HTTP_5XX, 600}}, NONE},
    {{{OPEN, 0, 0}, {OK, 0, 99900}, {OUTCOME, OUTCOME_HTTP_5XX, 601}}, INVALID(ERRORS)},
    {{{OPEN, 0, 0}, {OK, 0, 99900}, {OUTCOME, OUTCOME_TIMEOUT, 601}}, INVALID(ERRORS)},
    {{{OPEN, 0, 0}, {OUTCOME, OUTCOME_BODY_HASH, 0}}, NONE},
    {{{OPEN, 0, 0}, {OUTCOME, OUTCOME_BODY_HASH, 1}}, INVALID(WRONG_BODIES)},
    {{{OPEN, 0, 0}, {OUTCOME, OUTCOME_BODY_LENGTH, 1}}, INVALID(WRONG_BODIES)},
    {{{OPEN, 0, 0}, {OUTCOME, OUTCOME_CONNECT_NO_PORT, 1}}, INVALID(CLIENT_LIMIT)},
    {{{OPEN, 0, 0}, {OUTCOME, OUTCOME_CONNECT_NO_FD, 1}}, INVALID(CLIENT_LIMIT)},
    {{{OPEN, 0, 0}, {OUTCOME, OUTCOME_CONNECT_REFUSED, 1}}, NONE},
    {{{ESTABLISHED, 0, 125}}, NONE},
    {{{ESTABLISHED, 0, 124}}, INVALID(CONNECTIONS)},
    {{{SERVED, 0, 125}}, NONE},
    {{{SERVED, 0, 124}}, INVALID(UNSERVED)},
    /* 0 to what was in flight at the end may be counted more */
    {{{COUNTED, 0, 0}}, NONE},
    {{{COUNTED, 0, -1}}, INVALID(COUNT_MISMATCH)},
    {{{COUNTED, 0, 1}}, INVALID(COUNT_MISMATCH)},
    {{{IN_FLIGHT, 0, 5}, {COUNTED, 0, 5}}, NONE},
    {{{IN_FLIGHT, 0, 5}, {COUNTED, 0, 6}}, INVALID(COUNT_MISMATCH)},
    /* 3 % of the connections; below, the driver's handling (66 % of a CPU) over 125 more */
    {{{LATENCY_SUM, 0, 125 * 1.0299}}, NONE},
    {{{LATENCY_SUM, 0, 125 * 1.0301}}, INVALID(LITTLE)},
    {{{LATENCY_SUM, 0, 125 * 0.9649}}, NONE},
    {{{LATENCY_SUM, 0, 125 * 0.9640}}, INVALID(LITTLE)},
    /* 80 % of the driver's one CPU, while the server's has time left */
    {{{QUIET, 0, 0}, {SUM, METRIC_driver_system_ns, 0}, {SUM, METRIC_driver_user_ns, 2400000000}},
     NONE},
    {{{QUIET, 0, 0}, {SUM, METRIC_driver_system_ns, 0}, {SUM, METRIC_driver_user_ns, 2400000001}},
     WARN(DRIVER_BOUND)},
    {{{SUM, METRIC_machine_listen_overflow_count, 1}}, INVALID(LISTEN_OVERFLOW)},
    {{{SUM, METRIC_machine_listen_drop_count, 1}}, INVALID(LISTEN_OVERFLOW)},
    {{{SUM, METRIC_machine_syncookie_count, 1}}, INVALID(LISTEN_OVERFLOW)},
    {{{SUM, METRIC_machine_syncookie_count, 0}}, NONE},
    /* 10 ms for 99 % of the samples: one of eight is more than 1 % */
    {{{EACH, METRIC_lateness_ns, 9999999}}, NONE},
    {{{EACH, METRIC_lateness_ns, 10000000}}, NONE},
    {{{LATE_ONE, 0, 10000001}}, WARN(SAMPLE_LATE)},
    {{{LATE_ONE, 0, 500000000}}, WARN(SAMPLE_LATE)}, /* a whole sample of 500 ms */
    {{{LATE_ONE, 0, 500000001}}, INVALID(SAMPLE_LATE)},
    /* 1.5 times the mean: of 900, 1500, 900 … and of 900, 1501, 900 … */
    {{{OPEN, 0, 0}, {OK, 0, 900}, {BEST, 0, 1499}}, NONE},
    {{{OPEN, 0, 0}, {OK, 0, 900}, {BEST, 0, 1500}}, NONE},
    {{{OPEN, 0, 0}, {OK, 0, 900}, {BEST, 0, 1501}}, WARN(PEAK)},
    {{{RAMP, 0, 0}, {OK, 0, 900}, {BEST, 0, 1501}}, NONE}, /* it rises by plan */
    {{{OPEN, 0, 0}, {MEAN, 0, 0.9999}}, NONE},
    {{{OPEN, 0, 0}, {MEAN, 0, 1.0}}, NONE},
    {{{OPEN, 0, 0}, {MEAN, 0, 1.0001}}, WARN(MEAN_ABOVE_P99)},
    {{{OPEN, 0, 0}, {SUM, METRIC_latency_overflow_count, 0}}, NONE},
    {{{OPEN, 0, 0}, {SUM, METRIC_latency_overflow_count, 1}}, WARN(LATENCY_OVERFLOW)},
    /* The driver's lag: 100 us, then 1 ms or a tenth of the p99 (epoll's is about 12 ms). */
    {{{OPEN, 0, 0}, {LAG, 0, 99e3}}, NONE},
    {{{OPEN, 0, 0}, {LAG, 0, 101e3}}, WARN(DRIVER_LATE)},
    {{{OPEN, 0, 0}, {LAG, 0, 990e3}}, WARN(DRIVER_LATE)},
    {{{OPEN, 0, 0}, {LAG, 0, 3e6}}, INVALID(DRIVER_LATE)},
    /* 99 % of what was due; the builder's server of epoll is saturated, QUIET's is not */
    {{{OPEN, 0, 0}, {SUM, METRIC_scheduled_count, 1000}, {SUM, METRIC_started_count, 990}}, NONE},
    {{{OPEN, 0, 0}, {SUM, METRIC_scheduled_count, 1000}, {SUM, METRIC_started_count, 989}},
     WARN(RATE)},
    {{{OPEN, 0, 5},
      {QUIET, 0, 0},
      {SUM, METRIC_scheduled_count, 1000},
      {SUM, METRIC_started_count, 989}},
     INVALID(RATE)},
    /* ... but all connections were waiting for it */
    {{{OPEN, 0, 125},
      {QUIET, 0, 0},
      {SUM, METRIC_scheduled_count, 1000},
      {SUM, METRIC_started_count, 989}},
     WARN(RATE)},
    /* 2 % and 20 % of the plan's 3 s */
    {{{OPEN, 0, 0}, {LENGTH, 0, 59}}, NONE},
    {{{OPEN, 0, 0}, {LENGTH, 0, 61}}, WARN(DURATION)},
    {{{OPEN, 0, 0}, {LENGTH, 0, -61}}, WARN(DURATION)},
    {{{OPEN, 0, 0}, {LENGTH, 0, 599}}, WARN(DURATION)},
    {{{OPEN, 0, 0}, {LENGTH, 0, 601}}, INVALID(DURATION)},
    /* 2 % and 5 % of the machine */
    {{{QUIET, 0, 119999999}}, NONE},
    {{{QUIET, 0, 120000000}}, NONE},
    {{{QUIET, 0, 120000001}}, WARN(FOREIGN_CPU)},
    {{{QUIET, 0, 300000000}}, WARN(FOREIGN_CPU)},
    {{{QUIET, 0, 300000001}}, INVALID(FOREIGN_CPU)},
    /* 0.5 % and 2 % */
    {{{SUM, METRIC_machine_steal_ns, 30000000}}, NONE},
    {{{SUM, METRIC_machine_steal_ns, 30000001}}, WARN(STEAL)},
    {{{SUM, METRIC_machine_steal_ns, 120000000}}, WARN(STEAL)},
    {{{SUM, METRIC_machine_steal_ns, 120000001}}, INVALID(STEAL)},
    {{{SUM, METRIC_machine_throttled_count, 0}}, NONE},
    {{{SUM, METRIC_machine_throttled_count, 1}}, INVALID(THROTTLED)},
    {{{SUM, METRIC_machine_thermal_throttle_count, 1}}, INVALID(THERMAL)},
    {{{SUM, METRIC_machine_swap_in_kib, 4}}, INVALID(SWAPPING)},
    {{{SUM, METRIC_machine_swap_out_kib, 4}}, INVALID(SWAPPING)},
    {{{SUM, METRIC_server_major_fault_count, 1}}, INVALID(MAJOR_FAULTS)},
    {{{SUM, METRIC_collector_major_fault_count, 1}}, WARN(OWN_FAULTS)},
    {{{SUM, METRIC_machine_softnet_drop_count, 1}}, INVALID(PACKETS_DROPPED)},
    {{{SUM, METRIC_machine_retransmit_count, 1}}, WARN(RETRANSMITS)},
    {{{SUM, METRIC_machine_time_wait_overflow_count, 1}}, WARN(TIME_WAIT)},
    {{{FASTEST, 0, 49999}}, NONE},
    {{{FASTEST, 0, 50000}}, NONE},
    {{{FASTEST, 0, 50001}}, WARN(FREQUENCY)},
    /* 5 % of 2 s of running, with one thread on one CPU; with two it may wait */
    {{{EACH, METRIC_server_thread_count, 1},
      {EACH, METRIC_collector_cpu_ns, 900000000},
      {SUM, METRIC_server_user_ns, 1500000000},
      {SUM, METRIC_server_system_ns, 500000000},
      {SUM, METRIC_server_run_delay_ns, 100000000}},
     NONE},
    {{{EACH, METRIC_server_thread_count, 1},
      {EACH, METRIC_collector_cpu_ns, 900000000},
      {SUM, METRIC_server_user_ns, 1500000000},
      {SUM, METRIC_server_system_ns, 500000000},
      {SUM, METRIC_server_run_delay_ns, 100000001}},
     WARN(RUN_QUEUE)},
    {{{EACH, METRIC_server_thread_count, 2},
      {EACH, METRIC_collector_cpu_ns, 900000000},
      {SUM, METRIC_server_user_ns, 1500000000},
      {SUM, METRIC_server_system_ns, 500000000},
      {SUM, METRIC_server_run_delay_ns, 900000000}},
     NONE},
};

static struct buf lag_blob;

static struct sample_blob lag_make(int64_t lag_ns)
{
    struct histogram *histogram = malloc(sizeof(*histogram));
    struct err e;

    cr_assert(histogram);
    histogram_clear(histogram);
    for (int i = 0; i < 1000; i++) {
        histogram_record(histogram, lag_ns);
    }
    buf_clear(&lag_blob);
    cr_assert_eq(histogram_encode(histogram, &lag_blob, &e), ERR_OK, "%s", e.text);
    free(histogram);
    return (struct sample_blob){(const uint8_t *)lag_blob.bytes, lag_blob.length};
}

/* The mean latency that gives `connections` by Little's law is their number over the rate. */
static void latency_set(struct results_trial *trial, double connections)
{
    for (size_t i = 1; i <= WINDOW_COUNT; i++) {
        trial->samples[i].metrics[METRIC_latency_sum_ns] = (int64_t)(connections * 5e8);
    }
}

static void quiet_set(int64_t *metrics, int64_t busy_ns)
{
    metrics[METRIC_machine_busy_ns] = busy_ns;
    metrics[METRIC_machine_idle_ns] = MACHINE_NS / WINDOW_COUNT - busy_ns;
    metrics[METRIC_machine_softirq_ns] = 0;
    metrics[METRIC_server_user_ns] = 0;
    metrics[METRIC_server_system_ns] = 0;
    metrics[METRIC_collector_cpu_ns] = 0;
}

static void sample_change(const struct step *step, size_t index, struct sample *sample)
{
    int64_t *metrics = sample->metrics;
    bool is_first = index == 1;

    metrics[METRIC_machine_user_ns] = METRIC_UNKNOWN; /* would have to follow every change */
    switch (step->edit) {
    case SUM:
        metrics[step->which] = is_first ? (int64_t)step->amount : 0;
        break;
    case EACH:
        metrics[step->which] = (int64_t)step->amount;
        break;
    case OK:
        sample->outcomes[OUTCOME_OK] = (uint64_t)step->amount;
        break;
    case OUTCOME:
        sample->outcomes[step->which] = is_first ? (uint64_t)step->amount : 0;
        break;
    case BEST:
        sample->outcomes[OUTCOME_OK] =
            index == 2 ? (uint64_t)step->amount : sample->outcomes[OUTCOME_OK];
        break;
    case OPEN:
        metrics[METRIC_in_flight_count] = (int64_t)step->amount;
        break;
    case QUIET:
        quiet_set(metrics, is_first ? (int64_t)step->amount : 0);
        break;
    case LAG:
        sample->lag_histogram = lag_make((int64_t)step->amount);
        break;
    case FASTEST:
        metrics[METRIC_machine_frequency_max_khz] = 1000000;
        metrics[METRIC_machine_frequency_min_khz] =
            1000000 - (is_first ? (int64_t)step->amount : 0);
        break;
    default:
        break;
    }
}

static void trial_change(const struct step *step, struct results *results,
                         struct results_trial *trial)
{
    for (size_t i = 1; i <= WINDOW_COUNT; i++) {
        sample_change(step, i, &trial->samples[i]);
    }
    switch (step->edit) {
    case RAMP:
        results->cells[trial->cell_index].rate_course = "500..1500";
        results->cells[trial->cell_index].rate_per_s = 1000;
        break;
    case OPEN:
        results->cells[trial->cell_index].rate_per_s = 1000;
        break;
    case OK: /* what the server counted is another matter */
    case OUTCOME:
    case BEST:
        trial->server_request_count = METRIC_UNKNOWN;
        break;
    case LATENCY_SUM:
        latency_set(trial, step->amount);
        break;
    case ESTABLISHED:
        trial->connections_established = (int64_t)step->amount;
        trial->connections_served = (int64_t)step->amount;
        break;
    case SERVED:
        trial->connections_served = (int64_t)step->amount;
        break;
    case COUNTED:
        trial->server_request_count += (int64_t)step->amount;
        break;
    case IN_FLIGHT:
        trial->samples[7].outcomes[OUTCOME_IN_FLIGHT_AT_END] = (uint64_t)step->amount;
        break;
    case LATE_ONE:
        trial->samples[2].metrics[METRIC_lateness_ns] = (int64_t)step->amount;
        break;
    case LENGTH:
        trial->samples[WINDOW_COUNT].end_ns += (int64_t)(step->amount * 1e6);
        break;
    default:
        break;
    }
}

/* Mean over p99 needs the p99 first: that of the trial as it is. */
static void mean_set(struct results *results, struct results_trial *trial, size_t trial_index,
                     double ratio)
{
    struct analysis *analysis = session_analyse(results);
    double p99_ns = analysis->trials[trial_index].latency_ns[2];
    double ok = (double)analysis->trials[trial_index].outcomes[OUTCOME_OK];

    cr_assert(p99_ns > 0);
    for (size_t i = 1; i <= WINDOW_COUNT; i++) {
        trial->samples[i].metrics[METRIC_latency_sum_ns] =
            i == 1 ? (int64_t)(p99_ns * ok * ratio) : 0;
    }
    analysis_free(analysis);
}

static size_t trial_find(const struct results *results)
{
    for (size_t i = 0; i < results->trial_count; i++) {
        if (strcmp(results->engines[results->trials[i].engine_index].name, "epoll") == 0) {
            return i;
        }
    }
    cr_assert_fail("no trial of epoll");
    return 0;
}

static void row_expect(const struct row *row, size_t i, const struct trial_summary *summary)
{
    bool is_found = row->kind != FINDING_KIND_COUNT;
    char text[FINDING_TEXT_BYTES] = "";

    if (summary->finding_count > 0) {
        finding_format(&summary->findings[0], text);
    }
    cr_expect_eq(summary->finding_count, is_found, "row %zu: %zu findings: %s", i,
                 summary->finding_count, text);
    cr_expect_eq(summary->valid, !row->invalidates, "row %zu", i);
    if (is_found && summary->finding_count > 0) {
        cr_expect_eq(summary->findings[0].kind, row->kind, "row %zu: %s", i, text);
        cr_expect_eq(summary->findings[0].invalidates, row->invalidates, "row %zu: %s", i, text);
    }
}

Test(findings, begin_above_their_thresholds_and_not_at_them)
{
    struct results *results = session_build(&(struct results_builder){.block_count = 1});
    size_t trial_index = trial_find(results);
    struct results_trial *trial = &results->trials[trial_index];
    struct results_cell *cell = &results->cells[trial->cell_index];

    buf_init(&lag_blob, 1 << 20);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const struct results_trial saved = *trial;
        struct sample samples[8];

        memcpy(samples, saved.samples, sizeof(samples));
        latency_set(trial, 125); /* so that Little's law holds exactly */
        for (const struct step *step = rows[i].steps;
             step < rows[i].steps + ARRAY_COUNT(rows[i].steps) && step->edit != END; step++) {
            trial_change(step, results, trial);
            if (step->edit == MEAN) {
                mean_set(results, trial, trial_index, step->amount);
            }
        }
        struct analysis *analysis = session_analyse(results);

        row_expect(&rows[i], i, &analysis->trials[trial_index]);
        analysis_free(analysis);
        *trial = saved;
        memcpy(saved.samples, samples, sizeof(samples));
        cell->rate_per_s = METRIC_UNKNOWN;
        cell->rate_course = NULL;
    }
    buf_release(&lag_blob);
    results_free(results);
}

/* B24: 441 of 601 answers were 429, which another tool called 100 % success. */
Test(findings, an_answer_that_is_not_the_expected_one_is_no_success)
{
    struct results *results = session_build(&(struct results_builder){.block_count = 1});
    size_t trial_index = trial_find(results);
    struct results_trial *trial = &results->trials[trial_index];

    for (size_t i = 1; i <= WINDOW_COUNT; i++) {
        trial->samples[i].outcomes[OUTCOME_OK] = i == 1 ? 160 : 0;
        trial->samples[i].outcomes[OUTCOME_HTTP_4XX] = i == 1 ? 441 : 0;
    }
    trial->server_request_count = METRIC_UNKNOWN;
    struct analysis *analysis = session_analyse(results);
    const struct trial_summary *summary = &analysis->trials[trial_index];

    cr_expect_not(summary->valid);
    cr_assert_geq(summary->finding_count, 1);
    cr_expect_eq(summary->findings[0].kind, FINDING_ERRORS);
    cr_expect_float_eq(summary->findings[0].value, 441.0 / 601, 1e-15);
    cr_expect_float_eq(summary->ok_per_s, 160.0 / 3, 1e-12);
    cr_expect_float_eq(summary->completed_per_s, 601.0 / 3, 1e-12);
    session_discard(analysis, results);
}

/* Each has a word of its own, a sentence and something to do. */
Test(findings, all_have_words_and_advice)
{
    for (int kind = 0; kind < FINDING_KIND_COUNT; kind++) {
        const struct finding finding = {
            .kind = (enum finding_kind)kind, .value = 1e9, .limit = 123456.789};
        char text[FINDING_TEXT_BYTES];

        cr_assert(finding_name(finding.kind) && finding_advice(finding.kind), "kind %d", kind);
        cr_expect_gt(strlen(finding_format(&finding, text)), 10, "kind %d", kind);
        cr_expect_lt(strlen(text), FINDING_TEXT_BYTES - 1, "kind %d: cut: %s", kind, text);
        for (int other = 0; other < kind; other++) {
            cr_expect_str_neq(finding_name(finding.kind), finding_name((enum finding_kind)other));
        }
    }
}
