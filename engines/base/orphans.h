// SPDX-License-Identifier: Apache-2.0
// The children of this process, those that it was handed as the reaper of orphans among them. A
// child's number is nobody else's until it is reaped: no stranger can be hit.
#ifndef ENGINES_BASE_ORPHANS_H
#define ENGINES_BASE_ORPHANS_H

#include <stddef.h>

/* Sends the signal to each of them; 0 sends none. Returns how many there are, ended ones that were
 * not reaped included. */
size_t orphans_signal(const char *proc_root, int number);

#endif
