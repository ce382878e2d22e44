// SPDX-License-Identifier: Apache-2.0
// Claims of a plan: their keys, what belongs to which kind, and that they name what the plan has.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/plan/plan_read.h"
#include "engines/base/clock.h"
#include "engines/base/units.h"

#define RATIO_MAX            1e6
#define RATE_MAX             1e12
#define BYTES_MAX            (INT64_C(1) << 50)
#define CONNECTION_COUNT_MAX 65535 /* as of a workload */

const char *const plan_claim_kind_names[PLAN_CLAIM_KIND_COUNT] = {
    [PLAN_CLAIM_RATIO] = "ratio",         [PLAN_CLAIM_ORDER] = "order",
    [PLAN_CLAIM_BOUND] = "bound",         [PLAN_CLAIM_LEVEL] = "level",
    [PLAN_CLAIM_NO_ERRORS] = "no_errors", [PLAN_CLAIM_RECOVERS] = "recovers",
};
const char *const plan_claim_metric_names[PLAN_METRIC_COUNT] = {
    [PLAN_METRIC_THROUGHPUT] = "throughput",
    [PLAN_METRIC_P50] = "p50",
    [PLAN_METRIC_P90] = "p90",
    [PLAN_METRIC_P99] = "p99",
    [PLAN_METRIC_P999] = "p999",
    [PLAN_METRIC_SERVER_CPU] = "server_cpu",
    [PLAN_METRIC_RSS] = "rss",
};

/* In the order of enum plan_claim_kind, then the others. */
enum claim_field {
    CLAIM_RATIO,
    CLAIM_ORDER,
    CLAIM_BOUND,
    CLAIM_LEVEL,
    CLAIM_NO_ERRORS,
    CLAIM_RECOVERS,
    CLAIM_ID,
    CLAIM_OF,
    CLAIM_OVER,
    CLAIM_ENGINES,
    CLAIM_WORKLOAD,
    CLAIM_CONNECTIONS,
    CLAIM_AT_LEAST,
    CLAIM_AT_MOST,
    CLAIM_VALUE,
    CLAIM_WITHIN,
    CLAIM_GROWTH,
    CLAIM_FIELD_COUNT
};
#define BIT(field) (1u << (field))

/* Keys of each kind beside id, workload, connections. */
static const struct {
    unsigned required, allowed;
} kind_keys[PLAN_CLAIM_KIND_COUNT] = {
    [PLAN_CLAIM_RATIO] = {BIT(CLAIM_OF) | BIT(CLAIM_OVER),
                          BIT(CLAIM_AT_LEAST) | BIT(CLAIM_AT_MOST)},
    [PLAN_CLAIM_ORDER] = {BIT(CLAIM_ENGINES), 0},
    [PLAN_CLAIM_BOUND] = {BIT(CLAIM_OF), BIT(CLAIM_AT_LEAST) | BIT(CLAIM_AT_MOST)},
    [PLAN_CLAIM_LEVEL] = {BIT(CLAIM_OF) | BIT(CLAIM_VALUE) | BIT(CLAIM_WITHIN), 0},
    [PLAN_CLAIM_NO_ERRORS] = {0, BIT(CLAIM_OF)},
    [PLAN_CLAIM_RECOVERS] = {0, BIT(CLAIM_AT_MOST) | BIT(CLAIM_GROWTH)},
};

/* A key whose meaning depends on others is read when all are known. */
static enum err_code read_later(struct plan_reader *reader, const struct plan_field *field,
                                const yaml_node_t *node, void *target)
{
    (void)reader, (void)field, (void)node, (void)target;
    return ERR_OK;
}

static enum err_code metric_read(struct plan_reader *reader, const struct plan_field *field,
                                 const yaml_node_t *node, void *target)
{
    struct plan_claim *claim = target;
    const char *text = "";
    char quote[PLAN_QUOTE_BYTES];
    enum err_code code =
        plan_read_scalar(reader, field->key, "a metric like throughput", node, &text);

    if (code != ERR_OK) {
        return code;
    }
    for (int i = 0; i < PLAN_METRIC_COUNT; i++) {
        if (strcmp(text, plan_claim_metric_names[i]) == 0) {
            claim->metric = (enum plan_claim_metric)i;
            return ERR_OK;
        }
    }
    return plan_fail(reader, node,
                     "%s: no metric %s; write one of throughput, p50, p90, p99, p999, server_cpu, "
                     "rss",
                     field->key, plan_quote(text, strlen(text), quote));
}

