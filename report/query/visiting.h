// SPDX-License-Identifier: Apache-2.0
// Loaded trials handed to their visitor in a thread of its own, while the next one is read. Only
// for report/query.
#ifndef REPORT_QUERY_VISITING_H
#define REPORT_QUERY_VISITING_H

#include "collector/store/row_arena.h"
#include "report/query/results.h"
#include "report/query/results_pass.h"

struct visiting;

/* NULL: no memory. Without a thread to be had visits are made by the caller's. */
struct visiting *visiting_begin(const struct results_pass *pass, struct results *results);

/* Waits for the visit before; then the trial, whose samples lie in `arena`, is the visitor's. The
 * arena is freed after the visit, on failure as well. errors: of an earlier visit */
enum err_code visiting_hand(struct visiting *visiting, size_t trial_index, struct row_arena *arena,
                            struct err *e) ATTR_MUST_USE;

/* No trial follows, all were read: the pass may finish. NULL is accepted. */
void visiting_complete(struct visiting *visiting);

/* Waits for the last visit, and the finish, and frees. errors: of any of them. NULL is accepted. */
enum err_code visiting_end(struct visiting *visiting, struct err *e);

#endif
