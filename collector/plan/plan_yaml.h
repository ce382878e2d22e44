// SPDX-License-Identifier: Apache-2.0
// A plan's YAML as nodes that know their line and column: the only module that calls libyaml.
// libyaml itself and no wrapper: mistakes of meaning need positions as much as those of syntax.
#ifndef COLLECTOR_PLAN_PLAN_YAML_H
#define COLLECTOR_PLAN_PLAN_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

#include "collector/plan/plan.h"
#include "collector/plan/plan_stored.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"

#define PLAN_TEXT_BYTES_MAX (1 << 20)
#define PLAN_DEPTH_MAX      8
#define PLAN_QUOTE_BYTES    80

struct plan_reader;

/* A place in one of the texts of a plan. */
struct plan_mark {
    struct plan_reader *reader;
    const yaml_node_t *node;
};

/* What the functions that read one text of a plan share. */
struct plan_reader {
    const char *name;               /* for messages */
    const char *folder;             /* of the plan's file; NULL: the current one */
    const char *prefix;             /* from there to this text's folder, "" or "common/" */
    bool is_setting;                /* a text of the command line: it has no lines and columns */
    const struct plan_body *bodies; /* of a stored plan: instead of files; NULL: files */
    size_t body_count;
    /* A plan as it was written, read once more without its files: what came of it, which has the
     * bodies and the variables; NULL: it is not that. `bodies` is set then. */
    const struct plan *resolved;
    yaml_document_t document;
    struct plan *plan;              /* being made */
    struct plan_mark *engine_marks; /* where each engine's name stands; PLAN_ENGINE_COUNT_MAX */
    struct err *e;
};

/*
 * Checks the bytes (UTF-8, no NUL, size, depth; no anchor, alias, tag, directive or second
 * document) and makes reader->document, which is never empty; plan_yaml_release when done.
 *
 * errors   ERR_USAGE, ERR_LIMIT (size, memory)
 */
enum err_code plan_yaml_load(struct plan_reader *reader, const char *text,
                             size_t length) ATTR_MUST_USE;
void plan_yaml_release(struct plan_reader *reader);

/* The node of an index of the document, 1 … */
const yaml_node_t *plan_yaml_node(struct plan_reader *reader, int index);
const yaml_node_t *plan_yaml_root(struct plan_reader *reader);

/* ERR_USAGE with "NAME:LINE:COLUMN: " of the node before the text. */
enum err_code plan_fail(struct plan_reader *reader, const yaml_node_t *node, const char *format,
                        ...) ATTR_PRINTF(3, 4);

/* Text from a plan for a message, in quotes, control characters as '?', long text cut. Returns
 * `out`. */
const char *plan_quote(const char *text, size_t length, char out[PLAN_QUOTE_BYTES]);

/* A copy with a NUL after it that lives as long as the plan; NULL when memory ran out. */
char *plan_keep(struct plan *plan, const char *bytes, size_t length);

#endif
