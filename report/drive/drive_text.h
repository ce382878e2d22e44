// SPDX-License-Identifier: Apache-2.0
// The result of a load by hand as text for people.
#ifndef REPORT_DRIVE_DRIVE_TEXT_H
#define REPORT_DRIVE_DRIVE_TEXT_H

#include <stdbool.h>

#include "engines/base/buf.h"
#include "report/drive/drive_result.h"

/* Appends the text; `shows_tail`: every quantile, not the usual four. */
void drive_text_render(const struct drive_result *result, bool shows_tail, struct buf *out);

/* "830 ns", "12.3 us", "4.56 ms", "1.20 s" with three digits; METRIC_UNKNOWN is "n/a". */
#define DRIVE_TIME_BYTES 32
const char *drive_text_time(int64_t ns, char out[DRIVE_TIME_BYTES]);

#endif
