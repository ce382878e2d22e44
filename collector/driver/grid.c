// SPDX-License-Identifier: Apache-2.0
// The absolute grid of a trial.
#include "collector/driver/grid.h"

static uint32_t count_round_up(int64_t length_ns, int64_t interval_ns)
{
    return (uint32_t)((length_ns + interval_ns - 1) / interval_ns);
}

uint32_t grid_interval_count(const struct grid *grid)
{
    return count_round_up(grid->warmup_ns, grid->interval_ns) +
           count_round_up(grid->window_ns, grid->interval_ns);
}

int64_t grid_start_ns(const struct grid *grid, uint32_t index)
{
    uint32_t warmup_count = count_round_up(grid->warmup_ns, grid->interval_ns);

    if (index < warmup_count) {
        return (int64_t)index * grid->interval_ns;
    }
    int64_t in_window_ns = (int64_t)(index - warmup_count) * grid->interval_ns;
    return grid->warmup_ns + (in_window_ns < grid->window_ns ? in_window_ns : grid->window_ns);
}

enum sample_phase grid_phase(const struct grid *grid, uint32_t index)
{
    if (index < count_round_up(grid->warmup_ns, grid->interval_ns)) {
        return SAMPLE_PHASE_WARMUP;
    }
    return index < grid_interval_count(grid) ? SAMPLE_PHASE_WINDOW : SAMPLE_PHASE_DRAIN;
}
