// SPDX-License-Identifier: Apache-2.0
// tacho drive --record: the load as a session of one trial, with the plan that says the same.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/driver/driver_io.h"
#include "collector/plan/plan_stored.h"
#include "collector/plan/plan_utf8.h"
#include "collector/probe/machine.h"
#include "collector/run/request_total.h"
#include "collector/run/session_findings.h"
#include "collector/run/session_preflight.h"
#include "collector/run/session_rows.h"
#include "collector/run/trial_blobs.h"
#include "collector/store/store.h"
#include "engines/base/clock.h"
#include "report/cmd.h"
#include "report/cmd_drive.h"

#define PLAN_BYTES_MAX     ((size_t)1 << 20)
#define ORDER_INDEX        1 /* the plan begins with a trial of the calibration engine */
#define CONNECT_RATE_PER_S 2000
#define READY_WITHIN_NS    (30 * CLOCK_NS_PER_S)

struct drive_record {
    struct store *store;
    struct plan *plan;
    struct session_rows rows;
    struct foreign_set foreign;
    struct trial_blobs blobs;
    struct session_findings findings;
    int64_t trial_id;
    char name[TARGET_HOST_BYTES + 16], url[TARGET_HOST_BYTES + 32], title[PLAN_NAME_BYTES_MAX];
};

/* --- the plan --- */

static bool is_of_plans(const struct drive *drive)
{
    for (size_t i = 0; i < drive->setup.request_count; i++) {
        const char *method = drive->names[i].method;

        if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0 &&
            strcmp(method, "POST") != 0) {
            return false;
        }
        if (drive->values->body && drive->values->requests_mixed.count == 0 && *method != 'P') {
            return false;
        }
    }
    return true;
}

/* What a plan cannot say would be missing from what it is measured again with. */
enum err_code drive_record_check(const struct drive *drive, struct err *e)
{
    const struct drive_values *values = drive->values;
    const struct target *target = &drive->target;
    bool is_here = target->family == TARGET_INET && (strcmp(target->node, "127.0.0.1") == 0 ||
                                                     strcmp(target->node, "localhost") == 0);
    const struct {
        bool is_wrong;
        const char *what;
    } rows[] = {
        {values->find_rate, "--find-rate"},
        {values->headers.count > 0, "-H"},
        {values->requests > 0, "-n"},
        {values->deadline_ns > 0, "--deadline"},
        {values->connect_rate != CONNECT_RATE_PER_S, "--connect-rate"},
        {!is_of_plans(drive), "a method but GET, HEAD and POST, or a body without POST"},
        {!is_here, "a server that is not at 127.0.0.1:PORT"},
    };

    for (size_t i = 0; values->record && i < ARRAY_COUNT(rows); i++) {
        if (rows[i].is_wrong) {
            return err_set(e, ERR_USAGE,
                           "--record keeps a session with its plan, which cannot say %s: leave one "
                           "of the two out",
                           rows[i].what);
        }
    }
    return ERR_OK;
}

/* As a plan names a file beside it. */
static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static struct plan_request request_make(const struct drive *drive, size_t index)
{
    const struct drive_request *name = &drive->names[index];
    bool has_body = drive->values->body && *name->method == 'P';
    struct plan_request request = {
        .method = name->method,
        .path = name->path,
        .body = "",
        .expect = {.status = (int)drive->values->expect_status, .body_bytes = -1},
        .weight = name->weight};

    if (has_body) {
        request.body_path = file_name(drive->values->body);
        request.body = drive->body.bytes;
        request.body_bytes = drive->body.length;
    }
    return request;
}

