// SPDX-License-Identifier: Apache-2.0
// The order of a session: a pure function of the plan and its seed.
#ifndef COLLECTOR_PLAN_SCHEDULE_H
#define COLLECTOR_PLAN_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/plan/plan.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"

#define SCHEDULE_LIMIT    UINT32_MAX /* arm index of the calibration engine */
#define SCHEDULE_NO_BLOCK UINT32_MAX

/*
 * Arms are what takes part in a block: the plan's engines in their order, then the A/A arm when
 * there is one (index engine_count: the baseline measured a second time).
 */
struct schedule_entry {
    uint32_t arm_index;      /* or SCHEDULE_LIMIT */
    uint32_t workload_index; /* of the plan; for SCHEDULE_LIMIT: unused, 0 */
    uint32_t connection_count;
    uint32_t rate_per_s;     /* open loop; 0: closed loop */
    uint32_t block_index;    /* 0 … block_count - 1 within its cell, or SCHEDULE_NO_BLOCK */
    uint32_t position_index; /* place within the block */
};

struct schedule {
    struct schedule_entry *entries; /* in order of execution */
    size_t count;
    uint32_t arm_count;
};

/*
 * Calibration with `limit` once a distinct connection count, then all blocks of all cells in
 * shuffled order with the arms of each block in an order balanced for position, then calibration
 * again. Two arms: exactly half of the blocks (rounded down or up by the seed) begin with each.
 * Three and more: rows of randomly permuted Latin squares (Williams rows where they exist), so that
 * over arm_count blocks each arm is once in each position; a last incomplete square gives its first
 * rows.
 *
 * schedule_out  schedule_release
 * source        Williams 1949; Fisher–Yates; generator RNG_NAME from plan->seed
 */
enum err_code schedule_make(const struct plan *plan, struct schedule *schedule_out,
                            struct err *e) ATTR_MUST_USE;
void schedule_release(struct schedule *schedule);

#endif
