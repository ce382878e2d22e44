// SPDX-License-Identifier: Apache-2.0
// Columns of items that are not told apart, as bits.
#include "report/stats/letters.h"

#include <assert.h>
#include <string.h>

#define COLUMN_COUNT_MAX 512 /* while they are made: many are absorbed again */

struct columns {
    uint64_t items[COLUMN_COUNT_MAX];
    size_t count;
};

void letters_set_different(struct letters_pairs *pairs, size_t i, size_t j)
{
    assert(i < LETTERS_ITEM_COUNT_MAX && j < LETTERS_ITEM_COUNT_MAX && i != j);
    pairs->different[i] |= UINT64_C(1) << j;
    pairs->different[j] |= UINT64_C(1) << i;
}

/* Removes columns that lie within another one; of equal ones the first stays. */
static void absorb(struct columns *columns)
{
    size_t kept = 0;

    for (size_t i = 0; i < columns->count; i++) {
        bool is_absorbed = false;

        for (size_t k = 0; k < columns->count && !is_absorbed; k++) {
            uint64_t both = columns->items[i] & columns->items[k];
            bool is_equal = columns->items[i] == columns->items[k];

            is_absorbed = k != i && both == columns->items[i] && (!is_equal || k < kept);
        }
        if (!is_absorbed) {
            columns->items[kept++] = columns->items[i];
        }
    }
    columns->count = kept;
}

/* Each column that holds both items is split into one without the first and one without the
 * second. */
static bool insert(struct columns *columns, size_t i, size_t j)
{
    uint64_t both = UINT64_C(1) << i | UINT64_C(1) << j;
    size_t count = columns->count;

    for (size_t k = 0; k < count; k++) {
        if ((columns->items[k] & both) != both) {
            continue;
        }
        if (columns->count == COLUMN_COUNT_MAX) {
            return false;
        }
        columns->items[columns->count++] = columns->items[k] & ~(UINT64_C(1) << i);
        columns->items[k] &= ~(UINT64_C(1) << j);
    }
    absorb(columns);
    return true;
}

/* By the first items in which two columns differ: the column that has it comes first. */
static bool comes_before(uint64_t left, uint64_t right)
{
    uint64_t differing = left ^ right;

    return differing != 0 && (left & (differing & (~differing + 1))) != 0;
}

static void sort(struct columns *columns)
{
    for (size_t i = 1; i < columns->count; i++) {
        uint64_t column = columns->items[i];
        size_t at = i;

        for (; at > 0 && comes_before(column, columns->items[at - 1]); at--) {
            columns->items[at] = columns->items[at - 1];
        }
        columns->items[at] = column;
    }
}

static char letter(size_t index)
{
    return (char)(index < 26 ? 'a' + (int)index : 'A' + (int)index - 26);
}

bool letters_make(const struct letters_pairs *pairs, size_t count,
                  char (*texts_out)[LETTERS_TEXT_BYTES])
{
    struct columns columns = {.count = count > 0};

    assert(count <= LETTERS_ITEM_COUNT_MAX);
    columns.items[0] = count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++) {
            if (pairs->different[i] >> j & 1 && !insert(&columns, i, j)) {
                return false;
            }
        }
    }
    if (columns.count > LETTERS_COUNT_MAX) {
        return false;
    }
    sort(&columns);
    for (size_t i = 0; i < count; i++) {
        size_t length = 0;

        for (size_t k = 0; k < columns.count; k++) {
            if (columns.items[k] >> i & 1) {
                texts_out[i][length++] = letter(k);
            }
        }
        texts_out[i][length] = '\0';
    }
    return true;
}
