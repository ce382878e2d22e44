// SPDX-License-Identifier: Apache-2.0
// How the metrics of claims and sittings are said in pages.
#ifndef REPORT_COMPOSE_COMPOSE_METRICS_H
#define REPORT_COMPOSE_COMPOSE_METRICS_H

#include "collector/plan/plan_claim.h"

/* "throughput", "p99", "server CPU" … */
const char *compose_metric_name(enum plan_claim_metric metric);
/* Of pages: "requests/s", "ms" …; a number in the metric's own unit times the scale has it. */
const char *compose_metric_unit(enum plan_claim_metric metric);
double compose_metric_scale(enum plan_claim_metric metric);
/* The metric's own: "1/s", "ns", "B". */
const char *compose_metric_stored_unit(enum plan_claim_metric metric);

#endif
