// SPDX-License-Identifier: Apache-2.0
// One execution of a plan.
#include "collector/run/session.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "collector/plan/plan_utf8.h"
#include "collector/probe/preflight.h"
#include "collector/run/check.h"
#include "collector/run/session_preflight.h"
#include "collector/run/session_rows.h"
#include "collector/run/trial.h"
#include "engines/base/rng.h"

#define SPIN_NS       (50 * CLOCK_NS_PER_US)
#define WAIT_SLICE_NS (100 * CLOCK_NS_PER_MS)

struct session {
    const struct session_config *config;
    const struct progress *progress;
    struct store *store;
    struct schedule schedule;
    struct session_rows rows;
    struct session_setup setup;
    cpu_set_t original_cpus; /* of this process, given back at the end */
    struct session_preflight preflight;
    struct rlimit original_nofile;
    struct rng padding_rng;
    struct buf paddings;
    int64_t started_ns;
    size_t trial_index;
    size_t begun_count;       /* trials */
    int64_t trial_id;         /* of the running trial */
    int64_t trial_started_ns; /* on the clock */
    size_t bad_count;         /* trials that crashed, failed or measured nothing */
    char first_bad[TRIAL_REASON_BYTES];
    struct preflight_finding findings[PREFLIGHT_FINDING_COUNT_MAX];
    size_t finding_count;
};

static const struct progress silent_progress;

static int64_t wall_ns(const struct session *session)
{
    const struct clock *clock = session->config->clock;

    return clock->wall_ns(clock->self);
}

static void notice(const struct session *session, const char *text)
{
    if (session->progress->notice) {
        session->progress->notice(session->progress->self, text);
    }
}

static bool stop_is_wanted(const struct session *session)
{
    return session->config->stop && *session->config->stop;
}

/* --- preflight --- */

static void findings_tell(const struct session *session)
{
    char text[PREFLIGHT_TEXT_BYTES + 128];

    for (size_t i = 0; i < session->finding_count; i++) {
        const struct preflight_finding *finding = &session->findings[i];

        snprintf(text, sizeof(text), "%s%s%s%s%s",
                 finding->consequence == PREFLIGHT_REFUSE ? "refused: " : "", finding->text,
                 finding->fix ? " (" : "", finding->fix ? finding->fix : "",
                 finding->fix ? ")" : "");
        notice(session, text);
    }
}

