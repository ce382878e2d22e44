// SPDX-License-Identifier: Apache-2.0
// Loads a session of a results file into memory, table by table.
#include "report/query/results.h"
#include "report/query/results_pass.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "collector/driver/arrivals.h"
#include "collector/driver/rate_course.h"
#include "collector/driver/think.h"
#include "collector/plan/plan_workload.h"
#include "collector/store/results_db.h"
#include "collector/store/row_arena.h"
#include "collector/store/row_reader.h"
#include "report/query/checking.h"
#include "report/query/results_samples.h"

/* The CHECKs of the schema again: SQLite's integrity_check does not evaluate them for a file that
 * is opened read only (measured with 3.40.1). */
const char *const results_session_states[] = {"running", "finished", "interrupted",
                                              "aborted", "failed",   NULL};
const char *const results_trial_states[] = {"running",     "finished", "crashed", "failed",
                                            "interrupted", "aborted",  NULL};
static const char *const moments[] = {"start", "end", NULL};
static const char *const roles[] = {"baseline", "subject", "aa", "limit", NULL};
static const char *const engine_kinds[] = {"builtin", "command", "external", "url", NULL};
static const char *const severities[] = {"info", "warning", "error", NULL};

struct session_name {
    int64_t session_id;
    const char *uid;
};

/* The session whose id begins with `uid`, NULL: the last one; 0 after a failure. Counts all. */
static int64_t find_session(struct row_reader *reader, const char *uid, size_t *session_count_out)
{
    struct session_name *name, found = {0};
    size_t count = 0;

    row_begin(reader, "results_list_sessions", "session", 0, sizeof(*name));
    while ((name = row_next(reader))) {
        name->session_id = row_integer(reader, 0, ROW_ANY_INTEGER);
        name->uid = row_text(reader, 1, ROW_NAME_BYTES_MAX);
        *session_count_out += 1;
        if (reader->code == ERR_OK && (!uid || strncmp(name->uid, uid, strlen(uid)) == 0)) {
            found = *name;
            count++;
        }
    }
    row_end(reader, &(size_t){0});
    if (reader->code != ERR_OK || (found.uid && (!uid || count == 1))) {
        return found.session_id;
    }
    if (uid) {
        reader->code =
            err_set(reader->e, ERR_USAGE,
                    "%s: %s has an id that begins with \"%.40s\"; `tacho results` "
                    "lists them",
                    reader->db->path, count ? "more than one session" : "no session", uid);
    } else {
        reader->code =
            err_set(reader->e, ERR_FORMAT, "%s: holds no session: `tacho run -o` puts one there",
                    reader->db->path);
    }
    return 0;
}

static void load_session(struct row_reader *reader, int64_t session_id, struct results *results)
{
    row_begin(reader, "results_load_session", "session", session_id, 1);
    if (!row_next(reader)) {
        return;
    }
    results->session_id = row_integer(reader, 0, 0);
    results->session_uid = row_text(reader, 1, ROW_NAME_BYTES_MAX);
    results->state = row_one_of(reader, 2, results_session_states);
    results->reason = row_text_or_null(reader, 3, ROW_TEXT_BYTES_MAX);
    results->title = row_text(reader, 4, ROW_NAME_BYTES_MAX);
    results->plan_text = row_text(reader, 5, ROW_TEXT_BYTES_MAX);
    results->plan_digest = row_text(reader, 6, ROW_NAME_BYTES_MAX);
    results->program_version = row_text(reader, 7, ROW_NAME_BYTES_MAX);
    results->started_utc_ns = row_integer(reader, 8, 0);
    results->ended_utc_ns = row_integer_or_unknown(reader, 9, 0);
    results->plan_source = row_text_or_null(reader, 10, ROW_TEXT_BYTES_MAX);
    size_t count = 0;
    row_end(reader, &count);
}

static void load_facts(struct row_reader *reader, struct results *results)
{
    struct results_fact *fact;

    row_begin(reader, "results_load_facts", "fact", results->session_id, sizeof(*fact));
    while ((fact = row_next(reader))) {
        fact->moment = row_one_of(reader, 0, moments);
        fact->name = row_text(reader, 1, ROW_NAME_BYTES_MAX);
        fact->value = row_text_or_null(reader, 2, ROW_TEXT_BYTES_MAX);
    }
    results->facts = row_end(reader, &results->fact_count);
}

