// SPDX-License-Identifier: Apache-2.0
// A built session in a folder of its own, loaded and analysed; every step asserts that it works.
#ifndef TESTS_SUPPORT_SESSION_FIXTURE_H
#define TESTS_SUPPORT_SESSION_FIXTURE_H

#include "report/judge/analysis.h"
#include "tests/support/results_builder.h"

extern char session_path[128]; /* the results file; each test is a process */

/* .init and .fini of a suite. */
void session_folder_make(void);
void session_folder_remove(void);

/* Writes the file anew and loads it. */
struct results *session_build(const struct results_builder *builder);
struct analysis *session_analyse(const struct results *results);
void session_discard(struct analysis *analysis, struct results *results);

/* The first row of an engine. */
const struct analysis_row *analysis_find_row(const struct analysis *analysis, const char *engine);

#endif
