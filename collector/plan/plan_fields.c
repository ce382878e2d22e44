// SPDX-License-Identifier: Apache-2.0
// Reading a mapping by its table.
#include "collector/plan/plan_fields.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/plan/plan_cpus.h"
#include "collector/plan/plan_near.h"
#include "collector/plan/plan_utf8.h"
#include "engines/base/units.h"

enum err_code plan_fail_memory(struct plan_reader *reader)
{
    return err_set(reader->e, ERR_LIMIT, "%s: out of memory", reader->name);
}

static const char *node_kind(const yaml_node_t *node)
{
    switch (node->type) {
    case YAML_SEQUENCE_NODE:
        return "a list";
    case YAML_MAPPING_NODE:
        return "a mapping";
    case YAML_SCALAR_NODE:
    case YAML_NO_NODE:
        break;
    }
    return "a single value";
}

static bool is_null(const yaml_node_t *node)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};

    if (node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_COUNT(nulls); i++) {
        if (strcmp((const char *)node->data.scalar.value, nulls[i]) == 0) {
            return true;
        }
    }
    return false;
}

enum err_code plan_read_scalar(struct plan_reader *reader, const char *key, const char *wanted,
                               const yaml_node_t *node, const char **text_out)
{
    if (node->type != YAML_SCALAR_NODE) {
        return plan_fail(reader, node, "%s: %s; write %s", key, node_kind(node), wanted);
    }
    if (is_null(node)) {
        return plan_fail(reader, node, "%s: no value; write %s or leave the key out", key, wanted);
    }
    const char *text = (const char *)node->data.scalar.value;
    if (strlen(text) != node->data.scalar.length) {
        return plan_fail(reader, node, "%s: a NUL character; leave it out", key);
    }
    *text_out = text;
    return ERR_OK;
}

enum err_code plan_read_word(struct plan_reader *reader, const struct plan_field *field,
                             const yaml_node_t *node, const char *const *words, int *index_out)
{
    const char *text = "";
    char quote[PLAN_QUOTE_BYTES], wanted[120] = "one of";

    for (int i = 0; words[i]; i++) {
        size_t used = strlen(wanted);

        snprintf(wanted + used, sizeof(wanted) - used, "%s %s", i > 0 ? "," : "", words[i]);
    }
    enum err_code code = plan_read_scalar(reader, field->key, wanted, node, &text);

    for (int i = 0; code == ERR_OK && words[i]; i++) {
        if (strcmp(words[i], text) == 0) {
            *index_out = i;
            return ERR_OK;
        }
    }
    return code == ERR_OK ? plan_fail(reader, node, "%s: %s is not %s", field->key,
                                      plan_quote(text, strlen(text), quote), wanted)
                          : code;
}

enum err_code plan_read_count(struct plan_reader *reader, const struct plan_field *field,
                              const yaml_node_t *node, int64_t *count_out)
{
    const char *text = "";
    struct err problem;
    enum err_code code =
        plan_read_scalar(reader, field->key, "a whole number like 10", node, &text);

    if (code != ERR_OK) {
        return code;
    }
    if (units_parse_count(text, field->minimum, field->maximum, count_out, &problem) != ERR_OK) {
        return plan_fail(reader, node, "%s: %s", field->key, problem.text);
    }
    return ERR_OK;
}

enum err_code plan_read_duration(struct plan_reader *reader, const struct plan_field *field,
                                 const yaml_node_t *node, int64_t *ns_out)
{
    const char *text = "";
    struct err problem;
    int64_t ns = 0;
    enum err_code code =
        plan_read_scalar(reader, field->key, "a duration like 3s or 500ms", node, &text);

    if (code != ERR_OK) {
        return code;
    }
    if (units_parse_duration(text, &ns, &problem) != ERR_OK) {
        return plan_fail(reader, node, "%s: %s", field->key, problem.text);
    }
    if (ns < field->minimum || ns > field->maximum) {
        char minimum_text[UNITS_TEXT_BYTES];
        char maximum_text[UNITS_TEXT_BYTES];

        units_format_duration(field->minimum, minimum_text);
        units_format_duration(field->maximum, maximum_text);
        return plan_fail(reader, node, "%s: %.40s is outside %s to %s", field->key, text,
                         minimum_text, maximum_text);
    }
    *ns_out = ns;
    return ERR_OK;
}

