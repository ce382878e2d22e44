// SPDX-License-Identifier: Apache-2.0
// The nearest of some words.
#include "collector/plan/plan_near.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define WORD_BYTES_MAX  64
#define SHOWN_BYTES_MAX 60

static size_t smallest_of(size_t a, size_t b, size_t c)
{
    size_t smallest = a < b ? a : b;
    return smallest < c ? smallest : c;
}

static size_t distance_of(const char *a, size_t a_length, const char *b)
{
    size_t row[WORD_BYTES_MAX + 1];
    size_t b_length = strlen(b);

    if (a_length > WORD_BYTES_MAX || b_length > WORD_BYTES_MAX) {
        return SIZE_MAX;
    }
    for (size_t j = 0; j <= b_length; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t replaced = diagonal + (a[i - 1] != b[j - 1]);

            diagonal = row[j];
            row[j] = smallest_of(replaced, row[j] + 1, row[j - 1] + 1);
        }
    }
    return row[b_length];
}

static void list_format(const char *const *words, size_t count, char out[PLAN_NEAR_BYTES])
{
    size_t used = (size_t)sprintf(out, "known: ");

    for (size_t i = 0; i < count; i++) {
        if (used + strlen(words[i]) + sizeof(", , …") > PLAN_NEAR_BYTES) {
            sprintf(out + used, "%s…", i ? ", " : "");
            return;
        }
        used += (size_t)sprintf(out + used, "%s%s", i ? ", " : "", words[i]);
    }
}

const char *plan_near_hint(const char *text, size_t length, const char *const *words, size_t count,
                           char out[PLAN_NEAR_BYTES])
{
    size_t nearest_index = 0;
    size_t nearest = SIZE_MAX;

    for (size_t i = 0; i < count; i++) {
        size_t distance = distance_of(text, length, words[i]);

        if (distance < nearest) {
            nearest = distance;
            nearest_index = i;
        }
    }
    if (nearest <= (length + 3) / 4) {
        snprintf(out, PLAN_NEAR_BYTES, "did you mean \"%.*s\"?", SHOWN_BYTES_MAX,
                 words[nearest_index]);
    } else {
        list_format(words, count, out);
    }
    return out;
}
