// SPDX-License-Identifier: Apache-2.0
// The tables made from metrics.def and outcomes.def.
#include "collector/sample.h"

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