static void workload_make(const struct drive *drive, struct plan_workload *workload)
{
    const struct drive_values *values = drive->values;
    const struct driver_config *config = &drive->config;

    *workload = (struct plan_workload){
        .name = "drive",
        .request_count = drive->setup.request_count,
        .connection_counts = {config->connection_count},
        .load_point_count = 1,
        .rates_per_s = {config->arrivals.rate_per_s},
        .rate_count = config->arrivals.rate_per_s > 0,
        .course = config->arrivals.course,
        .is_poisson = config->arrivals.kind == ARRIVALS_POISSON,
        .requests_per_connection = (uint32_t)values->connection_requests,
        .pipeline_count = (uint32_t)values->pipeline,
        .think_ns = config->think.mean_ns,
        .think_kind = config->think.kind,
    };
    for (size_t i = 0; i < workload->request_count; i++) {
        workload->requests[i] = request_make(drive, i);
    }
}

static void plan_make(struct drive *drive, struct drive_record *record, struct plan *plan)
{
    const struct drive_values *values = drive->values;

    snprintf(record->name, sizeof(record->name), "%s:%u", drive->target.node, drive->target.port);
    snprintf(record->url, sizeof(record->url), "http%s://%s", drive->target.is_tls ? "s" : "",
             record->name);
    snprintf(record->title, sizeof(record->title), "tacho drive %.250s", drive->setup.url);
    plan_utf8_repair(record->title);
    *plan = (struct plan){
        .title = record->title,
        .baseline = record->name,
        .block_count = 1,
        .warmup_ns = values->warmup_ns,
        .window_ns = values->duration_ns,
        .sample_ns = drive->config.grid.interval_ns,
        .timeout_ns = values->timeout_ns,
        .ready_within_ns = READY_WITHIN_NS,
        .seed = (uint64_t)values->seed,
        .machine = {.driver_cpus = values->cpus,
                    .driver_threads = drive->config.thread_count,
                    .io = drive->config.io,
                    .source_address_count = values->sources.count},
        .engines = {{.name = record->name,
                     .url = record->url,
                     .tls = {.is_on = drive->target.is_tls,
                             .ca = values->ca_file ? file_name(values->ca_file) : NULL,
                             .is_insecure = values->insecure,
                             .reuses = !values->tls_no_reuse}}},
        .engine_count = 1,
        .workload_count = 1};
    memcpy(plan->machine.source_addresses, values->sources.values,
           values->sources.count * sizeof(*values->sources.values));
    workload_make(drive, &plan->workloads[0]);
}

/* The digest of the body, by which the plan's text names it. */
static enum err_code body_hash(const struct drive *drive, struct plan_workload *workload,
                               char hex_out[DIGEST_HEX_BYTES], struct err *e)
{
    enum err_code code = digest_bytes(drive->body.bytes, drive->body.length, hex_out, e);

    for (size_t i = 0; code == ERR_OK && i < workload->request_count; i++) {
        if (workload->requests[i].body_path) {
            workload->requests[i].body_sha256 = hex_out;
        }
    }
    return code;
}

/* Written out and read back: it must be a plan like any other. */
static enum err_code plan_read(struct drive *drive, struct drive_record *record, struct err *e)
{
    struct plan *plan = calloc(1, sizeof(*plan));
    char hex[DIGEST_HEX_BYTES] = "";
    struct buf text;

    if (!plan) {
        return err_set(e, ERR_LIMIT, "no memory for the plan");
    }
    buf_init(&text, PLAN_BYTES_MAX);
    plan_make(drive, record, plan);
    enum err_code code =
        drive->values->body ? body_hash(drive, &plan->workloads[0], hex, e) : ERR_OK;
    if (code == ERR_OK) {
        plan_format(plan, &text);
        code = buf_check(&text, "the plan of --record", e);
    }
    if (code == ERR_OK) {
        const struct plan_body body = {hex, drive->body.bytes, drive->body.length};

        code = plan_parse_stored("the plan of --record", text.bytes, text.length, &body, 1,
                                 &record->plan, e);
    }
    buf_release(&text);
    free(plan);
    return code;
}

/* --- rows --- */

/* The first failure is kept; what follows is skipped. */
struct fact_sink {
    struct drive_record *record;
    enum err_code code;
    struct err *e;
};

