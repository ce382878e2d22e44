// SPDX-License-Identifier: Apache-2.0
// A process that removes a folder when its maker ends, however that ends.
#ifndef REPORT_BUNDLE_WORK_GUARD_H
#define REPORT_BUNDLE_WORK_GUARD_H

#include <signal.h>
#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

/*
 * Starts the process. SIGINT, SIGTERM and SIGHUP that were not caught or ignored wait, from now on,
 * until the folder is gone, before they end the program.
 *
 * parent_count   how many of the folders that it lies in go as well, if nothing else is in them
 * guard_out      for work_guard_end
 * errors         ERR_SYS: no process, no descriptor; ERR_LIMIT: too many folders at once
 */
enum err_code work_guard_start(const char *path, size_t parent_count, int *guard_out,
                               struct err *e) ATTR_MUST_USE;

/* Removes the innermost `count` of the folders that a path lies in, as long as they are empty. */
void work_guard_remove_parents(const char *path, size_t count);

/* Blocks those signals, so that none comes between making a folder and its guard; before_out is the
 * mask to set again. */
void work_guard_hold_signals(sigset_t *before_out);

/* Has the folder removed, and waits for it. Without effect on a negative number. */
void work_guard_end(int guard);

#endif
