// SPDX-License-Identifier: Apache-2.0
// plan_parse: the tables of keys of the plan and its machine.
#include "collector/plan/plan_read.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/asset.h"
#include "collector/plan/plan_layers.h"
#include "collector/plan/plan_source.h"
#include "engines/base/clock.h"
#include "engines/base/fs.h"
#include "engines/base/units.h"

/* A number of blocks; "article" is the 20 that a published comparison should have. */
static enum err_code trials_read(struct plan_reader *reader, const struct plan_field *field,
                                 const yaml_node_t *node, void *target)
{
    struct plan *plan = target;
    int64_t count = PLAN_ARTICLE_BLOCK_COUNT;
    enum err_code code = ERR_OK;

    if (node->type != YAML_SCALAR_NODE ||
        strcmp((const char *)node->data.scalar.value, "article") != 0) {
        code = plan_read_count(reader, field, node, &count);
    }
    if (code == ERR_OK) {
        plan->block_count = (uint32_t)count;
    }
    return code;
}

#define DURATION_FIELD(name, minimum_ns, maximum_ns)                                               \
    {                                                                                              \
        .key = #name, .type = PLAN_FIELD_DURATION, .offset = offsetof(struct plan, name##_ns),     \
        .minimum = (minimum_ns), .maximum = (maximum_ns)                                           \
    }

/* Claims name engines and workloads: they are read when those are known. What is included was read
 * before. */
static enum err_code read_later(struct plan_reader *reader, const struct plan_field *field,
                                const yaml_node_t *node, void *target)
{
    (void)reader, (void)field, (void)node, (void)target;
    return ERR_OK;
}

static const struct plan_field root_fields[] = {
    [ROOT_TITLE] = {.key = "title",
                    .type = PLAN_FIELD_NAME,
                    .offset = offsetof(struct plan, title),
                    .maximum = PLAN_NAME_BYTES_MAX,
                    .required = true},
    [ROOT_BASELINE] = {.key = "baseline",
                       .type = PLAN_FIELD_NAME,
                       .offset = offsetof(struct plan, baseline),
                       .maximum = PLAN_NAME_BYTES_MAX},
    [ROOT_TRIALS] = {.key = "trials",
                     .type = PLAN_FIELD_OTHER,
                     .minimum = 1,
                     .maximum = 1000,
                     .read = trials_read},
    [ROOT_WINDOW] = DURATION_FIELD(window, CLOCK_NS_PER_MS, PLAN_DAY_NS),
    [ROOT_SAMPLE] = DURATION_FIELD(sample, 10 * CLOCK_NS_PER_MS, PLAN_HOUR_NS),
    [ROOT_CLAIMS] = {.key = "claims", .type = PLAN_FIELD_OTHER, .read = read_later},
    [ROOT_INCLUDE] = {.key = "include", .type = PLAN_FIELD_OTHER, .read = read_later},
    {.key = "aa", .type = PLAN_FIELD_BOOL, .offset = offsetof(struct plan, aa_arm)},
    DURATION_FIELD(settle, 0, PLAN_HOUR_NS),
    DURATION_FIELD(warmup, 0, PLAN_DAY_NS),
    DURATION_FIELD(cooldown, 0, PLAN_HOUR_NS),
    DURATION_FIELD(timeout, CLOCK_NS_PER_MS, PLAN_HOUR_NS),
    DURATION_FIELD(ready_within, CLOCK_NS_PER_MS, PLAN_HOUR_NS),
    {.key = "seed", .type = PLAN_FIELD_SEED, .offset = offsetof(struct plan, seed)},
    {.key = "machine",
     .type = PLAN_FIELD_OTHER,
     .offset = offsetof(struct plan, machine),
     .read = plan_read_machine},
    {.key = "engines", .type = PLAN_FIELD_OTHER, .required = true, .read = plan_read_engines},
    {.key = "workloads", .type = PLAN_FIELD_OTHER, .required = true, .read = plan_read_workloads},
};
const struct plan_table plan_root_table = {.what = "the plan",
                                           .fields = root_fields,
                                           .field_count = ARRAY_COUNT(root_fields),
                                           .is_layered = true};

static const struct plan plan_defaults = {
    .block_count = 10,
    .aa_arm = true,
    .settle_ns = 3 * CLOCK_NS_PER_S,
    .warmup_ns = 5 * CLOCK_NS_PER_S,
    .window_ns = 20 * CLOCK_NS_PER_S,
    .cooldown_ns = 2 * CLOCK_NS_PER_S,
    .sample_ns = 500 * CLOCK_NS_PER_MS,
    .timeout_ns = 2 * CLOCK_NS_PER_S,
    .ready_within_ns = 30 * CLOCK_NS_PER_S,
    .seed = 1, /* any fixed number: the same plan has the same order everywhere */
};