static void fact_put(void *self, const char *name, const char *value)
{
    struct fact_sink *sink = self;

    if (sink->code == ERR_OK) {
        sink->code = store_add_fact(sink->record->store, sink->record->rows.session_id, "start",
                                    name, value, sink->e);
    }
}

/* Whom the certificate was checked by, as a plan's engine has it. */
static enum err_code ca_put(const struct drive *drive, struct fact_sink *facts)
{
    char name[sizeof(facts->record->name) + 32], hex[DIGEST_HEX_BYTES];
    enum err_code code = digest_file(drive->values->ca_file, hex, facts->e);

    snprintf(name, sizeof(name), "engine.%s.tls_ca_sha256", facts->record->name);
    if (code == ERR_OK) {
        fact_put(facts, name, hex);
        code = facts->code;
    }
    return code;
}

static enum err_code facts_put(const struct drive *drive, struct drive_record *record,
                               struct err *e)
{
    struct fact_sink facts = {record, ERR_OK, e};
    const struct machine_sink sink = {&facts, fact_put};
    char number[32];

    machine_describe(MACHINE_PROC_ROOT, MACHINE_SYS_ROOT, &sink);
    machine_describe_state(MACHINE_PROC_ROOT, MACHINE_SYS_ROOT, &sink);
    fact_put(&facts, "program.version", cmd_version);
    fact_put(&facts, "driver.engine", driver_io_names[drive->config.io]);
    snprintf(number, sizeof(number), "%u", drive->config.thread_count);
    fact_put(&facts, "driver.threads", number);
    snprintf(number, sizeof(number), "%lld", (long long)drive->config.spin_ns);
    fact_put(&facts, "driver.spin_ns", number);
    fact_put(&facts, "driver.cpus", drive->values->cpus ? drive->values->cpus : "not pinned");
    fact_put(&facts, "session.mode", "drive");
    fact_put(&facts, "session.only", record->name);
    if (*record->findings.forced_rules) {
        fact_put(&facts, "session.forced", record->findings.forced_rules);
    }
    return facts.code == ERR_OK && drive->values->ca_file ? ca_put(drive, &facts) : facts.code;
}

static void notice_print(void *self, const char *text)
{
    (void)self;
    fprintf(stderr, "tacho: %s\n", text);
}

/* The rules of tacho run, which would have refused where a finding is called refused: a load goes
 * on, and the session says so. Whether somebody listens the load tells itself. */
static enum err_code machine_look(const struct session_config *config, struct drive_record *record,
                                  struct err *e)
{
    static const struct progress progress = {.notice = notice_print};
    struct session_preflight *preflight = calloc(1, sizeof(*preflight));
    enum err_code code = preflight ? session_preflight_read(config, NULL, preflight, e)
                                   : err_set(e, ERR_LIMIT, "no memory");

    if (code == ERR_OK) {
        preflight->input.engine_refusal = NULL;
        session_findings_judge(&record->findings, &preflight->input);
        session_findings_tell(&record->findings, &progress);
        code = session_findings_overrule(&record->findings, true, &progress, e);
    }
    free(preflight);
    return code;
}

static enum err_code trial_begin(struct drive_record *record, struct err *e)
{
    const struct clock *clock = clock_system();
    const struct store_trial row = {.session_id = record->rows.session_id,
                                    .cell_id = record->rows.cell_ids[0][0],
                                    .engine_id = record->rows.arm_ids[0],
                                    .order_index = ORDER_INDEX,
                                    .started_utc_ns = clock->wall_ns(clock->self)};

    return store_begin_trial(record->store, &row, &record->trial_id, e);
}

enum err_code drive_record_begin(struct drive *drive, struct err *e)
{
    const struct clock *clock = clock_system();
    char engine_program[PATH_MAX];
    struct drive_record *record = calloc(1, sizeof(*record));