static enum err_code true_read(struct plan_reader *reader, const struct plan_field *field,
                               const yaml_node_t *node, void *target)
{
    const char *text = "";
    enum err_code code = plan_read_scalar(reader, field->key, "true", node, &text);

    (void)target;
    if (code == ERR_OK && strcmp(text, "true") != 0) {
        return plan_fail(reader, node, "%s: only true can be claimed", field->key);
    }
    return code;
}

static enum err_code engines_read(struct plan_reader *reader, const struct plan_field *field,
                                  const yaml_node_t *node, void *target)
{
    struct plan_claim *claim = target;
    enum err_code code = ERR_OK;

    if (node->type != YAML_SEQUENCE_NODE) {
        return plan_fail(reader, node, "%s: write a list like [epoll, blocking], the best first",
                         field->key);
    }
    for (const yaml_node_item_t *item = node->data.sequence.items.start;
         item < node->data.sequence.items.top && code == ERR_OK; item++) {
        const yaml_node_t *item_node = plan_yaml_node(reader, *item);

        if (claim->engine_count == PLAN_CLAIM_ENGINE_COUNT_MAX) {
            return plan_fail(reader, item_node, "%s: more than %d; make two claims of it",
                             field->key, PLAN_CLAIM_ENGINE_COUNT_MAX);
        }
        code = plan_read_name(reader, field, item_node, &claim->engines[claim->engine_count]);
        claim->engine_count += code == ERR_OK;
    }
    if (code == ERR_OK && claim->engine_count < 2) {
        return plan_fail(reader, node, "%s: an order needs two at least", field->key);
    }
    return code;
}

#define LATER(name)                                                                                \
    {                                                                                              \
        .key = (name), .type = PLAN_FIELD_OTHER, .read = read_later                                \
    }
#define NAME(name, member)                                                                         \
    {                                                                                              \
        .key = (name), .type = PLAN_FIELD_NAME, .offset = offsetof(struct plan_claim, member),     \
        .maximum = PLAN_NAME_BYTES_MAX                                                             \
    }

static const struct plan_field claim_fields[CLAIM_FIELD_COUNT] = {
    [CLAIM_RATIO] = {.key = "ratio", .type = PLAN_FIELD_OTHER, .read = metric_read},
    [CLAIM_ORDER] = {.key = "order", .type = PLAN_FIELD_OTHER, .read = metric_read},
    [CLAIM_BOUND] = {.key = "bound", .type = PLAN_FIELD_OTHER, .read = metric_read},
    [CLAIM_LEVEL] = {.key = "level", .type = PLAN_FIELD_OTHER, .read = metric_read},
    [CLAIM_NO_ERRORS] = {.key = "no_errors", .type = PLAN_FIELD_OTHER, .read = true_read},
    [CLAIM_RECOVERS] = NAME("recovers", engines[0]),
    [CLAIM_ID] = {.key = "id",
                  .type = PLAN_FIELD_NAME,
                  .offset = offsetof(struct plan_claim, id),
                  .maximum = PLAN_NAME_BYTES_MAX,
                  .required = true},
    [CLAIM_OF] = NAME("of", engines[0]),
    [CLAIM_OVER] = NAME("over", engines[1]),
    [CLAIM_ENGINES] = {.key = "engines",
                       .type = PLAN_FIELD_OTHER,
                       .maximum = PLAN_NAME_BYTES_MAX,
                       .read = engines_read},
    [CLAIM_WORKLOAD] = NAME("workload", workload),
    [CLAIM_CONNECTIONS] = {.key = "connections",
                           .type = PLAN_FIELD_COUNT,
                           .offset = offsetof(struct plan_claim, connection_count),
                           .minimum = 1,
                           .maximum = CONNECTION_COUNT_MAX},
    [CLAIM_AT_LEAST] = LATER("at_least"),
    [CLAIM_AT_MOST] = LATER("at_most"),
    [CLAIM_VALUE] = LATER("value"),
    [CLAIM_WITHIN] = LATER("within"),
    [CLAIM_GROWTH] = LATER("growth"),
};
const struct plan_table plan_claim_table = {
    .what = "a claim", .fields = claim_fields, .field_count = CLAIM_FIELD_COUNT};

