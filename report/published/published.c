// SPDX-License-Identifier: Apache-2.0
// A published benchmark from JSON: what the keys are and how they hang together.
#include "report/published/published.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collector/plan/plan_yaml.h"
#include "engines/base/fs.h"
#include "report/published/published_json.h"

#define FORMAT_WORD "tachograph-published-1"

/* A list of objects of one kind, in memory that the caller named. */
static enum err_code read_items(struct published_reader *reader, const char *key, json_t *list,
                                const struct published_table *table, char *items, size_t item_bytes)
{
    enum err_code code = ERR_OK;
    const char *outer = reader->list;

    reader->list = key;
    for (size_t i = 0; i < json_array_size(list) && code == ERR_OK; i++) {
        reader->index = i;
        code =
            published_read_object(reader, table, json_array_get(list, i), items + i * item_bytes);
    }
    reader->list = outer;
    reader->index = SIZE_MAX;
    return code;
}

/* --- engines --- */

#define ENGINE(field) offsetof(struct published_engine, field)
static const struct published_field engine_fields[] = {
    {"name", PUBLISHED_FIELD_NAME, ENGINE(name), true, NULL},
    {"about", PUBLISHED_FIELD_NOTE, ENGINE(about), false, NULL},
    {"stand_in", PUBLISHED_FIELD_NAME, ENGINE(stand_in), false, NULL},
    {"stand_in_why", PUBLISHED_FIELD_NOTE, ENGINE(stand_in_why), false, NULL},
};
static const struct published_table engine_table = {engine_fields, ARRAY_COUNT(engine_fields),
                                                    NULL};

static enum err_code read_engines(struct published_reader *reader, const char *key, json_t *value,
                                  void *target)
{
    struct published *published = target;
    char quote[PLAN_QUOTE_BYTES];
    size_t count = 0;
    enum err_code code = published_read_list(reader, key, value, PUBLISHED_COUNT_MAX, &count);

    if (code != ERR_OK) {
        return code;
    }
    published->engines = calloc(count, sizeof(*published->engines));
    if (!published->engines) {
        return published_fail_memory(reader);
    }
    code = read_items(reader, key, value, &engine_table, (char *)published->engines,
                      sizeof(*published->engines));
    for (size_t i = 0; code == ERR_OK && i < count; i++) {
        struct published_engine *engine = &published->engines[i];
        size_t unused = 0;

        if (published_find_name(reader, key, json_object_get(json_array_get(value, i), "name"),
                                true, &unused) == ERR_OK) {
            return published_fail(reader, key, "two have the name %s",
                                  plan_quote(engine->name, strlen(engine->name), quote));
        }
        engine->stand_in = engine->stand_in ? engine->stand_in : engine->name;
        published->engine_count = i + 1;
    }
    return code;
}

/* --- workloads --- */

#define WORKLOAD(field) offsetof(struct published_workload, field)
static const struct published_field workload_fields[] = {
    {"name", PUBLISHED_FIELD_NAME, WORKLOAD(name), true, NULL},
    {"request", PUBLISHED_FIELD_NOTE, WORKLOAD(request), false, NULL},
    {"note", PUBLISHED_FIELD_NOTE, WORKLOAD(note), false, NULL},
    {"stand_in", PUBLISHED_FIELD_NAME, WORKLOAD(stand_in), false, NULL},
    {"connections", PUBLISHED_FIELD_COUNT, WORKLOAD(connection_count), false, NULL},
    {"threads", PUBLISHED_FIELD_COUNT, WORKLOAD(thread_count), false, NULL},
    {"runs", PUBLISHED_FIELD_COUNT, WORKLOAD(run_count), false, NULL},
    {"pipeline", PUBLISHED_FIELD_COUNT, WORKLOAD(pipeline_count), false, NULL},
    {"requests_per_connection", PUBLISHED_FIELD_COUNT, WORKLOAD(requests_per_connection), false,
     NULL},
    {"duration_s", PUBLISHED_FIELD_NUMBER, WORKLOAD(duration_s), false, NULL},
    {"rate_per_s", PUBLISHED_FIELD_NUMBER, WORKLOAD(rate_per_s), false, NULL},
};
static const struct published_table workload_table = {workload_fields, ARRAY_COUNT(workload_fields),
                                                      NULL};

