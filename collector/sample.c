// SPDX-License-Identifier: Apache-2.0
// The tables made from metrics.def and outcomes.def.
#include "collector/sample.h"

#include <math.h>

const struct outcome_info outcome_infos[OUTCOME_COUNT] = {
#define OUTCOME(id, name, class, help) [OUTCOME_##id] = {name, OUTCOME_CLASS_##class, help},
#include "collector/outcomes.def"
#undef OUTCOME
};

const struct metric_info metric_infos[METRIC_COUNT] = {
#define METRIC(name, unit, kind, scope, help)                                                      \
    [METRIC_##name] = {#name, unit, METRIC_KIND_##kind, METRIC_SCOPE_##scope, help},
#include "collector/metrics.def"
#undef METRIC
};

const char *const sample_phase_names[3] = {"warmup", "window", "drain"};

static double known(const int64_t metrics[METRIC_COUNT], enum metric metric)
{
    return metrics[metric] == METRIC_UNKNOWN ? (double)NAN : (double)metrics[metric];
}

double sample_foreign_cpu_share(const int64_t metrics[METRIC_COUNT], bool softirq_is_charged)
{
    double busy_ns = known(metrics, METRIC_machine_busy_ns);
    double all_ns = busy_ns + known(metrics, METRIC_machine_idle_ns);
    double server_user_ns = known(metrics, METRIC_server_user_ns);
    double tacho_ns = known(metrics, METRIC_collector_cpu_ns);
    double apart_ns = softirq_is_charged ? 0 : known(metrics, METRIC_machine_softirq_ns);
    double any_ns =
        busy_ns - server_user_ns - known(metrics, METRIC_server_system_ns) - tacho_ns - apart_ns;
    /* Of tacho the driver's time in the kernel is known; all else may have been in user mode. */
    double user_ns = known(metrics, METRIC_machine_user_ns) - server_user_ns -
                     (tacho_ns - known(metrics, METRIC_driver_system_ns));

    if (isnan(any_ns + all_ns) || all_ns <= 0) {
        return (double)NAN;
    }
    return fmax(fmax(any_ns, user_ns), 0) / all_ns; /* fmax passes NaN over */
}
