// SPDX-License-Identifier: Apache-2.0
// What concerns more than one key of a plan, and what follows from the whole.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "collector/digest.h"
#include "collector/plan/plan_layers.h"
#include "collector/plan/plan_read.h"
#include "engines/base/clock.h"

#define QUICK_BLOCK_COUNT     3
#define QUICK_WAIT_NS         (500 * CLOCK_NS_PER_MS)
#define QUICK_WINDOW_NS       (2 * CLOCK_NS_PER_S)
#define FLOOD_BEFORE_COUNT    2 /* samples of the quiet server, to compare with */
#define CONNECTION_COUNTS_MAX (PLAN_WORKLOAD_COUNT_MAX * PLAN_LOAD_POINT_COUNT_MAX)

static enum err_code baseline_check(const struct plan_layers *layers)
{
    struct plan *plan = layers->plan;
    struct plan_mark mark = plan_layers_mark(layers, ROOT_BASELINE);
    char quote[PLAN_QUOTE_BYTES];
    char first[PLAN_QUOTE_BYTES];

    if (!plan->baseline) {
        plan->baseline = plan->engines[0].name;
    }
    for (size_t i = 0; i < plan->engine_count; i++) {
        if (strcmp(plan->engines[i].name, plan->baseline) == 0) {
            return ERR_OK;
        }
    }
    return plan_fail(mark.reader, mark.node,
                     "baseline: no engine has the name %s; name one of them, like %s",
                     plan_quote(plan->baseline, strlen(plan->baseline), quote),
                     plan_quote(plan->engines[0].name, strlen(plan->engines[0].name), first));
}

/* The A/A arm is stored under a name of its own. */
static enum err_code aa_name_check(const struct plan_layers *layers)
{
    const struct plan *plan = layers->plan;
    char name[PLAN_NAME_BYTES_MAX + sizeof(PLAN_AA_SUFFIX)];

    snprintf(name, sizeof(name), "%s" PLAN_AA_SUFFIX, plan->baseline);
    for (size_t i = 0; plan->aa_arm && i < plan->engine_count; i++) {
        if (strcmp(plan->engines[i].name, name) == 0) {
            return plan_fail(layers->engine_marks[i].reader, layers->engine_marks[i].node,
                             "name: this is the A/A arm's; choose another or write \"aa: false\"");
        }
    }
    return ERR_OK;
}

static enum err_code samples_check(const struct plan_layers *layers)
{
    const struct plan *plan = layers->plan;
    struct plan_mark sample = plan_layers_mark(layers, ROOT_SAMPLE);
    struct plan_mark window = plan_layers_mark(layers, ROOT_WINDOW);
    struct plan_mark mark = sample.node == layers->main->root ? window : sample;
    int64_t longest = (plan->warmup_ns + plan->window_ns) / plan->sample_ns;

    for (size_t i = 0; i < plan->workload_count; i++) {
        struct plan_times times = plan_times(plan, &plan->workloads[i]);
        int64_t count = (times.warmup_ns + times.window_ns) / plan->sample_ns;

        longest = count > longest ? count : longest;
    }
    if (longest > PLAN_SAMPLE_COUNT_MAX) {
        return plan_fail(mark.reader, mark.node,
                         "sample: %" PRId64 " samples a trial; at most %d: take longer samples or "
                         "a shorter window",
                         longest, PLAN_SAMPLE_COUNT_MAX);
    }
    return ERR_OK;
}

/* wrk measures whole seconds. */
static enum err_code drivers_check(const struct plan_layers *layers)
{
    const struct plan *plan = layers->plan;
    struct plan_mark mark = plan_layers_mark(layers, ROOT_WINDOW);

    for (size_t i = 0; i < plan->workload_count; i++) {
        const struct plan_workload *workload = &plan->workloads[i];
        int64_t window_ns = plan_times(plan, workload).window_ns;

        if (workload->driver == PLAN_DRIVER_WRK && window_ns % CLOCK_NS_PER_S != 0) {
            return plan_fail(mark.reader, mark.node,
                             "window: wrk measures whole seconds; make it one like 2s");
        }
    }
    return ERR_OK;
}

/* What does not go over TLS. A flood's connections ask once and are reset: there is no time for a
 * handshake. */