static void load_engines(struct row_reader *reader, struct results *results)
{
    struct results_engine *engine;

    row_begin(reader, "results_load_engines", "engine", results->session_id, sizeof(*engine));
    while ((engine = row_next(reader))) {
        engine->engine_id = row_integer(reader, 0, ROW_ANY_INTEGER);
        engine->name = row_text(reader, 1, ROW_NAME_BYTES_MAX);
        engine->role = row_one_of(reader, 2, roles);
        engine->kind = row_one_of(reader, 3, engine_kinds);
        engine->source = row_text(reader, 4, ROW_NAME_BYTES_MAX);
        engine->command_json = row_text(reader, 5, ROW_TEXT_BYTES_MAX);
        engine->binary_sha256 = row_text_or_null(reader, 6, ROW_NAME_BYTES_MAX);
        engine->thread_count = row_integer(reader, 7, 0);
    }
    results->engines = row_end(reader, &results->engine_count);
}

/* The columns from method to expect_body_sha256, of which `first` is the first. */
static void read_request(struct row_reader *reader, int first, struct results_request *request)
{
    request->method = row_text(reader, first, ROW_NAME_BYTES_MAX);
    request->path = row_text(reader, first + 1, ROW_TEXT_BYTES_MAX);
    request->body_bytes = row_integer(reader, first + 2, 0);
    request->body_sha256 = row_text_or_null(reader, first + 3, ROW_NAME_BYTES_MAX);
    request->body = row_blob_or_null(reader, first + 4, &request->body_kept_bytes);
    request->expect_status = row_integer(reader, first + 5, 0);
    request->expect_body_bytes = row_integer_or_unknown(reader, first + 6, 0);
    request->expect_body_sha256 = row_text_or_null(reader, first + 7, ROW_NAME_BYTES_MAX);
    if (request->expect_status < 100 || request->expect_status > 599) {
        row_refuse(reader, "expect_status is no status");
    }
}

/* In the order of enum think_kind. */
static const char *const think_words[] = {"constant", "exponential", NULL};

static void load_workloads(struct row_reader *reader, struct results *results)
{
    struct results_workload *workload;

    row_begin(reader, "results_load_workloads", "workload", results->session_id, sizeof(*workload));
    while ((workload = row_next(reader))) {
        workload->workload_id = row_integer(reader, 0, ROW_ANY_INTEGER);
        workload->name = row_text(reader, 1, ROW_NAME_BYTES_MAX);
        workload->is_calibration = row_integer(reader, 2, 0) != 0;
        workload->requests_per_connection = row_integer_or_unknown(reader, 3, 1);
        workload->pipeline_count = row_integer(reader, 4, 1);
        workload->flood_ns = row_integer_or_unknown(reader, 5, 1);
        workload->recover_within_ns = row_integer_or_unknown(reader, 6, 1);
        workload->think_ns = row_integer_or_unknown(reader, 7, 1);
        workload->is_think_exponential = workload->think_ns != METRIC_UNKNOWN &&
                                         row_word(reader, 8, think_words, 2) == THINK_EXPONENTIAL;
        const char *driver = row_text_or_null(reader, 9, ROW_NAME_BYTES_MAX);
        workload->is_foreign = driver != NULL;
        workload->is_replay = driver && strcmp(driver, plan_driver_names[PLAN_DRIVER_REPLAY]) == 0;
        read_request(reader, 10, &workload->request);
    }
    results->workloads = row_end(reader, &results->workload_count);
}

/* For rows in the order of their keys, which come first in their structs. */
static int compare_id(const void *key, const void *row)
{
    int64_t wanted = *(const int64_t *)key, id = *(const int64_t *)row;

    return (wanted > id) - (wanted < id);
}
/* The row with the key; NULL: there is none. */
static void *find_row(int64_t id, const void *rows, size_t count, size_t row_bytes)
{
    return count ? bsearch(&id, rows, count, row_bytes, compare_id) : NULL;
}
_Static_assert(offsetof(struct results_engine, engine_id) == 0, "the key comes first");
_Static_assert(offsetof(struct results_workload, workload_id) == 0, "the key comes first");
_Static_assert(offsetof(struct results_cell, cell_id) == 0, "the key comes first");

/* A row of `request` or `request_total` is the next of its parent's. */
static void check_place(struct row_reader *reader, size_t place)
{
    if (row_integer(reader, 1, 0) != (int64_t)place) {
        row_refuse(reader, "its request_index does not follow the one before it");
    }
}

