// SPDX-License-Identifier: Apache-2.0
// What a plan says of an engine's process: its variables and its arguments.
#ifndef COLLECTOR_PLAN_PLAN_PROCESS_H
#define COLLECTOR_PLAN_PLAN_PROCESS_H

#include "collector/plan/plan_fields.h"

/*
 * `read` functions of the fields `environment` and `arguments` of an engine. A variable has its
 * value in the plan, or is named in a list and then taken from this program's environment; either
 * way the value becomes part of the canonical text.
 *
 * errors   ERR_USAGE, ERR_LIMIT
 */
enum err_code plan_read_environment(struct plan_reader *reader, const struct plan_field *field,
                                    const yaml_node_t *node, void *target) ATTR_MUST_USE;
enum err_code plan_read_arguments(struct plan_reader *reader, const struct plan_field *field,
                                  const yaml_node_t *node, void *target) ATTR_MUST_USE;

/* That a built-in engine takes its arguments. errors ERR_USAGE */
enum err_code plan_check_arguments(struct plan_reader *reader, const yaml_node_t *node,
                                   const struct plan_engine *engine) ATTR_MUST_USE;

#endif
