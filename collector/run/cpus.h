// SPDX-License-Identifier: Apache-2.0
// CPU lists as the kernel writes them: "0", "0-1,4".
#ifndef COLLECTOR_RUN_CPUS_H
#define COLLECTOR_RUN_CPUS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

/* errors ERR_USAGE: not a list, a range backwards, or a CPU above CPU_SETSIZE - 1. */
enum err_code cpus_parse(const char *text, cpu_set_t *cpus_out, struct err *e) ATTR_MUST_USE;

/* The list of a set, ranges joined: "0-1,4"; cut at the capacity. Returns `out`. */
const char *cpus_format(const cpu_set_t *cpus, char *out, size_t capacity);

/* True when every CPU of `part` is in `whole`. */
bool cpus_are_within(const cpu_set_t *part, const cpu_set_t *whole);

#endif
