// SPDX-License-Identifier: Apache-2.0
// The one line that shows a running session: what matters most stays where the terminal is narrow.
#ifndef REPORT_RUN_LINE_H
#define REPORT_RUN_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/run/session.h"

#define RUN_LINE_BYTES 1024

struct run_line {
    size_t trial_index, trial_count;    /* of this sitting */
    const char *label;                  /* "epoll, ping, 125 connections"; no control characters */
    const struct progress_sample *seen; /* NULL: nothing yet */
};

/* "1:02", "1:02:03" */
void run_line_format_left(int64_t left_ns, char out[32]);

/*
 * "[####------] 3/16 epoll, ping, 125 connections  52000 req/s  p99 1.20 ms  0 errors  foreign CPU
 * 1 %  left 0:42" in at most `columns` columns: the bar goes first, then foreign CPU, p99, errors,
 * and the label is cut. Returns `out`.
 */
const char *run_line_format(const struct run_line *line, size_t columns, char out[RUN_LINE_BYTES]);

#endif
