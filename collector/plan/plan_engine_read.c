// SPDX-License-Identifier: Apache-2.0
// The engines of a plan: the table of their keys.
#include <string.h>

#include "collector/plan/plan_engines.h"
#include "collector/plan/plan_foreign.h"
#include "collector/plan/plan_process.h"
#include "collector/plan/plan_read.h"
#include "engines/engine.h"
#include "engines/extra_work.h"

#define ARGUMENT_BYTES_MAX 1000

static enum err_code builtin_read(struct plan_reader *reader, const struct plan_field *field,
                                  const yaml_node_t *node, void *target)
{
    struct plan_engine *engine = target;
    const char *text = "";
    char quote[PLAN_QUOTE_BYTES];
    char list[PLAN_ENGINE_LIST_BYTES];
    enum err_code code = plan_read_name(reader, field, node, &text);

    if (code != ERR_OK) {
        return code;
    }
    if (strcmp(text, PLAN_LIMIT_NAME) == 0) {
        return plan_fail(reader, node,
                         "builtin: \"limit\" is the calibration engine, which every session runs "
                         "by itself; name one of: %s",
                         plan_engine_list(list));
    }
    if (!plan_engine_is_known(text)) {
        return plan_fail(reader, node, "builtin: no engine %s is built in; name one of: %s",
                         plan_quote(text, strlen(text), quote), plan_engine_list(list));
    }
    engine->builtin = text;
    return ERR_OK;
}

enum engine_field {
    ENGINE_FIELD_NAME,
    ENGINE_FIELD_BUILTIN,
    ENGINE_FIELD_COMMAND,
    ENGINE_FIELD_PORT,
    ENGINE_FIELD_THREADS,
    ENGINE_FIELD_ARGUMENTS,
    ENGINE_FIELD_TLS
};

static const struct plan_field engine_fields[] = {
    [ENGINE_FIELD_NAME] = {.key = "name",
                           .type = PLAN_FIELD_NAME,
                           .offset = offsetof(struct plan_engine, name),
                           .maximum = PLAN_NAME_BYTES_MAX,
                           .required = true},
    [ENGINE_FIELD_BUILTIN] = {.key = "builtin",
                              .type = PLAN_FIELD_OTHER,
                              .maximum = PLAN_NAME_BYTES_MAX,
                              .read = builtin_read},
    [ENGINE_FIELD_COMMAND] = {.key = "command",
                              .type = PLAN_FIELD_OTHER,
                              .offset = offsetof(struct plan_engine, command),
                              .maximum = PLAN_WORD_BYTES_MAX,
                              .read = plan_read_words},
    [ENGINE_FIELD_PORT] = {.key = "port",
                           .type = PLAN_FIELD_COUNT,
                           .offset = offsetof(struct plan_engine, port),
                           .minimum = 1,
                           .maximum = UINT16_MAX},
    [ENGINE_FIELD_THREADS] = {.key = "threads",
                              .type = PLAN_FIELD_COUNT,
                              .offset = offsetof(struct plan_engine, thread_count),
                              .maximum = ENGINE_WORKERS_MAX},
    [ENGINE_FIELD_ARGUMENTS] = {.key = "arguments",
                                .type = PLAN_FIELD_OTHER,
                                .maximum = ARGUMENT_BYTES_MAX,
                                .read = plan_read_arguments},
    [ENGINE_FIELD_TLS] = {.key = "tls",
                          .type = PLAN_FIELD_OTHER,
                          .offset = offsetof(struct plan_engine, tls),
                          .read = plan_read_tls},
    {.key = "extra_work",
     .type = PLAN_FIELD_COUNT,
     .offset = offsetof(struct plan_engine, extra_work_percent),
     .maximum = EXTRA_WORK_PERCENT_MAX},
    {.key = "environment", .type = PLAN_FIELD_OTHER, .read = plan_read_environment},
    {.key = "external",
     .type = PLAN_FIELD_OTHER,
     .maximum = PLAN_NAME_BYTES_MAX,
     .read = plan_read_external},
    {.key = "url",
     .type = PLAN_FIELD_OTHER,
     .offset = offsetof(struct plan_engine, url),
     .maximum = PLAN_NAME_BYTES_MAX,
     .read = plan_read_url},
    {.key = "pid",
     .type = PLAN_FIELD_COUNT,
     .offset = offsetof(struct plan_engine, pid),
     .minimum = 1,
     .maximum = INT32_MAX},
    {.key = "folder",
     .type = PLAN_FIELD_OTHER,
     .offset = offsetof(struct plan_engine, folder),
     .maximum = PLAN_WORD_BYTES_MAX,
     .read = plan_read_file_path},
    {.key = "stdin", .type = PLAN_FIELD_OTHER, .read = plan_read_input},
    {.key = "daemon", .type = PLAN_FIELD_BOOL, .offset = offsetof(struct plan_engine, is_daemon)},
    {.key = "ready",
     .type = PLAN_FIELD_OTHER,
     .offset = offsetof(struct plan_engine, ready),
     .read = plan_read_ready},
    {.key = "allocator", .type = PLAN_FIELD_OTHER, .read = plan_read_allocator},
};
const struct plan_table plan_engine_table = {
    .what = "an engine", .fields = engine_fields, .field_count = ARRAY_COUNT(engine_fields)};

