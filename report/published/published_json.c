// SPDX-License-Identifier: Apache-2.0
// Objects of a published file by table.
#include "report/published/published_json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/plan/plan_yaml.h"

#define NUMBER_MAX  1e15
#define WHERE_BYTES 160
#define TEXT_BYTES  320

enum err_code published_fail(struct published_reader *reader, const char *key, const char *format,
                             ...)
{
    char where[WHERE_BYTES] = "", text[TEXT_BYTES];
    va_list arguments;

    if (reader->index != SIZE_MAX) {
        snprintf(where, sizeof(where), "%s[%zu]%s%s: ", reader->list, reader->index, key ? "." : "",
                 key ? key : "");
    } else if (*reader->list || key) {
        snprintf(where, sizeof(where), "%s%s%s: ", reader->list, *reader->list && key ? "." : "",
                 key ? key : "");
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return err_set(reader->e, ERR_FORMAT, "%.100s: %s%s", reader->name, where, text);
}

enum err_code published_fail_key(struct published_reader *reader, const char *key)
{
    char quote[PLAN_QUOTE_BYTES];

    return published_fail(reader, NULL, "unknown key %s; datasets/published/schema.json lists them",
                          plan_quote(key, strlen(key), quote));
}

enum err_code published_read_text(struct published_reader *reader, const char *key, json_t *value,
                                  size_t bytes_max, const char **text_out)
{
    size_t length = json_string_length(value); /* 0 for what is no string */

    if (length == 0 || length > bytes_max) {
        return published_fail(reader, key, "write a text of 1 to %zu bytes", bytes_max);
    }
    *text_out = json_string_value(value);
    return ERR_OK;
}

static enum err_code read_number(struct published_reader *reader, const char *key, json_t *value,
                                 double *number_out)
{
    double number = json_number_value(value);

    if (!json_is_number(value)) {
        return published_fail(reader, key, "write a number");
    }
    if (number < 0) {
        return published_fail(reader, key,
                              "a negative number is no figure; leave out what is not known");
    }
    if (!(number <= NUMBER_MAX)) {
        return published_fail(reader, key, "a number above %g", NUMBER_MAX);
    }
    *number_out = number;
    return ERR_OK;
}

static enum err_code read_count(struct published_reader *reader, const char *key, json_t *value,
                                int64_t *count_out)
{
    if (!json_is_integer(value) || json_integer_value(value) < 1 ||
        (double)json_integer_value(value) > NUMBER_MAX) {
        return published_fail(reader, key, "write a whole number, at least 1");
    }
    *count_out = json_integer_value(value);
    return ERR_OK;
}

/* Of the shortest decimal that reads back as the number; trailing zeros count as not there, so that
 * what is taken for rounding is never too small. */
static double find_half_unit(double value)
{
    char text[40];

    if (value == 0) {
        return 0;
    }
    for (int digits = 0; digits < 17; digits++) {
        snprintf(text, sizeof(text), "%.*e", digits, value);
        if (strtod(text, NULL) == value) {
            return 0.5 * pow(10, (double)strtol(strchr(text, 'e') + 1, NULL, 10) - digits);
        }
    }
    return 0;
}

enum err_code published_read_value(struct published_reader *reader, const char *key, json_t *value,
                                   double factor, struct published_value *value_out)
{
    struct published_value made = {.bound = PUBLISHED_IS};
    double number = 0;

    if (json_is_object(value)) {
        const char *word = json_object_iter_key(json_object_iter(value));

        made.bound = PUBLISHED_OVER;
        while (word && made.bound <= PUBLISHED_ABOUT &&
               strcmp(word, published_bound_words[made.bound]) != 0) {
            made.bound++;
        }
        if (!word || json_object_size(value) != 1 || made.bound > PUBLISHED_ABOUT) {
            return published_fail(reader, key,
                                  "write a number, or one as { \"over\": 3.6 }, \"under\" or "
                                  "\"about\"");
        }
        value = json_object_get(value, word);
    }
    enum err_code code = read_number(reader, key, value, &number);
    if (code == ERR_OK) {
        made.value = number * factor;
        made.half_unit = find_half_unit(number) * factor;
        *value_out = made;
    }
    return code;
}

enum err_code published_read_list(struct published_reader *reader, const char *key, json_t *value,
                                  size_t count_max, size_t *count_out)
{
    size_t count = json_array_size(value); /* 0 for what is no list */

    if (count == 0 || count > count_max) {
        return published_fail(reader, key, "write a list of 1 to %zu", count_max);
    }
    *count_out = count;
    return ERR_OK;
}

enum err_code published_read_items(struct published_reader *reader, const char *key, json_t *value,
                                   const struct published_list *list)
{
    char *published = (char *)reader->published;
    size_t count = 0;
    enum err_code code = published_read_list(reader, key, value, list->count_max, &count);

    if (code != ERR_OK) {
        return code;
    }
    char *items = calloc(count, list->item_bytes);
    if (!items) {
        return published_fail_memory(reader);
    }
    memcpy(published + list->items_offset, &items, sizeof(items));
    reader->list = key;
    for (size_t i = 0; i < count && code == ERR_OK; i++) {
        char *item = items + i * list->item_bytes;
        size_t counted = i + 1;

        reader->index = i;
        code = list->read(reader, json_array_get(value, i), item);
        if (code == ERR_OK && list->check) {
            code = list->check(reader, json_array_get(value, i), item);
        }
        memcpy(published + list->count_offset, &counted, sizeof(counted));
    }
    reader->list = "";
    reader->index = SIZE_MAX;
    return code;
}

static enum err_code read_field(struct published_reader *reader,
                                const struct published_field *field, json_t *value, void *target)
{
    char *member = (char *)target + field->offset;
    const char *text = NULL;
    int64_t count = 0;
    double number = 0;
    enum err_code code = ERR_OK;

    switch (field->type) {
    case PUBLISHED_FIELD_NAME:
    case PUBLISHED_FIELD_NOTE:
        code = published_read_text(reader, field->key, value,
                                   field->type == PUBLISHED_FIELD_NAME ? PUBLISHED_NAME_BYTES_MAX
                                                                       : PUBLISHED_NOTE_BYTES_MAX,
                                   &text);
        memcpy(member, &text, sizeof(text));
        return code;
    case PUBLISHED_FIELD_COUNT:
        code = read_count(reader, field->key, value, &count);
        memcpy(member, &count, sizeof(count));
        return code;
    case PUBLISHED_FIELD_NUMBER:
        code = read_number(reader, field->key, value, &number);
        memcpy(member, &number, sizeof(number));
        return code;
    case PUBLISHED_FIELD_OTHER:
        break;
    }
    return field->read(reader, field->key, value, target);
}

static const struct published_field *find_field(const struct published_table *table,
                                                const char *key)
{
    for (size_t i = 0; i < table->field_count; i++) {
        if (strcmp(table->fields[i].key, key) == 0) {
            return &table->fields[i];
        }
    }
    return NULL;
}

/* In the order of the table, not of the file: what a later row needs is read before it. */
static enum err_code read_known(struct published_reader *reader,
                                const struct published_table *table, json_t *object, void *target)
{
    enum err_code code = ERR_OK;

    for (size_t i = 0; i < table->field_count && code == ERR_OK; i++) {
        const struct published_field *field = &table->fields[i];
        json_t *value = json_object_get(object, field->key);

        if (value) {
            code = read_field(reader, field, value, target);
        } else if (field->required) {
            code = published_fail(reader, NULL, "\"%s\" is missing", field->key);
        }
    }
    return code;
}

enum err_code published_read_object(struct published_reader *reader,
                                    const struct published_table *table, json_t *object,
                                    void *target)
{
    const char *key = NULL;
    json_t *value = NULL;
    enum err_code code = ERR_OK;

    if (!json_is_object(object)) {
        return published_fail(reader, NULL, "write an object: { \"%s\": … }", table->fields[0].key);
    }
    json_object_foreach(object, key, value)
    {
        if (!find_field(table, key) && !table->read_other) {
            return published_fail_key(reader, key);
        }
    }
    code = read_known(reader, table, object, target);
    if (code != ERR_OK || !table->read_other) {
        return code;
    }
    json_object_foreach(object, key, value)
    {
        if (!find_field(table, key)) {
            code = table->read_other(reader, key, value, target);
        }
        if (code != ERR_OK) {
            break;
        }
    }
    return code;
}
