// SPDX-License-Identifier: Apache-2.0
// What was published beside what was reproduced: claims, program, machines.
#ifndef REPORT_COMPOSE_COMPOSE_REPRODUCTION_H
#define REPORT_COMPOSE_COMPOSE_REPRODUCTION_H

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/render/document.h"
#include "report/reproduce/reproduce.h"

/* In the language of state->config. errors   ERR_LIMIT: memory; those of document_set_language */
enum err_code compose_reproduction(const struct reproduce_state *state,
                                   struct document **document_out, struct err *e) ATTR_MUST_USE;

/* What the outcome says in the terms of ACM's badges (version 1.1): three lines of our own words,
 * the last one empty. */
#define COMPOSE_BADGE_COUNT 3
void compose_badges(const struct reproduce_state *state, const char *out[COMPOSE_BADGE_COUNT]);

#endif
