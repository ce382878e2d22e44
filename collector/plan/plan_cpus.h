// SPDX-License-Identifier: Apache-2.0
// CPU lists as the kernel writes them: "0", "0-1,4".
#ifndef COLLECTOR_PLAN_PLAN_CPUS_H
#define COLLECTOR_PLAN_PLAN_CPUS_H

#include <sched.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

/*
 * errors   ERR_USAGE: anything but numbers 0 … CPU_SETSIZE - 1 and rising ranges of them, separated
 * by commas
 */
enum err_code plan_cpus_parse(const char *text, cpu_set_t *cpus_out, struct err *e) ATTR_MUST_USE;

/* The shortest list: ranges wherever two or more CPUs follow each other. */
#define PLAN_CPUS_TEXT_BYTES 4096
void plan_cpus_format(const cpu_set_t *cpus, char out[PLAN_CPUS_TEXT_BYTES]);

#endif
