// SPDX-License-Identifier: Apache-2.0
// Published numbers beside the measured ones, as a section of a session's report.
#ifndef REPORT_COMPOSE_COMPOSE_BESIDE_H
#define REPORT_COMPOSE_COMPOSE_BESIDE_H

#include "report/compose/compose.h"
#include "report/published/published.h"

/*
 * Adds the section behind the results; nothing when `count` is 0.
 *
 * published   `count` files, which live as long as the document
 * errors      ERR_LIMIT: memory
 */
enum err_code compose_beside(struct compose *compose, const struct published *const *published,
                             size_t count, struct err *e) ATTR_MUST_USE;

#endif
