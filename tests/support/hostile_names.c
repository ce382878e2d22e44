// SPDX-License-Identifier: Apache-2.0
// Names that must break nothing, from their file.
#include "tests/support/hostile_names.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *from_hex(const char *hex)
{
    size_t length = strlen(hex) / 2;
    char *bytes = calloc(length + 1, 1);

    cr_assert_not_null(bytes);
    for (size_t i = 0; i < length; i++) {
        const char digits[3] = {hex[2 * i], hex[2 * i + 1], '\0'};

        bytes[i] = (char)strtoul(digits, NULL, 16);
    }
    return bytes;
}

const char *const *hostile_names_load(size_t *count_out)
{
    json_error_t error;
    json_t *root = json_load_file("tests/support/hostile_names.json", 0, &error);

    cr_assert_not_null(root, "%s", error.text);
    size_t count = json_array_size(root);
    char **names = calloc(count + 1, sizeof(*names));
    cr_assert_not_null(names);
    for (size_t i = 0; i < count; i++) {
        const json_t *entry = json_array_get(root, i);

        names[i] = json_is_string(entry)
                       ? strdup(json_string_value(entry))
                       : from_hex(json_string_value(json_object_get(entry, "hex")));
    }
    json_decref(root);
    *count_out = count;
    return (const char *const *)names;
}

void hostile_names_free(const char *const *names)
{
    for (size_t i = 0; names[i]; i++) {
        free((void *)(uintptr_t)names[i]);
    }
    free((void *)(uintptr_t)names);
}
