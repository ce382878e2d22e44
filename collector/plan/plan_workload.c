// SPDX-License-Identifier: Apache-2.0
// Workloads of a plan: what is sent, what a right answer is, how many connections.
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "collector/driver/rate_course.h"
#include "collector/plan/plan_body.h"
#include "collector/plan/plan_engines.h"
#include "collector/plan/plan_flood.h"
#include "collector/plan/plan_read.h"
#include "collector/plan/plan_request_read.h"
#include "engines/base/clock.h"
#include "engines/base/fs.h"
#include "engines/base/units.h"

#define PIPELINE_COUNT_MAX 1024

#define REPLAY_PATH_BYTES_MAX 1000

const char *const plan_driver_names[] = {"tacho", "wrk", "replay", NULL};

static enum err_code load_point_add(struct plan_reader *reader, const struct plan_field *field,
                                    const yaml_node_t *node, struct plan_workload *workload)
{
    int64_t count = 0;
    enum err_code code = ERR_OK;

    if (workload->load_point_count == PLAN_LOAD_POINT_COUNT_MAX) {
        return plan_fail(reader, node, "%s: more than %d; make two workloads of it", field->key,
                         PLAN_LOAD_POINT_COUNT_MAX);
    }
    code = plan_read_count(reader, field, node, &count);
    if (code != ERR_OK) {
        return code;
    }
    for (size_t i = 0; i < workload->load_point_count; i++) {
        if (workload->connection_counts[i] == count) {
            return plan_fail(reader, node, "%s: %u a second time; keep one", field->key,
                             workload->connection_counts[i]);
        }
    }
    workload->connection_counts[workload->load_point_count++] = (uint32_t)count;
    return ERR_OK;
}

static enum err_code connections_read(struct plan_reader *reader, const struct plan_field *field,
                                      const yaml_node_t *node, void *target)
{
    if (node->type != YAML_SEQUENCE_NODE) {
        return load_point_add(reader, field, node, target);
    }
    if (node->data.sequence.items.top == node->data.sequence.items.start) {
        return plan_fail(reader, node, "%s: an empty list; write a count like 125 or [64, 512]",
                         field->key);
    }
    enum err_code code = ERR_OK;
    for (const yaml_node_item_t *item = node->data.sequence.items.start;
         code == ERR_OK && item < node->data.sequence.items.top; item++) {
        code = load_point_add(reader, field, plan_yaml_node(reader, *item), target);
    }
    return code;
}

/* "2000/s": the unit says that it is no number of connections; "1000..5000/s" changes. */
static enum err_code rate_parse(struct plan_reader *reader, const struct plan_field *field,
                                const yaml_node_t *node, struct arrivals_course *course_out)
{
    char number[RATE_COURSE_BYTES] = "";
    const char *text = "";
    char quote[PLAN_QUOTE_BYTES];
    struct err why = {.text = "it has no /s"};
    enum err_code code = plan_read_scalar(reader, field->key, "a rate like 2000/s", node, &text);

    if (code != ERR_OK) {
        return code;
    }
    size_t length = strlen(text);
    bool has_unit = length > 2 && length < sizeof(number) && strcmp(text + length - 2, "/s") == 0;
    if (has_unit) {
        snprintf(number, sizeof(number), "%.*s", (int)length - 2, text);
    }
    if (!has_unit || rate_course_parse(number, field->maximum, course_out, &why) != ERR_OK) {
        return plan_fail(reader, node,
                         "%s: %s is not a rate from 1/s to %lld/s (%s); write 2000/s or, of one "
                         "that changes, \"1000..5000/s\"",
                         field->key, plan_quote(text, length, quote), (long long)field->maximum,
                         why.text);
    }
    return ERR_OK;
}

static enum err_code rate_add(struct plan_reader *reader, const struct plan_field *field,
                              const yaml_node_t *node, struct plan_workload *workload)
{
    struct arrivals_course course = {0};
    enum err_code code = rate_parse(reader, field, node, &course);

    if (code != ERR_OK) {
        return code;
    }
    if (course.count > 1) {
        return plan_fail(reader, node,
                         "%s: one that changes stands alone and not in a list; make a workload of "
                         "its own of it",
                         field->key);
    }
    uint32_t rate = course.rates_per_s[0];
    if (workload->rate_count == PLAN_LOAD_POINT_COUNT_MAX) {
        return plan_fail(reader, node, "%s: more than %d; make two workloads of it", field->key,
                         PLAN_LOAD_POINT_COUNT_MAX);
    }
    for (size_t i = 0; i < workload->rate_count; i++) {
        if (workload->rates_per_s[i] == rate) {
            return plan_fail(reader, node, "%s: %u/s a second time; keep one", field->key, rate);
        }
    }
    workload->rates_per_s[workload->rate_count++] = rate;
    return ERR_OK;
}