/* Those of one workload stand together. */
static void link_requests(const struct results *results)
{
    for (size_t i = 0; i < results->request_count; i++) {
        const struct results_request *request = &results->requests[i];
        struct results_workload *workload =
            find_row(request->workload_id, results->workloads, results->workload_count,
                     sizeof(*results->workloads));

        if (workload) {
            workload->mixed = workload->mixed_count ? workload->mixed : request;
            workload->mixed_count++;
        }
    }
}

static void load_requests(struct row_reader *reader, struct results *results)
{
    struct results_request *request;
    size_t place = 0;

    row_begin(reader, "results_load_requests", "request", results->session_id, sizeof(*request));
    while ((request = row_next(reader))) {
        request->workload_id = row_integer(reader, 0, ROW_ANY_INTEGER);
        place =
            reader->count > 1 && request[-1].workload_id == request->workload_id ? place + 1 : 0;
        check_place(reader, place);
        request->weight = row_integer(reader, 2, 1);
        read_request(reader, 3, request);
    }
    results->requests = row_end(reader, &results->request_count);
    link_requests(results);
}

/* In the order of enum arrivals_kind. */
static const char *const arrivals_words[] = {"uniform", "poisson", NULL};

/* As tacho writes it. */
static const char *read_course(struct row_reader *reader, int column)
{
    const char *text = row_text_or_null(reader, column, RATE_COURSE_BYTES);
    struct arrivals_course course = {0};
    char again[RATE_COURSE_BYTES] = "";

    if (text && rate_course_parse(text, UINT32_MAX, &course, NULL) == ERR_OK) {
        rate_course_write(&course, again);
    }
    if (text && strcmp(text, again) != 0) {
        row_refuse(reader, "rate_course is no course of a rate");
    }
    return text;
}

static void load_cells(struct row_reader *reader, struct results *results)
{
    struct results_cell *cell;

    row_begin(reader, "results_load_cells", "cell", results->session_id, sizeof(*cell));
    while ((cell = row_next(reader))) {
        int64_t workload_id = row_integer(reader, 1, ROW_ANY_INTEGER);
        const struct results_workload *workload =
            find_row(workload_id, results->workloads, results->workload_count, sizeof(*workload));

        cell->cell_id = row_integer(reader, 0, ROW_ANY_INTEGER);
        cell->connection_count = row_integer(reader, 2, 1);
        cell->rate_per_s = row_integer_or_unknown(reader, 3, 1);
        cell->is_poisson = cell->rate_per_s != METRIC_UNKNOWN &&
                           row_word(reader, 4, arrivals_words, 2) == ARRIVALS_POISSON;
        cell->rate_course = read_course(reader, 5);
        cell->workload_index = workload ? (size_t)(workload - results->workloads) : 0;
        if (!workload) {
            row_refuse(reader, "its workload is not in the session");
        }
    }
    results->cells = row_end(reader, &results->cell_count);
}

/* Finds cell and engine of a trial by their keys. */
static void link_trial(struct row_reader *reader, const struct results *results,
                       struct results_trial *trial)
{
    int64_t cell_id = row_integer(reader, 1, ROW_ANY_INTEGER);
    int64_t engine_id = row_integer(reader, 2, ROW_ANY_INTEGER);
    const struct results_cell *cell =
        find_row(cell_id, results->cells, results->cell_count, sizeof(*cell));
    const struct results_engine *engine =
        find_row(engine_id, results->engines, results->engine_count, sizeof(*engine));

    if (!cell || !engine) {
        row_refuse(reader, "its cell or its engine is not in the session");
        return;
    }
    trial->cell_index = (size_t)(cell - results->cells);
    trial->engine_index = (size_t)(engine - results->engines);
}

