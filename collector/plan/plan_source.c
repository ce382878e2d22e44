// SPDX-License-Identifier: Apache-2.0
// The texts of a plan's layers as one text.
#include "collector/plan/plan_source.h"

#include <string.h>

/* A file's name as it is found from the plan's folder: folders of persons stay out of it. */
static const char *layer_name(const struct plan_layers *layers, const struct plan_layer *layer)
{
    const char *name = layer->reader.name, *slash = strrchr(name, '/');

    if (layer->reader.is_setting) {
        return name;
    }
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
    if (layers->count > 1) {
        buf_add_text(out, layer->reader.is_setting ? "# " : "--- # ");
        name_add(out, layer_name(layers, layer));
    }
    if (layer->reader.is_setting) {
        return;
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