static enum err_code seed_read(struct plan_reader *reader, const struct plan_field *field,
                               const yaml_node_t *node, uint64_t *seed_out)
{
    const char *text = "";
    char quote[PLAN_QUOTE_BYTES];
    enum err_code code =
        plan_read_scalar(reader, field->key, "a whole number like 42", node, &text);

    if (code != ERR_OK) {
        return code;
    }
    errno = 0;
    uint64_t seed = strtoull(text, NULL, 10);
    if (text[strspn(text, "0123456789")] != '\0' || *text == '\0' || errno == ERANGE) {
        return plan_fail(reader, node, "%s: %s is not a whole number from 0 to %" PRIu64,
                         field->key, plan_quote(text, strlen(text), quote), UINT64_MAX);
    }
    *seed_out = seed;
    return ERR_OK;
}

static enum err_code bool_read(struct plan_reader *reader, const struct plan_field *field,
                               const yaml_node_t *node, bool *value_out)
{
    const char *text = "";
    char quote[PLAN_QUOTE_BYTES];
    enum err_code code = plan_read_scalar(reader, field->key, "true or false", node, &text);

    if (code != ERR_OK) {
        return code;
    }
    bool value = strcmp(text, "true") == 0;
    if (!value && strcmp(text, "false") != 0) {
        return plan_fail(reader, node, "%s: %s is neither true nor false", field->key,
                         plan_quote(text, strlen(text), quote));
    }
    *value_out = value;
    return ERR_OK;
}

enum err_code plan_read_name(struct plan_reader *reader, const struct plan_field *field,
                             const yaml_node_t *node, const char **text_out)
{
    const char *text = "";
    enum err_code code = plan_read_scalar(reader, field->key, "a line of text", node, &text);

    if (code != ERR_OK) {
        return code;
    }
    size_t length = strlen(text);
    if (length == 0 || length > (size_t)field->maximum) {
        return plan_fail(reader, node, "%s: %zu bytes long; write 1 to %" PRId64 " bytes",
                         field->key, length, field->maximum);
    }
    for (size_t i = 0; i < length;) {
        uint32_t character = 0;
        size_t bytes = plan_utf8_decode(text + i, length - i, &character);

        if (bytes == 0 || plan_utf8_is_control(character)) {
            return plan_fail(reader, node,
                             "%s: a control character or line break; write one line of text",
                             field->key);
        }
        i += bytes;
    }
    const char *kept = plan_keep(reader->plan, text, length);
    if (!kept) {
        return plan_fail_memory(reader);
    }
    *text_out = kept;
    return ERR_OK;
}

static enum err_code cpus_read(struct plan_reader *reader, const struct plan_field *field,
                               const yaml_node_t *node, const char **text_out)
{
    const char *text = "";
    char shortest[PLAN_CPUS_TEXT_BYTES];
    cpu_set_t cpus;
    struct err problem;
    enum err_code code =
        plan_read_scalar(reader, field->key, "a list of CPUs like 0-1,4", node, &text);

    if (code != ERR_OK) {
        return code;
    }
    if (plan_cpus_parse(text, &cpus, &problem) != ERR_OK) {
        return plan_fail(reader, node, "%s: %s", field->key, problem.text);
    }
    plan_cpus_format(&cpus, shortest);
    const char *kept = plan_keep(reader->plan, shortest, strlen(shortest));
    if (!kept) {
        return plan_fail_memory(reader);
    }
    *text_out = kept;
    return ERR_OK;
}