/* Escapes make the canonical text longer than the plan; it must be a plan all the same. */
static enum err_code canonical_check(const struct plan_layers *layers)
{
    struct buf text;

    buf_init(&text, PLAN_TEXT_BYTES_MAX);
    plan_format(layers->plan, &text);
    enum err_code code = buf_check(&text, "the canonical text of the plan", layers->e);
    buf_release(&text);
    return code;
}

/* A key that is required may stand in any of the texts. */
static enum err_code required_check(const struct plan_layers *layers)
{
    const struct plan *plan = layers->plan;
    const struct {
        const char *key;
        bool is_there;
    } required[] = {{"title", plan->title != NULL},
                    {"engines", plan->engine_count > 0},
                    {"workloads", plan->workload_count > 0}};

    for (size_t i = 0; i < ARRAY_COUNT(required); i++) {
        if (!required[i].is_there) {
            return plan_fail(&layers->main->reader, layers->main->root,
                             "the plan has no \"%s\"; add it", required[i].key);
        }
    }
    return ERR_OK;
}

/* What concerns the whole, when every text was read. */
static enum err_code layers_finish(const struct plan_layers *layers)
{
    enum err_code code = required_check(layers);

    if (code == ERR_OK) {
        code = plan_check(layers);
    }
    for (size_t i = 0; code == ERR_OK && i < layers->count; i++) {
        struct plan_layer *layer = layers->items[i];

        if (layer->marks[ROOT_CLAIMS]) {
            code = plan_read_claims(&layer->reader, layer->marks[ROOT_CLAIMS], false);
        }
    }
    if (code == ERR_OK) {
        code = canonical_check(layers);
    }
    return code == ERR_OK ? plan_source_keep(layers, &layers->plan->source) : code;
}

static struct plan *plan_new(void)
{
    struct plan *plan = malloc(sizeof(*plan));

    if (plan) {
        *plan = plan_defaults;
    }
    return plan;
}

/* What a plan is read from. */
struct written {
    const char *text; /* of a plan that is read once more: all its texts */
    size_t length;
    const struct plan_settings *settings; /* NULL: none */
    size_t setting_count;                 /* of a plan that is read once more */
};

static enum err_code written_read(struct plan_layers *layers, const struct plan_reader *reader,
                                  const struct written *written)
{
    if (reader->resolved) {
        return plan_source_read(layers, reader, written->text, written->setting_count);
    }
    enum err_code code = plan_layers_read(layers, reader, written->text, written->length);
    for (size_t i = 0; code == ERR_OK && written->settings && i < written->settings->count; i++) {
        code = plan_layers_set(layers, written->settings->texts[i]);
    }
    return code;
}

/* A text as a plan, changed by settings. */
static enum err_code text_parse(const struct plan_reader *reader, const struct written *written,
                                struct plan **plan_out)
{
    struct plan_layers *layers = calloc(1, sizeof(*layers));
    struct plan *plan = plan_new();
    enum err_code code = ERR_OK;

    if (!layers || !plan) {
        free(layers);
        free(plan);
        return err_set(reader->e, ERR_LIMIT, "%s: out of memory", reader->name);
    }
    layers->plan = plan;
    layers->e = reader->e;
    code = written_read(layers, reader, written);
    if (code == ERR_OK) {
        code = layers_finish(layers);
    }
    plan_layers_release(layers);
    free(layers);
    if (code != ERR_OK) {
        plan_free(plan);
        return code;
    }
    *plan_out = plan;
    return ERR_OK;
}

/* The value of a key of a mapping; NULL: none. */
static const yaml_node_t *key_find(struct plan_reader *reader, const yaml_node_t *node,
                                   const char *name)
{
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         node->type == YAML_MAPPING_NODE && pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = plan_yaml_node(reader, pair->key);

        if (key->type == YAML_SCALAR_NODE &&
            strcmp((const char *)key->data.scalar.value, name) == 0) {
            return plan_yaml_node(reader, pair->value);
        }
    }
    return NULL;
}

/* A workload with a window of its own. */
static bool has_other_window(struct plan_reader *reader, const yaml_node_t *workloads)
{
    if (!workloads || workloads->type != YAML_SEQUENCE_NODE) {
        return false;
    }
    for (const yaml_node_item_t *item = workloads->data.sequence.items.start;
         item < workloads->data.sequence.items.top; item++) {
        if (key_find(reader, plan_yaml_node(reader, *item), "window")) {
            return true;
        }
    }
    return false;
}

