// SPDX-License-Identifier: Apache-2.0
// The trials of a sitting, one after the other.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "collector/foreign_cpu.h"
#include "collector/plan/plan_utf8.h"
#include "collector/run/request_total.h"
#include "collector/run/session_work.h"

#define WAIT_SLICE_NS (100 * CLOCK_NS_PER_MS)

/* Of the trials of this sitting when nothing is slow. */
int64_t session_expected_ns(const struct session *session)
{
    return plan_duration_ns(session->config->plan) / (int64_t)session->schedule.count *
           (int64_t)session->places.wanted_count;
}

/* Time left: trials to come at the mean length so far (the plan's before the first one ended). */
static int64_t left_ns(const struct session *session)
{
    int64_t now_ns = clock_now_ns(session->config->clock);
    int64_t count = (int64_t)session->places.wanted_count;
    int64_t done = (int64_t)session->begun_count - 1;
    int64_t each_ns = done > 0 ? (session->trial_started_ns - session->started_ns) / done
                               : session_expected_ns(session) / count;
    int64_t left = (count - done) * each_ns - (now_ns - session->trial_started_ns);

    return left > 0 ? left : 0;
}

static enum err_code sink_sample_put(void *self, const struct sample *sample, struct err *e)
{
    struct session *session = self;

    return store_queue_sample(session->store, session->trial_id, sample, e);
}

struct progress_sample session_progress_make(const struct sample *sample, int64_t p99_ns,
                                             bool softirq_is_charged)
{
    int64_t length_ns = sample->end_ns - sample->start_ns;
    struct progress_sample seen = {.phase = sample_phase_names[sample->phase],
                                   .p99_ns = p99_ns,
                                   .foreign_cpu_share =
                                       foreign_cpu_share(sample->metrics, softirq_is_charged)};

    if (length_ns > 0) {
        seen.rate_per_s = (double)sample->outcomes[OUTCOME_OK] * 1e9 / (double)length_ns;
    }
    for (int kind = 0; kind < OUTCOME_COUNT; kind++) {
        enum outcome_class class = outcome_infos[kind].class;

        if (class == OUTCOME_CLASS_HTTP || class == OUTCOME_CLASS_FAULT) {
            seen.error_count += (int64_t)sample->outcomes[kind];
        }
    }
    return seen;
}

static void sink_sample_seen(void *self, const struct progress_sample *seen)
{
    struct session *session = self;
    struct progress_sample whole = *seen;

    if (session->progress->sample_taken) {
        whole.left_ns = left_ns(session);
        session->progress->sample_taken(session->progress->self, &whole);
    }
}

static enum err_code sink_phase_put(void *self, const char *phase, int64_t ago_ns, struct err *e)
{
    struct session *session = self;

    if (session->progress->phase_begins) {
        session->progress->phase_begins(session->progress->self, session->begun_count - 1, phase,
                                        ago_ns);
    }
    return store_queue_event(session->store, session->rows.session_id, session->trial_id,
                             session_wall_ns(session) - ago_ns, "info", "phase", phase, e);
}

static enum err_code sink_warning_put(void *self, const char *kind, const char *text, struct err *e)
{
    struct session *session = self;

    return store_queue_event(session->store, session->rows.session_id, session->trial_id,
                             session_wall_ns(session), "warning", kind, text, e);
}

static enum err_code sink_note_put(void *self, const char *kind, const char *text, struct err *e)
{
    struct session *session = self;

    return store_queue_event(session->store, session->rows.session_id, session->trial_id,
                             session_wall_ns(session), "info", kind, text, e);
}

static enum err_code sink_total_put(void *self, uint32_t request_index,
                                    const struct driver_request_total *total,
                                    const struct sample_blob *latency, struct err *e)
{
    struct session *session = self;
    const struct store_request_total row = request_total_make(total, latency);

    return store_add_request_total(session->store, session->trial_id, request_index, &row, e);
}

