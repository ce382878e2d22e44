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

#define LIST(items, count, most, read, check)                                                      \
    {                                                                                              \
        sizeof(*((struct published *)NULL)->items), most, offsetof(struct published, items),       \
            offsetof(struct published, count), read, check                                         \
    }

/* The item's own name is none of those before it. */
static enum err_code check_name(struct published_reader *reader, json_t *object, bool is_engine,
                                const char *name)
{
    char quote[PLAN_QUOTE_BYTES];
    size_t unused = 0;

    if (published_find_name(reader, "name", json_object_get(object, "name"), is_engine, &unused) ==
        ERR_OK) {
        return published_fail(reader, "name", "two have the name %s",
                              plan_quote(name, strlen(name), quote));
    }
    return ERR_OK;
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

static enum err_code engine_read(struct published_reader *reader, json_t *object, void *item)
{
    struct published_engine *engine = item;
    enum err_code code = published_read_object(reader, &engine_table, object, engine);

    engine->stand_in = engine->stand_in ? engine->stand_in : engine->name;
    return code;
}

static enum err_code engine_check(struct published_reader *reader, json_t *object, void *item)
{
    return check_name(reader, object, true, ((const struct published_engine *)item)->name);
}

static const struct published_list engine_list =
    LIST(engines, engine_count, PUBLISHED_COUNT_MAX, engine_read, engine_check);

static enum err_code read_engines(struct published_reader *reader, const char *key, json_t *value,
                                  void *target)
{
    (void)target;
    return published_read_items(reader, key, value, &engine_list);
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

static enum err_code workload_read(struct published_reader *reader, json_t *object, void *item)
{
    struct published_workload *workload = item;

    workload->duration_s = workload->rate_per_s = (double)NAN;
    enum err_code code = published_read_object(reader, &workload_table, object, workload);

    workload->stand_in = workload->stand_in ? workload->stand_in : workload->name;
    return code;
}

static enum err_code workload_check(struct published_reader *reader, json_t *object, void *item)
{
    return check_name(reader, object, false, ((const struct published_workload *)item)->name);
}

static const struct published_list workload_list =
    LIST(workloads, workload_count, PUBLISHED_COUNT_MAX, workload_read, workload_check);

static enum err_code read_workloads(struct published_reader *reader, const char *key, json_t *value,
                                    void *target)
{
    (void)target;
    return published_read_items(reader, key, value, &workload_list);
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

static enum err_code figure_read(struct published_reader *reader, json_t *object, void *item)
{
    struct published_figure *figure = item;

    for (size_t i = 0; i < PUBLISHED_METRIC_COUNT; i++) {
        figure->values[i].value = (double)NAN;
    }
    return published_read_object(reader, &figure_table, object, figure);
}

static enum err_code figure_check(struct published_reader *reader, json_t *object, void *item)
{
    const struct published_figure *figure = item;

    (void)object;
    return published_find(reader->published, figure->engine_index, figure->workload_index)
               ? published_fail(reader, NULL, "a second one of this engine and workload")
               : ERR_OK;
}

static const struct published_list figure_list =
    LIST(figures, figure_count, PUBLISHED_FIGURES_MAX, figure_read, figure_check);

static enum err_code read_figures(struct published_reader *reader, const char *key, json_t *value,
                                  void *target)
{
    (void)target;
    return published_read_items(reader, key, value, &figure_list);
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
    struct buf text;

    buf_init(&text, PUBLISHED_TEXT_BYTES_MAX);
    enum err_code code = fs_read_file(path, &text, e);
    if (code == ERR_OK) {
        code = published_parse(path, text.bytes, text.length, published_out, e);
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
