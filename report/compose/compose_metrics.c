// SPDX-License-Identifier: Apache-2.0
// Names and units of metrics.
#include "report/compose/compose_metrics.h"

static const struct {
    const char *name, *unit;
    double scale;
    const char *stored_unit;
} words[PLAN_METRIC_COUNT] = {
    [PLAN_METRIC_THROUGHPUT] = {"throughput", "requests/s", 1, "1/s"},
    [PLAN_METRIC_P50] = {"p50", "ms", 1e-6, "ns"},
    [PLAN_METRIC_P90] = {"p90", "ms", 1e-6, "ns"},
    [PLAN_METRIC_P99] = {"p99", "ms", 1e-6, "ns"},
    [PLAN_METRIC_P999] = {"p99.9", "ms", 1e-6, "ns"},
    [PLAN_METRIC_SERVER_CPU] = {"server CPU", "\xc2\xb5s/request", 1e-3, "ns"},
    [PLAN_METRIC_RSS] = {"peak memory", "MiB", 1.0 / 1048576, "B"},
};

const char *compose_metric_name(enum plan_claim_metric metric)
{
    return words[metric].name;
}

const char *compose_metric_unit(enum plan_claim_metric metric)
{
    return words[metric].unit;
}

double compose_metric_scale(enum plan_claim_metric metric)
{
    return words[metric].scale;
}

const char *compose_metric_stored_unit(enum plan_claim_metric metric)
{
    return words[metric].stored_unit;
}
