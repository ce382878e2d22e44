// SPDX-License-Identifier: Apache-2.0
// Reads what a plan says of an engine that is not built in.
#include "collector/plan/plan_foreign.h"

#include <stdio.h>
#include <string.h>

#include "collector/driver/target.h"
#include "collector/plan/plan_read.h"

const char *const plan_engine_kind_names[] = {"builtin", "command", "external", "url"};
const char *const plan_input_names[] = {"open", "null", "terminal", NULL};
const char *const plan_allocator_names[] = {"glibc", "jemalloc", "mimalloc", "tcmalloc", NULL};

enum plan_engine_kind plan_engine_kind(const struct plan_engine *engine)
{
    if (engine->builtin) {
        return PLAN_ENGINE_BUILTIN;
    }
    if (engine->url) {
        return PLAN_ENGINE_URL;
    }
    return engine->external ? PLAN_ENGINE_EXTERNAL : PLAN_ENGINE_COMMAND;
}

const char *plan_engine_source(const struct plan_engine *engine)
{
    switch (plan_engine_kind(engine)) {
    case PLAN_ENGINE_BUILTIN:
        return engine->builtin;
    case PLAN_ENGINE_EXTERNAL:
        return engine->external;
    case PLAN_ENGINE_URL:
        return engine->url;
    case PLAN_ENGINE_COMMAND:
        break;
    }
    return engine->command.items[0];
}

enum plan_input plan_engine_input(const struct plan_engine *engine)
{
    for (int i = 0; engine->input && plan_input_names[i]; i++) {
        if (strcmp(plan_input_names[i], engine->input) == 0) {
            return (enum plan_input)i;
        }
    }
    return PLAN_INPUT_OPEN;
}

const char *plan_engine_variable(const struct plan_engine *engine, const char *name)
{
    for (size_t i = 0; i < engine->variable_count; i++) {
        if (strcmp(engine->variables[i].name, name) == 0) {
            return engine->variables[i].value;
        }
    }
    return NULL;
}

enum err_code plan_read_words(struct plan_reader *reader, const struct plan_field *field,
                              const yaml_node_t *node, void *target)
{
    struct plan_words *words = (void *)((char *)target + field->offset);
    enum err_code code = ERR_OK;

    words->count = 0;
    if (node->type != YAML_SEQUENCE_NODE ||
        node->data.sequence.items.top == node->data.sequence.items.start) {
        return plan_fail(reader, node,
                         "%s: write a list like [node, server.js, \"" PLAN_PORT_WORD "\"]",
                         field->key);
    }
    for (const yaml_node_item_t *item = node->data.sequence.items.start;
         code == ERR_OK && item < node->data.sequence.items.top; item++) {
        const yaml_node_t *item_node = plan_yaml_node(reader, *item);

        if (words->count == PLAN_COMMAND_COUNT_MAX) {
            return plan_fail(reader, item_node, "%s: more than %d words; put them into a script",
                             field->key, PLAN_COMMAND_COUNT_MAX);
        }
        code = plan_read_name(reader, field, item_node, &words->items[words->count]);
        words->count += code == ERR_OK;
    }
    return code;
}

static enum err_code word_read(struct plan_reader *reader, const struct plan_field *field,
                               const yaml_node_t *node, const char *const *words,
                               const char **word_out)
{
    int chosen = 0;
    enum err_code code = plan_read_word(reader, field, node, words, &chosen);

    if (code == ERR_OK) {
        *word_out = words[chosen];
    }
    return code;
}

/* "null" is a word here as in no other place of a plan. */
enum err_code plan_read_input(struct plan_reader *reader, const struct plan_field *field,
                              const yaml_node_t *node, void *target)
{
    struct plan_engine *engine = target;

    if (node->type == YAML_SCALAR_NODE &&
        strcmp((const char *)node->data.scalar.value, plan_input_names[PLAN_INPUT_NULL]) == 0) {
        engine->input = plan_input_names[PLAN_INPUT_NULL];
        return ERR_OK;
    }
    return word_read(reader, field, node, plan_input_names, &engine->input);
}

enum err_code plan_read_allocator(struct plan_reader *reader, const struct plan_field *field,
                                  const yaml_node_t *node, void *target)
{
    struct plan_engine *engine = target;

    return word_read(reader, field, node, plan_allocator_names, &engine->allocator);
}

enum err_code plan_read_file_path(struct plan_reader *reader, const struct plan_field *field,
                                  const yaml_node_t *node, void *target)
{
    const char **path = (void *)((char *)target + field->offset);
    enum err_code code = plan_read_name(reader, field, node, path);

    if (code == ERR_OK && **path == '/') {
        return plan_fail(
            reader, node,
            "%s: an absolute path; write it relative to the plan's folder, so that the "
            "plan works elsewhere",
            field->key);
    }
    return code;
}

static enum err_code ready_path_read(struct plan_reader *reader, const struct plan_field *field,
                                     const yaml_node_t *node, void *target)
{
    struct plan_ready *ready = target;
    enum err_code code = plan_read_name(reader, field, node, &ready->path);

    for (const char *at = code == ERR_OK ? ready->path : ""; *at; at++) {
        if (*ready->path != '/' || *at <= ' ' || *at > '~') {
            return plan_fail(reader, node, "path: write it like /ping, other bytes as %%XX");
        }
    }
    return code;
}

