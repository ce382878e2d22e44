// SPDX-License-Identifier: Apache-2.0
// The checks, one function each.
#include "report/judge/findings.h"

#include <math.h>
#include <string.h>

#include "report/judge/findings_check.h"
#include "report/judge/plausible.h"

#define DRIVER_BUSY_MAX   0.8
#define LATENESS_NS_MAX   10e6
#define LATENESS_QUANTILE 0.99
#define LAG_NS_WARN       100e3
#define LAG_NS_MAX        1e6
#define DURATION_WARN     0.02
#define DURATION_MAX      0.2
#define RATE_SHARE_MIN    0.99

void finding_add(const struct check *check, enum finding_kind kind, bool invalidates, double value,
                 double limit)
{
    check->summary->findings[check->summary->finding_count++] =
        (struct finding){.kind = kind, .invalidates = invalidates, .value = value, .limit = limit};
}

void finding_add_graded(const struct check *check, enum finding_kind kind, double value,
                        double warn_limit, double limit)
{
    if (value > limit) { /* false for NaN, as below */
        finding_add(check, kind, true, value, limit);
    } else if (value > warn_limit) {
        finding_add(check, kind, false, value, warn_limit);
    }
}

static void check_state(const struct check *check)
{
    const char *state = check->trial->state;

    if (strcmp(state, "crashed") == 0) {
        finding_add(check, FINDING_CRASHED, true, 0, 0);
    } else if (strcmp(state, "failed") == 0) {
        finding_add(check, FINDING_FAILED, true, 0, 0);
    } else if (strcmp(state, "finished") != 0) {
        finding_add(check, FINDING_INTERRUPTED, true, 0, 0);
    }
}

static void count_classes(const uint64_t outcomes[OUTCOME_COUNT], double counts[4])
{
    memset(counts, 0, 4 * sizeof(*counts));
    for (int kind = 0; kind < OUTCOME_COUNT; kind++) {
        counts[outcome_infos[kind].class] += (double)outcomes[kind];
    }
}

static double error_share(const struct trial_summary *summary)
{
    double counts[4];

    count_classes(summary->outcomes, counts);
    double errors = counts[OUTCOME_CLASS_HTTP] + counts[OUTCOME_CLASS_FAULT];
    double ended = errors + counts[OUTCOME_CLASS_OK];

    return ended > 0 ? errors / ended : 0;
}

static void check_errors(const struct check *check)
{
    double share = error_share(check->summary);

    if (share > PLAUSIBLE_ERRORS_MAX) {
        finding_add(check, FINDING_ERRORS, true, share, PLAUSIBLE_ERRORS_MAX);
    }
}

/* One wrong body is enough: a server that may answer anything is not measured. */
static void check_bodies(const struct check *check)
{
    const uint64_t *outcomes = check->summary->outcomes;
    uint64_t wrong = outcomes[OUTCOME_BODY_LENGTH] + outcomes[OUTCOME_BODY_HASH];

    if (wrong > 0) {
        finding_add(check, FINDING_WRONG_BODIES, true, (double)wrong, 0);
    }
}

/* Faults of the client that must not be told of the server. */
static void check_client(const struct check *check)
{
    const uint64_t *outcomes = check->summary->outcomes;
    uint64_t count = outcomes[OUTCOME_CONNECT_NO_PORT] + outcomes[OUTCOME_CONNECT_NO_FD];

    if (count > 0) {
        finding_add(check, FINDING_CLIENT_LIMIT, true, (double)count, 0);
    }
}

static void check_connections(const struct check *check)
{
    int64_t requested = check->trial->connections_requested;
    int64_t established = check->trial->connections_established;
    int64_t served = check->trial->connections_served;

    if (requested != METRIC_UNKNOWN && established != METRIC_UNKNOWN && established < requested) {
        finding_add(check, FINDING_CONNECTIONS, true, (double)established, (double)requested);
    }
    bool had_enough =
        check->trial->started_count == METRIC_UNKNOWN || check->trial->started_count >= established;
    if (established > 0 && served != METRIC_UNKNOWN && served < established && had_enough) {
        finding_add(check, FINDING_UNSERVED, true, (double)served / (double)established, 1);
    }
}

/* The server may have answered what the driver no longer waited for: requests in flight at the end
 * and those that ended in a fault. */
static void check_count(const struct check *check)
{
    uint64_t outcomes[OUTCOME_COUNT] = {0};
    double counts[4];

    if (check->trial->server_request_count == METRIC_UNKNOWN ||
        strcmp(check->trial->state, "finished") != 0) {
        return;
    }
    for (size_t i = 0; i < check->trial->sample_count; i++) {
        for (int kind = 0; kind < OUTCOME_COUNT; kind++) {
            outcomes[kind] += check->trial->samples[i].outcomes[kind];
        }
    }
    count_classes(outcomes, counts);
    double limit = counts[OUTCOME_CLASS_OPEN] + counts[OUTCOME_CLASS_FAULT];
    double difference = (double)check->trial->server_request_count - counts[OUTCOME_CLASS_OK] -
                        counts[OUTCOME_CLASS_HTTP];

    if (difference < 0 || difference > limit) {
        finding_add(check, FINDING_COUNT_MISMATCH, true, difference, limit);
    }
}

