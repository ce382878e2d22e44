// SPDX-License-Identifier: Apache-2.0
// SHA-256 by libcrypto.
#ifndef COLLECTOR_DIGEST_H
#define COLLECTOR_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

#define DIGEST_HEX_BYTES 65 /* 64 lower-case hex digits and the NUL */

struct digest;

/* A running digest on the heap. errors ERR_LIMIT: memory. */
enum err_code digest_new(struct digest **digest_out, struct err *e) ATTR_MUST_USE;
void digest_add(struct digest *digest, const void *bytes, size_t length);
/* Writes the digest and makes it fresh for another use. */
void digest_finish(struct digest *digest, char hex_out[DIGEST_HEX_BYTES]);
void digest_free(struct digest *digest);

/* Of bytes in memory. */
enum err_code digest_bytes(const void *bytes, size_t length, char hex_out[DIGEST_HEX_BYTES],
                           struct err *e) ATTR_MUST_USE;

/*
 * Of an open regular file from where it stands to its end.
 *
 * path        for messages
 * length_out  may be NULL
 * errors      as digest_file
 */
enum err_code digest_descriptor(int fd, const char *path, uint64_t *length_out,
                                char hex_out[DIGEST_HEX_BYTES], struct err *e) ATTR_MUST_USE;

/* Of a regular file. errors ERR_SYS, ERR_FORMAT (not a regular file). */
enum err_code digest_file(const char *path, char hex_out[DIGEST_HEX_BYTES],
                          struct err *e) ATTR_MUST_USE;

#endif
