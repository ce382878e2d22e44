// SPDX-License-Identifier: Apache-2.0
// What differs between two plans, by their canonical texts.
#ifndef COLLECTOR_PLAN_PLAN_DIFF_H
#define COLLECTOR_PLAN_PLAN_DIFF_H

#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

/*
 * Writes the keys whose values differ, or that only one of them has, in the order of the first:
 * "window, engines.epoll.threads, workloads.ping"; cut with "…" where `out` is full. "" when the
 * texts say the same.
 *
 * a, b     canonical texts; foreign ones are read as far as they look like one
 * errors   ERR_LIMIT: memory
 */
enum err_code plan_diff(const char *a, const char *b, char *out, size_t capacity,
                        struct err *e) ATTR_MUST_USE;

#endif
