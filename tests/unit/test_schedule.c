// SPDX-License-Identifier: Apache-2.0
// The order of a session: a permutation, balanced, the same for the same plan and seed.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "collector/plan/schedule.h"
#include "tests/support/prop.h"

#define CONNECTIONS_MAX 4

static void plan_init(struct plan *plan, size_t engine_count, bool aa_arm, uint32_t block_count)
{
    memset(plan, 0, sizeof(*plan));
    plan->engine_count = engine_count;
    plan->aa_arm = aa_arm;
    plan->block_count = block_count;
}

static void workload_add(struct plan *plan, size_t load_point_count, const uint32_t *counts)
{
    struct plan_workload *workload = &plan->workloads[plan->workload_count++];

    workload->load_point_count = load_point_count;
    memcpy(workload->connection_counts, counts, load_point_count * sizeof(*counts));
}

static void plan_make(struct rng *rng, struct plan *plan)
{
    static const uint32_t counts[CONNECTIONS_MAX] = {64, 1, 512, 8};

    plan_init(plan, 1 + rng_below(rng, 6), rng_below(rng, 2), 1 + (uint32_t)rng_below(rng, 15));
    plan->seed = rng_next(rng);
    for (size_t i = 1 + rng_below(rng, 3); i > 0; i--) {
        workload_add(plan, 1 + rng_below(rng, CONNECTIONS_MAX), counts);
    }
}

static size_t distinct_count(const struct plan *plan)
{
    size_t most = 0; /* the lists are prefixes of one list */

    for (size_t i = 0; i < plan->workload_count; i++) {
        size_t count = plan->workloads[i].load_point_count;
        most = count > most ? count : most;
    }
    return most;
}

/* How often (workload, connections, block, arm) is in the schedule. */
static size_t entry_count(const struct schedule *schedule, const struct schedule_entry *want)
{
    size_t count = 0;

    for (size_t i = 0; i < schedule->count; i++) {
        const struct schedule_entry *entry = &schedule->entries[i];
        count += entry->arm_index == want->arm_index &&
                 entry->workload_index == want->workload_index &&
                 entry->connection_count == want->connection_count &&
                 entry->block_index == want->block_index;
    }
    return count;
}

static void permutation_check(const struct plan *plan, const struct schedule *schedule)
{
    size_t total = 2 * distinct_count(plan);

    for (uint32_t i = 0; i < plan->workload_count; i++) {
        for (size_t j = 0; j < plan->workloads[i].load_point_count; j++) {
            for (uint32_t k = 0; k < plan->block_count * schedule->arm_count; k++) {
                struct schedule_entry want = {.workload_index = i,
                                              .connection_count =
                                                  plan->workloads[i].connection_counts[j],
                                              .block_index = k / schedule->arm_count,
                                              .arm_index = k % schedule->arm_count};
                cr_expect_eq(entry_count(schedule, &want), 1);
                total++;
            }
        }
    }
    cr_expect_eq(schedule->count, total);
}

Test(schedule, has_every_arm_of_every_block_of_every_cell_once)
{
    static struct plan plan;

    for_each_case(rng, 60, 1)
    {
        struct schedule schedule;

        plan_make(&rng, &plan);
        cr_assert_eq(schedule_make(&plan, &schedule, NULL), ERR_OK);
        cr_expect_eq(schedule.arm_count, plan.engine_count + plan.aa_arm);
        permutation_check(&plan, &schedule);
        schedule_release(&schedule);
    }
}

Test(schedule, begins_and_ends_with_the_limit_once_a_connection_count_ascending)
{
    static struct plan plan;

    for_each_case(rng, 60, 2)
    {
        struct schedule schedule;
        size_t distinct;

        plan_make(&rng, &plan);
        cr_assert_eq(schedule_make(&plan, &schedule, NULL), ERR_OK);
        distinct = distinct_count(&plan);
        for (size_t i = 0; i < schedule.count; i++) {
            const struct schedule_entry *entry = &schedule.entries[i];
            bool at_edge = i < distinct || i >= schedule.count - distinct;

            cr_expect_eq(entry->arm_index == SCHEDULE_LIMIT, at_edge, "entry %zu", i);
            cr_expect_eq(entry->block_index == SCHEDULE_NO_BLOCK, at_edge, "entry %zu", i);
        }
        for (size_t i = 0; i + 1 < distinct; i++) {
            cr_expect_lt(schedule.entries[i].connection_count,
                         schedule.entries[i + 1].connection_count);
        }
        for (size_t i = 0; i < distinct; i++) {
            cr_expect_eq(schedule.entries[i].connection_count,
                         schedule.entries[schedule.count - distinct + i].connection_count);
        }
        schedule_release(&schedule);
    }
}

Test(schedule, depends_on_the_plan_and_its_seed_alone)
{
    static struct plan plan;
    size_t different = 0;

    for_each_case(rng, 40, 3)
    {
        struct schedule first;
        struct schedule second;
        struct schedule other;

        plan_make(&rng, &plan);
        cr_assert_eq(schedule_make(&plan, &first, NULL), ERR_OK);
        cr_assert_eq(schedule_make(&plan, &second, NULL), ERR_OK);
        plan.seed++;
        cr_assert_eq(schedule_make(&plan, &other, NULL), ERR_OK);
        size_t bytes = first.count * sizeof(*first.entries);
        cr_expect_eq(memcmp(first.entries, second.entries, bytes), 0);
        different += memcmp(first.entries, other.entries, bytes) != 0;
        schedule_release(&first);
        schedule_release(&second);
        schedule_release(&other);
    }
    /* Plans with one arm or one block have one or two orders only; most have more. */
    cr_expect_geq(different, 25, "%zu", different);
}

