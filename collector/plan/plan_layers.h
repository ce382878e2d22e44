// SPDX-License-Identifier: Apache-2.0
// A plan made of several texts: the files that it includes, itself, and what the command line sets.
#ifndef COLLECTOR_PLAN_PLAN_LAYERS_H
#define COLLECTOR_PLAN_PLAN_LAYERS_H

#include "collector/plan/plan_fields.h"

#define PLAN_LAYER_COUNT_MAX   64 /* files and settings */
#define PLAN_INCLUDE_DEPTH_MAX 4

/* Of the root's keys, those that are looked at again when all layers are read. */
enum plan_root_field {
    ROOT_TITLE,
    ROOT_BASELINE,
    ROOT_TRIALS,
    ROOT_WINDOW,
    ROOT_SAMPLE,
    ROOT_CLAIMS,
    ROOT_INCLUDE,
    ROOT_MARK_COUNT
};

struct plan_layer {
    struct plan_reader reader;
    const yaml_node_t *root;
    char *text; /* what it was read from; on the heap */
    size_t text_length;
    const char *setting;                       /* KEY=VALUE of the command line; NULL: a file */
    const yaml_node_t *marks[ROOT_MARK_COUNT]; /* values in this text, NULL where it does not say */
};

struct plan_layers {
    struct plan_layer *items[PLAN_LAYER_COUNT_MAX]; /* in the order in which they were read */
    size_t count;
    struct plan_layer *main; /* the plan itself */
    struct plan_mark engine_marks[PLAN_ENGINE_COUNT_MAX];
    struct plan *plan;
    struct err *e;
};

/* Reads a text after what it includes; of several, the last one is the plan itself. errors as
 * plan_parse */
enum err_code plan_layers_read(struct plan_layers *layers, const struct plan_reader *reader,
                               const char *text, size_t length) ATTR_MUST_USE;

/* "KEY=VALUE", "machine.KEY=VALUE", "engines.NAME.KEY=VALUE", "workloads.NAME.KEY=VALUE". errors
 * as plan_parse */
enum err_code plan_layers_set(struct plan_layers *layers, const char *text) ATTR_MUST_USE;

/* Where a key was said last; of the root where nobody said it. */
struct plan_mark plan_layers_mark(const struct plan_layers *layers, enum plan_root_field field);

/* The texts, not the plan. */
void plan_layers_release(struct plan_layers *layers);

#endif