/* Not in a list: it may change, and is then one cell. */
static enum err_code rate_set(struct plan_reader *reader, const struct plan_field *field,
                              const yaml_node_t *node, struct plan_workload *workload)
{
    struct arrivals_course course = {0};
    enum err_code code = rate_parse(reader, field, node, &course);

    if (code == ERR_OK) {
        workload->rates_per_s[0] = rate_course_mean(&course);
        workload->rate_count = 1;
        workload->course = course.count > 1 ? course : (struct arrivals_course){0};
    }
    return code;
}

static enum err_code rate_read(struct plan_reader *reader, const struct plan_field *field,
                               const yaml_node_t *node, void *target)
{
    enum err_code code = ERR_OK;

    if (node->type != YAML_SEQUENCE_NODE) {
        return rate_set(reader, field, node, target);
    }
    if (node->data.sequence.items.top == node->data.sequence.items.start) {
        return plan_fail(reader, node,
                         "%s: an empty list; write a rate like 2000/s or [2000/s, 4000/s]",
                         field->key);
    }
    for (const yaml_node_item_t *item = node->data.sequence.items.start;
         code == ERR_OK && item < node->data.sequence.items.top; item++) {
        code = rate_add(reader, field, plan_yaml_node(reader, *item), target);
    }
    return code;
}

static enum err_code arrivals_read(struct plan_reader *reader, const struct plan_field *field,
                                   const yaml_node_t *node, void *target)
{
    static const char *const words[] = {"uniform", "poisson", NULL};
    struct plan_workload *workload = target;
    int chosen = 0;
    enum err_code code = plan_read_word(reader, field, node, words, &chosen);

    workload->is_poisson = chosen == 1;
    return code;
}

static enum err_code think_kind_read(struct plan_reader *reader, const struct plan_field *field,
                                     const yaml_node_t *node, void *target)
{
    static const char *const words[] = {"constant", "exponential", NULL};
    struct plan_workload *workload = target;
    int chosen = 0;
    enum err_code code = plan_read_word(reader, field, node, words, &chosen);

    workload->think_kind = chosen == 1 ? THINK_EXPONENTIAL : THINK_CONSTANT;
    return code;
}

static enum err_code driver_read(struct plan_reader *reader, const struct plan_field *field,
                                 const yaml_node_t *node, void *target)
{
    struct plan_workload *workload = target;
    int chosen = PLAN_DRIVER_TACHO;
    enum err_code code = plan_read_word(reader, field, node, plan_driver_names, &chosen);

    workload->driver = (enum plan_driver)chosen;
    return code;
}

static enum err_code override_read(struct plan_reader *reader, const struct plan_field *field,
                                   const yaml_node_t *node, void *target)
{
    struct plan_override *override =
        (struct plan_override *)(void *)((char *)target + field->offset);
    int64_t ns = 0;
    enum err_code code = plan_read_duration(reader, field, node, &ns);

    if (code == ERR_OK) {
        *override = (struct plan_override){true, ns};
    }
    return code;
}

#define OVERRIDE_FIELD(name, minimum_ns, maximum_ns)                                               \
    {                                                                                              \
        .key = #name, .type = PLAN_FIELD_OTHER, .offset = offsetof(struct plan_workload, name),    \
        .minimum = (minimum_ns), .maximum = (maximum_ns), .read = override_read                    \
    }

enum workload_field {
    WORKLOAD_NAME = PLAN_REQUEST_FIELD_COUNT,
    WORKLOAD_MIX,
    WORKLOAD_THINK_TIME,
    WORKLOAD_THINK_KIND,
    WORKLOAD_DRIVER,
    WORKLOAD_REPLAY,
    WORKLOAD_REPLAY_SHA256,
    WORKLOAD_RATE,
    WORKLOAD_ARRIVALS,
    WORKLOAD_CONNECTIONS,
    WORKLOAD_FLOOD,
    WORKLOAD_PIPELINE,
    WORKLOAD_REQUESTS,
    WORKLOAD_WARMUP,
    WORKLOAD_WINDOW,
};