static void load_trials(struct row_reader *reader, struct results *results)
{
    struct results_trial *trial;

    row_begin(reader, "results_load_trials", "trial", results->session_id, sizeof(*trial));
    while ((trial = row_next(reader))) {
        link_trial(reader, results, trial);
        trial->trial_id = row_integer(reader, 0, ROW_ANY_INTEGER);
        trial->order_index = row_integer(reader, 3, 0);
        trial->attempt_index = row_integer(reader, 4, 0);
        trial->sitting_index = row_integer(reader, 5, 0);
        trial->block_index = row_integer_or_unknown(reader, 6, 0);
        trial->position_index = row_integer_or_unknown(reader, 7, 0);
        trial->state = row_one_of(reader, 8, results_trial_states);
        trial->reason = row_text_or_null(reader, 9, ROW_TEXT_BYTES_MAX);
        trial->server_exit = row_text_or_null(reader, 10, ROW_NAME_BYTES_MAX);
        trial->started_utc_ns = row_integer(reader, 11, 0);
        trial->ended_utc_ns = row_integer_or_unknown(reader, 12, 0);
        trial->ready_ns = row_integer_or_unknown(reader, 13, 0);
        trial->connections_requested = row_integer_or_unknown(reader, 14, 0);
        trial->connections_established = row_integer_or_unknown(reader, 15, 0);
        trial->connections_served = row_integer_or_unknown(reader, 16, 0);
        trial->started_count = row_integer_or_unknown(reader, 17, 0);
        trial->server_request_count = row_integer_or_unknown(reader, 18, 0);
        trial->recover_ns = row_integer_or_unknown(reader, 19, 0);
        trial->tls =
            (struct results_tls){.version = row_text_or_null(reader, 20, ROW_NAME_BYTES_MAX),
                                 .cipher = row_text_or_null(reader, 21, ROW_NAME_BYTES_MAX),
                                 .full_count = row_integer_or_unknown(reader, 22, 0),
                                 .resumed_count = row_integer_or_unknown(reader, 23, 0),
                                 .handshake_ns = row_integer_or_unknown(reader, 24, 0)};
    }
    results->trials = row_end(reader, &results->trial_count);
}

static void link_totals(struct results *results)
{
    size_t at = 0;

    for (size_t i = 0; i < results->trial_count; i++) {
        struct results_trial *trial = &results->trials[i];

        while (at + trial->total_count < results->request_total_count &&
               results->request_totals[at + trial->total_count].trial_id == trial->trial_id) {
            trial->total_count++;
        }
        trial->totals = trial->total_count ? &results->request_totals[at] : NULL;
        at += trial->total_count;
    }
}

static void load_request_totals(struct row_reader *reader, struct results *results)
{
    struct results_request_total *total;
    size_t place = 0;

    row_begin(reader, "results_load_request_totals", "request_total", results->session_id,
              sizeof(*total));
    while ((total = row_next(reader))) {
        total->trial_id = row_integer(reader, 0, ROW_ANY_INTEGER);
        place = reader->count > 1 && total[-1].trial_id == total->trial_id ? place + 1 : 0;
        check_place(reader, place);
        total->started_count = row_integer(reader, 2, 0);
        total->ok_count = row_integer(reader, 3, 0);
        total->http_error_count = row_integer(reader, 4, 0);
        total->fault_count = row_integer(reader, 5, 0);
        total->sent_bytes = row_integer(reader, 6, 0);
        total->received_bytes = row_integer(reader, 7, 0);
        total->histogram.bytes = row_blob_or_null(reader, 8, &total->histogram.length);
    }
    results->request_totals = row_end(reader, &results->request_total_count);
    link_totals(results);
}

static void load_foreign_loads(struct row_reader *reader, struct results *results)
{
    struct results_foreign_load *load;
    size_t at = 0;

    row_begin(reader, "results_load_foreign_loads", "foreign_load", results->session_id,
              sizeof(*load));
    while ((load = row_next(reader))) {
        load->trial_id = row_integer(reader, 0, ROW_ANY_INTEGER);
        load->version = row_text_or_null(reader, 1, ROW_NAME_BYTES_MAX);
        load->command_json = row_text(reader, 2, ROW_TEXT_BYTES_MAX);
        load->output = row_text(reader, 3, ROW_TEXT_BYTES_MAX);
    }
    results->foreign_loads = row_end(reader, &results->foreign_load_count);
    for (size_t i = 0; i < results->trial_count && at < results->foreign_load_count; i++) {
        if (results->foreign_loads[at].trial_id == results->trials[i].trial_id) {
            results->trials[i].said = &results->foreign_loads[at++];
        }
    }
}

static void load_events(struct row_reader *reader, struct results *results)
{
    struct results_event *event;

    row_begin(reader, "results_load_events", "event", results->session_id, sizeof(*event));
    while ((event = row_next(reader))) {
        event->trial_id = row_integer_or_unknown(reader, 0, ROW_ANY_INTEGER);
        event->at_utc_ns = row_integer(reader, 1, 0);
        event->severity = row_one_of(reader, 2, severities);
        event->kind = row_text(reader, 3, ROW_NAME_BYTES_MAX);
        event->text = row_text(reader, 4, ROW_TEXT_BYTES_MAX);
    }
    results->events = row_end(reader, &results->event_count);
}

