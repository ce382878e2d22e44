// SPDX-License-Identifier: Apache-2.0
// The texts of a plan's layers as one text, and back.
#include "collector/plan/plan_source.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define FILE_MARK    "--- # "
#define SETTING_MARK "# --set "

/* A file's name as it is found from the plan's folder: folders of persons stay out of it. */
static const char *layer_name(const struct plan_layers *layers, const struct plan_layer *layer)
{
    const char *name = layer->reader.name, *slash = strrchr(name, '/');

    if (layer == layers->main) {
        return slash ? slash + 1 : name;
    }
    return name + strlen(layer->reader.folder ? layer->reader.folder : ".") + 1;
}

/* On one line. */
static void name_add(struct buf *out, const char *name)
{
    for (; *name; name++) {
        unsigned char byte = (unsigned char)*name;
        buf_add_char(out, byte < 0x20 || byte == 0x7f ? '?' : *name);
    }
    buf_add_char(out, '\n');
}

static void layer_add(const struct plan_layers *layers, const struct plan_layer *layer,
                      struct buf *out)
{
    if (layer->setting) {
        buf_addf(out, SETTING_MARK "%s\n", layer->setting);
        return;
    }
    if (layers->count > 1) {
        buf_add_text(out, FILE_MARK);
        name_add(out, layer_name(layers, layer));
    }
    buf_add(out, layer->text, layer->text_length);
    if (layers->count > 1 && out->length && out->bytes[out->length - 1] != '\n') {
        buf_add_char(out, '\n');
    }
}

enum err_code plan_source_keep(const struct plan_layers *layers, const char **source_out)
{
    const char *source = NULL;
    enum err_code code = ERR_OK;
    struct buf text;

    buf_init(&text, PLAN_SOURCE_BYTES_MAX);
    for (size_t i = 0; i < layers->count; i++) {
        layer_add(layers, layers->items[i], &text);
    }
    if (!text.failed) {
        source = plan_keep(layers->plan, text.bytes, text.length);
        code = source
                   ? ERR_OK
                   : err_set(layers->e, ERR_LIMIT, "%s: out of memory", layers->main->reader.name);
    }
    buf_release(&text);
    if (code == ERR_OK) {
        *source_out = source;
    }
    return code;
}

/* --- and back --- */

/* The last line of a text when it is one of a setting; NULL: it is another one. */
static const char *setting_find(const char *text, size_t length)
{
    const char *line = length > 1 ? memrchr(text, '\n', length - 1) : NULL;

    line = line ? line + 1 : text;
    return strncmp(line, SETTING_MARK, sizeof(SETTING_MARK) - 1) == 0 ? line : NULL;
}

/* Without the last `count` settings. */
static size_t text_length(const char *source, size_t count)
{
    size_t length = strlen(source);

    for (size_t i = 0; i < count; i++) {
        const char *line = setting_find(source, length);

        length = line ? (size_t)(line - source) : length;
    }
    return length;
}

size_t plan_source_setting_count(const char *source)
{
    size_t length = strlen(source), count = 0;
    const char *line = NULL;

    while (strncmp(source, FILE_MARK, sizeof(FILE_MARK) - 1) == 0 && count < PLAN_LAYER_COUNT_MAX &&
           (line = setting_find(source, length))) {
        length = (size_t)(line - source);
        count++;
    }
    return count;
}

/* One file of the stream: `name` of `name_bytes`, then its text. */
static enum err_code file_read(struct plan_layers *layers, const struct plan_reader *like,
                               const char *name, size_t name_bytes, const char *text, size_t length)
{
    char path[PATH_MAX], folder[PATH_MAX] = "";
    struct plan_reader reader = *like;

    if (snprintf(path, sizeof(path), "./%.*s", (int)name_bytes, name) >= (int)sizeof(path)) {
        return err_set(layers->e, ERR_USAGE, "%s: the name of a file is too long", like->name);
    }
    const char *slash = strrchr(path + 2, '/');
    if (slash) {
        snprintf(folder, sizeof(folder), "%.*s", (int)(slash + 1 - (path + 2)), path + 2);
    }
    reader.name = plan_keep(layers->plan, path, strlen(path));
    reader.prefix = plan_keep(layers->plan, folder, strlen(folder));
    return reader.name && reader.prefix
               ? plan_layers_read(layers, &reader, text, length)
               : err_set(layers->e, ERR_LIMIT, "%s: out of memory", like->name);
}

/* A file that begins with such a mark itself gives a second one right behind its own. */
static enum err_code stream_read(struct plan_layers *layers, const struct plan_reader *like,
                                 const char *source, size_t length)
{
    const char *end = source + length, *at = source + sizeof(FILE_MARK) - 1, *name = at;
    enum err_code code = ERR_OK;

    while (code == ERR_OK) {
        const char *text = memchr(at, '\n', (size_t)(end - at));
        const char *next =
            text ? memmem(text, (size_t)(end - text), "\n" FILE_MARK, sizeof("\n" FILE_MARK) - 1)
                 : NULL;

        if (!text) {
            return err_set(layers->e, ERR_USAGE, "%s: a file without any text", like->name);
        }
        const char *text_end = next ? next + 1 : end;
        if (text_end > text + 1) {
            code = file_read(layers, like, name, strcspn(name, "\n"), text + 1,
                             (size_t)(text_end - text - 1));
            name = next ? next + sizeof("\n" FILE_MARK) - 1 : NULL;
        }
        if (!next) {
            break;
        }
        at = next + sizeof("\n" FILE_MARK) - 1;
    }
    return code == ERR_OK && !layers->main
               ? err_set(layers->e, ERR_USAGE, "%s: no file in it", like->name)
               : code;
}

static enum err_code setting_read(struct plan_layers *layers, const struct plan_reader *like,
                                  const char *line)
{
    const char *text = line + sizeof(SETTING_MARK) - 1;
    const char *kept = plan_keep(layers->plan, text, strcspn(text, "\n"));

    return kept ? plan_layers_set(layers, kept)
                : err_set(layers->e, ERR_LIMIT, "%s: out of memory", like->name);
}

enum err_code plan_source_read(struct plan_layers *layers, const struct plan_reader *like,
                               const char *source, size_t setting_count)
{
    size_t length = text_length(source, setting_count);
    bool is_stream =
        strncmp(source, FILE_MARK, sizeof(FILE_MARK) - 1) == 0 &&
        (setting_count > 0 || memmem(source, length, "\n" FILE_MARK, sizeof("\n" FILE_MARK) - 1));
    enum err_code code = is_stream ? stream_read(layers, like, source, length)
                                   : plan_layers_read(layers, like, source, length);

    for (const char *line = source + length; code == ERR_OK && *line;
         line += strcspn(line, "\n"), line += *line == '\n') {
        code = setting_read(layers, like, line);
    }
    return code;
}
