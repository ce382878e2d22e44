// SPDX-License-Identifier: Apache-2.0
// The rows of a session against its plan, column by column.
#include "report/judge/plan_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "collector/digest.h"
#include "collector/driver/rate_course.h"
#include "collector/run/session_rows.h"

#define COMMAND_BYTES_MAX ((size_t)1 << 20)

/* One row while its columns are compared. */
struct row {
    struct plan_rows *out;
    const char *table;
    size_t number; /* from 1, in the order of the keys */
};

static bool has_difference(const struct plan_rows *out)
{
    return out->difference[0] != '\0';
}

static void text_compare(const struct row *row, const char *column, const char *is,
                         const char *planned)
{
    bool is_same = is && planned ? strcmp(is, planned) == 0 : is == planned;

    if (!is_same && !has_difference(row->out)) {
        snprintf(row->out->difference, sizeof(row->out->difference),
                 "%s %zu: its %s is \"%.50s\", the plan gives \"%.50s\"", row->table, row->number,
                 column, is ? is : "", planned ? planned : "");
    }
}

static void integer_compare(const struct row *row, const char *column, int64_t is, int64_t planned)
{
    char is_text[24] = "", planned_text[24] = "";

    if (is != METRIC_UNKNOWN) {
        snprintf(is_text, sizeof(is_text), "%" PRId64, is);
    }
    if (planned != METRIC_UNKNOWN) {
        snprintf(planned_text, sizeof(planned_text), "%" PRId64, planned);
    }
    text_compare(row, column, is_text, planned_text);
}

static void count_compare(struct plan_rows *out, const char *what, size_t is, size_t planned)
{
    if (is != planned && !has_difference(out)) {
        snprintf(out->difference, sizeof(out->difference), "%zu %s, the plan gives %zu", is, what,
                 planned);
    }
}

/* What SQL has as NULL. */
static int64_t known_or_null(int64_t value)
{
    return value > 0 ? value : METRIC_UNKNOWN;
}

/* --- engines --- */

/* The arguments as a session stores them. */
static enum err_code command_compare(const struct row *row, const struct results_engine *is,
                                     const struct plan_engine *planned, struct err *e)
{
    struct buf text;

    buf_init(&text, COMMAND_BYTES_MAX);
    session_rows_format_command(planned, &text);
    enum err_code code = buf_check(&text, "an engine's command", e);
    if (code == ERR_OK && strcmp(is->command_json, text.bytes) != 0 && !has_difference(row->out)) {
        snprintf(row->out->difference, sizeof(row->out->difference),
                 "%s %zu: its command is not the one that the plan gives: %.100s", row->table,
                 row->number, is->command_json);
    }
    buf_release(&text);
    return code;
}

static enum err_code engine_compare(const struct row *row, const struct results_engine *is,
                                    const char *name, const char *role,
                                    const struct plan_engine *planned, struct err *e)
{
    text_compare(row, "name", is->name, name);
    text_compare(row, "role", is->role, role);
    text_compare(row, "kind", is->kind, plan_engine_kind_names[plan_engine_kind(planned)]);
    text_compare(row, "source", is->source, plan_engine_source(planned));
    integer_compare(row, "thread_count", is->thread_count, planned->thread_count);
    return command_compare(row, is, planned, e);
}

static enum err_code engines_compare(const struct results *results, const struct plan *plan,
                                     struct plan_rows *out, struct err *e)
{
    size_t arm_count = plan->engine_count + plan->aa_arm;
    enum err_code code = ERR_OK;
    struct session_rows names;

    session_rows_name_aa(&names, plan);
    count_compare(out, "engines", results->engine_count, arm_count + 1);
    for (size_t i = 0; i <= arm_count && code == ERR_OK && !has_difference(out); i++) {
        const struct results_engine *is = &results->engines[i];
        const struct row row = {out, "engine", i + 1};

        if (i == arm_count) {
            code = engine_compare(&row, is, session_limit.name, "limit", &session_limit, e);
        } else {
            const struct plan_engine *planned = session_rows_engine(plan, (uint32_t)i);

            code = engine_compare(&row, is, i == plan->engine_count ? names.aa_name : planned->name,
                                  session_rows_role(plan, (uint32_t)i), planned, e);
        }
    }
    return code;
}

/* --- workloads --- */

