// SPDX-License-Identifier: Apache-2.0
// The flood of a workload: connections opened without a pause, bounded in number and time.
#include "collector/plan/plan_flood.h"

#include "collector/plan/plan_read.h"
#include "engines/base/clock.h"

#define CONNECTION_COUNT_MAX 65535 /* as of a workload */
#define FLOOD_MINIMUM_NS     (100 * CLOCK_NS_PER_MS)
#define FLOOD_MAXIMUM_NS     (60 * CLOCK_NS_PER_S)
#define RECOVER_MINIMUM_NS   (100 * CLOCK_NS_PER_MS)
#define RECOVER_MAXIMUM_NS   (600 * CLOCK_NS_PER_S)
#define RECOVER_DEFAULT_NS   (10 * CLOCK_NS_PER_S)
#define DURATION(name, member, least_ns, most_ns)                                                  \
    {                                                                                              \
        .key = (name), .type = PLAN_FIELD_DURATION, .offset = offsetof(struct plan_flood, member), \
        .minimum = (least_ns), .maximum = (most_ns)                                                \
    }

enum flood_field { FLOOD_CONNECTIONS, FLOOD_FOR, FLOOD_RECOVER_WITHIN };

static const struct plan_field flood_fields[] = {
    [FLOOD_CONNECTIONS] = {.key = "connections",
                           .type = PLAN_FIELD_COUNT,
                           .offset = offsetof(struct plan_flood, connection_count),
                           .minimum = 1,
                           .maximum = CONNECTION_COUNT_MAX,
                           .required = true},
    [FLOOD_FOR] = DURATION("for", for_ns, FLOOD_MINIMUM_NS, FLOOD_MAXIMUM_NS),
    [FLOOD_RECOVER_WITHIN] =
        DURATION("recover_within", recover_within_ns, RECOVER_MINIMUM_NS, RECOVER_MAXIMUM_NS),
};
const struct plan_table plan_flood_table = {
    .what = "flood", .fields = flood_fields, .field_count = ARRAY_COUNT(flood_fields)};

enum err_code plan_flood_read(struct plan_reader *reader, const struct plan_field *field,
                              const yaml_node_t *node, void *target)
{
    struct plan_workload *workload = target;
    const yaml_node_t *found[ARRAY_COUNT(flood_fields)];
    struct plan_flood *flood = &workload->flood;

    (void)field;
    flood->recover_within_ns = RECOVER_DEFAULT_NS;
    enum err_code code = plan_fields_read(reader, &plan_flood_table, node, flood, found);

    if (code == ERR_OK && !found[FLOOD_FOR] && flood->for_ns == 0) {
        return plan_fail(reader, node, "flood: no \"for\"; say how long, like \"for: 2s\"");
    }
    return code;
}

enum err_code plan_flood_check(struct plan_reader *reader, const struct plan_load_nodes *nodes,
                               struct plan_workload *workload)
{
    const struct {
        const yaml_node_t *node;
        const char *key;
    } beside[] = {{nodes->connections, "connections"},
                  {nodes->rate, "rate"},
                  {nodes->pipeline, "pipeline"},
                  {nodes->requests, "requests_per_connection"},
                  {nodes->mix, "requests"},
                  {nodes->think, "think_time"}};

    if (!nodes->flood && !nodes->connections) {
        return plan_fail(reader, nodes->workload, "a workload has no \"connections\"; add it");
    }
    for (size_t i = 0; nodes->flood && i < ARRAY_COUNT(beside); i++) {
        if (beside[i].node) {
            return plan_fail(reader, beside[i].node,
                             "%s beside flood, whose connections stand in it and ask once each; "
                             "make two workloads of it",
                             beside[i].key);
        }
    }
    if (nodes->flood) {
        workload->connection_counts[0] = workload->flood.connection_count;
        workload->load_point_count = 1;
    }
    return ERR_OK;
}
