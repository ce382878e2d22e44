// SPDX-License-Identifier: Apache-2.0
// Reads a server's output on a thread of its own, from the first byte: a server that writes much
// never waits for us. The first bytes and the last ones are kept.
#ifndef COLLECTOR_RUN_DRAIN_H
#define COLLECTOR_RUN_DRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

#define DRAIN_HEAD_BYTES ((size_t)256 << 10)
#define DRAIN_TAIL_BYTES ((size_t)256 << 10)

struct drain;

/* fd   non-blocking reading end of a pipe; the drain's from here on, also on failure */
enum err_code drain_open(int fd, struct drain **drain_out, struct err *e) ATTR_MUST_USE;

/* Copies the first bytes that came; returns how many. */
size_t drain_copy_head(struct drain *drain, char *out, size_t capacity);
/* Copies the last bytes that came; returns how many. */
size_t drain_copy_tail(struct drain *drain, char *out, size_t capacity);
/* All bytes that came. */
uint64_t drain_get_total(struct drain *drain);

/* Ends the thread after what the pipe holds, even when a stranger still has it open. Safe to call
 * twice. */
void drain_stop(struct drain *drain);
/* Stops and frees. NULL is accepted. */
void drain_close(struct drain *drain);

#endif