static void request_compare(const struct row *row, const struct results_request *is,
                            const struct plan_request *planned)
{
    const struct plan_expect *expect = &planned->expect;

    text_compare(row, "method", is->method, planned->method);
    text_compare(row, "path", is->path, planned->path);
    integer_compare(row, "body_bytes", is->body_bytes, (int64_t)planned->body_bytes);
    text_compare(row, "body_sha256", is->body_sha256, planned->body_sha256);
    integer_compare(row, "expect_status", is->expect_status, expect->status);
    integer_compare(row, "expect_body_bytes", is->expect_body_bytes,
                    expect->body_bytes < 0 ? METRIC_UNKNOWN : expect->body_bytes);
    text_compare(row, "expect_body_sha256", is->expect_body_sha256, expect->body_sha256);
}

/* Only a mix has rows of its own for what it asks. */
static void mix_compare(struct plan_rows *out, const struct results_workload *is,
                        const struct plan_workload *planned)
{
    size_t count = planned->request_count > 1 ? planned->request_count : 0;

    count_compare(out, "requests of a mix", is->mixed_count, count);
    for (size_t i = 0; i < count && !has_difference(out); i++) {
        const struct row row = {out, "request", i + 1};

        request_compare(&row, &is->mixed[i], &planned->requests[i]);
        integer_compare(&row, "weight", is->mixed[i].weight, planned->requests[i].weight);
    }
}

static void workload_compare(const struct row *row, const struct results_workload *is,
                             const struct plan_workload *planned)
{

    text_compare(row, "name", is->name, planned->name);
    integer_compare(row, "is_calibration", is->is_calibration, planned == &session_calibration);
    request_compare(row, &is->request, &planned->requests[0]);
    integer_compare(row, "requests_per_connection", is->requests_per_connection,
                    known_or_null(planned->requests_per_connection));
    integer_compare(row, "pipeline_count", is->pipeline_count, planned->pipeline_count);
    integer_compare(row, "flood_ns", is->flood_ns, known_or_null(planned->flood.for_ns));
    integer_compare(row, "recover_within_ns", is->recover_within_ns,
                    planned->flood.for_ns > 0 ? planned->flood.recover_within_ns : METRIC_UNKNOWN);
    integer_compare(row, "think_ns", is->think_ns, known_or_null(planned->think_ns));
    integer_compare(row, "think_kind", is->is_think_exponential,
                    planned->think_kind == THINK_EXPONENTIAL);
    integer_compare(row, "driver", is->is_foreign + is->is_replay,
                    (planned->driver != PLAN_DRIVER_TACHO) +
                        (planned->driver == PLAN_DRIVER_REPLAY));
    mix_compare(row->out, is, planned);
}

/* The calibration's comes first. */
static void workloads_compare(const struct results *results, const struct plan *plan,
                              struct plan_rows *out)
{
    count_compare(out, "workloads", results->workload_count, plan->workload_count + 1);
    for (size_t i = 0; i <= plan->workload_count && !has_difference(out); i++) {
        const struct row row = {out, "workload", i + 1};

        workload_compare(&row, &results->workloads[i],
                         i ? &plan->workloads[i - 1] : &session_calibration);
    }
}

/* --- cells --- */

struct cells_walk {
    const struct results *results;
    struct plan_rows *out;
    size_t count; /* that the plan gave so far */
};

static void cell_compare(struct cells_walk *walk, size_t workload_index,
                         const struct plan_cell *planned, const struct plan_workload *workload)
{
    const struct row row = {walk->out, "cell", ++walk->count};
    bool is_open = planned->rate_per_s > 0;
    char course[RATE_COURSE_BYTES];

    if (walk->count > walk->results->cell_count) {
        return; /* the counts are told at the end */
    }
    const struct results_cell *is = &walk->results->cells[walk->count - 1];
    text_compare(&row, "workload", walk->results->workloads[is->workload_index].name,
                 walk->results->workloads[workload_index].name);
    integer_compare(&row, "connection_count", is->connection_count, planned->connection_count);
    integer_compare(&row, "rate_per_s", is->rate_per_s, known_or_null(planned->rate_per_s));
    integer_compare(&row, "is_poisson", is->is_poisson, is_open && workload->is_poisson);
    rate_course_write(&workload->course, course);
    text_compare(&row, "rate_course", is->rate_course, is_open && *course ? course : NULL);
}

/* Whether the calibration has a cell for so many connections. */
static bool is_calibrated(const struct cells_walk *walk, uint32_t connection_count)
{
    for (size_t i = 0; i < walk->count && i < walk->results->cell_count; i++) {
        const struct results_cell *cell = &walk->results->cells[i];

        if (cell->workload_index == 0 && cell->connection_count == connection_count) {
            return true;
        }
    }
    return false;
}

