// SPDX-License-Identifier: Apache-2.0
// The parts of reading a plan: one function a kind of item, and the checks over the whole.
#ifndef COLLECTOR_PLAN_PLAN_READ_H
#define COLLECTOR_PLAN_PLAN_READ_H

#include "collector/plan/plan_fields.h"
#include "engines/base/clock.h"

#define PLAN_HOUR_NS          (3600 * CLOCK_NS_PER_S)
#define PLAN_DAY_NS           (24 * PLAN_HOUR_NS)
#define PLAN_TRIAL_COUNT_MAX  100000 /* of a session, calibration included */
#define PLAN_SAMPLE_COUNT_MAX 100000 /* of a trial */

/* `read` functions of the fields `machine`, `engines` and `workloads` of the plan. */
enum err_code plan_read_machine(struct plan_reader *reader, const struct plan_field *field,
                                const yaml_node_t *node, void *target) ATTR_MUST_USE;
enum err_code plan_read_engines(struct plan_reader *reader, const struct plan_field *field,
                                const yaml_node_t *node, void *target) ATTR_MUST_USE;
enum err_code plan_read_workloads(struct plan_reader *reader, const struct plan_field *field,
                                  const yaml_node_t *node, void *target) ATTR_MUST_USE;

/* A list of claims; unless they are `recorded`, what they name must be in the plan. errors
 * ERR_USAGE */
enum err_code plan_read_claims(struct plan_reader *reader, const yaml_node_t *node,
                               bool is_recorded) ATTR_MUST_USE;

/* The tables of keys, for what must know all of them: settings, and the schema for editors. */
extern const struct plan_table plan_root_table, plan_machine_table, plan_engine_table,
    plan_workload_table, plan_request_table, plan_expect_table, plan_flood_table, plan_claim_table;

/* One key of an item that was read before, as the command line sets it. errors ERR_USAGE, ERR_LIMIT
 */
enum err_code plan_set_engine(struct plan_reader *reader, const char *key,
                              struct plan_engine *engine) ATTR_MUST_USE;
enum err_code plan_set_workload(struct plan_reader *reader, const char *key,
                                struct plan_workload *workload) ATTR_MUST_USE;

/* What concerns more than one key; sets the default baseline. errors ERR_USAGE */
struct plan_layers;
enum err_code plan_check(const struct plan_layers *layers) ATTR_MUST_USE;

/* Trials of a session, calibration included. */
uint64_t plan_trial_count(const struct plan *plan);

/* Ascending, without repetition. Returns how many. */
size_t
plan_connection_counts(const struct plan *plan,
                       uint32_t counts_out[PLAN_WORKLOAD_COUNT_MAX * PLAN_LOAD_POINT_COUNT_MAX]);

#endif
