// SPDX-License-Identifier: Apache-2.0
// The checks of the machine: what took time, memory or packets from a trial.
#include <math.h>

#include "report/judge/findings_check.h"

#define FOREIGN_SHARE_WARN 0.02
#define FOREIGN_SHARE_MAX  0.05
#define STEAL_SHARE_WARN   0.005
#define STEAL_SHARE_MAX    0.02
#define FREQUENCY_MAX      0.05
#define RUN_DELAY_MAX      0.05

/* Counts that must not move in a window; several metrics of one kind are added, unknown ones are
 * left out. */
static const struct counted {
    enum finding_kind kind;
    bool invalidates;
    enum metric metrics[2];
} counted[] = {
    {FINDING_THROTTLED, true, {METRIC_machine_throttled_count, METRIC_COUNT}},
    {FINDING_THERMAL, true, {METRIC_machine_thermal_throttle_count, METRIC_COUNT}},
    {FINDING_SWAPPING, true, {METRIC_machine_swap_in_kib, METRIC_machine_swap_out_kib}},
    {FINDING_MAJOR_FAULTS, true, {METRIC_server_major_fault_count, METRIC_COUNT}},
    {FINDING_OWN_FAULTS, false, {METRIC_collector_major_fault_count, METRIC_COUNT}},
    {FINDING_PACKETS_DROPPED, true, {METRIC_machine_softnet_drop_count, METRIC_COUNT}},
    {FINDING_RETRANSMITS, false, {METRIC_machine_retransmit_count, METRIC_COUNT}},
    {FINDING_TIME_WAIT, false, {METRIC_machine_time_wait_overflow_count, METRIC_COUNT}},
};

static void check_counts(const struct check *check)
{
    for (size_t i = 0; i < ARRAY_COUNT(counted); i++) {
        int64_t sum = 0;

        for (int k = 0; k < 2 && counted[i].metrics[k] != METRIC_COUNT; k++) {
            int64_t value = check->window->metrics[counted[i].metrics[k]];

            sum = value > 0 ? trial_add_counts(sum, value) : sum;
        }
        if (sum > 0) {
            finding_add(check, counted[i].kind, counted[i].invalidates, (double)sum, 0);
        }
    }
}

static double known(const struct check *check, enum metric metric)
{
    int64_t value = check->window->metrics[metric];

    return value == METRIC_UNKNOWN ? (double)NAN : (double)value;
}

static void check_steal(const struct check *check)
{
    double steal = known(check, METRIC_machine_steal_ns);
    double all = known(check, METRIC_machine_busy_ns) + known(check, METRIC_machine_idle_ns);

    if (all > 0) {
        finding_add_graded(check, FINDING_STEAL, steal / all, STEAL_SHARE_WARN, STEAL_SHARE_MAX);
    }
}

/* Over the samples of the window: a frequency that was never read says nothing. */
static void check_frequency(const struct check *check)
{
    double least = (double)NAN;
    double most = (double)NAN;

    for (size_t i = 0; i < check->trial->sample_count; i++) {
        const struct sample *sample = &check->trial->samples[i];
        int64_t low = sample->metrics[METRIC_machine_frequency_min_khz];
        int64_t high = sample->metrics[METRIC_machine_frequency_max_khz];

        if (sample->phase == SAMPLE_PHASE_WINDOW && low > 0 && high > 0) {
            least = fmin(least, (double)low);
            most = fmax(most, (double)high);
        }
    }
    double range = (most - least) / most;

    if (range > FREQUENCY_MAX) { /* false for NaN */
        finding_add(check, FINDING_FREQUENCY, false, range, FREQUENCY_MAX);
    }
}

static void check_run_queue(const struct check *check)
{
    double run = known(check, METRIC_server_user_ns) + known(check, METRIC_server_system_ns);
    double share = known(check, METRIC_server_run_delay_ns) / run;
    double threads = known(check, METRIC_server_thread_count);

    if (threads <= trial_server_cpus(check->results, check->window) && run > 0 &&
        share > RUN_DELAY_MAX) {
        finding_add(check, FINDING_RUN_QUEUE, false, share, RUN_DELAY_MAX);
    }
}

void findings_check_machine(const struct check *check)
{
    finding_add_graded(check, FINDING_FOREIGN_CPU, check->summary->foreign_cpu_share,
                       FOREIGN_SHARE_WARN, FOREIGN_SHARE_MAX);
    check_steal(check);
    check_counts(check);
    check_frequency(check);
    check_run_queue(check);
}
