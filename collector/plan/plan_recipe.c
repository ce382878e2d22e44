// SPDX-License-Identifier: Apache-2.0
// The recipe of an external engine, engines/external/NAME/engine.yaml, which the program carries.
#include <stdio.h>
#include <string.h>

#include "collector/asset.h"
#include "collector/plan/plan_foreign.h"

struct recipe {
    const char *about;
    struct plan_engine engine; /* what it says of one */
};

static enum err_code package_add(struct plan_reader *reader, const yaml_node_pair_t *pair,
                                 struct plan_engine *engine)
{
    static const struct plan_field field = {.key = "packages", .maximum = PLAN_WORD_BYTES_MAX};
    struct plan_package *package = &engine->packages[engine->package_count];
    const yaml_node_t *key = plan_yaml_node(reader, pair->key);

    if (engine->package_count == PLAN_PACKAGE_COUNT_MAX) {
        return plan_fail(reader, key, "packages: more than %d", PLAN_PACKAGE_COUNT_MAX);
    }
    enum err_code code = plan_read_name(reader, &field, key, &package->name);
    if (code == ERR_OK) {
        code = plan_read_name(reader, &field, plan_yaml_node(reader, pair->value), &package->proof);
    }
    engine->package_count += code == ERR_OK;
    return code;
}

static enum err_code packages_read(struct plan_reader *reader, const struct plan_field *field,
                                   const yaml_node_t *node, void *target)
{
    struct recipe *recipe = target;
    enum err_code code = ERR_OK;

    if (node->type != YAML_MAPPING_NODE) {
        return plan_fail(reader, node, "%s: write { PACKAGE: FILE-OR-PROGRAM }", field->key);
    }
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         code == ERR_OK && pair < node->data.mapping.pairs.top; pair++) {
        code = package_add(reader, pair, &recipe->engine);
    }
    return code;
}

static const struct plan_field recipe_fields[] = {
    {.key = "about",
     .type = PLAN_FIELD_NAME,
     .offset = offsetof(struct recipe, about),
     .maximum = PLAN_WORD_BYTES_MAX,
     .required = true},
    {.key = "packages", .type = PLAN_FIELD_OTHER, .required = true, .read = packages_read},
    {.key = "build",
     .type = PLAN_FIELD_OTHER,
     .offset = offsetof(struct recipe, engine.build),
     .maximum = PLAN_WORD_BYTES_MAX,
     .read = plan_read_words},
    {.key = "start",
     .type = PLAN_FIELD_OTHER,
     .offset = offsetof(struct recipe, engine.command),
     .maximum = PLAN_WORD_BYTES_MAX,
     .required = true,
     .read = plan_read_words},
    {.key = "answers",
     .type = PLAN_FIELD_OTHER,
     .offset = offsetof(struct recipe, engine.answers),
     .maximum = PLAN_WORD_BYTES_MAX,
     .required = true,
     .read = plan_read_words},
};
const struct plan_table plan_recipe_table = {
    .what = "a recipe", .fields = recipe_fields, .field_count = ARRAY_COUNT(recipe_fields)};

/* "engines/external/NAME/engine.yaml" → the length of NAME, 0 when it is none. */
static size_t recipe_name(const char *path, const char **name_out)
{
    size_t prefix = sizeof(PLAN_EXTERNAL_PREFIX) - 1;

    if (strncmp(path, PLAN_EXTERNAL_PREFIX, prefix) != 0) {
        return 0;
    }
    size_t length = strcspn(path + prefix, "/");
    *name_out = path + prefix;
    return strcmp(path + prefix + length, "/" PLAN_EXTERNAL_RECIPE) == 0 ? length : 0;
}

const char *plan_external_list(char out[PLAN_EXTERNAL_LIST_BYTES])
{
    size_t used = 0;

    out[0] = '\0';
    for (const struct asset *asset = assets; asset->name; asset++) {
        const char *name = "";
        size_t length = recipe_name(asset->name, &name);

        if (length && used + length + 3 < PLAN_EXTERNAL_LIST_BYTES) {
            used += (size_t)snprintf(out + used, PLAN_EXTERNAL_LIST_BYTES - used, "%s%.*s",
                                     used ? ", " : "", (int)length, name);
        }
    }
    return out;
}

static const struct asset *recipe_find(const char *name)
{
    char path[200];

    return !strchr(name, '/') &&
                   snprintf(path, sizeof(path), PLAN_EXTERNAL_PREFIX "%s/" PLAN_EXTERNAL_RECIPE,
                            name) < (int)sizeof(path)
               ? asset_find(path)
               : NULL;
}

/* A mistake in it is this program's own, but it is told all the same. */
static enum err_code recipe_read(struct plan_reader *outer, const struct asset *asset,
                                 struct recipe *recipe)
{
    static const struct plan_body none;
    const yaml_node_t *found[ARRAY_COUNT(recipe_fields)];
    struct plan_reader reader = {.name = asset->name,
                                 .prefix = "",
                                 .bodies = &none, /* nothing is taken from the environment */
                                 .plan = outer->plan,
                                 .e = outer->e};
    enum err_code code = plan_yaml_load(&reader, asset->bytes, asset->length);

    if (code == ERR_OK) {
        code =
            plan_fields_read(&reader, &plan_recipe_table, plan_yaml_root(&reader), recipe, found);
        plan_yaml_release(&reader);
    }
    return code;
}

enum err_code plan_read_external(struct plan_reader *reader, const struct plan_field *field,
                                 const yaml_node_t *node, void *target)
{
    struct plan_engine *engine = target;
    struct recipe recipe = {0};
    const char *name = "";
    char quote[PLAN_QUOTE_BYTES], list[PLAN_EXTERNAL_LIST_BYTES];
    enum err_code code = plan_read_name(reader, field, node, &name);

    if (code != ERR_OK) {
        return code;
    }
    const struct asset *asset = recipe_find(name);
    if (!asset) {
        return plan_fail(reader, node, "external: there is no engine %s; name one of: %s",
                         plan_quote(name, strlen(name), quote), plan_external_list(list));
    }
    code = recipe_read(reader, asset, &recipe);
    if (code != ERR_OK) {
        return code;
    }
    engine->external = name;
    engine->command = recipe.engine.command;
    engine->build = recipe.engine.build;
    engine->answers = recipe.engine.answers;
    memcpy(engine->packages, recipe.engine.packages, sizeof(engine->packages));
    engine->package_count = recipe.engine.package_count;
    return ERR_OK;
}
