// SPDX-License-Identifier: Apache-2.0
// The rows of a session that are known before its first trial.
#include "collector/run/session_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/driver/rate_course.h"
#include "collector/plan/plan_engines.h"
#include "collector/run/engine_command.h"
#include "collector/sample.h"

#define PLAN_TEXT_BYTES_MAX ((size_t)32 << 20)

const struct plan_workload session_calibration = {
    .name = "limit",
    .pipeline_count = 1,
    .request_count = 1,
    .requests[0] =
        {.method = "GET",
         .path = "/ping",
         .body = "",
         .weight = 1,
         .expect = {.status = 200,
                    .body_bytes = 4,
                    .body = "pong",
                    /* printf pong | sha256sum */
                    .body_sha256 =
                        "9795c5ff8937f23526ccb207a5684c1fc94a7854e19c021b39d944e51f5baef2"}},
};

const struct plan_engine session_limit = {.name = PLAN_LIMIT_NAME, .builtin = PLAN_LIMIT_NAME};

enum err_code session_program_digest(const char *path, char hex_out[DIGEST_HEX_BYTES],
                                     struct err *e)
{
    char *real_path = realpath(path, NULL);

    if (!real_path) {
        return err_set_sys(e, "%s", path);
    }
    enum err_code code = digest_file(real_path, hex_out, e);
    free(real_path);
    return code;
}

void session_rows_name_aa(struct session_rows *rows, const struct plan *plan)
{
    snprintf(rows->aa_name, sizeof(rows->aa_name), "%s%s", plan->baseline, PLAN_AA_SUFFIX);
}

const struct plan_engine *session_rows_engine(const struct plan *plan, uint32_t arm_index)
{
    if (arm_index < plan->engine_count) {
        return &plan->engines[arm_index];
    }
    for (size_t i = 0; i < plan->engine_count; i++) {
        if (strcmp(plan->engines[i].name, plan->baseline) == 0) {
            return &plan->engines[i];
        }
    }
    return &plan->engines[0];
}

const char *session_rows_name(const struct session_rows *rows, const struct plan *plan,
                              const struct schedule_entry *entry)
{
    if (entry->arm_index == SCHEDULE_LIMIT) {
        return session_calibration.name;
    }
    return entry->arm_index < plan->engine_count ? plan->engines[entry->arm_index].name
                                                 : rows->aa_name;
}

const char *session_rows_role(const struct plan *plan, uint32_t arm_index)
{
    if (arm_index == plan->engine_count) {
        return "aa";
    }
    return strcmp(plan->engines[arm_index].name, plan->baseline) == 0 ? "baseline" : "subject";
}

static enum err_code session_store(struct session_rows *rows, const struct session_config *config,
                                   struct store *store, struct err *e)
{
    const struct clock *clock = config->clock;
    char plan_hex[DIGEST_HEX_BYTES];
    struct buf text;

    buf_init(&text, PLAN_TEXT_BYTES_MAX);
    plan_format(config->plan, &text);
    enum err_code code = buf_check(&text, "the plan's text", e);
    if (code == ERR_OK) {
        code = plan_digest(config->plan, plan_hex, e);
    }
    if (code == ERR_OK) {
        struct store_session row = {.title = config->plan->title,
                                    .plan_text = text.bytes,
                                    .plan_digest = plan_hex,
                                    .plan_source = config->plan->source,
                                    .program_version = config->program_version,
                                    .started_utc_ns = clock->wall_ns(clock->self)};
        code = store_begin_session(store, &row, &rows->session_id, e);
    }
    buf_release(&text);
    return code;
}

void session_rows_format_command(const struct plan_engine *engine, struct buf *out)
{
    struct engine_command command;

    if (plan_engine_kind(engine) == PLAN_ENGINE_BUILTIN) {
        engine_command_init(&command, engine, -1);
        engine_command_format(command.words, out);
        return;
    }
    const char *words[PLAN_COMMAND_COUNT_MAX + 1] = {0};
    memcpy(words, engine->command.items, engine->command.count * sizeof(*words));
    engine_command_format(words, out);
}