static enum err_code sink_said_put(void *self, const struct trial_said *said, struct err *e)
{
    struct session *session = self;
    const struct store_foreign_load row = {said->version, said->command_json, said->output};

    return store_add_foreign_load(session->store, session->trial_id, &row, e);
}

static enum err_code trial_begin(struct session *session, const struct schedule_entry *entry,
                                 struct err *e)
{
    bool is_limit = entry->arm_index == SCHEDULE_LIMIT;
    const struct plan *plan = session->config->plan;
    bool has_block = entry->block_index != SCHEDULE_NO_BLOCK;
    struct store_trial row = {
        .session_id = session->rows.session_id,
        .cell_id = session_rows_cell(&session->rows, plan, entry),
        .engine_id = is_limit ? session->rows.limit_id : session->rows.arm_ids[entry->arm_index],
        .order_index = (int64_t)session->trial_index,
        .attempt_index = session->places.items[session->trial_index].attempt_index,
        .sitting_index = session->resume.sitting_index,
        .block_index = has_block ? entry->block_index : METRIC_UNKNOWN,
        .position_index = has_block ? entry->position_index : METRIC_UNKNOWN,
        .started_utc_ns = session_wall_ns(session),
    };

    session->trial_started_ns = clock_now_ns(session->config->clock);
    session->begun_count++;
    if (session->progress->trial_begins) {
        session->progress->trial_begins(session->progress->self, session->begun_count - 1,
                                        session_rows_name(&session->rows, plan, entry),
                                        is_limit ? session_calibration.name
                                                 : plan->workloads[entry->workload_index].name,
                                        entry->connection_count);
    }
    return store_begin_trial(session->store, &row, &session->trial_id, e);
}

static enum err_code trial_store(struct session *session, const struct trial_result *result,
                                 struct err *e)
{
    const char *state = trial_state_names[result->state];
    const char *reason = result->reason[0] ? result->reason : NULL;
    const struct supervise_log *log = &result->log;
    struct store_trial_end row = {
        .state = state,
        .reason = reason,
        .server_exit = result->server_exit[0] ? result->server_exit : NULL,
        .ended_utc_ns = session_wall_ns(session),
        .ready_ns = result->ready_ns,
        .connections_requested = result->connections_requested,
        .connections_established = result->connections_established,
        .connections_served = result->connections_served,
        .started_count = result->started_count,
        .server_request_count = result->server_request_count,
        .recover_ns = result->recover_ns,
        .tls = result->tls.version[0] ? &result->tls : NULL,
    };
    enum err_code code = ERR_OK;

    if (reason) {
        code = store_queue_event(
            session->store, session->rows.session_id, session->trial_id, row.ended_utc_ns,
            result->state == TRIAL_INTERRUPTED ? "warning" : "error", state, reason, e);
    }
    if (code == ERR_OK && log->written_bytes) {
        code = store_add_log(session->store, session->trial_id,
                             &(struct store_log){log->written_bytes, log->head, log->tail,
                                                 log->head_bytes, log->tail_bytes},
                             e);
    }
    if (code == ERR_OK) {
        code = store_end_trial(session->store, session->trial_id, &row, e);
    }
    if (session->progress->trial_ended) {
        session->progress->trial_ended(session->progress->self, session->begun_count - 1, state,
                                       reason, result->rate_per_s);
    }
    return code;
}

static void result_note(struct session *session, const struct schedule_entry *entry,
                        const struct trial_result *result)
{
    if (result->state != TRIAL_CRASHED && result->state != TRIAL_FAILED) {
        return;
    }
    if (!session->bad_count++) {
        snprintf(session->first_bad, sizeof(session->first_bad), "%.100s: %.140s",
                 session_rows_name(&session->rows, session->config->plan, entry), result->reason);
        plan_utf8_repair(session->first_bad);
    }
}