    if (!record) {
        return err_set(e, ERR_LIMIT, "no memory for --record");
    }
    drive->record = record;
    trial_blobs_init(&record->blobs);
    enum err_code code = plan_read(drive, record, e);
    if (code == ERR_OK) {
        code = cmd_engine_program(engine_program, sizeof(engine_program), e);
    }
    if (code == ERR_OK) {
        code = store_open(drive->values->record, &record->store, e);
    }
    const struct session_config config = {.plan = record->plan,
                                          .results_path = drive->values->record,
                                          .engine_program = engine_program,
                                          .program_version = cmd_version,
                                          .clock = clock};
    if (code == ERR_OK) {
        code = machine_look(&config, record, e);
    }
    if (code == ERR_OK) {
        code = session_rows_store(&record->rows, &config, &record->foreign, record->store, e);
    }
    if (code == ERR_OK) {
        code = facts_put(drive, record, e);
    }
    if (code == ERR_OK) {
        code = session_findings_store(&record->findings, record->store, record->rows.session_id,
                                      clock->wall_ns(clock->self), e);
    }
    return code == ERR_OK ? trial_begin(record, e) : code;
}

enum err_code drive_record_add(struct drive *drive, const struct sample *sample,
                               const struct driver_interval *interval,
                               const struct histogram *histogram, struct err *e)
{
    struct drive_record *record = drive->record;
    struct sample whole = *sample;

    record->blobs.service = interval->service;
    record->blobs.lag = interval->lag;
    enum err_code code = trial_blobs_attach(&record->blobs, histogram, &whole, e);

    return code == ERR_OK ? store_queue_sample(record->store, record->trial_id, &whole, e) : code;
}

enum err_code drive_record_add_part(struct drive *drive, uint32_t index,
                                    const struct driver_request_total *total, struct err *e)
{
    struct drive_record *record = drive->record;
    struct sample_blob blob = {0};
    enum err_code code = trial_blobs_encode(&record->blobs, &drive->histogram, &blob, e);

    if (code != ERR_OK) {
        return code;
    }
    const struct store_request_total row = request_total_make(total, &blob);
    return store_add_request_total(record->store, record->trial_id, index, &row, e);
}

enum err_code drive_record_end(struct drive *drive, const struct driver_totals *totals,
                               struct err *e)
{
    struct drive_record *record = drive->record;
    const struct clock *clock = clock_system();
    const struct drive_result *result = drive->result;
    bool is_measured = drive_result_is_measured(result);
    const char *reason = result->is_interrupted ? "interrupted by a signal"
                         : !is_measured         ? "nothing measured: no right answer in the window"
                                                : NULL;
    const struct store_trial_end row = {.state = result->is_interrupted ? "interrupted"
                                                 : is_measured          ? "finished"
                                                                        : "failed",
                                        .reason = reason,
                                        .ended_utc_ns = clock->wall_ns(clock->self),
                                        .ready_ns = METRIC_UNKNOWN,
                                        .connections_requested = totals->connections_requested,
                                        .connections_established = totals->connections_established,
                                        .connections_served = totals->connections_served,
                                        .started_count = (int64_t)totals->started_count,
                                        .server_request_count = METRIC_UNKNOWN,
                                        .recover_ns = METRIC_UNKNOWN,
                                        .tls = totals->tls.version[0] ? &totals->tls : NULL};
    enum err_code code = store_end_trial(record->store, record->trial_id, &row, e);

    if (code == ERR_OK) {
        code = store_end_session(record->store, record->rows.session_id,
                                 result->is_interrupted ? "interrupted" : "finished",
                                 result->is_interrupted ? reason : NULL, row.ended_utc_ns, e);
    }
    return code;
}

enum err_code drive_record_close(struct drive *drive, struct err *e)
{
    struct drive_record *record = drive->record;

    if (!record) {
        return ERR_OK;
    }
    enum err_code code = store_close(record->store, e);
    trial_blobs_release(&record->blobs);
    plan_free(record->plan);
    free(record);
    drive->record = NULL;
    return code;
}
