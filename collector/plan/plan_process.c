// SPDX-License-Identifier: Apache-2.0
// Variables and arguments of an engine.
#include "collector/plan/plan_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/engine_options.h"

#define VARIABLE_NAME_BYTES_MAX 100
#define VALUE_BYTES_MAX         4000

static const char name_first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
static const char name_rest[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

static enum err_code name_check(struct plan_reader *reader, const yaml_node_t *node,
                                const char *name, const struct plan_engine *engine)
{
    char quote[PLAN_QUOTE_BYTES];

    if (!*name || !strchr(name_first, *name) || name[strspn(name, name_rest)] != '\0' ||
        strlen(name) > VARIABLE_NAME_BYTES_MAX) {
        return plan_fail(reader, node,
                         "environment: %s is not the name of a variable; write it like OMP_THREADS",
                         plan_quote(name, strlen(name), quote));
    }
    if (strncmp(name, "TACHO_", 6) == 0) {
        return plan_fail(reader, node, "environment: %s is this program's own; choose another name",
                         name);
    }
    for (size_t i = 0; i < engine->variable_count; i++) {
        if (strcmp(engine->variables[i].name, name) == 0) {
            return plan_fail(reader, node, "environment: %s a second time; keep one", name);
        }
    }
    if (engine->variable_count == PLAN_VARIABLE_COUNT_MAX) {
        return plan_fail(reader, node, "environment: more than %d variables; leave some out",
                         PLAN_VARIABLE_COUNT_MAX);
    }
    return ERR_OK;
}

static enum err_code variable_add(struct plan_reader *reader, const yaml_node_t *node,
                                  const char *name, const char *value, struct plan_engine *engine)
{
    struct plan_variable variable = {plan_keep(reader->plan, name, strlen(name)),
                                     plan_keep(reader->plan, value, strlen(value))};

    if (!variable.name || !variable.value) {
        return plan_fail_memory(reader);
    }
    if (strlen(value) > VALUE_BYTES_MAX) {
        return plan_fail(reader, node, "environment: the value of %s is longer than %d bytes", name,
                         VALUE_BYTES_MAX);
    }
    engine->variables[engine->variable_count++] = variable;
    return ERR_OK;
}

/* A value may be empty. */
static enum err_code pair_read(struct plan_reader *reader, const yaml_node_pair_t *pair,
                               struct plan_engine *engine)
{
    const yaml_node_t *key = plan_yaml_node(reader, pair->key);
    const yaml_node_t *node = plan_yaml_node(reader, pair->value);
    const char *name = "", *value = "";
    enum err_code code = plan_read_scalar(reader, "environment", "a name", key, &name);

    if (code == ERR_OK) {
        code = name_check(reader, key, name, engine);
    }
    if (code == ERR_OK) {
        code = plan_read_scalar(reader, name, "its value in quotes", node, &value);
    }
    return code == ERR_OK ? variable_add(reader, node, name, value, engine) : code;
}

/* The value that a variable has here. A stored plan says its values; a plan that is read once more
 * had the same engines. */
static const char *inherited_find(const struct plan_reader *reader, const char *name,
                                  const struct plan_engine *engine)
{
    const struct plan *resolved = reader->resolved;

    if (!resolved) {
        return reader->bodies ? NULL : getenv(name);
    }
    const struct plan_engine *had = &resolved->engines[engine - reader->plan->engines];
    for (size_t i = 0; i < had->variable_count; i++) {
        if (strcmp(had->variables[i].name, name) == 0) {
            return had->variables[i].value;
        }
    }
    return NULL;
}

static enum err_code item_read(struct plan_reader *reader, const yaml_node_t *node,
                               struct plan_engine *engine)
{
    const char *name = "";
    enum err_code code = plan_read_scalar(reader, "environment", "a name", node, &name);

    if (code == ERR_OK) {
        code = name_check(reader, node, name, engine);
    }
    if (code != ERR_OK) {
        return code;
    }
    const char *value = inherited_find(reader, name, engine);
    return value ? variable_add(reader, node, name, value, engine)
                 : plan_fail(reader, node,
                             "environment: %s is not set here; set it, or write \"%s: VALUE\"",
                             name, name);
}

enum err_code plan_read_environment(struct plan_reader *reader, const struct plan_field *field,
                                    const yaml_node_t *node, void *target)
{
    struct plan_engine *engine = target;
    enum err_code code = ERR_OK;

    (void)field;
    engine->variable_count = 0;
    if (node->type == YAML_MAPPING_NODE) {
        for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
             code == ERR_OK && pair < node->data.mapping.pairs.top; pair++) {
            code = pair_read(reader, pair, engine);
        }
        return code;
    }
    if (node->type != YAML_SEQUENCE_NODE) {
        return plan_fail(reader, node,
                         "environment: a single value; write { NAME: value }, or [NAME] for what "
                         "is set here");
    }
    for (const yaml_node_item_t *item = node->data.sequence.items.start;
         code == ERR_OK && item < node->data.sequence.items.top; item++) {
        code = item_read(reader, plan_yaml_node(reader, *item), engine);
    }
    return code;
}