static enum err_code entry_run(struct session *session, const struct schedule_entry *entry,
                               uint32_t padding_bytes, struct err *e)
{
    const struct session_config *config = session->config;
    const struct plan *plan = config->plan;
    bool is_limit = entry->arm_index == SCHEDULE_LIMIT;
    const struct plan_engine *engine =
        is_limit ? &session_limit : session_rows_engine(plan, entry->arm_index);
    const struct trial_sink sink = {.self = session,
                                    .sample_put = sink_sample_put,
                                    .warning_put = sink_warning_put,
                                    .note_put = sink_note_put,
                                    .phase_put = sink_phase_put,
                                    .total_put = sink_total_put,
                                    .said_put = sink_said_put,
                                    .sample_seen = sink_sample_seen};
    struct trial_config trial = {
        .plan = plan,
        .workload = is_limit ? &session_calibration : &plan->workloads[entry->workload_index],
        .connection_count = entry->connection_count,
        .rate_per_s = entry->rate_per_s,
        .replay = session_rows_replay_key(&session->rows, plan, entry),
        .engine_program = config->engine_program,
        .engine = engine,
        .foreign = foreign_of(session->foreign, plan, engine),
        .server_cpus =
            session->setup.server_cpus ? session->setup.server_cpus : &session->original_cpus,
        .driver_cpus = session->setup.driver_cpus,
        .driver_threads = session->setup.driver_threads,
        .spin_ns = session->setup.spin_ns,
        .softirq_is_charged = session->setup.softirq_is_charged,
        .nofile = session->setup.nofile,
        .padding_bytes = padding_bytes,
        .clock = config->clock,
        .stop = config->stop,
        .sink = &sink,
    };
    struct trial_result result;
    struct err store_error;

    session->cooldown_ns = plan_times(plan, trial.workload).cooldown_ns;

    enum err_code code = trial_begin(session, entry, e);
    if (code != ERR_OK) {
        return code;
    }
    code = trial_run(&trial, &result, e);
    /* A trial that failed is stored as well; of two errors the first is told. */
    enum err_code store_code = trial_store(session, &result, code == ERR_OK ? e : &store_error);
    free(result.log.head);
    result_note(session, entry, &result);
    return code == ERR_OK ? store_code : code;
}

static enum err_code cooldown_wait(struct session *session, struct err *e)
{
    const struct clock *clock = session->config->clock;
    int64_t deadline_ns = clock_now_ns(clock) + session->cooldown_ns;
    enum err_code code = sink_phase_put(session, "cooldown", 0, e);

    for (int64_t now_ns = clock_now_ns(clock);
         code == ERR_OK && now_ns < deadline_ns && !session_stop_is_wanted(session);
         now_ns = clock_now_ns(clock)) {
        int64_t slice_ns = now_ns + WAIT_SLICE_NS;
        clock->sleep_until_ns(clock->self, slice_ns < deadline_ns ? slice_ns : deadline_ns);
    }
    return code;
}

/* A place has its padding whether it is run in this sitting or not: the schedule decides. */
static uint32_t padding_draw(struct session *session)
{
    uint32_t bytes = (uint32_t)rng_below(&session->padding_rng, SUPERVISE_PADDING_BYTES_MAX + 1);

    buf_addf(&session->paddings, "%s%u", session->trial_index ? "," : "", bytes);
    return bytes;
}

enum err_code session_trials_run(struct session *session, struct err *e)
{
    enum err_code code = ERR_OK;

    session->started_ns = clock_now_ns(session->config->clock);
    for (; session->trial_index < session->schedule.count && !session_stop_is_wanted(session);
         session->trial_index++) {
        uint32_t padding_bytes = padding_draw(session);

        if (!session->places.items[session->trial_index].is_wanted) {
            continue;
        }
        if (session->begun_count) {
            code = cooldown_wait(session, e);
            if (code != ERR_OK || session_stop_is_wanted(session)) {
                break;
            }
        }
        code =
            entry_run(session, &session->schedule.entries[session->trial_index], padding_bytes, e);
        if (code != ERR_OK) {
            break;
        }
    }
    return code;
}