static bool finding_has(const struct session *session, const char *name)
{
    for (size_t i = 0; i < session->finding_count; i++) {
        if (strcmp(session->findings[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* False: refused, and *e says why. */
static bool preflight_pass(struct session *session, struct err *e)
{
    session->setup.server_cpus = session->preflight.input.server_cpus;
    session->setup.driver_cpus = session->preflight.input.driver_cpus;
    session->finding_count = preflight_judge(&session->preflight.input, session->findings);
    findings_tell(session);
    if (session->finding_count && session->findings[0].consequence == PREFLIGHT_REFUSE) {
        err_set(e, ERR_LIMIT, "machine unfit: %s", session->findings[0].text);
        return false;
    }
    if (finding_has(session, "cpus_dropped")) {
        session->setup.server_cpus = NULL;
        session->setup.driver_cpus = NULL;
    }
    return true;
}

/* --- setting up --- */

static bool cpus_are_apart(const struct session_setup *setup)
{
    cpu_set_t both;

    if (!setup->server_cpus || !setup->driver_cpus) {
        return false;
    }
    CPU_AND(&both, setup->server_cpus, setup->driver_cpus);
    return CPU_COUNT(&both) == 0;
}

/* Limits and CPUs of this process; the driver's and the store's threads inherit them. */
static enum err_code process_prepare(struct session *session, struct err *e)
{
    const struct plan *plan = session->config->plan;
    struct session_setup *setup = &session->setup;
    struct rlimit nofile = session->original_nofile;
    uint64_t need = preflight_nofile_need(session->preflight.input.connection_count_max);
    uint64_t wanted = plan->machine.nofile > need ? plan->machine.nofile : need;

    if (nofile.rlim_cur < wanted) {
        nofile.rlim_cur = wanted < nofile.rlim_max ? wanted : nofile.rlim_max;
    }
    if (setrlimit(RLIMIT_NOFILE, &nofile) < 0) {
        return err_set_sys(e, "raising RLIMIT_NOFILE to %llu", (unsigned long long)nofile.rlim_cur);
    }
    setup->allowed_cpus = &session->original_cpus;
    setup->nofile = nofile.rlim_cur;
    setup->driver_threads = plan->machine.driver_threads;
    if (!setup->driver_threads) {
        setup->driver_threads = setup->driver_cpus ? (uint32_t)CPU_COUNT(setup->driver_cpus) : 1;
    }
    /* To spin on the server's own CPU would take its time away. */
    bool has_own_cpu =
        cpus_are_apart(setup) && setup->driver_threads <= (uint32_t)CPU_COUNT(setup->driver_cpus);
    setup->spin_ns = has_own_cpu ? SPIN_NS : 0;
    if (setup->driver_cpus &&
        sched_setaffinity(0, sizeof(*setup->driver_cpus), setup->driver_cpus) < 0) {
        return err_set_sys(e, "pinning to the CPUs %s", plan->machine.driver_cpus);
    }
    return ERR_OK;
}

/* The store's thread inherits the mask: signals stay with the main thread. */
static enum err_code store_open_masked(struct session *session, struct err *e)
{
    sigset_t blocked, old;

    sigfillset(&blocked);
    pthread_sigmask(SIG_BLOCK, &blocked, &old);
    enum err_code code = store_open(session->config->results_path, &session->store, e);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return code;
}

static enum err_code findings_store(struct session *session, struct err *e)
{
    enum err_code code = ERR_OK;

    for (size_t i = 0; code == ERR_OK && i < session->finding_count; i++) {
        code = store_queue_event(session->store, session->rows.session_id, METRIC_UNKNOWN,
                                 wall_ns(session), "warning", "preflight",
                                 session->findings[i].text, e);
    }
    return code;
}

static enum err_code session_open(struct session *session, struct err *e)
{
    enum err_code code = process_prepare(session, e);

    if (code == ERR_OK) {
        code = supervise_init(e);
    }
    if (code == ERR_OK) {
        code = check_init(e);
    }
    if (code == ERR_OK) {
        code = schedule_make(session->config->plan, &session->schedule, e);
    }
    if (code == ERR_OK) {
        code = store_open_masked(session, e);
    }
    if (code == ERR_OK) {
        code = session_rows_store(&session->rows, session->config, session->store, e);
    }
    if (code == ERR_OK) {
        code = session_facts_start(&session->rows, session->config, &session->setup, session->store,
                                   e);
    }
    return code == ERR_OK ? findings_store(session, e) : code;
}

/* --- trials --- */

/* Time left: trials to come at the mean length so far (the plan's before the first one ended). */
static int64_t left_ns(const struct session *session)
{
    int64_t now_ns = clock_now_ns(session->config->clock);
    int64_t count = (int64_t)session->schedule.count;
    int64_t done = (int64_t)session->trial_index;
    int64_t each_ns = done ? (session->trial_started_ns - session->started_ns) / done
                           : plan_duration_ns(session->config->plan) / count;
    int64_t left = (count - done) * each_ns - (now_ns - session->trial_started_ns);

    return left > 0 ? left : 0;
}

static enum err_code sink_sample_put(void *self, const struct sample *sample, struct err *e)
{
    struct session *session = self;

    return store_queue_sample(session->store, session->trial_id, sample, e);
}

static void sink_sample_seen(void *self, double rate_per_s, int64_t p99_ns)
{
    struct session *session = self;

    if (session->progress->sample_taken) {
        session->progress->sample_taken(session->progress->self, rate_per_s, p99_ns,
                                        left_ns(session));
    }
}

static enum err_code sink_warning_put(void *self, const char *kind, const char *text, struct err *e)
{
    struct session *session = self;

    return store_queue_event(session->store, session->rows.session_id, session->trial_id,
                             wall_ns(session), "warning", kind, text, e);
}

static enum err_code sink_note_put(void *self, const char *kind, const char *text, struct err *e)
{
    struct session *session = self;

    return store_queue_event(session->store, session->rows.session_id, session->trial_id,
                             wall_ns(session), "info", kind, text, e);
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
        .attempt_index = 0,
        .block_index = has_block ? entry->block_index : METRIC_UNKNOWN,
        .position_index = has_block ? entry->position_index : METRIC_UNKNOWN,
        .started_utc_ns = wall_ns(session),
    };

    session->trial_started_ns = clock_now_ns(session->config->clock);
    session->begun_count++;
    if (session->progress->trial_begins) {
        session->progress->trial_begins(session->progress->self, session->trial_index,
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
        .ended_utc_ns = wall_ns(session),
        .ready_ns = result->ready_ns,
        .connections_requested = result->connections_requested,
        .connections_established = result->connections_established,
        .connections_served = result->connections_served,
        .started_count = result->started_count,
        .server_request_count = result->server_request_count,
        .recover_ns = result->recover_ns,
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
        session->progress->trial_ended(session->progress->self, session->trial_index, state, reason,
                                       result->rate_per_s);
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
                               struct err *e)
{
    const struct session_config *config = session->config;
    const struct plan *plan = config->plan;
    bool is_limit = entry->arm_index == SCHEDULE_LIMIT;
    const struct plan_engine *engine =
        is_limit ? NULL : session_rows_engine(plan, entry->arm_index);
    const struct trial_sink sink = {session, sink_sample_put, sink_warning_put, sink_note_put,
                                    sink_sample_seen};
    struct trial_config trial = {
        .plan = plan,
        .workload = is_limit ? &session_calibration : &plan->workloads[entry->workload_index],
        .connection_count = entry->connection_count,
        .rate_per_s = entry->rate_per_s,
        .engine_program = config->engine_program,
        .builtin = is_limit ? "limit" : engine->builtin,
        .thread_count = is_limit ? 0 : engine->thread_count,
        .extra_work_percent = is_limit ? 0 : engine->extra_work_percent,
        .server_cpus =
            session->setup.server_cpus ? session->setup.server_cpus : &session->original_cpus,
        .driver_cpus = session->setup.driver_cpus,
        .driver_threads = session->setup.driver_threads,
        .spin_ns = session->setup.spin_ns,
        .nofile = session->setup.nofile,
        .padding_bytes =
            (uint32_t)rng_below(&session->padding_rng, SUPERVISE_PADDING_BYTES_MAX + 1),
        .clock = config->clock,
        .stop = config->stop,
        .sink = &sink,
    };
    struct trial_result result;
    struct err store_error;

    buf_addf(&session->paddings, "%s%u", session->trial_index ? "," : "", trial.padding_bytes);
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

static void cooldown_wait(const struct session *session)
{
    const struct clock *clock = session->config->clock;
    int64_t deadline_ns = clock_now_ns(clock) + session->config->plan->cooldown_ns;

    for (int64_t now_ns = clock_now_ns(clock); now_ns < deadline_ns && !stop_is_wanted(session);
         now_ns = clock_now_ns(clock)) {
        int64_t slice_ns = now_ns + WAIT_SLICE_NS;
        clock->sleep_until_ns(clock->self, slice_ns < deadline_ns ? slice_ns : deadline_ns);
    }
}

static enum err_code trials_run(struct session *session, struct err *e)
{
    enum err_code code = ERR_OK;

    session->started_ns = clock_now_ns(session->config->clock);
    for (; session->trial_index < session->schedule.count && !stop_is_wanted(session);
         session->trial_index++) {
        if (session->trial_index) {
            cooldown_wait(session);
            if (stop_is_wanted(session)) {
                break;
            }
        }
        code = entry_run(session, &session->schedule.entries[session->trial_index], e);
        if (code != ERR_OK) {
            break;
        }
    }
    return code;
}

/* --- end --- */

static enum session_result session_judge(const struct session *session, enum err_code code,
                                         struct err *e)
{
    if (code != ERR_OK) {
        return SESSION_FAILED;
    }
    if (stop_is_wanted(session)) {
        err_set(e, ERR_LIMIT, "interrupted by signal %d when %zu of %zu trials had begun",
                (int)*session->config->stop, session->begun_count, session->schedule.count);
        return SESSION_INTERRUPTED;
    }
    if (session->bad_count) {
        err_set(e, ERR_MISMATCH, "%zu of %zu trials are not valid; the first: %s",
                session->bad_count, session->schedule.count, session->first_bad);
        return SESSION_INVALID;
    }
    return SESSION_FINISHED;
}

/* Ends what is open: the row of the session, the store, this process's CPUs. The first error is the
 * one that is told. */
static enum session_result session_close(struct session *session, enum session_result result,
                                         struct err *e)
{
    static const char *const states[] = {[SESSION_FINISHED] = "finished",
                                         [SESSION_UNFIT] = "failed",
                                         [SESSION_INVALID] = "finished",
                                         [SESSION_INTERRUPTED] = "interrupted",
                                         [SESSION_FAILED] = "failed"};
    struct err why;
    enum err_code code = ERR_OK;

    if (session->rows.session_id) {
        code = session_facts_end(&session->rows, session->paddings.bytes, session->store, &why);
        enum err_code end_code =
            store_end_session(session->store, session->rows.session_id, states[result],
                              result == SESSION_FINISHED ? NULL : e->text, wall_ns(session),
                              code == ERR_OK ? &why : NULL);
        code = code == ERR_OK ? end_code : code;
    }
    enum err_code close_code = store_close(session->store, code == ERR_OK ? &why : NULL);
    code = code == ERR_OK ? close_code : code;
    schedule_release(&session->schedule);
    buf_release(&session->paddings);
    sched_setaffinity(0, sizeof(session->original_cpus), &session->original_cpus);
    setrlimit(RLIMIT_NOFILE, &session->original_nofile);
    if (code != ERR_OK && result != SESSION_FAILED) {
        *e = why;
        return SESSION_FAILED;
    }
    return result;
}

static struct session *session_new(const struct session_config *config, struct err *e)
{
    struct session *session = calloc(1, sizeof(*session));

    if (!session) {
        err_set(e, ERR_LIMIT, "no memory for a session");
        return NULL;
    }
    session->config = config;
    session->progress = config->progress ? config->progress : &silent_progress;
    rng_init(&session->padding_rng,
             config->plan->seed ^ UINT64_C(0x70616464696e67)); /* "padding" */
    buf_init(&session->paddings, (size_t)1 << 20);
    return session;
}

enum session_result session_run(const struct session_config *config, struct err *e)
{
    struct err unasked;
    struct session *session;

    e = e ? e : &unasked;
    session = session_new(config, e);
    if (!session) {
        return SESSION_FAILED;
    }
    if (sched_getaffinity(0, sizeof(session->original_cpus), &session->original_cpus) < 0 ||
        getrlimit(RLIMIT_NOFILE, &session->original_nofile) < 0) {
        err_set_sys(e, "CPUs and limits of this process");
        free(session);
        return SESSION_FAILED;
    }
    enum err_code code = session_preflight_read(config, &session->preflight, e);
    if (code == ERR_OK && !preflight_pass(session, e)) {
        buf_release(&session->paddings);
        free(session);
        return SESSION_UNFIT;
    }
    if (code == ERR_OK) {
        code = session_open(session, e);
    }
    if (code == ERR_OK) {
        if (session->progress->session_begins) {
            session->progress->session_begins(session->progress->self, config->plan,
                                              session->schedule.count,
                                              plan_duration_ns(config->plan));
        }
        code = trials_run(session, e);
    }
    enum session_result result = session_close(session, session_judge(session, code, e), e);
    free(session);
    return result;
}
