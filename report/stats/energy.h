// SPDX-License-Identifier: Apache-2.0
// Change points of a series without an assumption on its distribution, by the distance between what
// lies before and after: the judge of series that are longer than one session.
#ifndef REPORT_STATS_ENERGY_H
#define REPORT_STATS_ENERGY_H

#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

/* Where a series is best split, and how different both sides are. */
struct energy_split {
    size_t index; /* where the second part begins: 2 … count − 2; 0: too short to be split */
    /* nm/(n + m)·(2·E|X − Y| − E|X − X'| − E|Y − Y'|), n and m values on the sides; NaN */
    double q;
};

/*
 * The split with the largest q; time grows with count².
 *
 * source   Matteson and James 2014, E-divisive, with an exponent of 1
 */
struct energy_split energy_find_split(const double *values, size_t count);

/*
 * Splits again and again, the largest q first, while the means on both sides of the split differ by
 * Welch's test at `alpha`.
 *
 * changes_out   count indices; where each segment but the first begins, ascending
 * errors        ERR_LIMIT: memory
 */
enum err_code energy_find_changes(const double *values, size_t count, double alpha,
                                  size_t *changes_out, size_t *change_count_out,
                                  struct err *e) ATTR_MUST_USE;

#endif
