// SPDX-License-Identifier: Apache-2.0
// What concerns more than one key of a plan, and what follows from the whole.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "collector/digest.h"
#include "collector/plan/plan_read.h"
#include "engines/base/clock.h"

#define QUICK_BLOCK_COUNT     3
#define QUICK_WAIT_NS         (500 * CLOCK_NS_PER_MS)
#define QUICK_WINDOW_NS       (2 * CLOCK_NS_PER_S)
#define FLOOD_BEFORE_COUNT    2 /* samples of the quiet server, to compare with */
#define CONNECTION_COUNTS_MAX (PLAN_WORKLOAD_COUNT_MAX * PLAN_LOAD_POINT_COUNT_MAX)

static enum err_code baseline_check(struct plan_reader *reader, const yaml_node_t *node)
{
    struct plan *plan = reader->plan;
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
    return plan_fail(reader, node, "baseline: no engine has the name %s; name one of them, like %s",
                     plan_quote(plan->baseline, strlen(plan->baseline), quote),
                     plan_quote(plan->engines[0].name, strlen(plan->engines[0].name), first));
}

/* The A/A arm is stored under a name of its own. */
static enum err_code aa_name_check(struct plan_reader *reader)
{
    const struct plan *plan = reader->plan;
    char name[PLAN_NAME_BYTES_MAX + sizeof(PLAN_AA_SUFFIX)];

    snprintf(name, sizeof(name), "%s" PLAN_AA_SUFFIX, plan->baseline);
    for (size_t i = 0; plan->aa_arm && i < plan->engine_count; i++) {
        if (strcmp(plan->engines[i].name, name) == 0) {
            return plan_fail(reader, reader->engine_nodes[i],
                             "name: this is the A/A arm's; choose another or write \"aa: false\"");
        }
    }
    return ERR_OK;
}

/* Of the longest trial. */
static int64_t sample_count_max(const struct plan *plan)
{
    int64_t most = (plan->warmup_ns + plan->window_ns) / plan->sample_ns;

    for (size_t i = 0; i < plan->workload_count; i++) {
        struct plan_times times = plan_times(plan, &plan->workloads[i]);
        int64_t count = (times.warmup_ns + times.window_ns) / plan->sample_ns;

        most = count > most ? count : most;
    }
    return most;
}

enum err_code plan_check(struct plan_reader *reader, const struct plan_marks *marks)
{
    const struct plan *plan = reader->plan;
    enum err_code code = baseline_check(reader, marks->baseline);

    if (code == ERR_OK) {
        code = aa_name_check(reader);
    }
    if (code != ERR_OK) {
        return code;
    }
    int64_t sample_count = sample_count_max(plan);
    if (sample_count > PLAN_SAMPLE_COUNT_MAX) {
        return plan_fail(reader,
                         marks->sample   ? marks->sample
                         : marks->window ? marks->window
                                         : marks->root,
                         "sample: %" PRId64 " samples a trial; at most %d: take longer samples or "
                         "a shorter window",
                         sample_count, PLAN_SAMPLE_COUNT_MAX);
    }
    uint64_t trial_count = plan_trial_count(plan);
    if (trial_count > PLAN_TRIAL_COUNT_MAX) {
        return plan_fail(reader, marks->trials ? marks->trials : marks->root,
                         "trials: %" PRIu64 " trials in all; at most %d: take fewer engines, "
                         "workloads or trials",
                         trial_count, PLAN_TRIAL_COUNT_MAX);
    }
    return ERR_OK;
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

        /* A flood has no rate that the limit's could be compared with. */
        for (size_t j = 0; !workload->flood.connection_count && j < workload->load_point_count;
             j++) {
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
}

struct plan_times plan_times(const struct plan *plan, const struct plan_workload *workload)
{
    const struct plan_flood *flood = &workload->flood;

    if (flood->connection_count > 0) {
        return (struct plan_times){FLOOD_BEFORE_COUNT * plan->sample_ns,
                                   flood->for_ns + flood->recover_within_ns};
    }
    return (struct plan_times){plan->warmup_ns, plan->window_ns};
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

int64_t plan_duration_ns(const struct plan *plan)
{
    uint32_t counts[CONNECTION_COUNTS_MAX];
    int64_t rest_ns = plan->settle_ns + plan->cooldown_ns;
    uint64_t arm_count = plan->engine_count + plan->aa_arm;
    int64_t total_ns = 0;

    duration_add(&total_ns, 2 * plan_connection_counts(plan, counts),
                 rest_ns + plan->warmup_ns + plan->window_ns);
    for (size_t i = 0; i < plan->workload_count; i++) {
        struct plan_times times = plan_times(plan, &plan->workloads[i]);

        duration_add(&total_ns,
                     plan_cell_count(&plan->workloads[i]) * plan->block_count * arm_count,
                     rest_ns + times.warmup_ns + times.window_ns);
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