/* What this program gives to a built-in engine by itself. */
static enum err_code argument_check(struct plan_reader *reader, const yaml_node_t *node,
                                    const char *text)
{
    static const struct {
        const char *word, *instead;
    } own[] = {{"--address", "it is 127.0.0.1"},
               {"-a", "it is 127.0.0.1"},
               {"--port", "a free one is taken"},
               {"-p", "a free one is taken"},
               {"--threads", "write \"threads\""},
               {"-t", "write \"threads\""},
               {"--extra-work", "write \"extra_work\""},
               {"--counters-fd", "the engine is counted already"}};

    for (size_t i = 0; i < ARRAY_COUNT(own); i++) {
        size_t length = strlen(own[i].word);
        bool is_long = own[i].word[1] == '-';

        if (strncmp(text, own[i].word, length) == 0 &&
            (!is_long || text[length] == '\0' || text[length] == '=')) {
            return plan_fail(reader, node, "arguments: %s is not the plan's to give: %s",
                             own[i].word, own[i].instead);
        }
    }
    return ERR_OK;
}

enum err_code plan_read_arguments(struct plan_reader *reader, const struct plan_field *field,
                                  const yaml_node_t *node, void *target)
{
    struct plan_engine *engine = target;
    enum err_code code = ERR_OK;

    engine->argument_count = 0;
    if (node->type != YAML_SEQUENCE_NODE) {
        return plan_fail(reader, node, "arguments: write a list like [--backlog, \"512\"]");
    }
    for (const yaml_node_item_t *item = node->data.sequence.items.start;
         code == ERR_OK && item < node->data.sequence.items.top; item++) {
        const yaml_node_t *item_node = plan_yaml_node(reader, *item);
        const char *text = "";

        if (engine->argument_count == PLAN_ARGUMENT_COUNT_MAX) {
            return plan_fail(reader, item_node, "arguments: more than %d; leave some out",
                             PLAN_ARGUMENT_COUNT_MAX);
        }
        code = plan_read_name(reader, field, item_node, &text);
        if (code == ERR_OK) {
            code = argument_check(reader, item_node, text);
        }
        engine->arguments[engine->argument_count] = text;
        engine->argument_count += code == ERR_OK;
    }
    return code;
}

/* tacho-engine refuses them as well, but only when the session has begun. A stored plan may be of
 * another version. */
enum err_code plan_check_arguments(struct plan_reader *reader, const yaml_node_t *node,
                                   const struct plan_engine *engine)
{
    const char *words[PLAN_ARGUMENT_COUNT_MAX + 2] = {"tacho-engine", engine->builtin};
    struct err why;

    memcpy(words + 2, engine->arguments, engine->argument_count * sizeof(*words));
    return reader->bodies || engine_options_check(engine->argument_count + 2, words, &why) == ERR_OK
               ? ERR_OK
               : plan_fail(reader, node, "arguments: %s", why.text);
}
