// SPDX-License-Identifier: Apache-2.0
// What wrk prints of one run, as a figure of a published file. A line that wrk does not print is
// told and left out; a value that it could not compute ("-nan%", 0.00us of nothing) is not a value.
#ifndef COLLECTOR_RUN_WRK_TEXT_H
#define COLLECTOR_RUN_WRK_TEXT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"

#define WRK_TEXT_BYTES_MAX ((size_t)1 << 20)
#define WRK_PATH_BYTES     200

struct wrk_run {
    char path[WRK_PATH_BYTES]; /* of the URL, cut; "" when the line is not there */
    char duration[16];         /* that was asked for, as wrk writes it: "30s"; "" likewise */
    double duration_s;         /* NaN likewise */
    int64_t thread_count, connection_count;
    int64_t wrong_count; /* answers whose status is neither 2xx nor 3xx */
    json_t *figure;      /* keys of a figure but `engine` and `workload`; the caller's */
};

/*
 * Reads one run out of a text that may have more around it: a prompt before, a script's own lines
 * after, indentation, a Markdown fence.
 *
 * name       for messages: "a.txt:4: …"
 * run_out    wrk_run_release
 * warnings   gets a line for each line or value that was left out
 * errors     ERR_FORMAT: no run, two runs, an unknown unit, a failed run; ERR_LIMIT: memory
 */
enum err_code wrk_text_parse(const char *name, const char *text, size_t length,
                             struct wrk_run *run_out, struct buf *warnings,
                             struct err *e) ATTR_MUST_USE;
void wrk_run_release(struct wrk_run *run);

/* A number of its figure; NaN where it has none. */
double wrk_run_number(const struct wrk_run *run, const char *key);
/* A time of it, whose key ends with its unit: "latency_p50" of "latency_p50_us". NaN likewise. */
double wrk_run_time_ns(const struct wrk_run *run, const char *key);

#endif
