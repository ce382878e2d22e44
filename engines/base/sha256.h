// SPDX-License-Identifier: Apache-2.0
// SHA-256 for the servers, which link to nothing but the C library.
#ifndef ENGINES_BASE_SHA256_H
#define ENGINES_BASE_SHA256_H

#include <stddef.h>

#define SHA256_TEXT_BYTES 65 /* 64 lower-case hex digits and a NUL */

/* source   FIPS 180-4, 6.2 */
void sha256_hex(const void *bytes, size_t length, char out[SHA256_TEXT_BYTES]);

#endif
