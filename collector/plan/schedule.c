// SPDX-License-Identifier: Apache-2.0
// The order of a session: blocks shuffled, positions balanced by Latin squares.
#include "collector/plan/schedule.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "collector/plan/plan_read.h"
#include "engines/base/rng.h"

#define ARM_COUNT_MAX (PLAN_ENGINE_COUNT_MAX + 1)

struct cell {
    uint32_t workload_index;
    struct plan_cell point;
    uint32_t blocks_done;
    uint32_t *rows; /* block_count rows of arm_count arms */
};

/*
 * Arm of row i at place j of Williams' square: the first row is 0, 1, n-1, 2, n-2 …, the next ones
 * add 1 (mod n). For even n each arm follows each other arm once. For odd n that takes a pair of
 * squares, the second with every row reversed.   source: Williams 1949
 */
static uint32_t williams_arm(uint32_t arm_count, uint32_t row, uint32_t place)
{
    uint32_t step = place % 2 ? (place + 1) / 2 : (arm_count - place / 2) % arm_count;

    return (step + row) % arm_count;
}

/* Rows of squares whose arms and rows are permuted at random; the two squares of a pair (odd n)
 * share the permutation of arms, for otherwise they would not be a pair. */
static void latin_rows_make(struct rng *rng, uint32_t arm_count, uint32_t block_count,
                            uint32_t *rows_out)
{
    uint32_t arms[ARM_COUNT_MAX];
    uint32_t order[ARM_COUNT_MAX];

    assert(arm_count > 0 && arm_count <= ARM_COUNT_MAX);
    for (uint32_t i = 0; i < arm_count; i++) {
        arms[i] = i;
        order[i] = i;
    }
    for (uint32_t block = 0; block < block_count; block++) {
        uint32_t square = block / arm_count;
        bool reversed = arm_count % 2 != 0 && square % 2 != 0;

        if (block % arm_count == 0) {
            if (!reversed) {
                rng_shuffle(rng, arms, arm_count);
            }
            rng_shuffle(rng, order, arm_count);
        }
        uint32_t row = order[block % arm_count];
        for (uint32_t place = 0; place < arm_count; place++) {
            uint32_t source = reversed ? arm_count - 1 - place : place;

            rows_out[block * arm_count + place] = arms[williams_arm(arm_count, row, source)];
        }
    }
}

/* Half of the blocks AB, half BA, shuffled; the seed decides the odd one. */
static void pair_rows_make(struct rng *rng, uint32_t block_count, uint32_t *rows_out)
{
    uint32_t odd_one = (uint32_t)rng_below(rng, 2);

    for (uint32_t block = 0; block < block_count; block++) {
        rows_out[block] = (block + odd_one) % 2;
    }
    rng_shuffle(rng, rows_out, block_count);
    for (uint32_t block = block_count; block-- > 0;) {
        uint32_t first = rows_out[block];

        rows_out[2 * block] = first;
        rows_out[2 * block + 1] = 1 - first;
    }
}

static void cell_rows_make(struct rng *rng, uint32_t arm_count, uint32_t block_count,
                           uint32_t *rows_out)
{
    if (arm_count == 2) {
        pair_rows_make(rng, block_count, rows_out);
    } else {
        latin_rows_make(rng, arm_count, block_count, rows_out);
    }
}

static void calibration_add(struct schedule *schedule, const uint32_t *counts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        schedule->entries[schedule->count++] =
            (struct schedule_entry){.arm_index = SCHEDULE_LIMIT,
                                    .connection_count = counts[i],
                                    .block_index = SCHEDULE_NO_BLOCK};
    }
}

static void block_add(struct schedule *schedule, struct cell *cell)
{
    const uint32_t *row = cell->rows + (size_t)cell->blocks_done * schedule->arm_count;

    for (uint32_t place = 0; place < schedule->arm_count; place++) {
        schedule->entries[schedule->count++] =
            (struct schedule_entry){.arm_index = row[place],
                                    .workload_index = cell->workload_index,
                                    .connection_count = cell->point.connection_count,
                                    .rate_per_s = cell->point.rate_per_s,
                                    .block_index = cell->blocks_done,
                                    .position_index = place};
    }
    cell->blocks_done++;
}

/* Lists the cells; returns how many. */
static uint32_t cells_list(const struct plan *plan, struct cell *cells)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < plan->workload_count; i++) {
        for (size_t j = 0; j < plan_cell_count(&plan->workloads[i]); j++) {
            cells[count++] =
                (struct cell){.workload_index = i, .point = plan_cell(&plan->workloads[i], j)};
        }
    }
    return count;
}

enum err_code schedule_make(const struct plan *plan, struct schedule *schedule_out, struct err *e)
{
    uint32_t counts[PLAN_WORKLOAD_COUNT_MAX * PLAN_LOAD_POINT_COUNT_MAX];
    struct cell cells[PLAN_WORKLOAD_COUNT_MAX * PLAN_LOAD_POINT_COUNT_MAX];
    size_t distinct_count = plan_connection_counts(plan, counts);
    uint32_t cell_count = cells_list(plan, cells);
    uint32_t arm_count = (uint32_t)plan->engine_count + plan->aa_arm;
    size_t block_total = (size_t)plan->block_count * cell_count;

    assert(block_total > 0 && arm_count > 0);
    uint32_t *rows = calloc(block_total * arm_count, sizeof(*rows));
    uint32_t *cell_order = calloc(block_total, sizeof(*cell_order));
    struct schedule schedule = {.entries =
                                    calloc(plan_trial_count(plan), sizeof(*schedule.entries)),
                                .arm_count = arm_count};
    struct rng rng;

    if (!rows || !cell_order || !schedule.entries) {
        free(rows);
        free(cell_order);
        free(schedule.entries);
        return err_set(e, ERR_LIMIT, "out of memory for the order of the trials");
    }
    rng_init(&rng, plan->seed);
    for (uint32_t i = 0; i < cell_count; i++) {
        cells[i].rows = rows + (size_t)i * plan->block_count * arm_count;
        cell_rows_make(&rng, arm_count, plan->block_count, cells[i].rows);
        for (uint32_t j = 0; j < plan->block_count; j++) {
            cell_order[(size_t)i * plan->block_count + j] = i;
        }
    }
    /* Which cell comes next is shuffled; within a cell the rows come in their order, so that
     * blocks of one cell are numbered as they are run. */
    rng_shuffle(&rng, cell_order, block_total);
    calibration_add(&schedule, counts, distinct_count);
    for (size_t i = 0; i < block_total; i++) {
        block_add(&schedule, &cells[cell_order[i]]);
    }
    calibration_add(&schedule, counts, distinct_count);
    free(rows);
    free(cell_order);
    *schedule_out = schedule;
    return ERR_OK;
}

void schedule_release(struct schedule *schedule)
{
    free(schedule->entries);
    *schedule = (struct schedule){0};
}