static void load_all(struct row_reader *reader, struct results *results,
                     const struct results_pass *pass)
{
    size_t session_count = 0;
    int64_t session_id = find_session(reader, pass->session, &session_count);

    results->session_count = session_count;
    load_session(reader, session_id, results);
    load_facts(reader, results);
    load_engines(reader, results);
    load_workloads(reader, results);
    load_requests(reader, results);
    load_cells(reader, results);
    load_trials(reader, results);
    load_request_totals(reader, results);
    load_foreign_loads(reader, results);
    load_events(reader, results);
    results_samples_load(reader, results, pass);
}

/* Reads what is open while its pages are checked elsewhere. */
static enum err_code read_file(const struct results_db *db, const struct results_pass *pass,
                               struct results **results_out, struct err *e)
{
    struct row_reader reader = {.db = db, .arena = row_arena_new(RESULTS_MEMORY_BYTES_MAX), .e = e};
    struct results *results = reader.arena ? row_arena_take(reader.arena, sizeof(*results)) : NULL;

    if (results) {
        results->memory = reader.arena;
        load_all(&reader, results, pass);
        row_release(&reader);
    } else {
        row_arena_free(reader.arena);
        reader.code = err_set(e, ERR_LIMIT, "%s: out of memory", db->path);
    }
    if (reader.code != ERR_OK) {
        results_free(results);
        return reader.code;
    }
    *results_out = results;
    return ERR_OK;
}

static enum err_code load(const char *path, bool immutable, const struct results_pass *pass,
                          struct results **results_out, struct err *e)
{
    struct results_db db = {0};
    struct results *results = NULL;
    struct checking *checking = NULL;
    enum err_code code = results_db_open(&db, path, immutable, RESULTS_DB_SCHEMA, e);

    if (code == ERR_OK && !pass->is_checked) {
        code = checking_begin(&db, immutable, &checking, e);
    }
    if (code == ERR_OK) {
        code = read_file(&db, pass, &results, e);
    }
    code = checking_end(checking, code, e); /* damage goes before what came of reading it */
    results_db_close(&db);
    if (code != ERR_OK) {
        results_free(results);
        return code;
    }
    *results_out = results;
    return ERR_OK;
}

enum err_code results_load(const char *path, bool immutable, struct results **results_out,
                           struct err *e)
{
    return results_load_session(path, immutable, NULL, results_out, e);
}

enum err_code results_load_session(const char *path, bool immutable, const char *uid,
                                   struct results **results_out, struct err *e)
{
    return load(path, immutable, &(struct results_pass){.session = uid}, results_out, e);
}

enum err_code results_visit_nothing(void *self, const struct results *results, size_t trial_index,
                                    struct err *e)
{
    (void)self, (void)results, (void)trial_index, (void)e;
    return ERR_OK;
}

enum err_code results_load_each(const char *path, bool immutable, const struct results_pass *pass,
                                struct results **results_out, struct err *e)
{
    assert(pass->visit);
    enum err_code code = load(path, immutable, pass, results_out, e);

    if (code == ERR_OK && pass->digest_hex && !*pass->digest_hex) {
        code = results_digest(path, immutable, pass->digest_hex, e);
        if (code != ERR_OK) {
            results_free(*results_out);
        }
    }
    return code;
}

bool results_cells_match(const struct results_cell *a, const struct results_cell *b)
{
    bool is_same_course = a->rate_course && b->rate_course
                              ? strcmp(a->rate_course, b->rate_course) == 0
                              : a->rate_course == b->rate_course;

    return a->connection_count == b->connection_count && a->rate_per_s == b->rate_per_s &&
           a->is_poisson == b->is_poisson && is_same_course;
}

void results_drop_points(struct results *results)
{
    for (size_t i = 0; i < results->trial_count; i++) {
        results->trials[i].points = NULL;
        results->trials[i].course = NULL;
    }
    row_arena_free(results->points_memory);
    results->points_memory = NULL;
}

void results_free(struct results *results)
{
    if (results) {
        row_arena_free(results->points_memory);
        row_arena_free(results->memory);
    }
}

const char *results_find_fact(const struct results *results, const char *moment, const char *name)
{
    for (size_t i = 0; i < results->fact_count; i++) {
        const struct results_fact *fact = &results->facts[i];

        if (strcmp(fact->moment, moment) == 0 && strcmp(fact->name, name) == 0) {
            return fact->value;
        }
    }
    return NULL;
}
