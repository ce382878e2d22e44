// SPDX-License-Identifier: Apache-2.0
// The claims of a published benchmark.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collector/plan/plan_yaml.h"
#include "report/published/published_json.h"

/* What a claim says, before it is known to hang together. */
struct claim_parts {
    struct published_claim claim;
    json_t *says, *of, *over, *order, *workload;
    double factor;
};

static enum err_code claim_keep(struct published_reader *reader, const char *key, json_t *value,
                                void *target)
{
    struct claim_parts *parts = target;

    (void)reader;
    json_t **const member = strcmp(key, "says") == 0    ? &parts->says
                            : strcmp(key, "of") == 0    ? &parts->of
                            : strcmp(key, "over") == 0  ? &parts->over
                            : strcmp(key, "order") == 0 ? &parts->order
                                                        : &parts->workload;
    *member = value;
    return ERR_OK;
}

static enum err_code claim_metric_read(struct published_reader *reader, const char *key,
                                       json_t *value, void *target)
{
    struct claim_parts *parts = target;
    const char *text = NULL;
    char quote[PLAN_QUOTE_BYTES];
    enum err_code code = published_read_text(reader, key, value, PUBLISHED_NAME_BYTES_MAX, &text);

    if (code == ERR_OK) {
        parts->claim.metric = published_find_metric(text, &parts->factor);
    }
    if (code == ERR_OK && parts->claim.metric == PUBLISHED_METRIC_COUNT) {
        return published_fail(reader, key, "%s is no key of a figure",
                              plan_quote(text, strlen(text), quote));
    }
    return code;
}

#define CLAIM(field) offsetof(struct claim_parts, claim.field)
static const struct published_field claim_fields[] = {
    {"id", PUBLISHED_FIELD_NAME, CLAIM(id), true, NULL},
    {"text", PUBLISHED_FIELD_NOTE, CLAIM(text), true, NULL},
    {"metric", PUBLISHED_FIELD_OTHER, 0, false, claim_metric_read},
    {"of", PUBLISHED_FIELD_OTHER, 0, false, claim_keep},
    {"over", PUBLISHED_FIELD_OTHER, 0, false, claim_keep},
    {"order", PUBLISHED_FIELD_OTHER, 0, false, claim_keep},
    {"workload", PUBLISHED_FIELD_OTHER, 0, false, claim_keep},
    {"says", PUBLISHED_FIELD_OTHER, 0, false, claim_keep},
};
static const struct published_table claim_table = {claim_fields, ARRAY_COUNT(claim_fields), NULL};

static enum err_code claim_check(struct published_reader *reader, const struct claim_parts *parts)
{
    bool has_figures = parts->says || parts->of || parts->over || parts->order || parts->workload;
    bool has_metric = parts->claim.metric != PUBLISHED_METRIC_COUNT;

    if (!has_metric && has_figures) {
        return published_fail(reader, NULL, "\"metric\" is missing");
    }
    if (has_metric && !parts->workload) {
        return published_fail(reader, NULL, "\"workload\" is missing");
    }
    if (has_metric && !parts->of == !parts->order) {
        return published_fail(reader, NULL, "write one of \"of\" and \"order\"");
    }
    if (has_metric && !parts->says != !parts->of) {
        return published_fail(reader, NULL, "write \"says\" with \"of\", and with that alone");
    }
    if (parts->over && !parts->of) {
        return published_fail(reader, NULL, "\"over\" without \"of\"");
    }
    return ERR_OK;
}

/* The engines that it is about. */
static enum err_code claim_engines_read(struct published_reader *reader, struct claim_parts *parts)
{
    struct published_claim *claim = &parts->claim;
    enum err_code code = ERR_OK;
    size_t count = 1 + (parts->over ? 1 : 0);

    if (parts->order) {
        code = published_read_list(reader, "order", parts->order, PUBLISHED_COUNT_MAX, &count);
    }
    if (code == ERR_OK && parts->order && count < 2) {
        code = published_fail(reader, "order", "write at least two engines, the best first");
    }
    if (code != ERR_OK) {
        return code;
    }
    claim->engines = calloc(count, sizeof(*claim->engines));
    if (!claim->engines) {
        return published_fail_memory(reader);
    }
    claim->engine_count = count;
    for (size_t i = 0; i < count && code == ERR_OK; i++) {
        json_t *name = parts->order ? json_array_get(parts->order, i)
                       : i == 0     ? parts->of
                                    : parts->over;

        code = published_find_name(reader,
                                   parts->order ? "order"
                                   : i == 0     ? "of"
                                                : "over",
                                   name, true, &claim->engines[i]);
    }
    return code;
}

static enum err_code claim_read(struct published_reader *reader, json_t *object, void *item)
{
    struct published_claim *claim = item;
    struct claim_parts parts = {
        .claim = {.metric = PUBLISHED_METRIC_COUNT, .workload_index = SIZE_MAX}, .factor = 1};
    enum err_code code = published_read_object(reader, &claim_table, object, &parts);

    parts.claim.says.value = (double)NAN;
    parts.claim.is_ratio = parts.over != NULL;
    if (code == ERR_OK) {
        code = claim_check(reader, &parts);
    }
    if (code == ERR_OK && parts.workload) {
        code = published_find_name(reader, "workload", parts.workload, false,
                                   &parts.claim.workload_index);
    }
    if (code == ERR_OK && parts.says) {
        code = published_read_value(reader, "says", parts.says,
                                    parts.claim.is_ratio ? 1 : parts.factor, &parts.claim.says);
    }
    if (code == ERR_OK && parts.claim.metric != PUBLISHED_METRIC_COUNT) {
        code = claim_engines_read(reader, &parts);
    }
    *claim = parts.claim; /* its list is the file's from here on, also after a failure */
    return code;
}

static enum err_code claim_check_id(struct published_reader *reader, json_t *object, void *item)
{
    const struct published *published = reader->published;
    const char *id = ((const struct published_claim *)item)->id;
    char quote[PLAN_QUOTE_BYTES];

    (void)object;
    for (size_t i = 0; i < published->claim_count; i++) {
        if (strcmp(published->claims[i].id, id) == 0) {
            return published_fail(reader, "id", "%s a second time",
                                  plan_quote(id, strlen(id), quote));
        }
    }
    return ERR_OK;
}

enum err_code published_read_claims(struct published_reader *reader, const char *key, json_t *value,
                                    void *target)
{
    static const struct published_list list = {sizeof(struct published_claim),
                                               PUBLISHED_COUNT_MAX,
                                               offsetof(struct published, claims),
                                               offsetof(struct published, claim_count),
                                               claim_read,
                                               claim_check_id};

    (void)target;
    return published_read_items(reader, key, value, &list);
}
