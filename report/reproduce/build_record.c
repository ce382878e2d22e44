// SPDX-License-Identifier: Apache-2.0
// Reads how tacho-engine was built.
#include "report/reproduce/build_record.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/bundle/bag.h"
#include "report/bundle/file_tree.h"

/* Owns all that a record points to. */
struct build_memory {
    json_t *root;
    void **blocks;
    size_t block_count, block_capacity;
};

struct reading {
    struct build_record record;
    struct build_memory *memory;
    struct err *e;
};

static void memory_free(struct build_memory *memory)
{
    if (memory) {
        for (size_t i = 0; i < memory->block_count; i++) {
            free(memory->blocks[i]);
        }
        json_decref(memory->root);
        free(memory->blocks);
        free(memory);
    }
}

/* Zeroed and kept until the record is released; NULL without memory. */
static void *block_take(struct reading *reading, size_t count, size_t bytes)
{
    struct build_memory *memory = reading->memory;

    if (memory->block_count == memory->block_capacity) {
        size_t capacity = memory->block_capacity * 2 + 64;
        void **blocks = realloc(memory->blocks, capacity * sizeof(*blocks));

        if (!blocks) {
            return NULL;
        }
        memory->blocks = blocks;
        memory->block_capacity = capacity;
    }
    void *block = calloc(count, bytes);
    if (block) {
        memory->blocks[memory->block_count++] = block;
    }
    return block;
}

/* A text of one line, short enough to be an argument. */
static const char *text_of(const json_t *value)
{
    const char *text = json_string_value(value);

    return text && strlen(text) <= BUILD_TEXT_BYTES_MAX ? text : NULL;
}

static enum err_code words_read(struct reading *reading, const json_t *list, const char *what,
                                struct build_step *step_out)
{
    size_t count = json_array_size(list);

    if (count == 0 || count > BUILD_WORD_COUNT_MAX) {
        return err_set(reading->e, ERR_FORMAT, "%s: no list of 1 to %d words", what,
                       BUILD_WORD_COUNT_MAX);
    }
    const char **words = block_take(reading, count + 1, sizeof(*words));
    if (!words) {
        return err_set(reading->e, ERR_LIMIT, "no memory for a build record");
    }
    for (size_t i = 0; i < count; i++) {
        words[i] = text_of(json_array_get(list, i));
        if (!words[i] || (i == 0 && !*words[i])) {
            return err_set(reading->e, ERR_FORMAT, "%s: word %zu is no text, or too long", what,
                           i + 1);
        }
    }
    *step_out = (struct build_step){words, count};
    return ERR_OK;
}

static enum err_code tools_read(struct reading *reading, const json_t *list)
{
    size_t count = json_array_size(list);

    if (count == 0 || count > BUILD_TOOL_COUNT_MAX) {
        return err_set(reading->e, ERR_FORMAT, "toolchain: no list of 1 to %d tools",
                       BUILD_TOOL_COUNT_MAX);
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(list, i);
        struct build_tool *tool = &reading->record.tools[i];

        tool->name = text_of(json_object_get(item, "name"));
        tool->says = text_of(json_object_get(item, "says"));
        if (!tool->name || !tool->says) {
            return err_set(reading->e, ERR_FORMAT,
                           "toolchain: tool %zu has no name or says nothing", i + 1);
        }
        enum err_code code =
            words_read(reading, json_object_get(item, "argv"), "toolchain", &tool->step);
        if (code != ERR_OK) {
            return code;
        }
    }
    reading->record.tool_count = count;
    return ERR_OK;
}

static bool is_variable_name(const char *name)
{
    return *name && strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == strlen(name) &&
           strncmp(name, "LD_", 3) != 0 && strcmp(name, "PATH") != 0;
}

static enum err_code environment_read(struct reading *reading, json_t *object)
{
    const char *name;
    json_t *value;
    size_t count = 0;