/* --- numbers --- */

/* A decimal number above 0 with the suffix; `wanted` is an example of both. */
static enum err_code number_read(struct plan_reader *reader, const char *key,
                                 const yaml_node_t *node, const char *suffix, const char *wanted,
                                 double maximum, double *number_out)
{
    const char *text = "";
    char quote[PLAN_QUOTE_BYTES];
    enum err_code code = plan_read_scalar(reader, key, wanted, node, &text);

    if (code != ERR_OK) {
        return code;
    }
    size_t length = strspn(text, "0123456789.eE+-");
    char *end = NULL;
    double number = strtod(text, &end);

    if (length == 0 || end != text + length || strcmp(end, suffix) != 0 || !(number > 0) ||
        number > maximum) {
        return plan_fail(reader, node, "%s: %s; write a number above 0 like %s", key,
                         plan_quote(text, strlen(text), quote), wanted);
    }
    *number_out = number;
    return ERR_OK;
}

/* What units.h reads, in whole ns or bytes. */
static enum err_code unit_read(struct plan_reader *reader, const char *key, const yaml_node_t *node,
                               bool is_bytes, double *number_out)
{
    const char *text = "";
    struct err problem;
    int64_t number = 0;
    int64_t maximum = is_bytes ? BYTES_MAX : 3600 * CLOCK_NS_PER_S;
    enum err_code code = plan_read_scalar(
        reader, key, is_bytes ? "a size like 64MiB" : "a duration like 5ms", node, &text);

    if (code != ERR_OK) {
        return code;
    }
    code = is_bytes ? units_parse_bytes(text, &number, &problem)
                    : units_parse_duration(text, &number, &problem);
    if (code != ERR_OK) {
        return plan_fail(reader, node, "%s: %s", key, problem.text);
    }
    if (number < 1 || number > maximum) {
        return plan_fail(reader, node, "%s: %.40s is outside %s", key, text,
                         is_bytes ? "1 byte to 1 PiB" : "1ns to 1h");
    }
    *number_out = (double)number;
    return ERR_OK;
}

/* In the unit of the claim's metric; leaves `number` alone when the key is absent. */
static enum err_code quantity_read(struct plan_reader *reader, enum claim_field field,
                                   const yaml_node_t *node, const struct plan_claim *claim,
                                   double *number)
{
    const char *key = claim_fields[field].key;

    if (!node) {
        return ERR_OK;
    }
    if (claim->kind == PLAN_CLAIM_RATIO) {
        return number_read(reader, key, node, "", "1.2", RATIO_MAX, number);
    }
    if (claim->kind == PLAN_CLAIM_RECOVERS) {
        return unit_read(reader, key, node, field == CLAIM_GROWTH, number);
    }
    if (claim->metric == PLAN_METRIC_THROUGHPUT) {
        return number_read(reader, key, node, "/s", "50000/s", RATE_MAX, number);
    }
    return unit_read(reader, key, node, claim->metric == PLAN_METRIC_RSS, number);
}

static enum err_code numbers_read(struct plan_reader *reader, const yaml_node_t *node,
                                  const yaml_node_t **found, struct plan_claim *claim)
{
    enum err_code code =
        quantity_read(reader, CLAIM_AT_LEAST, found[CLAIM_AT_LEAST], claim, &claim->at_least);

    if (code == ERR_OK) {
        code = quantity_read(reader, CLAIM_AT_MOST, found[CLAIM_AT_MOST], claim, &claim->at_most);
    }
    if (code == ERR_OK) {
        code = quantity_read(reader, CLAIM_VALUE, found[CLAIM_VALUE], claim, &claim->value);
    }
    if (code == ERR_OK) {
        code = quantity_read(reader, CLAIM_GROWTH, found[CLAIM_GROWTH], claim, &claim->growth);
    }
    if (code == ERR_OK && found[CLAIM_WITHIN]) {
        code = number_read(reader, "within", found[CLAIM_WITHIN], "%", "5%", 99, &claim->within);
    }
    if (code != ERR_OK) {
        return code;
    }
    if (kind_keys[claim->kind].allowed & BIT(CLAIM_AT_LEAST)) {
        if (isnan(claim->at_least) && isnan(claim->at_most)) {
            return plan_fail(reader, node, "a claim without a limit; add at_least or at_most");
        }
        if (claim->at_least > claim->at_most) {
            return plan_fail(reader, found[CLAIM_AT_MOST],
                             "at_most: below at_least; no value can be both");
        }
    }
    return ERR_OK;
}