static bool is_open(const struct check *check)
{
    return check->results->cells[check->trial->cell_index].rate_per_s != METRIC_UNKNOWN;
}

/* The driver kept no time: what it calls response time contains its own lateness. */
static void check_lag(const struct check *check)
{
    double lag_ns = check->summary->lag_p99_ns;
    double tenth_ns = check->summary->latency_ns[2] / 10; /* NaN when it has too few requests */
    double limit_ns = tenth_ns > LAG_NS_MAX ? tenth_ns : LAG_NS_MAX;

    finding_add_graded(check, FINDING_DRIVER_LATE, lag_ns, LAG_NS_WARN, limit_ns);
}

/* Every connection had a request on the way at the end of some sample: a request that is due then
 * waits for the server. */
static bool had_no_idle_connection(const struct check *check)
{
    return check->trial->connections_established > 0 &&
           check->window->metrics[METRIC_in_flight_count] >= check->trial->connections_established;
}

/* Fewer requests were sent than were due. Where the server had CPU time and connections left, or
 * so it seems, the driver failed. */
static void check_rate(const struct check *check)
{
    int64_t scheduled = check->window->metrics[METRIC_scheduled_count];
    int64_t started = check->window->metrics[METRIC_started_count];
    enum saturation saturation = check->summary->saturation;
    bool is_servers = saturation == SATURATION_SERVER || saturation == SATURATION_BOTH ||
                      saturation == SATURATION_UNKNOWN || had_no_idle_connection(check);

    if (scheduled > 0 && started != METRIC_UNKNOWN &&
        (double)started < RATE_SHARE_MIN * (double)scheduled) {
        finding_add(check, FINDING_RATE, !is_servers, (double)started / (double)scheduled,
                    RATE_SHARE_MIN);
    }
}

/*
 * Little's law. A connection also waits while the driver handles its answer, at most the driver's
 * CPU time per request, which is driver_cpu_share / C of the product: with few requests on the way
 * that is much, and no fault. Failed requests occupy connections as well, so with many of them the
 * law says nothing about the others. Where connections pause, the pause is part of the time that a
 * request takes; one that ends late makes the product less, and no fault.
 */
static void check_little(const struct check *check)
{
    const struct trial_summary *summary = check->summary;
    const struct results_cell *cell = &check->results->cells[check->trial->cell_index];
    const struct results_workload *workload = &check->results->workloads[cell->workload_index];
    double in_flight =
        (double)check->trial->connections_established * (double)workload->pipeline_count;
    double think_ns = workload->think_ns == METRIC_UNKNOWN ? 0 : (double)workload->think_ns;
    double product =
        plausible_little(summary->ok_per_s, summary->latency_mean_ns + think_ns, in_flight);
    double handling = summary->driver_cpu_share / in_flight;
    double limit = PLAUSIBLE_LITTLE_MAX + (product < 0 && handling > 0 ? handling : 0);

    /* In an open loop connections are idle between requests. */
    bool is_paused = think_ns > 0 && product < 0;
    if (is_open(check) || is_paused || check->trial->connections_established <= 0 ||
        error_share(summary) > PLAUSIBLE_ERRORS_MAX) {
        return;
    }
    if (fabs(product) > limit) {
        finding_add(check, FINDING_LITTLE, true, fabs(product), limit);
    }
}

static void check_driver(const struct check *check)
{
    double driver = check->summary->driver_cpu_share / trial_driver_cpus(check->results);
    double server =
        check->summary->server_cpu_share / trial_server_cpus(check->results, check->window);

    if (driver > DRIVER_BUSY_MAX && server <= DRIVER_BUSY_MAX) {
        finding_add(check, FINDING_DRIVER_BOUND, false, driver, DRIVER_BUSY_MAX);
    }
}

/* ListenDrops counts overflows and other losses; where it cannot be read the overflows are left. */
static void check_overflow(const struct check *check)
{
    int64_t overflows = check->window->metrics[METRIC_machine_listen_overflow_count];
    int64_t drops = check->window->metrics[METRIC_machine_listen_drop_count];
    int64_t cookies = check->window->metrics[METRIC_machine_syncookie_count];
    int64_t count = drops > overflows ? drops : overflows;

    count = cookies > 0 ? trial_add_counts(count > 0 ? count : 0, cookies) : count;
    if (count > 0) {
        finding_add(check, FINDING_LISTEN_OVERFLOW, true, (double)count, 0);
    }
}

/* Length of the grid's step: that of the longest sample. */
static int64_t find_step_ns(const struct results_trial *trial)
{
    int64_t longest_ns = 0;

    for (size_t i = 0; i < trial->sample_count; i++) {
        int64_t length_ns = trial->samples[i].end_ns - trial->samples[i].start_ns;

        longest_ns = length_ns > longest_ns ? length_ns : longest_ns;
    }
    return longest_ns;
}