static enum err_code engine_store(const struct session_rows *rows, struct store *store,
                                  const struct store_engine *template,
                                  const struct plan_engine *engine, int64_t *id_out, struct err *e)
{
    struct store_engine row = *template;
    struct buf text;

    buf_init(&text, (size_t)1 << 20);
    session_rows_format_command(engine, &text);
    enum err_code code = buf_check(&text, "the engine's command", e);
    if (code == ERR_OK) {
        row.kind = plan_engine_kind_names[plan_engine_kind(engine)];
        row.source = plan_engine_source(engine);
        row.command_json = text.bytes;
        code = store_add_engine(store, rows->session_id, &row, id_out, e);
    }
    buf_release(&text);
    return code;
}

static enum err_code engines_store(struct session_rows *rows, const struct session_config *config,
                                   const struct foreign_set *foreign, struct store *store,
                                   struct err *e)
{
    const struct plan *plan = config->plan;
    char binary_hex[DIGEST_HEX_BYTES];
    size_t arm_count = plan->engine_count + plan->aa_arm;
    enum err_code code = session_program_digest(config->engine_program, binary_hex, e);

    session_rows_name_aa(rows, plan);
    for (size_t i = 0; code == ERR_OK && i < arm_count; i++) {
        const struct plan_engine *engine = session_rows_engine(plan, (uint32_t)i);
        const char *foreign_hex = foreign_of(foreign, plan, engine)->program_sha256;
        bool is_aa = i == plan->engine_count;
        struct store_engine row = {.name = is_aa ? rows->aa_name : engine->name,
                                   .role = session_rows_role(plan, (uint32_t)i),
                                   .binary_sha256 = *foreign_hex ? foreign_hex : NULL,
                                   .thread_count = engine->thread_count};
        if (engine->builtin) {
            row.binary_sha256 = binary_hex;
        }
        code = engine_store(rows, store, &row, engine, &rows->arm_ids[i], e);
    }
    if (code == ERR_OK) {
        struct store_engine row = {
            .name = session_calibration.name, .role = "limit", .binary_sha256 = binary_hex};
        code = engine_store(rows, store, &row, &session_limit, &rows->limit_id, e);
    }
    return code;
}

static struct store_request request_row(const struct plan_request *request)
{
    const struct plan_expect *expect = &request->expect;

    return (struct store_request){
        .method = request->method,
        .path = request->path,
        .body_sha256 = request->body_sha256,
        .expect_body_sha256 = expect->body_sha256,
        .body = request->body,
        .body_bytes = (int64_t)request->body_bytes,
        .expect_status = expect->status,
        .expect_body_bytes = expect->body_bytes < 0 ? METRIC_UNKNOWN : expect->body_bytes,
    };
}

static enum err_code mix_store(struct store *store, const struct plan_workload *workload,
                               int64_t workload_id, struct err *e)
{
    enum err_code code = ERR_OK;

    for (size_t i = 0; code == ERR_OK && workload->request_count > 1 && i < workload->request_count;
         i++) {
        const struct store_request row = request_row(&workload->requests[i]);

        code = store_add_request(store, workload_id, (uint32_t)i, workload->requests[i].weight,
                                 &row, e);
    }
    return code;
}

static enum err_code workload_store(const struct session_rows *rows, struct store *store,
                                    const struct plan_workload *workload, int64_t *id_out,
                                    struct err *e)
{
    struct store_workload row = {
        .name = workload->name,
        .request = request_row(&workload->requests[0]),
        .is_calibration = workload == &session_calibration,
        .flood_ns = workload->flood.for_ns,
        .recover_within_ns = workload->flood.recover_within_ns,
        .requests_per_connection = workload->requests_per_connection,
        .pipeline_count = workload->pipeline_count,
        .think_ns = workload->think_ns,
        .driver =
            workload->driver == PLAN_DRIVER_TACHO ? NULL : plan_driver_names[workload->driver],
        .think_kind = workload->think_ns > 0 ? think_kind_names[workload->think_kind] : NULL,
    };
    enum err_code code = store_add_workload(store, rows->session_id, &row, id_out, e);