/* A count of connections that is new is followed by the calibration's cell for it. */
static void cells_compare(const struct results *results, const struct plan *plan,
                          struct plan_rows *out)
{
    struct cells_walk walk = {.results = results, .out = out};

    for (size_t i = 0; i < plan->workload_count && !has_difference(out); i++) {
        const struct plan_workload *workload = &plan->workloads[i];

        for (size_t k = 0; k < plan_cell_count(workload) && !has_difference(out); k++) {
            const struct plan_cell cell = plan_cell(workload, k);
            const struct plan_cell closed = {.connection_count = cell.connection_count};

            cell_compare(&walk, i + 1, &cell, workload);
            if (plan_is_calibrated(workload) && !is_calibrated(&walk, cell.connection_count)) {
                cell_compare(&walk, 0, &closed, workload);
            }
        }
    }
    count_compare(out, "cells", results->cell_count, walk.count);
}

/* --- replays --- */

/* What a finished trial says that it played ends with the digest that the plan states. */
static void replays_compare(const struct results *results, const struct plan *plan,
                            struct plan_rows *out)
{
    for (size_t i = 0; i < results->trial_count && !has_difference(out); i++) {
        const struct results_trial *trial = &results->trials[i];
        size_t workload_index = results->cells[trial->cell_index].workload_index;
        const char *wanted =
            workload_index > 0 ? plan->workloads[workload_index - 1].replay_sha256 : NULL;
        const char *said = trial->said ? trial->said->output : "";
        size_t length = strlen(said);

        if (results->workloads[workload_index].is_replay && strcmp(trial->state, "finished") == 0 &&
            (!wanted || length < strlen(wanted) ||
             strcmp(said + length - strlen(wanted), wanted) != 0)) {
            snprintf(out->difference, sizeof(out->difference),
                     "the trial at place %" PRId64 " was not played from the file of the plan, "
                     "SHA-256 %.64s",
                     trial->order_index, wanted ? wanted : "unknown");
        }
    }
}

/* --- bodies --- */

static enum err_code body_check(const struct row *row, const struct results_request *request,
                                struct err *e)
{
    char hex[DIGEST_HEX_BYTES];

    /* No body is stored as one of no bytes. */
    bool is_none = request->body_kept_bytes == 0 && !request->body_sha256;

    if (!request->body || (is_none && request->body_bytes == 0) || has_difference(row->out)) {
        return ERR_OK;
    }
    enum err_code code = digest_bytes(request->body, request->body_kept_bytes, hex, e);
    if (code == ERR_OK && (request->body_kept_bytes != (uint64_t)request->body_bytes ||
                           !request->body_sha256 || strcmp(request->body_sha256, hex) != 0)) {
        snprintf(row->out->difference, sizeof(row->out->difference),
                 "%s %zu: its body has %zu bytes and the SHA-256 %.16s, the row says %" PRId64
                 " and %.16s",
                 row->table, row->number, request->body_kept_bytes, hex, request->body_bytes,
                 request->body_sha256 ? request->body_sha256 : "none");
    }
    return code;
}

enum err_code plan_rows_check_bodies(const struct results *results, struct plan_rows *out,
                                     struct err *e)
{
    enum err_code code = ERR_OK;

    *out = (struct plan_rows){0};
    for (size_t i = 0; i < results->workload_count && code == ERR_OK; i++) {
        const struct row row = {out, "workload", i + 1};
        code = body_check(&row, &results->workloads[i].request, e);
    }
    for (size_t i = 0; i < results->request_count && code == ERR_OK; i++) {
        const struct row row = {out, "request", i + 1};
        code = body_check(&row, &results->requests[i], e);
    }
    return code;
}

enum err_code plan_rows_compare(const struct results *results, const struct plan *plan,
                                struct plan_rows *out, struct err *e)
{
    const struct row session = {out, "session", (size_t)results->session_id};

    *out = (struct plan_rows){0};
    text_compare(&session, "title", results->title, plan->title);
    enum err_code code = engines_compare(results, plan, out, e);

    if (!has_difference(out)) {
        workloads_compare(results, plan, out);
    }
    if (!has_difference(out)) {
        cells_compare(results, plan, out);
    }
    if (!has_difference(out)) {
        replays_compare(results, plan, out);
    }
    return code;
}