Test(schedule, keeps_a_block_together_and_numbers_the_blocks_of_a_cell_as_they_are_run)
{
    static struct plan plan;

    for_each_case(rng, 40, 4)
    {
        struct schedule schedule;
        uint32_t next_block[3][513] = {0};

        plan_make(&rng, &plan);
        cr_assert_eq(schedule_make(&plan, &schedule, NULL), ERR_OK);
        size_t edge = distinct_count(&plan);
        for (size_t i = edge; i < schedule.count - edge; i++) {
            const struct schedule_entry *entry = &schedule.entries[i];
            const struct schedule_entry *head = entry - entry->position_index;

            cr_expect_eq(entry->position_index, (i - edge) % schedule.arm_count);
            cr_expect_eq(entry->workload_index, head->workload_index);
            cr_expect_eq(entry->connection_count, head->connection_count);
            cr_expect_eq(entry->block_index, head->block_index);
            if (entry == head) {
                cr_expect_eq(entry->block_index,
                             next_block[entry->workload_index][entry->connection_count]++);
            }
        }
        schedule_release(&schedule);
    }
}

/* Two arms: AB and BA as often, the odd one decided by the seed. */
Test(schedule, two_arms_begin_half_of_the_blocks_each)
{
    static const uint32_t count = 10;
    static struct plan plan;
    size_t odd_first_count = 0;

    for (uint32_t blocks = 1; blocks <= 15; blocks++) {
        for (uint64_t seed = 0; seed < 20; seed++) {
            struct schedule schedule;
            size_t first_count = 0;

            plan_init(&plan, 1, true, blocks);
            workload_add(&plan, 1, &count);
            plan.seed = seed;
            cr_assert_eq(schedule_make(&plan, &schedule, NULL), ERR_OK);
            for (size_t i = 0; i < schedule.count; i++) {
                const struct schedule_entry *entry = &schedule.entries[i];
                first_count += entry->arm_index == 0 && entry->position_index == 0;
            }
            cr_expect(first_count == blocks / 2 || first_count == (blocks + 1) / 2, "%u: %zu",
                      blocks, first_count);
            odd_first_count += blocks % 2 && first_count > blocks / 2;
            schedule_release(&schedule);
        }
    }
    /* 8 odd block counts with 20 seeds: Binomial(160, 1/2) is within 40 of 80 with p > 1 - 1e-9 */
    cr_expect(odd_first_count > 40 && odd_first_count < 120, "%zu", odd_first_count);
}

struct balance {
    uint32_t places[7][7];  /* [arm][position] */
    uint32_t follows[7][7]; /* [arm before][arm], within blocks */
};

static void balance_count(const struct schedule *schedule, uint32_t first_block,
                          uint32_t block_count, struct balance *out)
{
    memset(out, 0, sizeof(*out));
    for (size_t i = 0; i < schedule->count; i++) {
        const struct schedule_entry *entry = &schedule->entries[i];

        if (entry->arm_index == SCHEDULE_LIMIT || entry->block_index < first_block ||
            entry->block_index >= first_block + block_count) {
            continue;
        }
        out->places[entry->arm_index][entry->position_index]++;
        if (entry->position_index > 0) {
            out->follows[entry[-1].arm_index][entry->arm_index]++;
        }
    }
}

/* Williams 1949: in a square each arm is once in each position; each arm follows each other arm
 * once in a square of even size, twice in a pair of squares of odd size. */
Test(schedule, three_and_more_arms_are_balanced_for_position_and_for_what_ran_before)
{
    static const uint32_t count = 10;
    static struct plan plan;

    for (uint32_t arms = 3; arms <= 7; arms++) {
        struct schedule schedule;
        struct balance balance;
        uint32_t group = arms % 2 ? 2 * arms : arms;

        plan_init(&plan, arms - 1, true, 4 * arms);
        workload_add(&plan, 1, &count);
        plan.seed = 77 + arms;
        cr_assert_eq(schedule_make(&plan, &schedule, NULL), ERR_OK);
        for (uint32_t square = 0; square < 4; square++) {
            balance_count(&schedule, square * arms, arms, &balance);
            for (uint32_t i = 0; i < arms * arms; i++) {
                cr_expect_eq(balance.places[i / arms][i % arms], 1, "%u arms", arms);
            }
        }
        for (uint32_t first = 0; first < 4 * arms; first += group) {
            balance_count(&schedule, first, group, &balance);
            for (uint32_t i = 0; i < arms * arms; i++) {
                uint32_t want = i / arms == i % arms ? 0 : group / arms;
                cr_expect_eq(balance.follows[i / arms][i % arms], want, "%u arms", arms);
            }
        }
        schedule_release(&schedule);
    }
}

/* An incomplete last square: positions differ by one at most. */
Test(schedule, a_number_of_blocks_that_is_no_multiple_is_balanced_within_one)
{
    static const uint32_t count = 10;
    static struct plan plan;

    for (uint32_t blocks = 1; blocks <= 20; blocks++) {
        struct schedule schedule;
        struct balance balance;

        plan_init(&plan, 5, false, blocks);
        workload_add(&plan, 1, &count);
        plan.seed = blocks;
        cr_assert_eq(schedule_make(&plan, &schedule, NULL), ERR_OK);
        balance_count(&schedule, 0, blocks, &balance);
        for (uint32_t i = 0; i < 25; i++) {
            uint32_t times = balance.places[i / 5][i % 5];
            cr_expect(times == blocks / 5 || times == (blocks + 4) / 5, "%u blocks: %u", blocks,
                      times);
        }
        schedule_release(&schedule);
    }
}