static const struct plan_field workload_fields[] = {
    PLAN_REQUEST_FIELDS(offsetof(struct plan_workload, requests)),
    [WORKLOAD_NAME] = {.key = "name",
                       .type = PLAN_FIELD_NAME,
                       .offset = offsetof(struct plan_workload, name),
                       .maximum = PLAN_NAME_BYTES_MAX,
                       .required = true},
    [WORKLOAD_MIX] = {.key = "requests", .type = PLAN_FIELD_OTHER, .read = plan_read_mix},
    [WORKLOAD_THINK_TIME] = {.key = "think_time",
                             .type = PLAN_FIELD_DURATION,
                             .offset = offsetof(struct plan_workload, think_ns),
                             .minimum = CLOCK_NS_PER_US,
                             .maximum = PLAN_HOUR_NS},
    [WORKLOAD_THINK_KIND] = {.key = "think_kind",
                             .type = PLAN_FIELD_OTHER,
                             .read = think_kind_read},
    [WORKLOAD_DRIVER] = {.key = "driver", .type = PLAN_FIELD_OTHER, .read = driver_read},
    [WORKLOAD_REPLAY] = {.key = "replay",
                         .type = PLAN_FIELD_NAME,
                         .offset = offsetof(struct plan_workload, replay),
                         .maximum = REPLAY_PATH_BYTES_MAX},
    [WORKLOAD_REPLAY_SHA256] = {.key = "replay_sha256",
                                .type = PLAN_FIELD_OTHER,
                                .offset = offsetof(struct plan_workload, replay_sha256),
                                .maximum = PLAN_PATH_BYTES_MAX,
                                .read = plan_read_sha256},
    [WORKLOAD_RATE] = {.key = "rate",
                       .type = PLAN_FIELD_OTHER,
                       .minimum = 1,
                       .maximum = 10000000,
                       .read = rate_read},
    [WORKLOAD_ARRIVALS] = {.key = "arrivals", .type = PLAN_FIELD_OTHER, .read = arrivals_read},
    [WORKLOAD_CONNECTIONS] = {.key = "connections",
                              .type = PLAN_FIELD_OTHER,
                              .minimum = 1,
                              .maximum = 65535,
                              .read = connections_read},
    [WORKLOAD_FLOOD] = {.key = "flood", .type = PLAN_FIELD_OTHER, .read = plan_flood_read},
    [WORKLOAD_PIPELINE] = {.key = "pipeline",
                           .type = PLAN_FIELD_COUNT,
                           .offset = offsetof(struct plan_workload, pipeline_count),
                           .minimum = 1,
                           .maximum = PIPELINE_COUNT_MAX},
    [WORKLOAD_REQUESTS] = {.key = "requests_per_connection",
                           .type = PLAN_FIELD_COUNT,
                           .offset = offsetof(struct plan_workload, requests_per_connection),
                           .minimum = 1,
                           .maximum = UINT32_MAX},
    [WORKLOAD_WARMUP] = OVERRIDE_FIELD(warmup, 0, PLAN_DAY_NS),
    [WORKLOAD_WINDOW] = OVERRIDE_FIELD(window, CLOCK_NS_PER_MS, PLAN_DAY_NS),
    OVERRIDE_FIELD(settle, 0, PLAN_HOUR_NS),
    OVERRIDE_FIELD(cooldown, 0, PLAN_HOUR_NS),
    OVERRIDE_FIELD(timeout, CLOCK_NS_PER_MS, PLAN_HOUR_NS),
};
const struct plan_table plan_workload_table = {
    .what = "a workload", .fields = workload_fields, .field_count = ARRAY_COUNT(workload_fields)};