static enum err_code tls_check(const struct plan_layers *layers)
{
    const struct plan *plan = layers->plan;
    const char *problem = plan->machine.io == DRIVER_IO_URING
                              ? "goes with \"io: epoll\" only; leave \"io\" out"
                              : NULL;

    for (size_t i = 0; i < plan->workload_count; i++) {
        if (plan->workloads[i].driver == PLAN_DRIVER_WRK) {
            problem = "wrk is used over plain connections; make two plans of it";
        }
        if (plan->workloads[i].flood.connection_count > 0) {
            problem = "a flood goes over plain connections; make two plans of it";
        }
    }
    for (size_t i = 0; problem && i < plan->engine_count; i++) {
        if (plan->engines[i].tls.is_on) {
            return plan_fail(layers->engine_marks[i].reader, layers->engine_marks[i].node,
                             "tls: %s", problem);
        }
    }
    return ERR_OK;
}

/* What is written out only where it differs from the plan's, must differ from it. */
static void override_drop(struct plan_override *override, int64_t plan_ns)
{
    if (override->ns == plan_ns) {
        *override = (struct plan_override){0};
    }
}

static void overrides_drop(struct plan *plan)
{
    for (size_t i = 0; i < plan->workload_count; i++) {
        struct plan_workload *workload = &plan->workloads[i];

        override_drop(&workload->settle, plan->settle_ns);
        override_drop(&workload->warmup, plan->warmup_ns);
        override_drop(&workload->window, plan->window_ns);
        override_drop(&workload->cooldown, plan->cooldown_ns);
        override_drop(&workload->timeout, plan->timeout_ns);
    }
}

enum err_code plan_check(const struct plan_layers *layers)
{
    struct plan_mark trials = plan_layers_mark(layers, ROOT_TRIALS);
    enum err_code code = baseline_check(layers);

    if (code == ERR_OK) {
        code = aa_name_check(layers);
    }
    if (code == ERR_OK) {
        code = samples_check(layers);
    }
    if (code == ERR_OK) {
        code = drivers_check(layers);
    }
    if (code == ERR_OK) {
        code = tls_check(layers);
    }
    uint64_t trial_count = plan_trial_count(layers->plan);
    if (code == ERR_OK && trial_count > PLAN_TRIAL_COUNT_MAX) {
        return plan_fail(trials.reader, trials.node,
                         "trials: %" PRIu64 " trials in all; at most %d: take fewer engines, "
                         "workloads or trials",
                         trial_count, PLAN_TRIAL_COUNT_MAX);
    }
    overrides_drop(layers->plan);
    return code;
}

size_t plan_cell_count(const struct plan_workload *workload)
{
    return workload->load_point_count * (workload->rate_count > 0 ? workload->rate_count : 1);
}

struct plan_cell plan_cell(const struct plan_workload *workload, size_t index)
{
    size_t rate_count = workload->rate_count > 0 ? workload->rate_count : 1;

    return (struct plan_cell){
        .connection_count = workload->connection_counts[index / rate_count],
        .rate_per_s = workload->rate_count > 0 ? workload->rates_per_s[index % rate_count] : 0};
}

size_t plan_connection_counts(const struct plan *plan, uint32_t counts_out[CONNECTION_COUNTS_MAX])
{
    size_t count = 0;

    for (size_t i = 0; i < plan->workload_count; i++) {
        const struct plan_workload *workload = &plan->workloads[i];

        for (size_t j = 0; plan_is_calibrated(workload) && j < workload->load_point_count; j++) {
            uint32_t value = workload->connection_counts[j];
            size_t place = 0;

            while (place < count && counts_out[place] < value) {
                place++;
            }
            if (place < count && counts_out[place] == value) {
                continue;
            }
            memmove(&counts_out[place + 1], &counts_out[place],
                    (count - place) * sizeof(*counts_out));
            counts_out[place] = value;
            count++;
        }
    }
    return count;
}

uint64_t plan_trial_count(const struct plan *plan)
{
    uint32_t counts[CONNECTION_COUNTS_MAX];
    uint64_t cell_count = 0;

    for (size_t i = 0; i < plan->workload_count; i++) {
        cell_count += plan_cell_count(&plan->workloads[i]);
    }
    return cell_count * plan->block_count * (plan->engine_count + plan->aa_arm) +
           2 * plan_connection_counts(plan, counts);
}