static const struct plan_field ready_fields[] = {
    {.key = "path",
     .type = PLAN_FIELD_OTHER,
     .maximum = PLAN_WORD_BYTES_MAX,
     .read = ready_path_read},
    {.key = "status",
     .type = PLAN_FIELD_INT,
     .offset = offsetof(struct plan_ready, status),
     .minimum = 100,
     .maximum = 599},
    {.key = "within",
     .type = PLAN_FIELD_DURATION,
     .offset = offsetof(struct plan_ready, within_ns),
     .minimum = CLOCK_NS_PER_MS,
     .maximum = PLAN_HOUR_NS},
};
const struct plan_table plan_ready_table = {
    .what = "ready", .fields = ready_fields, .field_count = ARRAY_COUNT(ready_fields)};

enum err_code plan_read_ready(struct plan_reader *reader, const struct plan_field *field,
                              const yaml_node_t *node, void *target)
{
    const yaml_node_t *found[ARRAY_COUNT(ready_fields)];

    return plan_fields_read(reader, &plan_ready_table, node, (char *)target + field->offset, found);
}

/* Load goes to this machine only: who measures another one's server needs no plan for it. */
enum err_code plan_read_url(struct plan_reader *reader, const struct plan_field *field,
                            const yaml_node_t *node, void *target)
{
    struct plan_engine *engine = target;
    struct target url;
    struct err why;
    enum err_code code = plan_read_name(reader, field, node, &engine->url);

    if (code != ERR_OK) {
        return code;
    }
    if (target_parse(engine->url, &url, &why) != ERR_OK) {
        return plan_fail(reader, node, "url: %s", why.text);
    }
    if (url.family != TARGET_INET || (strcmp(url.node, PLAN_ENGINE_ADDRESS) != 0 &&
                                      strcmp(url.node, PLAN_ENGINE_LOCALHOST) != 0)) {
        return plan_fail(reader, node, "url: a server on this machine only; write http%s://%s:PORT",
                         url.is_tls ? "s" : "", PLAN_ENGINE_ADDRESS);
    }
    if (strcmp(url.path, "/") != 0) {
        return plan_fail(reader, node, "url: paths belong to the workloads; write http%s://%s:%u",
                         url.is_tls ? "s" : "", url.node, url.port);
    }
    engine->port = url.port;
    return ERR_OK;
}

/* --- what belongs together --- */

static bool has_port_word(const struct plan_engine *engine)
{
    bool has = false;

    for (size_t i = 0; i < engine->command.count; i++) {
        has = has || strstr(engine->command.items[i], PLAN_PORT_WORD);
    }
    for (size_t i = 0; i < engine->variable_count; i++) {
        has = has || strstr(engine->variables[i].value, PLAN_PORT_WORD);
    }
    return has;
}

static bool has_ready(const struct plan_engine *engine)
{
    return engine->ready.path || engine->ready.status || engine->ready.within_ns;
}

/* A key that is not for the engine's kind, and what it is for; NULL: all may stand. */
static const char *key_misplaced(const struct plan_engine *engine, const char **of_out)
{
#define OF(kind) (1U << (kind))
    const unsigned builtin = OF(PLAN_ENGINE_BUILTIN), command = OF(PLAN_ENGINE_COMMAND);
    const unsigned url = OF(PLAN_ENGINE_URL), external = OF(PLAN_ENGINE_EXTERNAL);
    const unsigned kind = OF(plan_engine_kind(engine));
#undef OF
    const struct {
        const char *key, *of;
        unsigned kinds;
        bool is_there;
    } rows[] = {
        {"threads", "a built-in engine", builtin, engine->thread_count > 0},
        {"extra_work", "a built-in engine", builtin, engine->extra_work_percent > 0},
        {"arguments", "a built-in engine", builtin, engine->argument_count > 0},
        {"stdin", "a command", command, engine->input != NULL},
        {"daemon", "a command", command, engine->is_daemon},
        {"folder", "a command", command, engine->folder != NULL},
        {"port", "a command", command | url, engine->port > 0},
        {"pid", "a url", url, engine->pid > 0},
        {"tls", "a command or a url", command | url, engine->tls.is_on},
        {"ready", "a server that is not built in", command | external | url, has_ready(engine)},
        {"environment", "a server that is started", ~url, engine->variable_count > 0},
        {"allocator", "a server that is started", ~url, engine->allocator != NULL},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        if (rows[i].is_there && !(rows[i].kinds & kind)) {
            *of_out = rows[i].of;
            return rows[i].key;
        }
    }
    return NULL;
}

enum err_code plan_check_engine(struct plan_reader *reader, const yaml_node_t *node,
                                const struct plan_engine *engine)
{
    int kind_count = (engine->builtin != NULL) + (engine->url != NULL) +
                     (engine->external != NULL) + (engine->command.count > 0 && !engine->external);
    const char *of = "";

    if (kind_count != 1) {
        return plan_fail(reader, node,
                         "an engine has %s; write one of builtin, command, external, url",
                         kind_count ? "two kinds at once"
                                    : "no \"builtin\", \"command\", \"external\" or \"url\"");
    }
    const char *key = key_misplaced(engine, &of);
    if (key) {
        return plan_fail(reader, node, "%s: this is for %s; leave it out", key, of);
    }
    if (plan_engine_kind(engine) == PLAN_ENGINE_COMMAND && !engine->port &&
        !has_port_word(engine)) {
        return plan_fail(
            reader, node,
            "command: which port? Write \"" PLAN_PORT_WORD
            "\" where the server takes it, or \"port: N\" where it is always the same");
    }
    return ERR_OK;
}
