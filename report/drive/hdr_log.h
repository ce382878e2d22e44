// SPDX-License-Identifier: Apache-2.0
// The text form in which HdrHistogram's tools read a series of histograms (log format 1.3, V2
// histograms in base64).
#ifndef REPORT_DRIVE_HDR_LOG_H
#define REPORT_DRIVE_HDR_LOG_H

#include <stdint.h>

#include "collector/driver/histogram.h"
#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"

/* Appends the head. started_utc_ns: wall time of the first interval's start. */
void hdr_log_begin(int64_t started_utc_ns, const char *what, struct buf *out);

/*
 * Appends one line: start and length in seconds, the maximum in ms, the histogram.
 *
 * tag                NULL: none
 * start_ns, end_ns   from the log's start
 * source             HdrHistogram Java, HistogramLogWriter (unit of the values: ns)
 * errors             ERR_LIMIT
 */
enum err_code hdr_log_add(const char *tag, int64_t start_ns, int64_t end_ns,
                          const struct histogram *histogram, struct buf *out,
                          struct err *e) ATTR_MUST_USE;

#endif
