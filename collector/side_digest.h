// SPDX-License-Identifier: Apache-2.0
// A SHA-256 that is worked out on a thread of its own, while its caller does something else with
// the same bytes.
#ifndef COLLECTOR_SIDE_DIGEST_H
#define COLLECTOR_SIDE_DIGEST_H

#include <stddef.h>

#include "collector/digest.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"

struct side_digest;

/* On the heap, with its thread. errors ERR_SYS: no thread; ERR_LIMIT: memory */
enum err_code side_digest_new(struct side_digest **digest_out, struct err *e) ATTR_MUST_USE;

/* Copies the bytes; waits while too many are not worked on yet. */
void side_digest_add(struct side_digest *side, const void *bytes, size_t length);

/* Waits for the rest. Nothing is added after it. */
void side_digest_finish(struct side_digest *side, char hex_out[DIGEST_HEX_BYTES]);

/* NULL is accepted. */
void side_digest_free(struct side_digest *side);

#endif