/* --- one claim --- */

/* The keys of the kind and no others. */
static enum err_code keys_check(struct plan_reader *reader, const yaml_node_t *node,
                                const yaml_node_t **found, enum plan_claim_kind kind)
{
    unsigned allowed = kind_keys[kind].allowed | BIT(CLAIM_WORKLOAD) | BIT(CLAIM_CONNECTIONS);

    for (int i = CLAIM_OF; i < CLAIM_FIELD_COUNT; i++) {
        unsigned required = kind_keys[kind].required & BIT(i);

        if (required && !found[i]) {
            return plan_fail(reader, node, "a claim of kind %s has no \"%s\"; add it",
                             plan_claim_kind_names[kind], claim_fields[i].key);
        }
        if (found[i] && !((required | allowed) & BIT(i))) {
            return plan_fail(reader, found[i], "%s: has no place in a claim of kind %s",
                             claim_fields[i].key, plan_claim_kind_names[kind]);
        }
    }
    return ERR_OK;
}

/* Exactly one kind. */
static enum err_code kind_find(struct plan_reader *reader, const yaml_node_t *node,
                               const yaml_node_t **found, struct plan_claim *claim)
{
    int kind = -1;

    for (int i = 0; i < PLAN_CLAIM_KIND_COUNT; i++) {
        if (found[i] && kind >= 0) {
            return plan_fail(reader, found[i], "%s beside %s; make two claims of it",
                             plan_claim_kind_names[i], plan_claim_kind_names[kind]);
        }
        kind = found[i] ? i : kind;
    }
    if (kind < 0) {
        return plan_fail(reader, node,
                         "a claim of no kind; add one of ratio, order, bound, level, no_errors, "
                         "recovers");
    }
    claim->kind = (enum plan_claim_kind)kind;
    return keys_check(reader, node, found, claim->kind);
}

static enum err_code engine_check(struct plan_reader *reader, const yaml_node_t *node,
                                  const struct plan_claim *claim, size_t at)
{
    const char *name = claim->engines[at];
    char quote[PLAN_QUOTE_BYTES];

    plan_quote(name, strlen(name), quote);
    for (size_t i = 0; i < at; i++) {
        if (strcmp(claim->engines[i], name) == 0) {
            return plan_fail(reader, node, "an engine against itself: %s; name two", quote);
        }
    }
    for (size_t i = 0; i < reader->plan->engine_count; i++) {
        if (strcmp(reader->plan->engines[i].name, name) == 0) {
            return ERR_OK;
        }
    }
    return plan_fail(reader, node, "no engine has the name %s", quote);
}

static bool has_load_point(const struct plan_workload *workload, uint32_t connection_count)
{
    for (size_t i = 0; i < workload->load_point_count; i++) {
        if (workload->connection_counts[i] == connection_count) {
            return true;
        }
    }
    return connection_count == 0;
}

/* A flood has only its recovery, and nothing else recovers. What another driver says is shown, and
 * not judged. */
static bool fits_workload(const struct plan_workload *workload, const struct plan_claim *claim)
{
    return workload->driver == PLAN_DRIVER_TACHO &&
           (workload->flood.connection_count > 0) == (claim->kind == PLAN_CLAIM_RECOVERS);
}

static enum err_code workload_refuse(struct plan_reader *reader, const yaml_node_t *node,
                                     const struct plan_claim *claim, bool is_known)
{
    char quote[PLAN_QUOTE_BYTES] = "";

    if (claim->workload) {
        plan_quote(claim->workload, strlen(claim->workload), quote);
    }
    if (claim->kind == PLAN_CLAIM_RECOVERS && (is_known || !claim->workload)) {
        return plan_fail(reader, node, "recovers: %s; name a workload with a flood",
                         claim->workload ? "the workload has no flood" : "no workload is a flood");
    }
    if (is_known || !claim->workload) {
        return plan_fail(
            reader, node,
            "%s: %s a flood, of which only \"recovers\" can be claimed, or has another "
            "driver",
            plan_claim_kind_names[claim->kind],
            claim->workload ? "the workload is" : "every workload is");
    }
    return plan_fail(reader, node, "workload: none has the name %s", quote);
}

