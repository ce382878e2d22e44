// SPDX-License-Identifier: Apache-2.0
// Names that must break nothing: tests/support/hostile_names.json, which ci/formats.py reads too.
#ifndef TESTS_SUPPORT_HOSTILE_NAMES_H
#define TESTS_SUPPORT_HOSTILE_NAMES_H

#include <stddef.h>

/* NULL-terminated bytes, not always UTF-8. Live until hostile_names_free. Aborts the test when the
 * file cannot be read (from the root of the tree). */
const char *const *hostile_names_load(size_t *count_out);
void hostile_names_free(const char *const *names);

#endif