    json_object_foreach(object, name, value)
    {
        const char *text = text_of(value);

        if (!is_variable_name(name) || !text || count == BUILD_VARIABLE_COUNT_MAX) {
            return err_set(reading->e, ERR_FORMAT, "environment: \"%.40s\" may not be set", name);
        }
        size_t bytes = strlen(name) + strlen(text) + 2;
        char *variable = block_take(reading, bytes, 1);
        if (!variable) {
            return err_set(reading->e, ERR_LIMIT, "no memory for a build record");
        }
        snprintf(variable, bytes, "%s=%s", name, text);
        reading->record.environment[count++] = variable;
    }
    return ERR_OK;
}

static enum err_code steps_read(struct reading *reading, const json_t *list)
{
    size_t count = json_array_size(list);
    enum err_code code = ERR_OK;

    if (count == 0 || count > BUILD_STEP_COUNT_MAX) {
        return err_set(reading->e, ERR_FORMAT, "steps: no list of 1 to %d commands",
                       BUILD_STEP_COUNT_MAX);
    }
    reading->record.steps = block_take(reading, count, sizeof(*reading->record.steps));
    if (!reading->record.steps) {
        return err_set(reading->e, ERR_LIMIT, "no memory for a build record");
    }
    reading->record.step_count = count;
    for (size_t i = 0; i < count && code == ERR_OK; i++) {
        code = words_read(reading, json_array_get(list, i), "steps", &reading->record.steps[i]);
    }
    return code;
}

static enum err_code product_read(struct reading *reading, const json_t *object)
{
    const char *path = text_of(json_object_get(object, "path"));
    const char *sha256 = text_of(json_object_get(object, "sha256"));

    /* The rules of a bundle's paths keep it within the work folder. */
    if (!path || file_tree_check_path(path, NULL) != ERR_OK) {
        return err_set(reading->e, ERR_FORMAT, "product: no path, or one that leads elsewhere");
    }
    if (!sha256 || !bag_parse_hex(sha256, strlen(sha256), reading->record.product_sha256)) {
        return err_set(reading->e, ERR_FORMAT, "product: no SHA-256");
    }
    reading->record.product_path = path;
    return ERR_OK;
}

static enum err_code record_read(struct reading *reading)
{
    json_t *root = reading->memory->root;
    const char *format = json_string_value(json_object_get(root, "format"));

    if (!format || strcmp(format, BUILD_RECORD_FORMAT) != 0) {
        return err_set(reading->e, ERR_FORMAT, "no build record of format " BUILD_RECORD_FORMAT);
    }
    enum err_code code = tools_read(reading, json_object_get(root, "toolchain"));
    if (code == ERR_OK) {
        code = environment_read(reading, json_object_get(root, "environment"));
    }
    if (code == ERR_OK) {
        code = steps_read(reading, json_object_get(root, "steps"));
    }
    return code == ERR_OK ? product_read(reading, json_object_get(root, "product")) : code;
}

enum err_code build_record_parse(const char *bytes, size_t length, struct build_record *record_out,
                                 struct err *e)
{
    struct reading reading = {.memory = calloc(1, sizeof(*reading.memory)), .e = e};
    json_error_t cause;
    enum err_code code;

    if (!reading.memory) {
        return err_set(e, ERR_LIMIT, "no memory for a build record");
    }
    if (length > BUILD_RECORD_BYTES_MAX) {
        code =
            err_set(e, ERR_FORMAT, "a build record of more than %zu bytes", BUILD_RECORD_BYTES_MAX);
    } else {
        reading.memory->root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &cause);
        code = reading.memory->root ? record_read(&reading)
                                    : err_set(e, ERR_FORMAT, "line %d: %s", cause.line, cause.text);
    }
    if (code != ERR_OK) {
        memory_free(reading.memory);
        return code;
    }
    reading.record.memory = reading.memory;
    *record_out = reading.record;
    return ERR_OK;
}

void build_record_release(struct build_record *record)
{
    memory_free(record->memory);
    record->memory = NULL;
}
