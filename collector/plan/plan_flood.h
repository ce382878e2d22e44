// SPDX-License-Identifier: Apache-2.0
// The keys of a workload's flood.
#ifndef COLLECTOR_PLAN_PLAN_FLOOD_H
#define COLLECTOR_PLAN_PLAN_FLOOD_H

#include "collector/plan/plan.h"
#include "collector/plan/plan_fields.h"

/* The `read` function of the field `flood` of a workload. errors ERR_USAGE */
enum err_code plan_flood_read(struct plan_reader *reader, const struct plan_field *field,
                              const yaml_node_t *node, void *target) ATTR_MUST_USE;

/* What the workload says of its load; NULL where the key is absent. */
struct plan_load_nodes {
    const yaml_node_t *workload, *flood, *connections, *rate, *pipeline, *requests, *mix, *think;
};

/* Either a flood or connections, and a flood has none of the others; makes the flood's load point.
 * errors ERR_USAGE */
enum err_code plan_flood_check(struct plan_reader *reader, const struct plan_load_nodes *nodes,
                               struct plan_workload *workload) ATTR_MUST_USE;

#endif
