// SPDX-License-Identifier: Apache-2.0
// Groups of ties as letters: two items share a letter exactly when they are not told apart.
#ifndef REPORT_STATS_LETTERS_H
#define REPORT_STATS_LETTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LETTERS_ITEM_COUNT_MAX 64
#define LETTERS_COUNT_MAX      52 /* "a" to "z", "A" to "Z" */
#define LETTERS_TEXT_BYTES     (LETTERS_COUNT_MAX + 1)

/* Pairs of items that are different. Zero it to begin. */
struct letters_pairs {
    uint64_t different[LETTERS_ITEM_COUNT_MAX]; /* bit j of i, and bit i of j */
};
void letters_set_different(struct letters_pairs *pairs, size_t i, size_t j);

/*
 * Compact letters by insertion and absorption; the first item has an "a", and later letters begin
 * at later items.
 *
 * count       <= LETTERS_ITEM_COUNT_MAX, in the order in which they are shown
 * texts_out   the letters of each item, ascending
 * returns     false when more than LETTERS_COUNT_MAX letters were needed: texts_out is untouched
 * source      Piepho 2004, An algorithm for a letter-based representation of all-pairwise
 *             comparisons
 */
bool letters_make(const struct letters_pairs *pairs, size_t count,
                  char (*texts_out)[LETTERS_TEXT_BYTES]);

#endif
