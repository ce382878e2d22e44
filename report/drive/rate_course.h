// SPDX-License-Identifier: Apache-2.0
// What -R says: one rate, steps ("1000,2000,4000") or a ramp ("1000..5000").
#ifndef REPORT_DRIVE_RATE_COURSE_H
#define REPORT_DRIVE_RATE_COURSE_H

#include "collector/driver/arrivals.h"
#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"

/*
 * Reads it. Rates are counts as elsewhere: "10k".
 *
 * course_out   its times are the caller's to set; one rate: count 1
 * errors       ERR_USAGE
 */
enum err_code rate_course_parse(const char *text, struct arrivals_course *course_out,
                                struct err *e) ATTR_MUST_USE;

/* "1000", "1000, then 2000, then 4000", "from 1000 to 5000"; of one that has no course its rate. */
void rate_course_format(const struct arrivals_config *arrivals, struct buf *out);

#endif