    return code == ERR_OK ? mix_store(store, workload, *id_out, e) : code;
}

static int64_t calibration_cell(const struct session_rows *rows, uint32_t connection_count)
{
    for (size_t i = 0; i < rows->calibration_cell_count; i++) {
        if (rows->calibration_counts[i] == connection_count) {
            return rows->calibration_cell_ids[i];
        }
    }
    return METRIC_UNKNOWN;
}

static enum err_code cells_store(struct session_rows *rows, const struct plan_workload *workload,
                                 size_t workload_index, int64_t workload_id, struct store *store,
                                 struct err *e)
{
    enum err_code code = ERR_OK;
    char course[RATE_COURSE_BYTES];

    rate_course_write(&workload->course, course);
    for (size_t i = 0; code == ERR_OK && i < plan_cell_count(workload); i++) {
        struct plan_cell cell = plan_cell(workload, i);
        uint32_t connection_count = cell.connection_count;
        const struct store_cell closed = {.connection_count = connection_count};
        const char *arrivals = workload->is_poisson ? "poisson" : "uniform";
        const struct store_cell row = {connection_count, cell.rate_per_s,
                                       cell.rate_per_s > 0 ? arrivals : NULL,
                                       *course ? course : NULL};
        size_t last = rows->calibration_cell_count;

        code = store_add_cell(store, workload_id, &row, &rows->cell_ids[workload_index][i], e);
        if (code == ERR_OK && plan_is_calibrated(workload) &&
            calibration_cell(rows, connection_count) == METRIC_UNKNOWN) {
            code = store_add_cell(store, rows->calibration_id, &closed,
                                  &rows->calibration_cell_ids[last], e);
            rows->calibration_counts[last] = connection_count;
            rows->calibration_cell_count++;
        }
    }
    return code;
}

enum err_code session_rows_store(struct session_rows *rows, const struct session_config *config,
                                 const struct foreign_set *foreign, struct store *store,
                                 struct err *e)
{
    const struct plan *plan = config->plan;
    int64_t workload_id = METRIC_UNKNOWN;
    enum err_code code = session_store(rows, config, store, e);

    if (code == ERR_OK) {
        code = engines_store(rows, config, foreign, store, e);
    }
    if (code == ERR_OK) {
        code = workload_store(rows, store, &session_calibration, &rows->calibration_id, e);
    }
    for (size_t i = 0; code == ERR_OK && i < plan->workload_count; i++) {
        code = workload_store(rows, store, &plan->workloads[i], &workload_id, e);
        if (code == ERR_OK) {
            code = cells_store(rows, &plan->workloads[i], i, workload_id, store, e);
        }
    }
    return code;
}

struct replay_key session_rows_replay_key(const struct session_rows *rows, const struct plan *plan,
                                          const struct schedule_entry *entry)
{
    struct replay_key key = {.engine = session_rows_name(rows, plan, entry),
                             .workload = plan->workloads[entry->workload_index].name,
                             .connection_count = entry->connection_count,
                             .rate_per_s = entry->rate_per_s,
                             .block_index = entry->block_index};

    rate_course_write(&plan->workloads[entry->workload_index].course, key.rate_course);
    return key;
}

int64_t session_rows_cell(const struct session_rows *rows, const struct plan *plan,
                          const struct schedule_entry *entry)
{
    const struct plan_workload *workload = &plan->workloads[entry->workload_index];

    if (entry->arm_index == SCHEDULE_LIMIT) {
        return calibration_cell(rows, entry->connection_count);
    }
    for (size_t i = 0; i < plan_cell_count(workload); i++) {
        struct plan_cell cell = plan_cell(workload, i);
        if (cell.connection_count == entry->connection_count &&
            cell.rate_per_s == entry->rate_per_s) {
            return rows->cell_ids[entry->workload_index][i];
        }
    }
    return METRIC_UNKNOWN;
}
