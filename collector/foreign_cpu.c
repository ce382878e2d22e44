// SPDX-License-Identifier: Apache-2.0
// How much of a machine's CPU time neither the server nor tacho had, from the metrics of a sample
// or a window.
#include "collector/foreign_cpu.h"

#include <math.h>

#include "collector/sample.h"

static double known(const int64_t *metrics, enum metric metric)
{
    return metrics[metric] == METRIC_UNKNOWN ? (double)NAN : (double)metrics[metric];
}

double foreign_cpu_share(const int64_t *metrics, bool softirq_is_charged)
{
    double busy = known(metrics, METRIC_machine_busy_ns);
    double all = busy + known(metrics, METRIC_machine_idle_ns);
    double server_user = known(metrics, METRIC_server_user_ns);
    double server = server_user + known(metrics, METRIC_server_system_ns);
    double tacho = known(metrics, METRIC_collector_cpu_ns);
    double any = busy - server - tacho;
    /* Of tacho the driver's time in the kernel is known, all else may have been in user mode. */
    double user = known(metrics, METRIC_machine_user_ns) - server_user -
                  (tacho - known(metrics, METRIC_driver_system_ns));

    if (!softirq_is_charged) {
        any -= known(metrics, METRIC_machine_softirq_ns);
    }
    if (isnan(any + all) || all <= 0) {
        return (double)NAN;
    }
    return fmax(fmax(any, user), 0) / all; /* fmax leaves NaN out */
}
