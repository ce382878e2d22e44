// SPDX-License-Identifier: Apache-2.0
// Letters of ties against R's multcompView, and by their definition.
#include <criterion/criterion.h>
#include <string.h>

#include "engines/base/attr.h"
#include "report/stats/letters.h"
#include "tests/support/prop.h"

/*
 * R 4.2.2, multcompView 0.1-8, for each row, with every pair named and TRUE where it stands in
 * `pairs`: multcompLetters(c("A-B" = …, "A-C" = …, …))$Letters
 */
Test(letters, are_those_of_multcompview)
{
    static const struct {
        size_t count;
        const char *pairs, *want;
    } rows[] = {
        {1, "", "a"},
        {3, "", "a a a"},
        {3, "2-3", "ab a b"},
        {3, "1-2 1-3 2-3", "a b c"},
        {4, "1-3 1-4 2-4", "a ab bc c"},
        {4, "1-2 3-4", "ab cd ac bd"},
        {5, "1-4 1-5 2-5", "a ab abc bc c"},
        {6, "1-4 1-5 1-6 2-5 2-6 3-6", "a ab abc bcd cd d"},
    };

    for (size_t r = 0; r < ARRAY_COUNT(rows); r++) {
        struct letters_pairs pairs = {0};
        char texts[LETTERS_ITEM_COUNT_MAX][LETTERS_TEXT_BYTES];
        char have[8 * LETTERS_TEXT_BYTES] = "";

        for (const char *p = rows[r].pairs; *p; p += p[3] ? 4 : 3) {
            letters_set_different(&pairs, (size_t)(p[0] - '1'), (size_t)(p[2] - '1'));
        }
        cr_assert(letters_make(&pairs, rows[r].count, texts));
        for (size_t i = 0; i < rows[r].count; i++) {
            strcat(strcat(have, i ? " " : ""), texts[i]);
        }
        cr_expect_str_eq(have, rows[r].want, "row %zu: %s", r, have);
    }
}

static bool share_a_letter(const char *left, const char *right)
{
    return strpbrk(left, right) != NULL;
}

/* Whatever the pairs: a letter in common says "not told apart", none says "different". */
Test(letters, say_exactly_which_pairs_are_different)
{
    for_each_case(rng, 2000, 20041130)
    {
        size_t count = 1 + (size_t)rng_below(&rng, 9);
        uint64_t percent = rng_below(&rng, 101);
        struct letters_pairs pairs = {0};
        bool different[9][9] = {{false}};
        char texts[LETTERS_ITEM_COUNT_MAX][LETTERS_TEXT_BYTES];

        for (size_t i = 0; i < count; i++) {
            for (size_t j = i + 1; j < count; j++) {
                different[i][j] = rng_below(&rng, 100) < percent;
                if (different[i][j]) {
                    letters_set_different(&pairs, j, i);
                }
            }
        }
        cr_assert(letters_make(&pairs, count, texts));
        for (size_t i = 0; i < count; i++) {
            cr_expect(texts[i][0] != '\0');
            for (size_t j = i + 1; j < count; j++) {
                cr_expect_eq(share_a_letter(texts[i], texts[j]), !different[i][j],
                             "seed %llu case %d: %s %s", (unsigned long long)prop_case_seed,
                             prop_case, texts[i], texts[j]);
            }
        }
    }
}

/* 2^32 columns for 32 pairs that differ and share with all others: no letters, no harm. */
Test(letters, that_are_too_many_are_refused)
{
    struct letters_pairs pairs = {0};
    char texts[LETTERS_ITEM_COUNT_MAX][LETTERS_TEXT_BYTES];

    strcpy(texts[0], "untouched");
    for (size_t i = 0; i < LETTERS_ITEM_COUNT_MAX; i += 2) {
        letters_set_different(&pairs, i, i + 1);
    }
    cr_expect_not(letters_make(&pairs, LETTERS_ITEM_COUNT_MAX, texts));
    cr_expect_str_eq(texts[0], "untouched");
}
