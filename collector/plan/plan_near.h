// SPDX-License-Identifier: Apache-2.0
// What somebody may have meant: the word nearest to one that is not known.
#ifndef COLLECTOR_PLAN_PLAN_NEAR_H
#define COLLECTOR_PLAN_PLAN_NEAR_H

#include <stddef.h>

#define PLAN_NEAR_BYTES 360

/*
 * `did you mean "X"?` when a word is near enough, else "known: A, B, C" (cut with "…"). Returns
 * `out`.
 *
 * source   Levenshtein 1966: letters to insert, delete or replace; near is up to a quarter of them
 */
const char *plan_near_hint(const char *text, size_t length, const char *const *words, size_t count,
                           char out[PLAN_NEAR_BYTES]);

#endif