static enum err_code value_read(struct plan_reader *reader, const struct plan_field *field,
                                const yaml_node_t *node, void *target)
{
    void *member = (char *)target + field->offset;
    int64_t count = 0;
    enum err_code code = ERR_OK;

    switch (field->type) {
    case PLAN_FIELD_NAME:
        return plan_read_name(reader, field, node, member);
    case PLAN_FIELD_COUNT:
        code = plan_read_count(reader, field, node, &count);
        if (code == ERR_OK) {
            *(uint32_t *)member = (uint32_t)count;
        }
        return code;
    case PLAN_FIELD_INT:
        code = plan_read_count(reader, field, node, &count);
        if (code == ERR_OK) {
            *(int *)member = (int)count;
        }
        return code;
    case PLAN_FIELD_SEED:
        return seed_read(reader, field, node, member);
    case PLAN_FIELD_DURATION:
        return plan_read_duration(reader, field, node, member);
    case PLAN_FIELD_BOOL:
        return bool_read(reader, field, node, member);
    case PLAN_FIELD_CPUS:
        return cpus_read(reader, field, node, member);
    case PLAN_FIELD_OTHER:
        break;
    }
    return field->read(reader, field, node, target);
}

/* The field whose key stands before a dot; NULL: none. */
static const struct plan_field *field_before_dot(const struct plan_table *table, const char *key)
{
    size_t bytes = strcspn(key, ".");

    for (size_t i = 0; key[bytes] && i < table->field_count; i++) {
        if (strlen(table->fields[i].key) == bytes &&
            memcmp(key, table->fields[i].key, bytes) == 0) {
            return &table->fields[i];
        }
    }
    return NULL;
}

static enum err_code unknown_key_fail(struct plan_reader *reader, const struct plan_table *table,
                                      const yaml_node_t *node, const char *key)
{
    const char *keys[PLAN_FIELD_COUNT_MAX];
    char quote[PLAN_QUOTE_BYTES];
    char near[PLAN_NEAR_BYTES];

    for (size_t i = 0; i < table->field_count; i++) {
        keys[i] = table->fields[i].key;
    }
    plan_quote(key, strlen(key), quote);
    const struct plan_field *whole = field_before_dot(table, key);
    if (whole && whole->type == PLAN_FIELD_OTHER) {
        return plan_fail(reader, node,
                         "unknown key %s in %s; \"%s\" is given whole, like %s={ %s: … }", quote,
                         table->what, whole->key, whole->key, strchr(key, '.') + 1);
    }
    return plan_fail(reader, node, "unknown key %s in %s; %s", quote, table->what,
                     plan_near_hint(key, strlen(key), keys, table->field_count, near));
}

static enum err_code pair_read(struct plan_reader *reader, const struct plan_table *table,
                               const yaml_node_pair_t *pair, void *target,
                               const yaml_node_t **found)
{
    const yaml_node_t *key_node = plan_yaml_node(reader, pair->key);
    const char *key = "";
    enum err_code code = plan_read_scalar(reader, "key", "a key", key_node, &key);

    if (code != ERR_OK) {
        return code;
    }
    for (size_t i = 0; i < table->field_count; i++) {
        if (strcmp(key, table->fields[i].key) != 0) {
            continue;
        }
        if (found[i]) {
            return plan_fail(reader, key_node, "\"%s\" a second time in %s; keep one (line %zu)",
                             key, table->what, found[i]->start_mark.line + 1);
        }
        found[i] = plan_yaml_node(reader, pair->value);
        return value_read(reader, &table->fields[i], found[i], target);
    }
    return unknown_key_fail(reader, table, key_node, key);
}

enum err_code plan_fields_read(struct plan_reader *reader, const struct plan_table *table,
                               const yaml_node_t *node, void *target, const yaml_node_t **found_out)
{
    assert(table->field_count <= PLAN_FIELD_COUNT_MAX);
    for (size_t i = 0; i < table->field_count; i++) {
        found_out[i] = NULL;
    }
    if (node->type != YAML_MAPPING_NODE) {
        return plan_fail(reader, node, "%s: %s; write keys and values like \"%s: …\"", table->what,
                         node_kind(node), table->fields[0].key);
    }
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; pair++) {
        enum err_code code = pair_read(reader, table, pair, target, found_out);
        if (code != ERR_OK) {
            return code;
        }
    }
    for (size_t i = 0; i < table->field_count; i++) {
        if (table->fields[i].required && !found_out[i] && !table->is_layered &&
            !reader->is_setting) {
            return plan_fail(reader, node, "%s has no \"%s\"; add it", table->what,
                             table->fields[i].key);
        }
    }
    return ERR_OK;
}
