// SPDX-License-Identifier: Apache-2.0
// What a text from a foreign file must be before anything else looks at it.
#ifndef COLLECTOR_STORE_ROW_TEXT_H
#define COLLECTOR_STORE_ROW_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * True when the bytes are well-formed UTF-8 without a NUL.
 *
 * source   RFC 3629 section 4: no overlong forms, no surrogates, nothing above U+10FFFF
 */
bool row_text_is_utf8(const char *bytes, size_t length);

#endif