/* What belongs together: a rate, its arrivals, and not too many cells of both kinds of list. */
static enum err_code load_check(struct plan_reader *reader, const yaml_node_t **found,
                                const struct plan_workload *workload)
{
    const yaml_node_t *rate = found[WORKLOAD_RATE], *arrivals = found[WORKLOAD_ARRIVALS];

    if (arrivals && workload->rate_count == 0) {
        return plan_fail(reader, arrivals,
                         "arrivals without rate; add a rate like 2000/s or leave it out");
    }
    if (workload->rate_count > 0 && workload->pipeline_count > 1) {
        return plan_fail(reader, found[WORKLOAD_PIPELINE] ? found[WORKLOAD_PIPELINE] : rate,
                         "pipeline with rate; it is of a closed loop: keep one of the two");
    }
    if (plan_cell_count(workload) > PLAN_LOAD_POINT_COUNT_MAX) {
        return plan_fail(reader, rate ? rate : found[WORKLOAD_CONNECTIONS],
                         "rate: %zu rates with each of %zu counts of connections; at "
                         "most %d together: make two workloads of it",
                         workload->rate_count, workload->load_point_count,
                         PLAN_LOAD_POINT_COUNT_MAX);
    }
    for (int i = WORKLOAD_WARMUP; i <= WORKLOAD_WINDOW; i++) {
        if (found[i] && workload->flood.connection_count > 0) {
            return plan_fail(reader, found[i], "%s beside flood, which says how long it takes",
                             workload_fields[i].key);
        }
    }
    return ERR_OK;
}

static enum err_code workload_name_check(struct plan_reader *reader, const yaml_node_t *node,
                                         const struct plan_workload *workload)
{
    const struct plan *plan = reader->plan;
    char quote[PLAN_QUOTE_BYTES];

    if (strcmp(workload->name, PLAN_LIMIT_NAME) == 0) {
        return plan_fail(reader, node,
                         "name: \"limit\" is the calibration workload's; choose another");
    }
    for (size_t i = 0; i < plan->workload_count; i++) {
        if (&plan->workloads[i] != workload &&
            strcmp(plan->workloads[i].name, workload->name) == 0) {
            return plan_fail(reader, node, "name: a second workload %s; choose another",
                             plan_quote(workload->name, strlen(workload->name), quote));
        }
    }
    return ERR_OK;
}

/* What is not for every loop. */
static enum err_code shape_check(struct plan_reader *reader, const yaml_node_t *node,
                                 const yaml_node_t **found, const struct plan_workload *workload)
{
    const yaml_node_t *think = found[WORKLOAD_THINK_TIME], *kind = found[WORKLOAD_THINK_KIND];
    const yaml_node_t *pipeline = found[WORKLOAD_PIPELINE], *rate = found[WORKLOAD_RATE];
    bool is_deep = workload->pipeline_count > 1;

    if (kind && workload->think_ns == 0) {
        return plan_fail(reader, kind,
                         "think_kind without think_time; add a time like 10ms or leave it out");
    }
    if (workload->think_ns > 0 && workload->rate_count > 0) {
        return plan_fail(reader,
                         think  ? think
                         : rate ? rate
                                : node,
                         "think_time with rate; it is of a closed loop: keep one of the two");
    }
    if (workload->think_ns > 0 && is_deep) {
        return plan_fail(reader,
                         think      ? think
                         : pipeline ? pipeline
                                    : node,
                         "think_time with pipeline; nobody thinks who has asked already: keep one "
                         "of the two");
    }
    if (workload->request_count > 1 && is_deep) {
        return plan_fail(reader, pipeline ? pipeline : node,
                         "pipeline with requests; of a mix one request is on the way on each "
                         "connection: keep one of the two");
    }
    return ERR_OK;
}

/* A replay has no server that is asked after a flood, and keeps no count of a mix. */
static enum err_code replay_check(struct plan_reader *reader, const yaml_node_t *node,
                                  const yaml_node_t **found, struct plan_workload *workload)
{
    const yaml_node_t *driver = found[WORKLOAD_DRIVER], *replay = found[WORKLOAD_REPLAY];
    const yaml_node_t *sha256 = found[WORKLOAD_REPLAY_SHA256];
    bool is_replay = workload->driver == PLAN_DRIVER_REPLAY;

    if (is_replay != (workload->replay != NULL)) {
        return plan_fail(reader,
                         replay   ? replay
                         : driver ? driver
                                  : node,
                         is_replay
                             ? "driver: replay wants the results file to play; add \"replay: FILE\""
                             : "replay beside another driver; add \"driver: replay\" or leave it "
                               "out");
    }
    if (is_replay && (workload->request_count > 1 || workload->flood.connection_count > 0)) {
        return plan_fail(reader, driver ? driver : node,
                         "driver: replay plays trials of one request; leave out the mix or the "
                         "flood");
    }
    if (sha256 && !is_replay) {
        return plan_fail(
            reader, sha256,
            "replay_sha256 without replay; name the file in \"replay\" or leave it out");
    }
    return replay || sha256 ? plan_replay_read(reader, replay, sha256, workload) : ERR_OK;
}

