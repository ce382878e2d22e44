// SPDX-License-Identifier: Apache-2.0
// The plan as it was written, beside the plan as it was understood.
#ifndef COLLECTOR_PLAN_PLAN_SOURCE_H
#define COLLECTOR_PLAN_PLAN_SOURCE_H

#include "collector/plan/plan_layers.h"

/*
 * What the layers were read from. One file alone: its bytes. Several: a YAML stream of a document a
 * file, in the order in which they count, each after "--- # NAME" relative to the plan's folder;
 * what the command line set follows as comments.
 *
 * source_out  kept by the plan; NULL when it is longer than PLAN_SOURCE_BYTES_MAX
 * errors      ERR_LIMIT: memory
 */
enum err_code plan_source_keep(const struct plan_layers *layers,
                               const char **source_out) ATTR_MUST_USE;

/*
 * Reads what plan_source_keep made, the last setting_count lines as settings.
 *
 * like     how the texts are read: name for messages, resolved
 * errors   as plan_parse; ERR_MISMATCH: a body that another one replaced is not kept
 */
enum err_code plan_source_read(struct plan_layers *layers, const struct plan_reader *like,
                               const char *source, size_t setting_count) ATTR_MUST_USE;

#endif
