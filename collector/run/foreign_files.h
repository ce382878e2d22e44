// SPDX-License-Identifier: Apache-2.0
// Where programs and libraries lie.
#ifndef COLLECTOR_RUN_FOREIGN_FILES_H
#define COLLECTOR_RUN_FOREIGN_FILES_H

#include <limits.h>
#include <stdbool.h>

#include "collector/plan/plan_engine.h"

/* A word as a shell would find it: with a slash a path from `folder`, else in PATH. */
bool foreign_find_program(const char *word, const char *folder, char path_out[PATH_MAX]);

/* Where the engine runs: the plan's folder and its own "folder". */
void foreign_format_folder(const struct plan_engine *engine, char out[PATH_MAX]);

/* The engine's file of trusted certificates, which it has. */
void foreign_format_ca(const struct plan_engine *engine, char out[PATH_MAX]);

/* The library of an allocator; false: it is not installed. The C library's is "". */
bool foreign_find_allocator(const char *allocator, char path_out[PATH_MAX]);

/* Debian's package of it; "" for the C library's. */
const char *foreign_allocator_package(const char *allocator);

#endif
