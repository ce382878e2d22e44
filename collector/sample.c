// SPDX-License-Identifier: Apache-2.0
// The tables made from metrics.def and outcomes.def.
#include "collector/sample.h"

#include <math.h>

#include "engines/base/attr.h"

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

double sample_foreign_cpu_share(const int64_t metrics[METRIC_COUNT], bool softirq_is_charged)
{
    static const enum metric own[] = {METRIC_server_user_ns, METRIC_server_system_ns,
                                      METRIC_collector_cpu_ns, METRIC_machine_softirq_ns};
    size_t own_count = ARRAY_COUNT(own) - (softirq_is_charged ? 1 : 0);
    int64_t busy_ns = metrics[METRIC_machine_busy_ns];
    int64_t idle_ns = metrics[METRIC_machine_idle_ns];
    double foreign_ns = (double)busy_ns;

    if (busy_ns == METRIC_UNKNOWN || idle_ns == METRIC_UNKNOWN) {
        return (double)NAN;
    }
    for (size_t i = 0; i < own_count; i++) {
        if (metrics[own[i]] == METRIC_UNKNOWN) {
            return (double)NAN;
        }
        foreign_ns -= (double)metrics[own[i]];
    }
    double all_ns = (double)busy_ns + (double)idle_ns;

    if (all_ns <= 0) {
        return (double)NAN;
    }
    return foreign_ns > 0 ? foreign_ns / all_ns : 0;
}