static enum err_code read_workloads(struct published_reader *reader, const char *key, json_t *value,
                                    void *target)
{
    struct published *published = target;
    char quote[PLAN_QUOTE_BYTES];
    size_t count = 0;
    enum err_code code = published_read_list(reader, key, value, PUBLISHED_COUNT_MAX, &count);

    if (code != ERR_OK) {
        return code;
    }
    published->workloads = calloc(count, sizeof(*published->workloads));
    if (!published->workloads) {
        return published_fail_memory(reader);
    }
    for (size_t i = 0; i < count; i++) {
        published->workloads[i].duration_s = published->workloads[i].rate_per_s = (double)NAN;
    }
    code = read_items(reader, key, value, &workload_table, (char *)published->workloads,
                      sizeof(*published->workloads));
    for (size_t i = 0; code == ERR_OK && i < count; i++) {
        struct published_workload *workload = &published->workloads[i];
        size_t unused = 0;

        if (published_find_name(reader, key, json_object_get(json_array_get(value, i), "name"),
                                false, &unused) == ERR_OK) {
            return published_fail(reader, key, "two have the name %s",
                                  plan_quote(workload->name, strlen(workload->name), quote));
        }
        workload->stand_in = workload->stand_in ? workload->stand_in : workload->name;
        published->workload_count = i + 1;
    }
    return code;
}

/* --- figures --- */

static enum err_code figure_engine_read(struct published_reader *reader, const char *key,
                                        json_t *value, void *target)
{
    struct published_figure *figure = target;

    return published_find_name(reader, key, value, true, &figure->engine_index);
}

static enum err_code figure_workload_read(struct published_reader *reader, const char *key,
                                          json_t *value, void *target)
{
    struct published_figure *figure = target;

    return published_find_name(reader, key, value, false, &figure->workload_index);
}

static enum err_code figure_value_read(struct published_reader *reader, const char *key,
                                       json_t *value, void *target)
{
    struct published_figure *figure = target;
    double factor = 1;
    enum published_metric metric = published_find_metric(key, &factor);

    if (metric == PUBLISHED_METRIC_COUNT) {
        return published_fail_key(reader, key);
    }
    if (!isnan(figure->values[metric].value)) {
        return published_fail(reader, key, "stands twice, in two units; keep one");
    }
    return published_read_value(reader, key, value, factor, &figure->values[metric]);
}

static const struct published_field figure_fields[] = {
    {"engine", PUBLISHED_FIELD_OTHER, 0, true, figure_engine_read},
    {"workload", PUBLISHED_FIELD_OTHER, 0, true, figure_workload_read},
    {"note", PUBLISHED_FIELD_NOTE, offsetof(struct published_figure, note), false, NULL},
};
static const struct published_table figure_table = {figure_fields, ARRAY_COUNT(figure_fields),
                                                    figure_value_read};

static enum err_code read_figures(struct published_reader *reader, const char *key, json_t *value,
                                  void *target)
{
    struct published *published = target;
    size_t count = 0;
    enum err_code code = published_read_list(reader, key, value, PUBLISHED_FIGURES_MAX, &count);

    if (code != ERR_OK) {
        return code;
    }
    published->figures = calloc(count, sizeof(*published->figures));
    if (!published->figures) {
        return published_fail_memory(reader);
    }
    for (size_t i = 0; i < count * PUBLISHED_METRIC_COUNT; i++) {
        published->figures[i / PUBLISHED_METRIC_COUNT].values[i % PUBLISHED_METRIC_COUNT].value =
            (double)NAN;
    }
    code = read_items(reader, key, value, &figure_table, (char *)published->figures,
                      sizeof(*published->figures));
    for (size_t i = 0; code == ERR_OK && i < count; i++) {
        const struct published_figure *figure = &published->figures[i];

        if (published_find(published, figure->engine_index, figure->workload_index)) {
            return published_fail(reader, key, "item %zu: a second one of this engine and workload",
                                  i);
        }
        published->figure_count = i + 1;
    }
    return code;
}

/* --- the whole --- */

#define ROOT(field) offsetof(struct published, field)
static const struct published_field condition_fields[] = {
    {"machine", PUBLISHED_FIELD_NOTE, ROOT(conditions[PUBLISHED_MACHINE]), false, NULL},
    {"os", PUBLISHED_FIELD_NOTE, ROOT(conditions[PUBLISHED_OS]), false, NULL},
    {"tool", PUBLISHED_FIELD_NOTE, ROOT(conditions[PUBLISHED_TOOL]), false, NULL},
    {"network", PUBLISHED_FIELD_NOTE, ROOT(conditions[PUBLISHED_NETWORK]), false, NULL},
    {"protocol", PUBLISHED_FIELD_NOTE, ROOT(conditions[PUBLISHED_PROTOCOL]), false, NULL},
    {"nofile", PUBLISHED_FIELD_COUNT, ROOT(nofile), false, NULL},
    {"settle_s", PUBLISHED_FIELD_NUMBER, ROOT(settle_s), false, NULL},
    {"warmup_s", PUBLISHED_FIELD_NUMBER, ROOT(warmup_s), false, NULL},
    {"cooldown_s", PUBLISHED_FIELD_NUMBER, ROOT(cooldown_s), false, NULL},
};
static const struct published_table condition_table = {condition_fields,
                                                       ARRAY_COUNT(condition_fields), NULL};