static int64_t shorter_of(int64_t ns, int64_t limit_ns)
{
    return ns < limit_ns ? ns : limit_ns;
}

void plan_make_quick(struct plan *plan)
{
    plan->block_count =
        plan->block_count < QUICK_BLOCK_COUNT ? plan->block_count : QUICK_BLOCK_COUNT;
    plan->settle_ns = shorter_of(plan->settle_ns, QUICK_WAIT_NS);
    plan->warmup_ns = shorter_of(plan->warmup_ns, QUICK_WAIT_NS);
    plan->window_ns = shorter_of(plan->window_ns, QUICK_WINDOW_NS);
    plan->cooldown_ns = shorter_of(plan->cooldown_ns, QUICK_WAIT_NS);
    for (size_t i = 0; i < plan->workload_count; i++) {
        struct plan_workload *workload = &plan->workloads[i];

        workload->settle.ns = shorter_of(workload->settle.ns, QUICK_WAIT_NS);
        workload->warmup.ns = shorter_of(workload->warmup.ns, QUICK_WAIT_NS);
        workload->window.ns = shorter_of(workload->window.ns, QUICK_WINDOW_NS);
        workload->cooldown.ns = shorter_of(workload->cooldown.ns, QUICK_WAIT_NS);
    }
    overrides_drop(plan);
}

static int64_t time_of(const struct plan_override *override, int64_t plan_ns)
{
    return override->is_set ? override->ns : plan_ns;
}

struct plan_times plan_times(const struct plan *plan, const struct plan_workload *workload)
{
    const struct plan_flood *flood = &workload->flood;
    struct plan_times times = {.settle_ns = time_of(&workload->settle, plan->settle_ns),
                               .warmup_ns = time_of(&workload->warmup, plan->warmup_ns),
                               .window_ns = time_of(&workload->window, plan->window_ns),
                               .cooldown_ns = time_of(&workload->cooldown, plan->cooldown_ns),
                               .timeout_ns = time_of(&workload->timeout, plan->timeout_ns)};

    if (flood->connection_count > 0) {
        times.warmup_ns = FLOOD_BEFORE_COUNT * plan->sample_ns;
        times.window_ns = flood->for_ns + flood->recover_within_ns;
    }
    return times;
}

/* Adds so many trials of the length to the total, which stays at INT64_MAX. */
static void duration_add(int64_t *total_ns, uint64_t trial_count, int64_t trial_ns)
{
    int64_t sum_ns = 0;

    if (__builtin_mul_overflow(trial_ns, (int64_t)trial_count, &sum_ns) ||
        __builtin_add_overflow(*total_ns, sum_ns, total_ns)) {
        *total_ns = INT64_MAX;
    }
}

static int64_t trial_ns(const struct plan_times *times)
{
    return times->settle_ns + times->warmup_ns + times->window_ns + times->cooldown_ns;
}

int64_t plan_duration_ns(const struct plan *plan)
{
    static const struct plan_workload calibration = {0};
    uint32_t counts[CONNECTION_COUNTS_MAX];
    struct plan_times times = plan_times(plan, &calibration);
    uint64_t arm_count = plan->engine_count + plan->aa_arm;
    int64_t total_ns = 0;

    duration_add(&total_ns, 2 * plan_connection_counts(plan, counts), trial_ns(&times));
    for (size_t i = 0; i < plan->workload_count; i++) {
        times = plan_times(plan, &plan->workloads[i]);
        duration_add(&total_ns,
                     plan_cell_count(&plan->workloads[i]) * plan->block_count * arm_count,
                     trial_ns(&times));
    }
    return total_ns;
}

enum err_code plan_digest(const struct plan *plan, char hex_out[65], struct err *e)
{
    struct buf text;

    buf_init(&text, 16 * PLAN_TEXT_BYTES_MAX);
    plan_format(plan, &text);
    enum err_code code = buf_check(&text, "the canonical text of the plan", e);
    if (code == ERR_OK) {
        code = digest_bytes(text.bytes, text.length, hex_out, e);
    }
    buf_release(&text);
    return code;
}
