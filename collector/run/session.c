// SPDX-License-Identifier: Apache-2.0
// One execution of a plan.
#include "collector/run/session.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/probe/machine.h"
#include "collector/run/check.h"
#include "collector/run/session_quiet.h"
#include "collector/run/session_work.h"
#include "engines/base/fs.h"
#include "engines/base/units.h"

#define SPIN_NS (50 * CLOCK_NS_PER_US)

static const struct progress silent_progress;

int64_t session_wall_ns(const struct session *session)
{
    const struct clock *clock = session->config->clock;

    return session->opened_wall_ns + clock_now_ns(clock) - session->opened_ns;
}

static void wall_anchor(struct session *session)
{
    const struct clock *clock = session->config->clock;

    session->opened_ns = clock_now_ns(clock);
    session->opened_wall_ns = clock->wall_ns(clock->self);
}

bool session_stop_is_wanted(const struct session *session)
{
    return session->config->stop && *session->config->stop;
}

static void notice(const struct session *session, const char *text)
{
    if (session->progress->notice) {
        session->progress->notice(session->progress->self, text);
    }
}

/* --- preflight --- */

static bool finding_has(const struct session *session, const char *name)
{
    for (size_t i = 0; i < session->findings.count; i++) {
        if (strcmp(session->findings.items[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* False: refused, and *e says why. */
static bool preflight_pass(struct session *session, struct err *e)
{
    struct session_findings *findings = &session->findings;

    session->setup.server_cpus = session->preflight.input.server_cpus;
    session->setup.driver_cpus = session->preflight.input.driver_cpus;
    session_findings_judge(findings, &session->preflight.input);
    session_findings_tell(findings, session->progress);
    if (session_findings_overrule(findings, session->config->is_forced, session->progress, e) !=
        ERR_OK) {
        return false;
    }
    session->setup.forced_rules = findings->forced_rules;
    if (finding_has(session, "cpus_dropped") || finding_has(session, "cpus_absent")) {
        session->setup.server_cpus = NULL;
        session->setup.driver_cpus = NULL;
    }
    return true;
}

/* What no waiting mends is told at once: nothing that others do is a refusal before the wait. */
static bool waiting_may_help(struct session *session)
{
    session_findings_judge(&session->findings, &session->preflight.input);
    return session->config->is_forced || !session_findings_refuse(&session->findings);
}

/* errors   ERR_LIMIT: the machine is unfit, and session->is_unfit is set; ERR_SYS */
static enum err_code preflight_run(struct session *session, struct err *e)
{
    const struct session_config *config = session->config;
    const struct session_quiet quiet = {.proc_root = MACHINE_PROC_ROOT,
                                        .clock = config->clock,
                                        .limit_ns =
                                            session->places.is_replay ? 0 : config->quiet_limit_ns,
                                        .progress = session->progress,
                                        .stop = config->stop};
    enum err_code code = session_preflight_read(config, &session->places, &session->preflight, e);

    if (code == ERR_OK && waiting_may_help(session)) {
        session->waited_ns = session_wait_quiet(&quiet, &session->preflight.input);
    }
    if (code == ERR_OK && !preflight_pass(session, e)) {
        session->is_unfit = true;
        code = ERR_LIMIT;
    }
    return code;
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
    setup->softirq_is_charged = machine_softirq_is_charged(MACHINE_PROC_ROOT);
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

/* What runs already is no fresh server, and perhaps nobody's whose CPU time can be read. */
static enum err_code urls_store(struct session *session, struct err *e)
{
    const struct plan *plan = session->config->plan;
    enum err_code code = ERR_OK;
    char text[512];

    for (size_t i = 0; i < plan->engine_count && code == ERR_OK; i++) {
        const struct plan_engine *engine = &plan->engines[i];
        bool is_known = *foreign_of(session->foreign, plan, engine)->program_sha256;

        if (plan_engine_kind(engine) != PLAN_ENGINE_URL || !session->places.engines_wanted[i]) {
            continue;
        }
        snprintf(text, sizeof(text),
                 "%.100s was not started by tacho: it ran already at %.100s, and its trials share "
                 "one process; %s",
                 engine->name, engine->url,
                 is_known ? "its processes were found by its listening socket"
                          : "its CPU time and memory are not known");
        code = store_queue_event(session->store, session->rows.session_id, METRIC_UNKNOWN,
                                 session_wall_ns(session), "warning", "not_started", text, e);
    }
    return code;
}

/* What is played again is not measured. */
static enum err_code replays_store(struct session *session, struct err *e)
{
    const struct plan *plan = session->config->plan;
    enum err_code code = ERR_OK;
    char text[512];

    for (size_t i = 0; i < plan->workload_count && code == ERR_OK; i++) {
        const struct plan_workload *workload = &plan->workloads[i];

        if (workload->driver != PLAN_DRIVER_REPLAY) {
            continue;
        }
        snprintf(text, sizeof(text),
                 "%.60s is replayed from %.200s (SHA-256 %s): nothing of it is measured",
                 workload->name, workload->replay, workload->replay_sha256);
        notice(session, text);
        code = store_queue_event(session->store, session->rows.session_id, METRIC_UNKNOWN,
                                 session_wall_ns(session), "warning", "replayed", text, e);
    }
    return code;
}

static enum err_code findings_store(struct session *session, struct err *e)
{
    enum err_code code = ERR_OK;
    char text[64];

    if (session->waited_ns >= CLOCK_NS_PER_S) {
        snprintf(text, sizeof(text), "waited %lld s for other programs to end",
                 (long long)(session->waited_ns / CLOCK_NS_PER_S));
        code = store_queue_event(session->store, session->rows.session_id, METRIC_UNKNOWN,
                                 session_wall_ns(session), "info", "waited", text, e);
    }
    return code == ERR_OK
               ? session_findings_store(&session->findings, session->store,
                                        session->rows.session_id, session_wall_ns(session), e)
               : code;
}

static enum err_code rows_begin(struct session *session, struct err *e)
{
    enum err_code code =
        session_rows_store(&session->rows, session->config, session->foreign, session->store, e);

    return code == ERR_OK ? session_facts_start(&session->rows, session->config, &session->setup,
                                                session->store, e)
                          : code;
}

static enum err_code rows_resume(struct session *session, struct err *e)
{
    return session_resume(session->config, &session->setup, session->store, &session->rows,
                          &session->places, &session->resume, e);
}

/* What can be told before the machine is looked at. A file that is not there is not made, to be
 * found empty. */
static enum err_code request_check(const struct session *session, struct err *e)
{
    const struct session_config *config = session->config;

    if (config->resumes && !fs_exists(config->results_path)) {
        return err_set(e, ERR_USAGE, "%.200s: there is nothing to resume; run without --resume",
                       config->results_path);
    }
    enum err_code code = foreign_check_pids(config->plan, session->places.engines_wanted, e);

    return code == ERR_OK ? store_check(config->results_path, e) : code;
}

static enum err_code order_make(struct session *session, struct err *e)
{
    const struct session_config *config = session->config;
    enum err_code code = schedule_make(config->plan, &session->schedule, e);

    if (code == ERR_OK) {
        code = session_places_make(config, &session->schedule, &session->places, e);
    }
    for (size_t i = 0; i < config->only_count; i++) {
        buf_addf(&session->selection, "%s%s", i ? ", " : "", config->only[i]);
    }
    session->setup.selection = session->selection.bytes;
    session->setup.trial_count = session->schedule.count;
    return code == ERR_OK ? buf_check(&session->selection, "--only", e) : code;
}

/* What an engine needs and cannot be had here makes the machine unfit. */
static enum err_code engines_prepare(struct session *session, struct err *e)
{
    const struct session_config *config = session->config;
    const struct foreign_config foreign = {
        .plan = config->plan,
        .wanted = session->places.engines_wanted,
        .engine_program = config->engine_program,
        .temporary_folder = config->temporary_folder ? config->temporary_folder : "/tmp",
        .clock = config->clock,
        .stop = config->stop};
    enum err_code code = foreign_prepare(&foreign, &session->foreign, e);

    session->setup.foreign = session->foreign;
    session->is_unfit = code == ERR_LIMIT;
    return session_stop_is_wanted(session) ? ERR_OK : code;
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
        code = engines_prepare(session, e);
    }
    if (code == ERR_OK) {
        code = store_open_masked(session, e);
    }
    wall_anchor(session);
    if (code == ERR_OK) {
        code = session->config->resumes ? rows_resume(session, e) : rows_begin(session, e);
    }
    if (code == ERR_OK && session->rows.session_id) {
        code = urls_store(session, e);
    }
    if (code == ERR_OK && session->rows.session_id) {
        code = replays_store(session, e);
    }
    return code == ERR_OK && session->rows.session_id ? findings_store(session, e) : code;
}

/* --- end --- */

static enum session_result session_judge(const struct session *session, enum err_code code,
                                         struct err *e)
{
    if (code != ERR_OK) {
        return session->is_unfit || session->resume.is_refused ? SESSION_UNFIT : SESSION_FAILED;
    }
    if (session_stop_is_wanted(session)) {
        err_set(e, ERR_LIMIT, "interrupted by signal %d when %zu of %zu trials had begun",
                (int)*session->config->stop, session->begun_count, session->places.wanted_count);
        return SESSION_INTERRUPTED;
    }
    if (session->bad_count) {
        err_set(e, ERR_MISMATCH, "%zu of %zu trials %s not valid%s%s", session->bad_count,
                session->places.wanted_count, units_word((int64_t)session->bad_count, "is", "are"),
                units_word((int64_t)session->bad_count, ": ", "; the first: "), session->first_bad);
        return SESSION_INVALID;
    }
    return session->places.is_replay ? SESSION_REPLAYED : SESSION_FINISHED;
}

/* Ends what is open: the row of the session, the store, this process's CPUs. The first error is the
 * one that is told. */
static enum session_result session_close(struct session *session, enum session_result result,
                                         struct err *e)
{
    static const char *const states[] = {[SESSION_FINISHED] = "finished",
                                         [SESSION_REPLAYED] = "finished",
                                         [SESSION_UNFIT] = "failed",
                                         [SESSION_INVALID] = "finished",
                                         [SESSION_INTERRUPTED] = "interrupted",
                                         [SESSION_FAILED] = "failed"};
    bool is_well = result == SESSION_FINISHED || result == SESSION_REPLAYED;
    struct err why;
    enum err_code code = ERR_OK;

    if (session->rows.session_id) {
        code = session_facts_end(&session->rows, &session->setup, session->paddings.bytes,
                                 session->store, &why);
        enum err_code end_code = store_end_session(
            session->store, session->rows.session_id, states[result], is_well ? NULL : e->text,
            session_wall_ns(session), code == ERR_OK ? &why : NULL);
        code = code == ERR_OK ? end_code : code;
    }
    enum err_code close_code = store_close(session->store, code == ERR_OK ? &why : NULL);
    code = code == ERR_OK ? close_code : code;
    schedule_release(&session->schedule);
    session_places_release(&session->places);
    foreign_release(session->foreign);
    buf_release(&session->paddings);
    buf_release(&session->selection);
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
    buf_init(&session->selection, (size_t)1 << 16);
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
    enum err_code code = order_make(session, e);
    if (code == ERR_OK) {
        code = request_check(session, e);
    }
    if (code == ERR_OK) {
        code = preflight_run(session, e);
    }
    if (code == ERR_OK) {
        code = session_open(session, e);
    }
    if (code == ERR_OK) {
        if (session->resume.has_nothing_to_do) {
            notice(session, "every trial of the plan is done: nothing was run");
        } else if (session->progress->session_begins) {
            session->progress->session_begins(session->progress->self, config->plan,
                                              session->places.wanted_count,
                                              session_expected_ns(session));
        }
        code = session_trials_run(session, e);
    }
    enum session_result result = session_close(session, session_judge(session, code, e), e);
    free(session);
    return result;
}
