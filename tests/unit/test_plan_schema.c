// SPDX-License-Identifier: Apache-2.0
// datasets/plans/plan.schema.json knows the same keys as the reader of plans, and the same limits.
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "collector/plan/plan_engines.h"
#include "collector/plan/plan_foreign.h"
#include "collector/plan/plan_read.h"

static json_t *schema;

static void set_up(void)
{
    json_error_t problem;

    schema = json_load_file("datasets/plans/plan.schema.json", JSON_REJECT_DUPLICATES, &problem);
    cr_assert(schema, "%s", problem.text);
}

static void tear_down(void)
{
    json_decref(schema);
}

TestSuite(plan_schema, .init = set_up, .fini = tear_down);

/* "$defs/engine" → its member "properties". */
static const json_t *properties_of(const char *path)
{
    const json_t *at = schema;
    char part[64];

    for (size_t length = 0; *path; path += length + (path[length] == '/')) {
        length = strcspn(path, "/");
        snprintf(part, sizeof(part), "%.*s", (int)length, path);
        at = json_object_get(at, part);
    }
    return json_object_get(at, "properties");
}

static void limits_check(const struct plan_field *field, const json_t *property, const char *path)
{
    const json_t *minimum = json_object_get(property, "minimum");
    const json_t *maximum = json_object_get(property, "maximum");

    if (field->type != PLAN_FIELD_COUNT && field->type != PLAN_FIELD_INT) {
        return;
    }
    if (json_object_get(property, "$ref")) {
        const json_t *shared =
            json_object_get(json_object_get(schema, "$defs"), "connection_count");

        cr_expect_str_eq(json_string_value(json_object_get(property, "$ref")),
                         "#/$defs/connection_count");
        minimum = json_object_get(shared, "minimum");
        maximum = json_object_get(shared, "maximum");
    }
    cr_expect_eq(json_integer_value(minimum), field->minimum, "%s %s", path, field->key);
    cr_expect_eq(json_integer_value(maximum), field->maximum, "%s %s", path, field->key);
}

Test(plan_schema, has_the_keys_and_limits_of_the_tables_that_read_a_plan)
{
    static const struct {
        const char *path;
        const struct plan_table *table;
    } rows[] = {{"", &plan_root_table},
                {"properties/machine", &plan_machine_table},
                {"$defs/engine", &plan_engine_table},
                {"$defs/engine/properties/ready", &plan_ready_table},
                {"$defs/tls", &plan_tls_table},
                {"$defs/workload", &plan_workload_table},
                {"$defs/request", &plan_request_table},
                {"$defs/expect", &plan_expect_table},
                {"$defs/workload/properties/flood", &plan_flood_table},
                {"$defs/claim", &plan_claim_table}};

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const json_t *properties = properties_of(rows[i].path);

        cr_assert(properties, "%s", rows[i].path);
        cr_expect_eq(json_object_size(properties), rows[i].table->field_count, "%s", rows[i].path);
        for (size_t k = 0; k < rows[i].table->field_count; k++) {
            const struct plan_field *field = &rows[i].table->fields[k];
            const json_t *property = json_object_get(properties, field->key);

            cr_expect(property, "%s has no %s", rows[i].path, field->key);
            if (property) {
                limits_check(field, property, rows[i].path);
            }
        }
    }
}

/* The words of a list of the schema, as messages have them. */
static void enum_join(const char *key, char *out, size_t capacity)
{
    const json_t *names =
        json_object_get(json_object_get(properties_of("$defs/engine"), key), "enum");

    out[0] = '\0';
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));

        if (name) {
            snprintf(out + strlen(out), capacity - strlen(out), "%s%s", i ? ", " : "", name);
        }
    }
}

static void words_join(const char *const *words, char *out, size_t capacity)
{
    out[0] = '\0';
    for (size_t i = 0; words[i]; i++) {
        snprintf(out + strlen(out), capacity - strlen(out), "%s%s", i ? ", " : "", words[i]);
    }
}

Test(plan_schema, names_the_engines_and_words_that_there_are)
{
    char list[PLAN_EXTERNAL_LIST_BYTES], want[PLAN_EXTERNAL_LIST_BYTES];

    enum_join("builtin", want, sizeof(want));
    cr_expect_str_eq(plan_engine_list(list), want);
    enum_join("external", want, sizeof(want));
    cr_expect_str_eq(plan_external_list(list), want);
    enum_join("allocator", want, sizeof(want));
    words_join(plan_allocator_names, list, sizeof(list));
    cr_expect_str_eq(list, want);
    enum_join("stdin", want, sizeof(want));
    words_join(plan_input_names, list, sizeof(list));
    cr_expect_str_eq(list, want);
}