static enum err_code engine_name_check(struct plan_reader *reader, const yaml_node_t *node)
{
    const struct plan *plan = reader->plan;
    const char *name = plan->engines[plan->engine_count].name;
    char quote[PLAN_QUOTE_BYTES];

    if (strcmp(name, PLAN_LIMIT_NAME) == 0) {
        return plan_fail(reader, node,
                         "name: \"limit\" is the calibration engine's; choose another");
    }
    for (size_t i = 0; i < plan->engine_count; i++) {
        if (strcmp(plan->engines[i].name, name) == 0) {
            return plan_fail(reader, node,
                             "name: a second engine %s (the first is on line %zu); choose another",
                             plan_quote(name, strlen(name), quote),
                             reader->engine_marks[i].node->start_mark.line + 1);
        }
    }
    return ERR_OK;
}

/* What the program would refuse as well, but only when the session has begun. */
static enum err_code engine_check_late(struct plan_reader *reader, const yaml_node_t *node,
                                       const yaml_node_t *const *found,
                                       const struct plan_engine *engine)
{
    const yaml_node_t *threads = found[ENGINE_FIELD_THREADS];
    const yaml_node_t *arguments = found[ENGINE_FIELD_ARGUMENTS];
    const yaml_node_t *tls = found[ENGINE_FIELD_TLS];
    enum err_code code = ERR_OK;

    uint32_t threads_max = engine->thread_count ? plan_engine_threads_max(engine->builtin) : 0;
    if (engine->thread_count > threads_max && threads_max > 0) {
        return plan_fail(reader, threads ? threads : node, "threads: %s has at most %u",
                         engine->builtin, threads_max);
    }
    if (engine->thread_count > threads_max) {
        return plan_fail(reader, threads ? threads : node,
                         "threads: %s has one thread a connection; leave it out", engine->builtin);
    }
    if (arguments) {
        code = plan_check_arguments(reader, arguments, engine);
    }
    return code == ERR_OK && tls ? plan_check_ca(reader, tls, engine) : code;
}

static enum err_code engine_check(struct plan_reader *reader, const yaml_node_t *node,
                                  const yaml_node_t *const *found, struct plan_engine *engine)
{
    enum err_code code = plan_check_engine(reader, node, engine);

    if (code == ERR_OK) {
        code = plan_check_tls(reader, node, engine);
    }
    if (code != ERR_OK) {
        return code;
    }
    if (engine->external && found[ENGINE_FIELD_COMMAND]) {
        return plan_fail(reader, found[ENGINE_FIELD_COMMAND],
                         "command: \"external\" has one of its own; leave one out");
    }
    if (engine->url && found[ENGINE_FIELD_PORT]) {
        return plan_fail(reader, found[ENGINE_FIELD_PORT], "port: the url has it; leave it out");
    }
    if (!engine->plan_folder && !reader->bodies && reader->folder) {
        engine->plan_folder = plan_keep(reader->plan, reader->folder, strlen(reader->folder));
    }
    return engine_check_late(reader, node, found, engine);
}

enum err_code plan_read_engines(struct plan_reader *reader, const struct plan_field *field,
                                const yaml_node_t *node, void *target)
{
    struct plan *plan = target;

    if (node->type != YAML_SEQUENCE_NODE ||
        node->data.sequence.items.top == node->data.sequence.items.start) {
        return plan_fail(reader, node,
                         "%s: write a list of at least one, like \"- { name: a, builtin: epoll }\"",
                         field->key);
    }
    for (const yaml_node_item_t *item = node->data.sequence.items.start;
         item < node->data.sequence.items.top; item++) {
        const yaml_node_t *item_node = plan_yaml_node(reader, *item);
        const yaml_node_t *found[ARRAY_COUNT(engine_fields)];

        if (plan->engine_count == PLAN_ENGINE_COUNT_MAX) {
            return plan_fail(reader, item_node, "%s: more than %d; make two plans of it",
                             field->key, PLAN_ENGINE_COUNT_MAX);
        }
        enum err_code code = plan_fields_read(reader, &plan_engine_table, item_node,
                                              &plan->engines[plan->engine_count], found);
        if (code == ERR_OK) {
            code = engine_name_check(reader, found[ENGINE_FIELD_NAME]);
        }
        if (code == ERR_OK) {
            code = engine_check(reader, item_node, found, &plan->engines[plan->engine_count]);
        }
        if (code != ERR_OK) {
            return code;
        }
        reader->engine_marks[plan->engine_count] =
            (struct plan_mark){reader, found[ENGINE_FIELD_NAME]};
        plan->engine_count++;
    }
    return ERR_OK;
}

enum err_code plan_set_engine(struct plan_reader *reader, const char *key,
                              struct plan_engine *engine)
{
    const yaml_node_t *found[ARRAY_COUNT(engine_fields)];
    const yaml_node_t *root = plan_yaml_root(reader);
    enum err_code code = plan_fields_read(reader, &plan_engine_table, root, engine, found);

    (void)key;
    if (code == ERR_OK && found[ENGINE_FIELD_NAME]) {
        return plan_fail(reader, root, "a name is what claims and baseline call it by; leave it");
    }
    return code == ERR_OK ? engine_check(reader, root, found, engine) : code;
}
