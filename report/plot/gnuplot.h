// SPDX-License-Identifier: Apache-2.0
// Starts gnuplot without a shell, in a fixed environment and within limits.
#ifndef REPORT_PLOT_GNUPLOT_H
#define REPORT_PLOT_GNUPLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

#define GNUPLOT_QUIET_MS 60000 /* of any picture of a report */

/*
 * Runs "gnuplot -d NAME.gp …" in `folder`, all names in one process.
 *
 * program        path; NULL: gnuplot of /usr/local/bin, /usr/bin or /bin
 * quiet_ms       how long it may neither write nor end before it is stopped
 * available_out  false when there is no such program; then nothing was run
 * errors         ERR_SYS: no process; ERR_FORMAT: it failed, was stopped by a limit or wrote to
 * standard error; the text has the first line of that
 */
enum err_code gnuplot_run(const char *program, const char *folder, const char *const *names,
                          size_t name_count, unsigned quiet_ms, bool *available_out,
                          struct err *e) ATTR_MUST_USE;

#endif
