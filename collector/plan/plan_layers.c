// SPDX-License-Identifier: Apache-2.0
// Reading the texts of a plan one over the other.
#include "collector/plan/plan_layers.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "collector/plan/plan_near.h"
#include "collector/plan/plan_read.h"
#include "engines/base/fs.h"

#define SETTING_TEXT_BYTES 8192
#define SETTING_NAME_BYTES 256 /* of a message, which has less than the whole */

/* The files that are open above the one being read. */
struct stack {
    struct {
        dev_t device;
        ino_t inode;
    } files[PLAN_INCLUDE_DEPTH_MAX + 1];
    size_t depth;
};

static enum err_code layer_read(struct plan_layers *layers, struct stack *stack,
                                const struct plan_reader *reader, const char *text, size_t length);

/* --- include --- */

/* False: the file is one of those above it. */
static bool stack_push(struct stack *stack, const char *path)
{
    struct stat status = {0};

    if (stat(path, &status) == 0) {
        for (size_t i = 0; i < stack->depth; i++) {
            if (stack->files[i].device == status.st_dev && stack->files[i].inode == status.st_ino) {
                return false;
            }
        }
    }
    stack->files[stack->depth].device = status.st_dev;
    stack->files[stack->depth].inode = status.st_ino;
    stack->depth++;
    return true;
}

static enum err_code path_join(struct plan_layer *layer, const yaml_node_t *node, const char *text,
                               char prefixed[PATH_MAX], char path[PATH_MAX])
{
    struct plan_reader *reader = &layer->reader;
    const char *folder = reader->folder ? reader->folder : ".";

    if (*text == '/') {
        return plan_fail(reader, node,
                         "include: an absolute path; write it relative to this file, so that other "
                         "machines find it");
    }
    if (snprintf(prefixed, PATH_MAX, "%s%s", reader->prefix, text) >= PATH_MAX ||
        snprintf(path, PATH_MAX, "%s/%s", folder, prefixed) >= PATH_MAX) {
        return plan_fail(reader, node, "include: the path with its folder is too long");
    }
    return ERR_OK;
}

/* The included text is named as it is found from here, and its folder from the plan's. */
static enum err_code file_read(struct plan_layers *layers, struct stack *stack,
                               struct plan_layer *layer, const yaml_node_t *node,
                               const char *prefixed, const char *path)
{
    struct err problem = {0};
    char folder[PATH_MAX], prefix[PATH_MAX + 1] = "";
    struct buf text;
    struct plan_reader reader = {.folder = layer->reader.folder, .e = layers->e};

    snprintf(folder, sizeof(folder), "%s", prefixed);
    if (strchr(prefixed, '/')) {
        snprintf(prefix, sizeof(prefix), "%s/", dirname(folder));
    }
    reader.name = plan_keep(layers->plan, path, strlen(path));
    reader.prefix = plan_keep(layers->plan, prefix, strlen(prefix));
    if (!reader.name || !reader.prefix) {
        return plan_fail_memory(&layer->reader);
    }
    buf_init(&text, PLAN_TEXT_BYTES_MAX);
    enum err_code code = fs_read_file(path, &text, &problem);
    code = code == ERR_OK ? layer_read(layers, stack, &reader, text.bytes, text.length)
                          : plan_fail(&layer->reader, node, "include: %.300s%s", problem.text,
                                      code == ERR_SYS ? "; name a readable file" : "");
    buf_release(&text);
    return code;
}

static enum err_code include_one(struct plan_layers *layers, struct stack *stack,
                                 struct plan_layer *layer, const yaml_node_t *node)
{
    char prefixed[PATH_MAX], path[PATH_MAX];
    const char *text = "";
    size_t depth = stack->depth;
    enum err_code code =
        plan_read_scalar(&layer->reader, "include", "a path like common.yaml", node, &text);

    if (code == ERR_OK) {
        code = path_join(layer, node, text, prefixed, path);
    }
    if (code != ERR_OK) {
        return code;
    }
    if (!fs_exists(path)) {
        return plan_fail(&layer->reader, node, "include: there is no file %.200s", path);
    }
    if (depth > PLAN_INCLUDE_DEPTH_MAX) {
        return plan_fail(&layer->reader, node, "include: nested deeper than %d files",
                         PLAN_INCLUDE_DEPTH_MAX);
    }
    if (!stack_push(stack, path)) {
        return plan_fail(&layer->reader, node, "include: %.200s includes itself this way", path);
    }
    code = file_read(layers, stack, layer, node, prefixed, path);
    stack->depth = depth;
    return code;
}

