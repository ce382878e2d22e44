// SPDX-License-Identifier: Apache-2.0
// The outcome of a reproduction for programs: verdict.json, format tacho-verdict-1, whose schema is
// report/reproduce/verdict.schema.json.
#ifndef REPORT_REPRODUCE_VERDICT_JSON_H
#define REPORT_REPRODUCE_VERDICT_JSON_H

#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"
#include "report/reproduce/reproduce.h"

#define VERDICT_JSON_FORMAT "tacho-verdict-1"

/* Appends the object, keys in fixed order, numbers so that reading gives the same ones again; what
 * is not known is null. errors ERR_FORMAT: a text that is not UTF-8; ERR_LIMIT: memory */
enum err_code verdict_json_format(const struct reproduce_state *state, struct buf *out,
                                  struct err *e) ATTR_MUST_USE;

#endif
