// SPDX-License-Identifier: Apache-2.0
// Metrics that many machines do not tell.
#include "tests/support/metrics_unusual.h"

#include <stddef.h>

#include "engines/base/attr.h"

void metrics_forget_unusual(int64_t metrics[METRIC_COUNT])
{
    static const enum metric unusual[] = {
        METRIC_driver_lag_max_ns,
        METRIC_driver_spin_limit_ns,
        METRIC_driver_ring_thread_count,
        METRIC_machine_kernel_stack_kib,
        METRIC_machine_slab_kib,
        METRIC_server_syn_received_count,
        METRIC_server_established_count,
        METRIC_server_close_wait_count,
        METRIC_server_closing_count,
        METRIC_server_time_wait_count,
        METRIC_machine_frequency_min_khz,
        METRIC_machine_frequency_max_khz,
        METRIC_machine_thermal_throttle_count,
        METRIC_machine_temperature_millicelsius,
        METRIC_cgroup_cpu_ns,
        METRIC_cgroup_memory_kib,
    };

    for (size_t i = 0; i < ARRAY_COUNT(unusual); i++) {
        metrics[unusual[i]] = METRIC_UNKNOWN;
    }
}