static enum err_code include_all(struct plan_layers *layers, struct stack *stack,
                                 struct plan_layer *layer, const yaml_node_t *node)
{
    enum err_code code = ERR_OK;

    if (layer->reader.bodies) {
        return plan_fail(&layer->reader, node, "include: a stored plan includes nothing");
    }
    if (node->type != YAML_SEQUENCE_NODE) {
        return include_one(layers, stack, layer, node);
    }
    for (const yaml_node_item_t *item = node->data.sequence.items.start;
         code == ERR_OK && item < node->data.sequence.items.top; item++) {
        code = include_one(layers, stack, layer, plan_yaml_node(&layer->reader, *item));
    }
    return code;
}

/* The value of a key of the root, before the keys are read. */
static const yaml_node_t *root_find(struct plan_layer *layer, const char *wanted)
{
    if (layer->root->type != YAML_MAPPING_NODE) {
        return NULL;
    }
    for (const yaml_node_pair_t *pair = layer->root->data.mapping.pairs.start;
         pair < layer->root->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = plan_yaml_node(&layer->reader, pair->key);

        if (key->type == YAML_SCALAR_NODE &&
            strcmp((const char *)key->data.scalar.value, wanted) == 0) {
            return plan_yaml_node(&layer->reader, pair->value);
        }
    }
    return NULL;
}

/* --- layers --- */

static void layer_close(struct plan_layer *layer)
{
    plan_yaml_release(&layer->reader);
    free(layer->text);
    free(layer);
}

static enum err_code layer_open(struct plan_layers *layers, const struct plan_reader *reader,
                                const char *text, size_t length, struct plan_layer **layer_out)
{
    struct plan_layer *layer = calloc(1, sizeof(*layer));

    if (!layer) {
        return err_set(layers->e, ERR_LIMIT, "%s: out of memory", reader->name);
    }
    layer->reader = *reader;
    layer->reader.plan = layers->plan;
    layer->reader.engine_marks = layers->engine_marks;
    if (layers->count == PLAN_LAYER_COUNT_MAX) {
        free(layer);
        return err_set(layers->e, ERR_USAGE, "%s: more than %d files and settings make one plan",
                       reader->name, PLAN_LAYER_COUNT_MAX);
    }
    enum err_code code = plan_yaml_load(&layer->reader, text, length);
    if (code != ERR_OK) {
        free(layer);
        return code;
    }
    layer->text = malloc(length + 1);
    if (!layer->text) {
        layer_close(layer);
        return err_set(layers->e, ERR_LIMIT, "%s: out of memory", reader->name);
    }
    memcpy(layer->text, text, length);
    layer->text_length = length;
    layer->root = plan_yaml_root(&layer->reader);
    *layer_out = layer;
    return ERR_OK;
}

static enum err_code layer_fields_read(struct plan_layers *layers, struct plan_layer *layer)
{
    const yaml_node_t *found[PLAN_FIELD_COUNT_MAX];
    enum err_code code =
        plan_fields_read(&layer->reader, &plan_root_table, layer->root, layers->plan, found);

    if (code == ERR_OK) {
        memcpy(layer->marks, found, sizeof(layer->marks));
    }
    return code;
}

static enum err_code layer_read(struct plan_layers *layers, struct stack *stack,
                                const struct plan_reader *reader, const char *text, size_t length)
{
    struct plan_layer *layer = NULL;
    enum err_code code = layer_open(layers, reader, text, length, &layer);

    if (code != ERR_OK) {
        return code;
    }
    const yaml_node_t *include = root_find(layer, "include");
    if (include && !layer->reader.resolved) { /* else it came before */
        code = include_all(layers, stack, layer, include);
    }
    if (code == ERR_OK) {
        code = layer_fields_read(layers, layer);
    }
    if (code != ERR_OK || layers->count == PLAN_LAYER_COUNT_MAX) {
        layer_close(layer);
        return code == ERR_OK
                   ? err_set(layers->e, ERR_USAGE, "%s: includes too many files", reader->name)
                   : code;
    }
    layers->items[layers->count++] = layer;
    return ERR_OK;
}

