// SPDX-License-Identifier: Apache-2.0
// A folder with a results file r.db, and shell commands that run in it with $TACHO.
#ifndef TESTS_SUPPORT_SHELL_CASE_H
#define TESTS_SUPPORT_SHELL_CASE_H

#include <stdbool.h>

#include "engines/base/buf.h"

extern char shell_case_folder[64], shell_case_program[600];

/* For .init and .fini of a test. */
void shell_case_make(void);
void shell_case_remove(void);

/* Runs a command; what it writes (both streams) replaces `out`. Returns its exit status. */
int shell_case_run(const char *command, struct buf *out);

/* The command succeeds. */
void shell_case_expect(const char *command);

bool shell_case_ends_with(const struct buf *text, const char *ending);

#endif
