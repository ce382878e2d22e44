// SPDX-License-Identifier: Apache-2.0
// What a published file calls things: the keys of its figures, and the names that it gives itself.
#include <string.h>

#include "collector/plan/plan_yaml.h"
#include "report/published/published_json.h"

enum units { UNITS_NONE, UNITS_TIME, UNITS_SIZE, UNITS_SIZE_RATE, UNITS_COUNT };

static const struct {
    const char *ending;
    double factor; /* to the stored unit */
} endings[UNITS_COUNT][4] = {
    [UNITS_NONE] = {{"", 1}},
    [UNITS_TIME] = {{"_ns", 1}, {"_us", 1e3}, {"_ms", 1e6}, {"_s", 1e9}},
    [UNITS_SIZE] = {{"_bytes", 1}, {"_kib", 1024}, {"_mib", 1048576}, {"_gib", 1073741824}},
    [UNITS_SIZE_RATE] = {{"_bytes_per_s", 1},
                         {"_kib_per_s", 1024},
                         {"_mib_per_s", 1048576},
                         {"_gib_per_s", 1073741824}},
};

const struct published_metric_info published_metrics[PUBLISHED_METRIC_COUNT] = {
#define METRIC(id, key, units, ...) [PUBLISHED_##id] = {key, __VA_ARGS__},
#include "report/published/published_metrics.def"
#undef METRIC
};
static const enum units metric_units[PUBLISHED_METRIC_COUNT] = {
#define METRIC(id, key, units, ...) [PUBLISHED_##id] = UNITS_##units,
#include "report/published/published_metrics.def"
#undef METRIC
};

const char *const published_bound_words[] = {[PUBLISHED_IS] = "",
                                             [PUBLISHED_OVER] = "over",
                                             [PUBLISHED_UNDER] = "under",
                                             [PUBLISHED_ABOUT] = "about"};

const char *const published_condition_names[PUBLISHED_CONDITION_COUNT] = {
    [PUBLISHED_MACHINE] = "machine",   [PUBLISHED_OS] = "os",
    [PUBLISHED_TOOL] = "tool",         [PUBLISHED_NETWORK] = "network",
    [PUBLISHED_PROTOCOL] = "protocol",
};

enum published_metric published_find_metric(const char *key, double *factor_out)
{
    for (int metric = 0; metric < PUBLISHED_METRIC_COUNT; metric++) {
        size_t length = strlen(published_metrics[metric].key);

        for (size_t i = 0; i < 4 && endings[metric_units[metric]][i].ending; i++) {
            if (strncmp(key, published_metrics[metric].key, length) == 0 &&
                strcmp(key + length, endings[metric_units[metric]][i].ending) == 0) {
                *factor_out = endings[metric_units[metric]][i].factor;
                return (enum published_metric)metric;
            }
        }
    }
    return PUBLISHED_METRIC_COUNT;
}

enum err_code published_fail_memory(struct published_reader *reader)
{
    return err_set(reader->e, ERR_LIMIT, "no memory for %.200s", reader->name);
}

enum err_code published_find_name(struct published_reader *reader, const char *key, json_t *value,
                                  bool is_engine, size_t *index_out)
{
    const struct published *published = reader->published;
    size_t count = is_engine ? published->engine_count : published->workload_count;
    const char *text = NULL;
    char quote[PLAN_QUOTE_BYTES];
    enum err_code code = published_read_text(reader, key, value, PUBLISHED_NAME_BYTES_MAX, &text);

    for (size_t i = 0; code == ERR_OK && i < count; i++) {
        if (strcmp(is_engine ? published->engines[i].name : published->workloads[i].name, text) ==
            0) {
            *index_out = i;
            return ERR_OK;
        }
    }
    return code != ERR_OK ? code
                          : published_fail(reader, key, "%s is none of the file's %s",
                                           plan_quote(text, strlen(text), quote),
                                           is_engine ? "engines" : "workloads");
}
