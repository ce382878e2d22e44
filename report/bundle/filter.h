// SPDX-License-Identifier: Apache-2.0
// Runs a program of this machine as a filter: no shell, its input and output in memory, within a
// time.
#ifndef REPORT_BUNDLE_FILTER_H
#define REPORT_BUNDLE_FILTER_H

#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"

struct filter_config {
    const char *const *arguments;   /* NULL-terminated; the first is the program's path */
    const char *const *environment; /* NULL-terminated; NULL: that of this program */
    const void *input;
    size_t input_length;
    unsigned timeout_ms; /* after it the program is killed */
};

/*
 * status_out        exit status, 128 + signal
 * output            appended to, within its limit
 * complaint         what it wrote to standard error, likewise
 * errors            ERR_SYS: it cannot be started; ERR_LIMIT: it did not end in time, or wrote more
 *                   than the buffers take
 */
enum err_code filter_run(const struct filter_config *config, struct buf *output,
                         struct buf *complaint, int *status_out, struct err *e) ATTR_MUST_USE;

#endif