int64_t findings_count_missing(const struct results_trial *trial)
{
    int64_t step_ns = find_step_ns(trial);
    int64_t missing = 0;

    for (size_t i = 0; i < trial->sample_count; i++) {
        const struct sample *sample = &trial->samples[i];
        int64_t previous_index = i ? (int64_t)trial->samples[i - 1].index : -1;
        int64_t by_index = (int64_t)sample->index - previous_index - 1;
        int64_t by_time = 0;

        if (i && step_ns > 0) {
            by_time = (sample->start_ns - trial->samples[i - 1].end_ns + step_ns / 2) / step_ns;
        }
        missing += by_index > by_time ? by_index : by_time;
    }
    return missing;
}

static void check_missing(const struct check *check)
{
    int64_t missing = findings_count_missing(check->trial);

    if (missing > 0) {
        finding_add(check, FINDING_SAMPLES_MISSING, true, (double)missing, 0);
    }
}

/* p99 by counting: the trial is late when more than 1 % of its samples are. A sample that is late
 * by a whole step was not read at all: whoever measured stood still, and the driver with it. */
static void check_lateness(const struct check *check)
{
    size_t known = 0;
    size_t late = 0;
    double worst_ns = 0;

    for (size_t i = 0; i < check->trial->sample_count; i++) {
        int64_t lateness_ns = check->trial->samples[i].metrics[METRIC_lateness_ns];

        if (lateness_ns == METRIC_UNKNOWN) {
            continue;
        }
        known++;
        late += (double)lateness_ns > LATENESS_NS_MAX;
        worst_ns = (double)lateness_ns > worst_ns ? (double)lateness_ns : worst_ns;
    }
    if ((double)late > (1 - LATENESS_QUANTILE) * (double)known) {
        finding_add(check, FINDING_SAMPLE_LATE, worst_ns > (double)find_step_ns(check->trial),
                    worst_ns, LATENESS_NS_MAX);
    }
}

/* A hundredth of the requests that weighs more than all others: an average says nothing then. */
static void check_latency(const struct check *check)
{
    double mean_ns = check->summary->latency_mean_ns;
    double p99_ns = check->summary->latency_ns[2];
    int64_t overflow = check->window->metrics[METRIC_latency_overflow_count];

    if (mean_ns > p99_ns) { /* false for NaN */
        finding_add(check, FINDING_MEAN_ABOVE_P99, false, mean_ns, p99_ns);
    }
    if (overflow > 0) {
        finding_add(check, FINDING_LATENCY_OVERFLOW, false, (double)overflow, 0);
    }
}

/* Of trials that went to their end. */
static void check_duration(const struct check *check)
{
    double planned_s = (double)check->window->planned_ns / 1e9;
    double off = fabs(check->summary->window_s / planned_s - 1);

    /* Missing samples are told as such. */
    if (check->window->planned_ns > 0 && strcmp(check->trial->state, "finished") == 0 &&
        findings_count_missing(check->trial) == 0 && off > DURATION_WARN) {
        finding_add(check, FINDING_DURATION, off > DURATION_MAX, check->summary->window_s,
                    planned_s);
    }
}

/* Likewise, but where the rate changes by plan. */
static void check_peak(const struct check *check)
{
    double ratio = check->summary->peak_per_s / check->summary->ok_per_s;

    if (!check->results->cells[check->trial->cell_index].rate_course &&
        check->summary->ok_per_s > 0 && ratio > PLAUSIBLE_PEAK_MAX &&
        strcmp(check->trial->state, "finished") == 0) {
        finding_add(check, FINDING_PEAK, false, ratio, PLAUSIBLE_PEAK_MAX);
    }
}

/* What is expected of a load that is measured; a flood is meant to be more than can be served. */
static void check_load(const struct check *check)
{
    if (check->summary->outcomes[OUTCOME_OK] == 0 || !(check->summary->ok_per_s > 0)) {
        finding_add(check, FINDING_NOTHING_MEASURED, true, 0, 0);
    }
    check_errors(check);
    check_bodies(check);
    check_client(check);
    check_connections(check);
    check_count(check);
    check_little(check);
    check_driver(check);
    check_overflow(check);
    check_peak(check);
    check_latency(check);
    if (is_open(check)) {
        check_lag(check);
        check_rate(check);
    }
}

static bool is_of_wrk(const struct check *check)
{
    const struct results_cell *cell = &check->results->cells[check->trial->cell_index];
    const struct results_workload *workload = &check->results->workloads[cell->workload_index];

    return check->trial->said && workload->is_foreign && !workload->is_replay;
}

void findings_collect(const struct results *results, const struct trial_window *window,
                      struct trial_summary *summary)
{
    const struct check check = {.results = results,
                                .trial = &results->trials[summary->trial_index],
                                .window = window,
                                .summary = summary};

    summary->finding_count = 0;
    check_state(&check);
    findings_check_machine(&check);
    check_missing(&check);
    check_lateness(&check);
    check_duration(&check);
    if (recovery_is_compared(results, check.trial->cell_index)) {
        check_load(&check);
    }
    if (is_of_wrk(&check)) {
        findings_check_wrk(&check);
    }
    summary->valid = true;
    for (size_t i = 0; i < summary->finding_count; i++) {
        summary->valid = summary->valid && !summary->findings[i].invalidates;
    }
}
