// SPDX-License-Identifier: Apache-2.0
// What a rate says: one, steps ("1000,2000,4000") or a ramp ("1000..5000"). Of `tacho drive -R` and
// of plans.
#ifndef COLLECTOR_DRIVER_RATE_COURSE_H
#define COLLECTOR_DRIVER_RATE_COURSE_H

#include "collector/driver/arrivals.h"
#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"

/*
 * Reads it. Rates are counts as elsewhere: "10k".
 *
 * maximum      of each rate, <= UINT32_MAX
 * course_out   its times are the caller's to set; one rate: count 1
 * errors       ERR_USAGE
 */
enum err_code rate_course_parse(const char *text, int64_t maximum,
                                struct arrivals_course *course_out, struct err *e) ATTR_MUST_USE;

/* As rate_course_parse reads it: "1000..5000"; "" of one that does not change. */
#define RATE_COURSE_BYTES 192 /* sixteen rates of ten digits */
void rate_course_write(const struct arrivals_course *course, char out[RATE_COURSE_BYTES]);

/* "1000", "1000, then 2000, then 4000", "from 1000 to 5000"; of one that has no course its rate. */
void rate_course_format(const struct arrivals_config *arrivals, struct buf *out);

/* Through the whole course, rounded; > 0. */
uint32_t rate_course_mean(const struct arrivals_course *course);
uint32_t rate_course_highest(const struct arrivals_course *course);

#endif
