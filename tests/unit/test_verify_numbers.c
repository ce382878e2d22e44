// SPDX-License-Identifier: Apache-2.0
// Documents of two versions of the program, compared by their numbers.
#include <criterion/criterion.h>
#include <jansson.h>

#include "report/bundle/verify_work.h"

Test(verify_numbers, are_the_same_however_they_are_spelled)
{
    static const struct {
        const char *a, *b;
        bool is_same;
    } rows[] = {
        {"{\"at_least\": \"1.5\"}", "{\"at_least\": \"1.50\"}", true},
        {"{\"at_least\": \"1.5\"}", "{\"at_least\": 1.5}", true},
        {"{\"at_least\": \"1.5\"}", "{\"at_least\": \"1.4\"}", false},
        {"[1.68666411, 2]", "[1.686664112345, 2.0]", true}, /* nine digits */
        {"[1.68666411]", "[1.68666511]", false},
        {"[0]", "[1e-300]", false},
        {"[-1]", "[1]", false},
        {"{\"a\": 1, \"b\": 2}", "{\"b\": 2, \"a\": 1}", true},
        {"{\"a\": 1}", "{\"a\": 1, \"b\": 2}", false},
        {"{\"a\": 1}", "{\"b\": 1}", false},
        {"[1]", "[1, 1]", false},
        {"[null]", "[\"\"]", false},
        {"[null]", "[0]", false},
        {"[\"SUPPORTED\"]", "[\"REFUTED\"]", false},
        {"[\"1.5x\"]", "[\"1.5\"]", false},
        {"[\"nan\"]", "[\"nan\"]", true},
        {"[\"1e999\"]", "[\"1e999\"]", true},
        {"[\"1\\u0000\"]", "[\"1\"]", false},
        {"{}", "[]", false},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        json_t *a = json_loads(rows[i].a, JSON_ALLOW_NUL, NULL);
        json_t *b = json_loads(rows[i].b, JSON_ALLOW_NUL, NULL);

        cr_assert(a && b, "row %zu", i);
        cr_expect_eq(verify_same_numbers(a, b), rows[i].is_same, "row %zu", i);
        cr_expect_eq(verify_same_numbers(b, a), rows[i].is_same, "row %zu, turned", i);
        cr_expect_not(verify_same_numbers(a, NULL), "row %zu", i);
        json_decref(a);
        json_decref(b);
    }
}
