// SPDX-License-Identifier: Apache-2.0
// Engines of a plan that are not built in: a command, a folder of engines/external, a URL.
#ifndef COLLECTOR_PLAN_PLAN_FOREIGN_H
#define COLLECTOR_PLAN_PLAN_FOREIGN_H

#include "collector/plan/plan_fields.h"

#define PLAN_WORD_BYTES_MAX  4000
#define PLAN_EXTERNAL_PREFIX "engines/external/" /* of the assets */
#define PLAN_EXTERNAL_RECIPE "engine.yaml"

/* `read` functions of fields of an engine. errors ERR_USAGE, ERR_LIMIT */
enum err_code plan_read_words(struct plan_reader *reader, const struct plan_field *field,
                              const yaml_node_t *node, void *target) ATTR_MUST_USE;
enum err_code plan_read_ready(struct plan_reader *reader, const struct plan_field *field,
                              const yaml_node_t *node, void *target) ATTR_MUST_USE;
enum err_code plan_read_url(struct plan_reader *reader, const struct plan_field *field,
                            const yaml_node_t *node, void *target) ATTR_MUST_USE;
enum err_code plan_read_input(struct plan_reader *reader, const struct plan_field *field,
                              const yaml_node_t *node, void *target) ATTR_MUST_USE;
enum err_code plan_read_allocator(struct plan_reader *reader, const struct plan_field *field,
                                  const yaml_node_t *node, void *target) ATTR_MUST_USE;
/* Of a file or folder, relative to the plan's. */
enum err_code plan_read_file_path(struct plan_reader *reader, const struct plan_field *field,
                                  const yaml_node_t *node, void *target) ATTR_MUST_USE;
enum err_code plan_read_tls(struct plan_reader *reader, const struct plan_field *field,
                            const yaml_node_t *node, void *target) ATTR_MUST_USE;
/* Fills in what the engine's recipe says as well. */
enum err_code plan_read_external(struct plan_reader *reader, const struct plan_field *field,
                                 const yaml_node_t *node, void *target) ATTR_MUST_USE;

extern const struct plan_table plan_ready_table, plan_recipe_table, plan_tls_table;

/* That the keys of an engine belong together. errors ERR_USAGE */
enum err_code plan_check_engine(struct plan_reader *reader, const yaml_node_t *node,
                                const struct plan_engine *engine) ATTR_MUST_USE;

/* The same of TLS and the URL; sets what follows from https. errors ERR_USAGE */
enum err_code plan_check_tls(struct plan_reader *reader, const yaml_node_t *node,
                             struct plan_engine *engine) ATTR_MUST_USE;

/* That the file of `ca` holds certificates, where a plan was read from a file. errors ERR_USAGE */
enum err_code plan_check_ca(struct plan_reader *reader, const yaml_node_t *node,
                            const struct plan_engine *engine) ATTR_MUST_USE;

/* "node, nginx": for messages, ascending. Returns `out`. */
#define PLAN_EXTERNAL_LIST_BYTES 300
const char *plan_external_list(char out[PLAN_EXTERNAL_LIST_BYTES]);

#endif
