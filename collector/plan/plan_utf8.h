// SPDX-License-Identifier: Apache-2.0
// UTF-8 one character at a time: strict, so that a plan has one reading only.
#ifndef COLLECTOR_PLAN_PLAN_UTF8_H
#define COLLECTOR_PLAN_PLAN_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads the first character of `length` bytes.
 *
 * character_out  its code point; untouched on failure
 * returns        its bytes, 1 … 4; 0 when they are not UTF-8 (overlong, surrogate, above U+10FFFF,
 * cut off) or length is 0
 */
size_t plan_utf8_decode(const char *bytes, size_t length, uint32_t *character_out);

/* Puts '?' in place of each byte that belongs to no character: text that was cut, or never was
 * UTF-8. Returns how many there were. */
size_t plan_utf8_repair(char *text);

/* Control characters and Unicode's line breaks: nothing that belongs in a name. */
bool plan_utf8_is_control(uint32_t character);

#endif