static enum err_code cells_check(struct plan_reader *reader, const yaml_node_t *claim_node,
                                 const yaml_node_t **found, const struct plan_claim *claim)
{
    bool is_known = false;
    bool fits = false;
    bool has_point = false;

    for (size_t i = 0; i < reader->plan->workload_count; i++) {
        const struct plan_workload *workload = &reader->plan->workloads[i];

        if (claim->workload && strcmp(workload->name, claim->workload) != 0) {
            continue;
        }
        is_known = true;
        fits = fits || fits_workload(workload, claim);
        has_point = has_point || has_load_point(workload, claim->connection_count);
    }
    if (!fits) {
        return workload_refuse(reader, found[CLAIM_WORKLOAD] ? found[CLAIM_WORKLOAD] : claim_node,
                               claim, is_known);
    }
    if (!has_point) {
        return plan_fail(reader, found[CLAIM_CONNECTIONS],
                         "connections: the workload has no load point of %u",
                         claim->connection_count);
    }
    return ERR_OK;
}

static enum err_code claim_check(struct plan_reader *reader, const yaml_node_t *claim_node,
                                 const yaml_node_t **found)
{
    const struct plan *plan = reader->plan;
    const struct plan_claim *claim = &plan->claims[plan->claim_count];
    char quote[PLAN_QUOTE_BYTES];

    for (size_t i = 0; i < plan->claim_count; i++) {
        if (strcmp(plan->claims[i].id, claim->id) == 0) {
            return plan_fail(reader, found[CLAIM_ID], "id: a second claim %s; choose another",
                             plan_quote(claim->id, strlen(claim->id), quote));
        }
    }
    for (size_t i = 0; i < claim->engine_count; i++) {
        const yaml_node_t *first = found[CLAIM_RECOVERS] ? found[CLAIM_RECOVERS] : found[CLAIM_OF];
        const yaml_node_t *node = found[CLAIM_ENGINES] ? found[CLAIM_ENGINES]
                                  : i == 0             ? first
                                                       : found[CLAIM_OVER];
        enum err_code code = engine_check(reader, node, claim, i);

        if (code != ERR_OK) {
            return code;
        }
    }
    return cells_check(reader, claim_node, found, claim);
}

static enum err_code claim_read(struct plan_reader *reader, const yaml_node_t *node,
                                bool is_recorded)
{
    const yaml_node_t *found[CLAIM_FIELD_COUNT];
    struct plan_claim *claim = &reader->plan->claims[reader->plan->claim_count];

    *claim = (struct plan_claim){.at_least = (double)NAN,
                                 .at_most = (double)NAN,
                                 .value = (double)NAN,
                                 .within = (double)NAN,
                                 .growth = PLAN_CLAIM_GROWTH_DEFAULT};
    enum err_code code = plan_fields_read(reader, &plan_claim_table, node, claim, found);

    if (code == ERR_OK) {
        code = kind_find(reader, node, found, claim);
    }
    if (code == ERR_OK) {
        code = numbers_read(reader, node, found, claim);
    }
    if (claim->kind != PLAN_CLAIM_ORDER) {
        claim->engine_count = claim->engines[1] ? 2 : claim->engines[0] ? 1 : 0;
    }
    if (code == ERR_OK && !is_recorded) {
        code = claim_check(reader, node, found);
    }
    reader->plan->claim_count += code == ERR_OK;
    return code;
}

enum err_code plan_read_claims(struct plan_reader *reader, const yaml_node_t *node,
                               bool is_recorded)
{
    enum err_code code = ERR_OK;

    if (node->type != YAML_SEQUENCE_NODE) {
        return plan_fail(reader, node,
                         "claims: write a list like \"- { id: C1, ratio: throughput, of: a, over: "
                         "b, at_least: 1.2 }\"");
    }
    for (const yaml_node_item_t *item = node->data.sequence.items.start;
         item < node->data.sequence.items.top && code == ERR_OK; item++) {
        const yaml_node_t *item_node = plan_yaml_node(reader, *item);

        if (reader->plan->claim_count == PLAN_CLAIM_COUNT_MAX) {
            return plan_fail(reader, item_node, "claims: more than %d; make two plans of it",
                             PLAN_CLAIM_COUNT_MAX);
        }
        code = claim_read(reader, item_node, is_recorded);
    }
    return code;
}