/* 0 where the text does not say it for all workloads. */
static int64_t recorded_window_ns(struct plan_reader *reader, const yaml_node_t *root)
{
    const yaml_node_t *node = key_find(reader, root, "window");
    int64_t window_ns = 0;

    if (!node || node->type != YAML_SCALAR_NODE ||
        has_other_window(reader, key_find(reader, root, "workloads")) ||
        units_parse_duration((const char *)node->data.scalar.value, &window_ns, NULL) != ERR_OK) {
        return 0;
    }
    return window_ns;
}

/* The claims and the window, whatever else there is; a text without claims has none. */
static enum err_code recorded_read(struct plan_reader *reader)
{
    const yaml_node_t *root = plan_yaml_root(reader);

    if (root->type != YAML_MAPPING_NODE) {
        return plan_fail(reader, root, "no plan: not keys and values");
    }
    const yaml_node_t *claims = key_find(reader, root, "claims");

    reader->plan->window_ns = recorded_window_ns(reader, root);
    return claims ? plan_read_claims(reader, claims, true) : ERR_OK;
}

enum err_code plan_parse(const char *name, const char *folder, const char *text, size_t length,
                         struct plan **plan_out, struct err *e)
{
    const struct plan_reader reader = {.name = name, .folder = folder, .prefix = "", .e = e};

    return text_parse(&reader, &(struct written){.text = text, .length = length}, plan_out);
}

enum err_code plan_parse_claims(const char *name, const char *text, size_t length,
                                struct plan **plan_out, struct err *e)
{
    struct plan_reader reader = {.name = name, .prefix = "", .e = e};
    enum err_code code = plan_yaml_load(&reader, text, length);

    if (code != ERR_OK) {
        return code;
    }
    reader.plan = plan_new();
    code = reader.plan ? recorded_read(&reader) : plan_fail_memory(&reader);
    plan_yaml_release(&reader);
    if (code != ERR_OK) {
        plan_free(reader.plan);
        return code;
    }
    *plan_out = reader.plan;
    return ERR_OK;
}

enum err_code plan_parse_stored(const char *name, const char *text, size_t length,
                                const struct plan_body *bodies, size_t body_count,
                                struct plan **plan_out, struct err *e)
{
    static const struct plan_body none;
    const struct plan_reader reader = {.name = name,
                                       .prefix = "",
                                       .bodies = bodies ? bodies : &none,
                                       .body_count = body_count,
                                       .e = e};

    return text_parse(&reader, &(struct written){.text = text, .length = length}, plan_out);
}

enum err_code plan_parse_source(const char *name, const char *source, size_t setting_count,
                                const struct plan *resolved, struct plan **plan_out, struct err *e)
{
    static const struct plan_body none;
    const struct plan_reader reader = {
        .name = name, .prefix = "", .bodies = &none, .resolved = resolved, .e = e};

    return text_parse(&reader, &(struct written){.text = source, .setting_count = setting_count},
                      plan_out);
}

static enum err_code file_load(const char *path, const struct plan_settings *settings,
                               struct plan **plan_out, struct err *e)
{
    char folder[PATH_MAX];
    struct plan_reader reader = {.name = path, .prefix = "", .e = e};
    struct buf text;

    if (snprintf(folder, sizeof(folder), "%s", path) >= (int)sizeof(folder)) {
        return err_set(e, ERR_USAGE, "%.80s…: the path is too long", path);
    }
    reader.folder = dirname(folder);
    buf_init(&text, PLAN_TEXT_BYTES_MAX);
    enum err_code code = fs_read_file(path, &text, e);
    if (code == ERR_OK) {
        code = text_parse(
            &reader,
            &(struct written){.text = text.bytes, .length = text.length, .settings = settings},
            plan_out);
    }
    buf_release(&text);
    if (code == ERR_SYS && e) {
        e->code = ERR_USAGE; /* a path that cannot be read is the caller's mistake */
    }
    return code == ERR_SYS ? ERR_USAGE : code;
}

enum err_code plan_load(const char *path, struct plan **plan_out, struct err *e)
{
    return plan_load_changed(path, NULL, plan_out, e);
}

enum err_code plan_load_changed(const char *path, const struct plan_settings *settings,
                                struct plan **plan_out, struct err *e)
{
    if (path) {
        return file_load(path, settings, plan_out, e);
    }
    const struct asset *asset = asset_find(PLAN_BUILTIN_ASSET);
    if (!asset) {
        return err_set(e, ERR_FORMAT, "this program was built without %s", PLAN_BUILTIN_ASSET);
    }
    const struct plan_reader reader = {.name = asset->name, .prefix = "", .e = e};
    return text_parse(
        &reader,
        &(struct written){.text = asset->bytes, .length = asset->length, .settings = settings},
        plan_out);
}
