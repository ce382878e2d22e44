// SPDX-License-Identifier: Apache-2.0
// memcmp and memcpy for a few bytes whose number only the run knows: without a call, and without
// the wide registers, which the kernel would have to save with every thread that waits.
#ifndef ENGINES_BASE_FEW_BYTES_H
#define ENGINES_BASE_FEW_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Two words that overlap are any length from one word to two. */
static inline bool few_bytes_equal(const char *a, const char *b, size_t length)
{
    uint64_t first_a, first_b, last_a, last_b;
    uint32_t half_a, half_b, end_a, end_b;

    if (length > 2 * sizeof(first_a) || length < sizeof(half_a)) {
        return memcmp(a, b, length) == 0;
    }
    if (length < sizeof(first_a)) {
        memcpy(&half_a, a, sizeof(half_a));
        memcpy(&half_b, b, sizeof(half_b));
        memcpy(&end_a, a + length - sizeof(end_a), sizeof(end_a));
        memcpy(&end_b, b + length - sizeof(end_b), sizeof(end_b));
        return ((half_a ^ half_b) | (end_a ^ end_b)) == 0;
    }
    memcpy(&first_a, a, sizeof(first_a));
    memcpy(&first_b, b, sizeof(first_b));
    memcpy(&last_a, a + length - sizeof(last_a), sizeof(last_a));
    memcpy(&last_b, b + length - sizeof(last_b), sizeof(last_b));
    return ((first_a ^ first_b) | (last_a ^ last_b)) == 0;
}

static inline void few_bytes_copy(char *to, const char *from, size_t length)
{
    uint64_t first, last;
    uint32_t half, end;

    if (length > 2 * sizeof(first) || length < sizeof(half)) {
        memcpy(to, from, length);
    } else if (length < sizeof(first)) {
        memcpy(&half, from, sizeof(half));
        memcpy(&end, from + length - sizeof(end), sizeof(end));
        memcpy(to, &half, sizeof(half));
        memcpy(to + length - sizeof(end), &end, sizeof(end));
    } else {
        memcpy(&first, from, sizeof(first));
        memcpy(&last, from + length - sizeof(last), sizeof(last));
        memcpy(to, &first, sizeof(first));
        memcpy(to + length - sizeof(last), &last, sizeof(last));
    }
}

#endif
