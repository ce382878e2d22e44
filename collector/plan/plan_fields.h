// SPDX-License-Identifier: Apache-2.0
// Mappings of a plan by table: one row a key makes the parser, the limits and the messages.
#ifndef COLLECTOR_PLAN_PLAN_FIELDS_H
#define COLLECTOR_PLAN_PLAN_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/plan/plan_yaml.h"

#define PLAN_FIELD_COUNT_MAX 32

enum plan_field_type {
    PLAN_FIELD_NAME,     /* const char *: one line, 1 … maximum bytes */
    PLAN_FIELD_COUNT,    /* uint32_t */
    PLAN_FIELD_INT,      /* int */
    PLAN_FIELD_SEED,     /* uint64_t, all of them */
    PLAN_FIELD_DURATION, /* int64_t ns */
    PLAN_FIELD_BOOL,     /* bool: true or false */
    PLAN_FIELD_CPUS,     /* const char *: a CPU list, in its shortest form */
    PLAN_FIELD_OTHER,    /* by `read` */
};

struct plan_field {
    const char *key;
    enum plan_field_type type;
    size_t offset;            /* of the member in the target */
    int64_t minimum, maximum; /* in the member's unit */
    bool required;
    enum err_code (*read)(struct plan_reader *reader, const struct plan_field *field,
                          const yaml_node_t *node, void *target);
};

struct plan_table {
    const char *what; /* for messages: "the plan", "an engine" */
    const struct plan_field *fields;
    size_t field_count;
    bool is_layered; /* a required key may stand in another text: that is looked at later */
};

/*
 * Reads a mapping into `target`, which holds the defaults beforehand.
 *
 * found_out   the value's node of each field, NULL where the key is absent; at least field_count
 *             of a setting no key is required
 * errors      ERR_USAGE: no mapping, unknown, repeated or missing key, a wrong value; ERR_LIMIT
 */
enum err_code plan_fields_read(struct plan_reader *reader, const struct plan_table *table,
                               const yaml_node_t *node, void *target,
                               const yaml_node_t **found_out) ATTR_MUST_USE;

/* The text of a node that must be a scalar with a value; `wanted` names what is wanted instead, as
 * in "a whole number like 10". errors ERR_USAGE */
enum err_code plan_read_scalar(struct plan_reader *reader, const char *key, const char *wanted,
                               const yaml_node_t *node, const char **text_out) ATTR_MUST_USE;

/* One of `words`, a NULL behind the last: which. errors ERR_USAGE, which names them all */
enum err_code plan_read_word(struct plan_reader *reader, const struct plan_field *field,
                             const yaml_node_t *node, const char *const *words,
                             int *index_out) ATTR_MUST_USE;

/* A duration within the field's limits. errors ERR_USAGE */
enum err_code plan_read_duration(struct plan_reader *reader, const struct plan_field *field,
                                 const yaml_node_t *node, int64_t *ns_out) ATTR_MUST_USE;

/* A count within the field's limits. errors ERR_USAGE */
enum err_code plan_read_count(struct plan_reader *reader, const struct plan_field *field,
                              const yaml_node_t *node, int64_t *count_out) ATTR_MUST_USE;

/* A line of text, 1 … field->maximum bytes, kept by the plan. errors ERR_USAGE, ERR_LIMIT */
enum err_code plan_read_name(struct plan_reader *reader, const struct plan_field *field,
                             const yaml_node_t *node, const char **text_out) ATTR_MUST_USE;

enum err_code plan_fail_memory(struct plan_reader *reader) ATTR_MUST_USE;

#endif