/* wrk sends one GET again and again over connections that it keeps. */
static enum err_code driver_check(struct plan_reader *reader, const yaml_node_t *node,
                                  const yaml_node_t **found, struct plan_workload *workload)
{
    const yaml_node_t *driver = found[WORKLOAD_DRIVER];
    bool is_plain = workload->request_count == 1 &&
                    strcmp(workload->requests[0].method, "GET") == 0 && workload->rate_count == 0 &&
                    workload->pipeline_count <= 1 && workload->requests_per_connection == 0 &&
                    workload->think_ns == 0 && workload->flood.connection_count == 0;

    if (workload->driver == PLAN_DRIVER_WRK && !is_plain) {
        return plan_fail(reader, driver ? driver : node,
                         "driver: wrk sends one get over connections that are kept, in a closed "
                         "loop; leave out what says otherwise");
    }
    return replay_check(reader, node, found, workload);
}

/* A mix says in its items what is asked. */
static enum err_code mix_check(struct plan_reader *reader, const yaml_node_t **found)
{
    for (int i = 0; found[WORKLOAD_MIX] && i < PLAN_REQUEST_FIELD_COUNT; i++) {
        if (found[i]) {
            return plan_fail(reader, found[i], "%s beside requests; write it in one of its items",
                             workload_fields[i].key);
        }
    }
    return ERR_OK;
}

static enum err_code workload_check(struct plan_reader *reader, const yaml_node_t *node,
                                    const yaml_node_t **found, struct plan_workload *workload)
{
    enum err_code code = mix_check(reader, found);

    if (code == ERR_OK && workload->request_count == 1) {
        code = plan_request_check(reader, "a workload", node, found[PLAN_REQUEST_EXPECT],
                                  &workload->requests[0]);
    }
    if (code == ERR_OK) {
        code = shape_check(reader, node, found, workload);
    }
    if (code == ERR_OK) {
        code = driver_check(reader, node, found, workload);
    }
    return code == ERR_OK ? load_check(reader, found, workload) : code;
}

/* Of a mix each item's was read with it. */
static enum err_code body_read(struct plan_reader *reader, const yaml_node_t **found,
                               struct plan_workload *workload)
{
    return found[WORKLOAD_MIX]
               ? ERR_OK
               : plan_body_read(reader, found[PLAN_REQUEST_BODY], found[PLAN_REQUEST_BODY_SHA256],
                                &workload->requests[0]);
}

static enum err_code workload_read(struct plan_reader *reader, const yaml_node_t *node,
                                   struct plan_workload *workload)
{
    const yaml_node_t *found[ARRAY_COUNT(workload_fields)];
    enum err_code code = plan_fields_read(reader, &plan_workload_table, node, workload, found);

    if (code == ERR_OK) {
        code = workload_name_check(reader, found[WORKLOAD_NAME], workload);
    }
    if (code == ERR_OK) {
        code = workload_check(reader, node, found, workload);
    }
    if (code == ERR_OK) {
        const struct plan_load_nodes nodes = {node,
                                              found[WORKLOAD_FLOOD],
                                              found[WORKLOAD_CONNECTIONS],
                                              found[WORKLOAD_RATE],
                                              found[WORKLOAD_PIPELINE],
                                              found[WORKLOAD_REQUESTS],
                                              found[WORKLOAD_MIX],
                                              found[WORKLOAD_THINK_TIME]};
        code = plan_flood_check(reader, &nodes, workload);
    }
    return code == ERR_OK ? body_read(reader, found, workload) : code;
}

static void value_forget(const char *key, struct plan_workload *workload)
{
    if (strcmp(key, "connections") == 0) {
        workload->load_point_count = 0;
    } else if (strcmp(key, "rate") == 0) {
        workload->rate_count = 0;
        workload->course.count = 0;
    } else if (strcmp(key, "body") == 0) {
        workload->requests[0].body_sha256 = NULL;
    } else if (strcmp(key, "replay") == 0) {
        workload->replay_sha256 = NULL;
    } else if (strcmp(key, "get") == 0 || strcmp(key, "head") == 0 || strcmp(key, "post") == 0) {
        workload->requests[0].path = NULL;
    }
}

