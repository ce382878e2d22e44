// SPDX-License-Identifier: Apache-2.0
// A JSON document held against a JSON Schema of this repository, for tests.
#include "tests/support/schema_check.h"

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define DEFS_PREFIX "#/$defs/"

static char fault[256]; /* the latest: of the innermost value */

struct place {
    const json_t *root; /* of the schema */
    const char *key;    /* of the value */
};

static bool value_fits(struct place place, const json_t *rule, json_t *value);

static bool says_no(struct place place, const char *what)
{
    snprintf(fault, sizeof(fault), "%s: %s", place.key, what);
    return false;
}

static bool type_is(const char *type, json_t *value)
{
    return strcmp(type, "object") == 0    ? json_is_object(value)
           : strcmp(type, "array") == 0   ? json_is_array(value)
           : strcmp(type, "string") == 0  ? json_is_string(value)
           : strcmp(type, "integer") == 0 ? json_is_integer(value)
           : strcmp(type, "number") == 0  ? json_is_number(value)
           : strcmp(type, "boolean") == 0 ? json_is_boolean(value)
                                          : strcmp(type, "null") == 0 && json_is_null(value);
}

static bool type_fits(const json_t *types, json_t *value)
{
    bool fits = !types || (json_is_string(types) && type_is(json_string_value(types), value));
    size_t i = 0;
    json_t *type = NULL;

    json_array_foreach(types, i, type)
    {
        fits |= type_is(json_string_value(type), value);
    }
    return fits;
}

static bool is_among(const json_t *values, json_t *value)
{
    bool is_there = !values;
    size_t i = 0;
    json_t *one = NULL;

    json_array_foreach(values, i, one)
    {
        is_there |= json_equal(one, value);
    }
    return is_there;
}

static bool object_fits(struct place place, const json_t *rule, json_t *object)
{
    const json_t *properties = json_object_get(rule, "properties");
    const json_t *required = json_object_get(rule, "required");
    bool fits = true;
    const char *key = NULL;
    json_t *value = NULL;
    size_t i = 0;

    json_array_foreach(required, i, value)
    {
        if (!json_object_get(object, json_string_value(value))) {
            place.key = json_string_value(value);
            return says_no(place, "is not there");
        }
    }
    json_object_foreach(object, key, value)
    {
        const json_t *inner = json_object_get(properties, key);

        place.key = key;
        if (inner) {
            fits = fits && value_fits(place, inner, value);
        } else if (json_is_false(json_object_get(rule, "additionalProperties"))) {
            return says_no(place, "the schema does not know it");
        }
    }
    return fits;
}

static bool items_fit(struct place place, const json_t *rule, const json_t *array)
{
    bool fits = true;
    size_t i = 0;
    json_t *value = NULL;

    json_array_foreach(array, i, value)
    {
        fits = fits && (!rule || value_fits(place, rule, value));
    }
    return fits;
}

static bool one_fits(struct place place, const json_t *rules, json_t *value)
{
    bool fits = !rules;
    size_t i = 0;
    json_t *rule = NULL;

    json_array_foreach(rules, i, rule)
    {
        fits = fits || value_fits(place, rule, value);
    }
    return fits;
}

/* Its own words, without those of what is inside of it. */
static bool scalar_fits(struct place place, const json_t *rule, json_t *value)
{
    const json_t *constant = json_object_get(rule, "const");
    const json_t *minimum = json_object_get(rule, "minimum");

    if (!type_fits(json_object_get(rule, "type"), value)) {
        return says_no(place, "another type");
    }
    if ((constant && !json_equal(constant, value)) ||
        !is_among(json_object_get(rule, "enum"), value)) {
        return says_no(place, "another value");
    }
    if (minimum && json_is_number(value) && json_number_value(value) < json_number_value(minimum)) {
        return says_no(place, "too small");
    }
    return true;
}

static bool value_fits(struct place place, const json_t *rule, json_t *value)
{
    const char *reference = json_string_value(json_object_get(rule, "$ref"));

    if (reference) {
        const json_t *defs = json_object_get(place.root, "$defs");
        const json_t *target = json_object_get(defs, reference + strlen(DEFS_PREFIX));

        cr_assert(target, "the schema has no %s", reference);
        if (!value_fits(place, target, value)) {
            return false;
        }
    }
    return scalar_fits(place, rule, value) &&
           one_fits(place, json_object_get(rule, "anyOf"), value) &&
           one_fits(place, json_object_get(rule, "oneOf"), value) &&
           (!json_is_object(value) || object_fits(place, rule, value)) &&
           items_fit(place, json_object_get(rule, "items"), value);
}

void schema_check(const json_t *schema, json_t *value)
{
    const struct place place = {.root = schema, .key = "the document"};

    cr_expect(value_fits(place, schema, value), "%s", fault);
}
