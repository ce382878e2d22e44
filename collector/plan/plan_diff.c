// SPDX-License-Identifier: Apache-2.0
// A canonical text as lines with their keys, and which of them the other text has not.
#include "collector/plan/plan_diff.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_BYTES   160
#define INDENT_STEP 2
#define LEVEL_MAX   4

/* A line of the text with the keys that lead to it. */
struct line {
    char key[KEY_BYTES];
    const char *value; /* into the text */
    size_t value_bytes;
};

struct lines {
    struct line *items;
    size_t count;
};

/* Where the reading is: the keys of the levels above. An item of a list is named by its first
 * value, "- name: …" or "- id: …". */
struct path {
    char levels[LEVEL_MAX][KEY_BYTES / 2];
};

static void text_take(const char *from, size_t length, char *out, size_t capacity)
{
    if (length >= 2 && from[0] == '"' && from[length - 1] == '"') {
        from++;
        length -= 2;
    }
    snprintf(out, capacity, "%.*s", (int)(length < capacity ? length : capacity - 1), from);
}

static void key_join(const struct path *path, size_t level, char out[KEY_BYTES])
{
    size_t used = 0;

    out[0] = '\0';
    for (size_t i = 0; i <= level && used < KEY_BYTES - 1; i++) {
        if (path->levels[i][0]) {
            used += (size_t)snprintf(out + used, KEY_BYTES - used, "%s%s", used ? "." : "",
                                     path->levels[i]);
        }
    }
}

/* Reads one line; `line` is set unless it only opens a level or an item. */
static bool line_read(struct path *path, const char *text, size_t length, struct line *line)
{
    size_t indent = strspn(text, " ");
    bool is_item = indent < length && text[indent] == '-';
    size_t level = (indent + (is_item ? INDENT_STEP : 0)) / INDENT_STEP;

    if (indent >= length || level >= LEVEL_MAX) {
        return false;
    }
    const char *key = text + indent + (is_item ? INDENT_STEP : 0);
    const char *end = text + length;
    const char *colon = memchr(key, ':', (size_t)(end - key));
    const char *value = colon && colon + 2 < end ? colon + 2 : end;

    for (size_t i = level; i < LEVEL_MAX; i++) {
        path->levels[i][0] = '\0';
    }
    if (is_item && colon) {
        /* The item's name is the level of the dash; its first key is not told. */
        text_take(value, (size_t)(end - value), path->levels[level - 1], KEY_BYTES / 2);
    } else {
        text_take(key, (size_t)((colon ? colon : end) - key), path->levels[level], KEY_BYTES / 2);
    }
    *line = (struct line){.value = value, .value_bytes = (size_t)(end - value)};
    key_join(path, level, line->key);
    return is_item || value < end;
}

static enum err_code lines_read(const char *text, struct lines *lines, struct err *e)
{
    struct path path = {0};

    while (*text) {
        size_t length = strcspn(text, "\n");
        struct line line;

        if (line_read(&path, text, length, &line)) {
            struct line *grown = realloc(lines->items, (lines->count + 1) * sizeof(*grown));

            if (!grown) {
                return err_set(e, ERR_LIMIT, "no memory to compare two plans");
            }
            lines->items = grown;
            lines->items[lines->count++] = line;
        }
        text += length + (text[length] == '\n');
    }
    return ERR_OK;
}

static bool lines_have(const struct lines *lines, const struct line *line, bool same_value)
{
    for (size_t i = 0; i < lines->count; i++) {
        const struct line *other = &lines->items[i];

        if (strcmp(other->key, line->key) == 0 &&
            (!same_value || (other->value_bytes == line->value_bytes &&
                             memcmp(other->value, line->value, line->value_bytes) == 0))) {
            return true;
        }
    }
    return false;
}

/* A key once: an item that is missing stands for all of its keys. */
static void key_add(const char *key, char *last, char *out, size_t capacity)
{
    size_t used = strlen(out);
    size_t last_bytes = strlen(last);

    if (strstr(out, "…")) {
        return;
    }
    if (last_bytes && strncmp(key, last, last_bytes) == 0 &&
        (key[last_bytes] == '\0' || key[last_bytes] == '.')) {
        return;
    }
    snprintf(last, KEY_BYTES, "%s", key);
    if (used + strlen(key) + sizeof(", …") > capacity) {
        if (used + sizeof(", …") <= capacity) {
            memcpy(out + used, ", …", sizeof(", …"));
        }
        return;
    }
    snprintf(out + used, capacity - used, "%s%s", used ? ", " : "", key);
}

enum err_code plan_diff(const char *a, const char *b, char *out, size_t capacity, struct err *e)
{
    struct lines left = {0}, right = {0};
    char last[KEY_BYTES] = "";
    enum err_code code = lines_read(a, &left, e);

    if (code == ERR_OK) {
        code = lines_read(b, &right, e);
    }
    if (code == ERR_OK) {
        out[0] = '\0';
    }
    for (size_t i = 0; code == ERR_OK && i < left.count; i++) {
        if (!lines_have(&right, &left.items[i], true)) {
            key_add(left.items[i].key, last, out, capacity);
        }
    }
    last[0] = '\0';
    for (size_t i = 0; code == ERR_OK && i < right.count; i++) {
        if (!lines_have(&left, &right.items[i], false)) {
            key_add(right.items[i].key, last, out, capacity);
        }
    }
    free(left.items);
    free(right.items);
    return code;
}