static enum err_code read_conditions(struct published_reader *reader, const char *key,
                                     json_t *value, void *target)
{
    reader->list = key;
    enum err_code code = published_read_object(reader, &condition_table, value, target);
    reader->list = "";
    return code;
}

static enum err_code read_format(struct published_reader *reader, const char *key, json_t *value,
                                 void *target)
{
    const char *text = json_string_value(value);

    (void)target;
    return text && strcmp(text, FORMAT_WORD) == 0
               ? ERR_OK
               : published_fail(reader, key, "only \"" FORMAT_WORD "\" is known here");
}

static enum err_code read_notes(struct published_reader *reader, const char *key, json_t *value,
                                void *target)
{
    struct published *published = target;
    size_t count = 0;
    enum err_code code = published_read_list(reader, key, value, PUBLISHED_COUNT_MAX, &count);

    if (code != ERR_OK) {
        return code;
    }
    published->notes = calloc(count, sizeof(*published->notes));
    if (!published->notes) {
        return published_fail_memory(reader);
    }
    for (size_t i = 0; i < count && code == ERR_OK; i++) {
        code = published_read_text(reader, key, json_array_get(value, i), PUBLISHED_NOTE_BYTES_MAX,
                                   &published->notes[i]);
    }
    published->note_count = code == ERR_OK ? count : 0;
    return code;
}

static const struct published_field root_fields[] = {
    {"format", PUBLISHED_FIELD_OTHER, 0, true, read_format},
    {"title", PUBLISHED_FIELD_NAME, ROOT(title), true, NULL},
    {"source", PUBLISHED_FIELD_NOTE, ROOT(source), true, NULL},
    {"conditions", PUBLISHED_FIELD_OTHER, 0, true, read_conditions},
    {"notes", PUBLISHED_FIELD_OTHER, 0, false, read_notes},
    {"engines", PUBLISHED_FIELD_OTHER, 0, true, read_engines},
    {"workloads", PUBLISHED_FIELD_OTHER, 0, true, read_workloads},
    {"figures", PUBLISHED_FIELD_OTHER, 0, true, read_figures},
    {"claims", PUBLISHED_FIELD_OTHER, 0, false, published_read_claims},
};
static const struct published_table root_table = {root_fields, ARRAY_COUNT(root_fields), NULL};

enum err_code published_parse(const char *name, const char *text, size_t length,
                              struct published **published_out, struct err *e)
{
    struct published *published = calloc(1, sizeof(*published));
    struct published_reader reader = {
        .name = name, .list = "", .index = SIZE_MAX, .published = published, .e = e};
    json_error_t problem;
    char quote[PLAN_QUOTE_BYTES];

    if (!published) {
        return published_fail_memory(&reader);
    }
    published->settle_s = published->warmup_s = published->cooldown_s = (double)NAN;
    if (length > PUBLISHED_TEXT_BYTES_MAX) {
        published_free(published);
        return err_set(e, ERR_LIMIT, "%.200s: larger than %zu bytes", name,
                       PUBLISHED_TEXT_BYTES_MAX);
    }
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);
    if (!root) {
        published_free(published);
        return err_set(e, ERR_FORMAT, "%.100s:%d:%d: no JSON: %s", name, problem.line,
                       problem.column, plan_quote(problem.text, strlen(problem.text), quote));
    }
    published->memory = root;
    enum err_code code = published_read_object(&reader, &root_table, root, published);
    if (code != ERR_OK) {
        published_free(published);
        return code;
    }
    *published_out = published;
    return ERR_OK;
}

enum err_code published_load(const char *path, struct published **published_out, struct err *e)
{
    const char *slash = strrchr(path, '/');
    struct buf text;

    buf_init(&text, PUBLISHED_TEXT_BYTES_MAX);
    enum err_code code = fs_read_file(path, &text, e);
    if (code == ERR_OK) {
        code = published_parse(slash ? slash + 1 : path, text.bytes, text.length, published_out, e);
    }
    buf_release(&text);
    return code;
}

void published_free(struct published *published)
{
    if (!published) {
        return;
    }
    for (size_t i = 0; i < published->claim_count; i++) {
        free(published->claims[i].engines);
    }
    free(published->notes);
    free(published->engines);
    free(published->workloads);
    free(published->figures);
    free(published->claims);
    json_decref(published->memory);
    free(published);
}

const struct published_figure *published_find(const struct published *published,
                                              size_t engine_index, size_t workload_index)
{
    for (size_t i = 0; i < published->figure_count; i++) {
        if (published->figures[i].engine_index == engine_index &&
            published->figures[i].workload_index == workload_index) {
            return &published->figures[i];
        }
    }
    return NULL;
}
