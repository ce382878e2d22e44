// SPDX-License-Identifier: Apache-2.0
// Documents of two versions of this program, compared by their numbers.
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/bundle/verify_work.h"

#define RELATIVE_MAX 1e-8 /* claims.json has nine digits */

json_t *verify_load_document(const struct file_tree *tree, const struct file_tree_entry *entry,
                             size_t bytes_max)
{
    json_t *document = NULL;
    struct buf text;

    buf_init(&text, bytes_max);
    if (entry && !entry->is_folder && file_tree_load(tree, entry, &text, NULL) == ERR_OK) {
        document = json_loadb(text.bytes, text.length, JSON_REJECT_DUPLICATES, NULL);
    }
    buf_release(&text);
    return document;
}

/* A number, or a text that is one and nothing else. */
static bool number_get(const json_t *value, double *number_out)
{
    const char *text = json_string_value(value);
    char *end = NULL;

    if (json_is_number(value)) {
        *number_out = json_number_value(value);
        return true;
    }
    if (!text || json_string_length(value) != strlen(text) ||
        strspn(text, "0123456789.eE+-") != strlen(text)) {
        return false;
    }
    double number = strtod(text, &end);
    if (end == text || *end || !isfinite(number)) {
        return false;
    }
    *number_out = number;
    return true;
}

static bool value_is_same(const json_t *a, const json_t *b)
{
    double x = 0, y = 0;

    return number_get(a, &x) && number_get(b, &y)
               ? fabs(x - y) <= RELATIVE_MAX * fmax(fabs(x), fabs(y))
               : json_equal(a, b);
}

bool verify_same_numbers(json_t *a, json_t *b) /* NOLINT(misc-no-recursion): jansson's depth */
{
    const char *key;
    json_t *value;

    if (json_is_object(a) && json_is_object(b) && json_object_size(a) == json_object_size(b)) {
        json_object_foreach(a, key, value)
        {
            if (!verify_same_numbers(value, json_object_get(b, key))) {
                return false;
            }
        }
        return true;
    }
    if (json_is_array(a) && json_is_array(b) && json_array_size(a) == json_array_size(b)) {
        for (size_t i = 0; i < json_array_size(a); i++) {
            if (!verify_same_numbers(json_array_get(a, i), json_array_get(b, i))) {
                return false;
            }
        }
        return true;
    }
    return a && b && value_is_same(a, b);
}