/* A key that is set anew does not add to what was said before. */
static enum err_code before_set(struct plan_reader *reader, const char *key,
                                struct plan_workload *workload)
{
    static const char *const of_load[] = {
        "connections", "rate", "pipeline", "requests_per_connection", "requests", "think_time"};
    bool is_flood = workload->flood.connection_count > 0;

    for (size_t i = 0; is_flood && i < ARRAY_COUNT(of_load); i++) {
        if (strcmp(key, of_load[i]) == 0) {
            return plan_fail(reader, plan_yaml_root(reader), "%s of a flood; set \"flood\" instead",
                             key);
        }
    }
    for (int i = 0; workload->request_count > 1 && i < PLAN_REQUEST_FIELD_COUNT; i++) {
        if (strcmp(key, workload_fields[i].key) == 0) {
            return plan_fail(reader, plan_yaml_root(reader),
                             "%s of a mix; set \"requests\" instead", key);
        }
    }
    if (!is_flood && strcmp(key, "flood") == 0) {
        return plan_fail(reader, plan_yaml_root(reader),
                         "the workload is no flood; make it one in the plan");
    }
    value_forget(key, workload);
    return ERR_OK;
}

enum err_code plan_set_workload(struct plan_reader *reader, const char *key,
                                struct plan_workload *workload)
{
    const yaml_node_t *found[ARRAY_COUNT(workload_fields)];
    const yaml_node_t *root = plan_yaml_root(reader);
    enum err_code code = before_set(reader, key, workload);

    if (code == ERR_OK) {
        code = plan_fields_read(reader, &plan_workload_table, root, workload, found);
    }
    if (code == ERR_OK && found[WORKLOAD_NAME]) {
        return plan_fail(reader, root, "a name is what claims and baseline call it by; leave it");
    }
    if (code == ERR_OK) {
        code = workload_check(reader, root, found, workload);
    }
    if (code == ERR_OK && found[WORKLOAD_FLOOD]) {
        workload->connection_counts[0] = workload->flood.connection_count;
    }
    const struct plan_request *request = &workload->requests[0];
    if (code != ERR_OK || workload->request_count > 1 ||
        !(found[PLAN_REQUEST_BODY] || found[PLAN_REQUEST_BODY_SHA256])) {
        return code == ERR_OK && workload->request_count == 1 && request->body_path &&
                       strcmp(request->method, "POST") != 0
                   ? plan_fail(reader, root, "the workload has a body; only post sends one")
                   : code;
    }
    return body_read(reader, found, workload);
}

enum err_code plan_read_workloads(struct plan_reader *reader, const struct plan_field *field,
                                  const yaml_node_t *node, void *target)
{
    struct plan *plan = target;

    if (node->type != YAML_SEQUENCE_NODE ||
        node->data.sequence.items.top == node->data.sequence.items.start) {
        return plan_fail(reader, node,
                         "%s: write a list of at least one, like \"- { name: ping, get: /ping, "
                         "connections: 125 }\"",
                         field->key);
    }
    for (const yaml_node_item_t *item = node->data.sequence.items.start;
         item < node->data.sequence.items.top; item++) {
        const yaml_node_t *item_node = plan_yaml_node(reader, *item);

        if (plan->workload_count == PLAN_WORKLOAD_COUNT_MAX) {
            return plan_fail(reader, item_node, "%s: more than %d; make two plans of it",
                             field->key, PLAN_WORKLOAD_COUNT_MAX);
        }
        struct plan_workload *workload = &plan->workloads[plan->workload_count];
        *workload = (struct plan_workload){
            .requests = {plan_request_default}, .request_count = 1, .pipeline_count = 1};
        enum err_code code = workload_read(reader, item_node, workload);
        if (code != ERR_OK) {
            return code;
        }
        plan->workload_count++;
    }
    return ERR_OK;
}

bool plan_is_calibrated(const struct plan_workload *workload)
{
    return workload->flood.connection_count == 0 && workload->driver != PLAN_DRIVER_REPLAY;
}