enum err_code plan_layers_read(struct plan_layers *layers, const struct plan_reader *reader,
                               const char *text, size_t length)
{
    struct stack stack = {0};

    stack_push(&stack, reader->name);
    enum err_code code = layer_read(layers, &stack, reader, text, length);
    if (code == ERR_OK) {
        layers->main = layers->items[layers->count - 1];
    }
    return code;
}

struct plan_mark plan_layers_mark(const struct plan_layers *layers, enum plan_root_field field)
{
    for (size_t i = layers->count; i-- > 0;) {
        if (layers->items[i]->marks[field]) {
            return (struct plan_mark){&layers->items[i]->reader, layers->items[i]->marks[field]};
        }
    }
    return (struct plan_mark){&layers->main->reader, layers->main->root};
}

void plan_layers_release(struct plan_layers *layers)
{
    for (size_t i = 0; i < layers->count; i++) {
        layer_close(layers->items[i]);
    }
    layers->count = 0;
}

/* --- settings --- */

struct setting {
    const char *group;                  /* "", "machine", "engines", "workloads" */
    char name[PLAN_NAME_BYTES_MAX + 1]; /* of an item of the group */
    char key[PLAN_QUOTE_BYTES];
};

static bool is_engines(const struct setting *setting)
{
    return strcmp(setting->group, "engines") == 0;
}

/* The names of a group's items. */
static size_t names_list(const struct plan *plan, const struct setting *setting,
                         const char *names_out[PLAN_ENGINE_COUNT_MAX])
{
    _Static_assert(PLAN_ENGINE_COUNT_MAX >= PLAN_WORKLOAD_COUNT_MAX, "room for the names of both");
    size_t count = is_engines(setting) ? plan->engine_count : plan->workload_count;

    for (size_t i = 0; i < count; i++) {
        names_out[i] = is_engines(setting) ? plan->engines[i].name : plan->workloads[i].name;
    }
    return count;
}

/* "NAME.KEY": a name may hold dots, and somebody may write keys of a key. The longest name of the
 * plan that fits, else what is before the last dot. */
static void item_split(const struct plan *plan, const char *path, size_t length,
                       struct setting *setting)
{
    const char *names[PLAN_ENGINE_COUNT_MAX];
    size_t count = names_list(plan, setting, names), name_bytes = 0;
    const char *dot = memrchr(path, '.', length);

    for (size_t i = 0; i < count; i++) {
        size_t bytes = strlen(names[i]);
        bool fits = bytes <= length && memcmp(path, names[i], bytes) == 0 &&
                    (bytes == length || path[bytes] == '.');

        name_bytes = fits && bytes > name_bytes ? bytes : name_bytes;
    }
    if (!name_bytes) {
        name_bytes = dot ? (size_t)(dot - path) : length;
    }
    snprintf(setting->name, sizeof(setting->name), "%.*s", (int)name_bytes, path);
    if (name_bytes < length) {
        snprintf(setting->key, sizeof(setting->key), "%.*s", (int)(length - name_bytes - 1),
                 path + name_bytes + 1);
    }
}

static void setting_split(const struct plan *plan, const char *path, size_t length,
                          struct setting *setting)
{
    static const char *const groups[] = {"machine", "engines", "workloads"};

    *setting = (struct setting){.group = ""};
    for (size_t i = 0; i < ARRAY_COUNT(groups); i++) {
        size_t bytes = strlen(groups[i]);

        if (length > bytes && memcmp(path, groups[i], bytes) == 0 && path[bytes] == '.') {
            setting->group = groups[i];
            path += bytes + 1;
            length -= bytes + 1;
            break;
        }
    }
    if (is_engines(setting) || strcmp(setting->group, "workloads") == 0) {
        item_split(plan, path, length, setting);
    } else {
        snprintf(setting->key, sizeof(setting->key), "%.*s", (int)length, path);
    }
}

static enum err_code name_fail(struct plan_layer *layer, const struct setting *setting)
{
    const char *names[PLAN_ENGINE_COUNT_MAX];
    size_t count = names_list(layer->reader.plan, setting, names);
    char near[PLAN_NEAR_BYTES];

    return plan_fail(&layer->reader, layer->root, "no %s of the plan has that name; %s",
                     is_engines(setting) ? "engine" : "workload",
                     plan_near_hint(setting->name, strlen(setting->name), names, count, near));
}

static enum err_code item_set(struct plan_layer *layer, const struct setting *setting)
{
    struct plan *plan = layer->reader.plan;

    if (is_engines(setting)) {
        for (size_t i = 0; i < plan->engine_count; i++) {
            if (strcmp(plan->engines[i].name, setting->name) == 0) {
                return plan_set_engine(&layer->reader, setting->key, &plan->engines[i]);
            }
        }
    } else {
        for (size_t i = 0; i < plan->workload_count; i++) {
            if (strcmp(plan->workloads[i].name, setting->name) == 0) {
                return plan_set_workload(&layer->reader, setting->key, &plan->workloads[i]);
            }
        }
    }
    return name_fail(layer, setting);
}

static enum err_code root_set(struct plan_layers *layers, struct plan_layer *layer,
                              const struct setting *setting)
{
    static const char *const lists[] = {"engines", "workloads", "claims", "include"};

    for (size_t i = 0; i < ARRAY_COUNT(lists); i++) {
        size_t bytes = strlen(lists[i]);

        if (strncmp(setting->key, lists[i], bytes) == 0 &&
            (setting->key[bytes] == '\0' || setting->key[bytes] == '.')) {
            return plan_fail(&layer->reader, layer->root,
                             "a list is not set from here; set engines.NAME.KEY or "
                             "workloads.NAME.KEY, or change the plan");
        }
    }
    return layer_fields_read(layers, layer);
}

static enum err_code setting_apply(struct plan_layers *layers, struct plan_layer *layer,
                                   const struct setting *setting)
{
    if (!*setting->group) {
        return root_set(layers, layer, setting);
    }
    if (strcmp(setting->group, "machine") == 0) {
        const yaml_node_t *found[PLAN_FIELD_COUNT_MAX];

        return plan_fields_read(&layer->reader, &plan_machine_table, layer->root,
                                &layers->plan->machine, found);
    }
    return item_set(layer, setting);
}

enum err_code plan_layers_set(struct plan_layers *layers, const char *text)
{
    const char *equals = strchr(text, '=');
    char yaml[SETTING_TEXT_BYTES], name[SETTING_NAME_BYTES];
    struct setting setting;
    struct plan_layer *layer = NULL;

    if (!equals || equals == text) {
        return err_set(layers->e, ERR_USAGE, "--set %.200s: write KEY=VALUE, like window=5s", text);
    }
    setting_split(layers->plan, text, (size_t)(equals - text), &setting);
    if (!*setting.key) {
        return err_set(layers->e, ERR_USAGE,
                       "--set %.200s: no key; write engines.NAME.KEY=VALUE, "
                       "workloads.NAME.KEY=VALUE or machine.KEY=VALUE",
                       text);
    }
    if (strpbrk(text, "\n\r")) { /* it would be a second key */
        return err_set(layers->e, ERR_USAGE,
                       "--set %.200s: more than one line; write one --set for each key", text);
    }
    if (snprintf(yaml, sizeof(yaml), "%s: %s\n", setting.key, equals + 1) >= (int)sizeof(yaml)) {
        return err_set(layers->e, ERR_USAGE, "--set %.80s…: too long", text);
    }
    snprintf(name, sizeof(name), "--set %.200s", text);
    struct plan_reader reader = {.name = plan_keep(layers->plan, name, strlen(name)),
                                 .folder = layers->main->reader.folder,
                                 .prefix = "",
                                 .is_setting = true,
                                 .bodies = layers->main->reader.bodies,
                                 .resolved = layers->main->reader.resolved,
                                 .e = layers->e};
    const char *kept = plan_keep(layers->plan, text, strlen(text));
    if (!reader.name || !kept) {
        return err_set(layers->e, ERR_LIMIT, "%s: out of memory", name);
    }
    enum err_code code = layer_open(layers, &reader, yaml, strlen(yaml), &layer);
    if (code != ERR_OK) {
        return code;
    }
    layer->setting = kept;
    code = setting_apply(layers, layer, &setting);
    if (code != ERR_OK) {
        layer_close(layer);
        return code;
    }
    layers->items[layers->count++] = layer;
    return ERR_OK;
}
