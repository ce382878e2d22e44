// SPDX-License-Identifier: Apache-2.0
// The steps of a trial before its load: start, ready, settle, check.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "collector/probe/listener.h"
#include "collector/probe/machine.h"
#include "collector/run/engine_command.h"
#include "collector/run/trial_work.h"
#include "engines/base/proc.h"
#include "engines/base/units.h"

#define READY_TRY_NS  (5 * CLOCK_NS_PER_S) /* then it is asked anew */
#define READY_LOOK_NS (2 * CLOCK_NS_PER_MS)
#define WAIT_SLICE_NS (100 * CLOCK_NS_PER_MS)

/* The first reason is kept: what follows is its consequence. */
void trial_stop(struct trial *trial, enum trial_state state, const char *format, ...)
{
    va_list arguments;

    if (trial->result->state == TRIAL_FINISHED) {
        trial->result->state = state;
        va_start(arguments, format);
        vsnprintf(trial->result->reason, sizeof(trial->result->reason), format, arguments);
        va_end(arguments);
    }
    trial->step = TRIAL_STEP_STOP;
}

bool trial_stop_is_wanted(const struct trial *trial)
{
    return trial->config->stop && *trial->config->stop;
}

/* How long it lived and what it was given to read: the usual reasons for an early end. */
static void foreign_describe(const struct trial *trial, char *out, size_t capacity)
{
    static const char *const inputs[] = {"an open pipe", "/dev/null", "a terminal"};
    const struct plan_engine *engine = trial->config->engine;
    int64_t lived_ns = clock_now_ns(trial->config->clock) - supervise_started_ns(trial->server);

    out[0] = '\0';
    if (!engine->builtin) {
        snprintf(out, capacity, " after %lld ms, its input was %s",
                 (long long)(lived_ns / CLOCK_NS_PER_MS), inputs[plan_engine_input(engine)]);
    }
}

uint64_t trial_count_oom_kills(void)
{
    char text[32768];
    uint64_t count = 0;
    ssize_t length = proc_read(MACHINE_PROC_ROOT, text, sizeof(text), "vmstat");

    return length > 0 && proc_find_named(text, (size_t)length, "oom_kill", &count) ? count : 0;
}

void trial_crash(struct trial *trial, const char *when)
{
    static const char listening[] = "listening ";
    char tail[160], more[80];
    bool is_oom = strcmp(supervise_exit(trial->server), "signal 9") == 0 &&
                  trial_count_oom_kills() > trial->oom_kill_count;

    supervise_copy_log_tail(trial->server, tail, sizeof(tail));
    /* That it listened is no reason for its end. */
    if (strncmp(tail, listening, sizeof(listening) - 1) == 0 &&
        !strchr(tail + sizeof(listening) - 1, ' ')) {
        tail[0] = '\0';
    }
    foreign_describe(trial, more, sizeof(more));
    trial_stop(trial, TRIAL_CRASHED, "the server ended %s: %s%s%s%s%s", when,
               supervise_exit(trial->server),
               is_oom ? " (the kernel ended a process for want of memory)" : "", more,
               tail[0] ? "; it wrote: " : "", tail);
}

bool trial_server_has_ended(struct trial *trial)
{
    return trial->server && supervise_has_ended(trial->server);
}

int trial_interrupt_number(const struct trial *trial)
{
    return (int)*trial->config->stop;
}

/* Whether the trial must end now: the user wants it, or the server is gone. */
bool trial_step_is_over(struct trial *trial, const char *when)
{
    if (trial_stop_is_wanted(trial)) {
        trial_stop(trial, TRIAL_INTERRUPTED, "interrupted by signal %d %s",
                   trial_interrupt_number(trial), when);
        return true;
    }
    if (trial_server_has_ended(trial)) {
        trial_crash(trial, when);
        return true;
    }
    return false;
}

void trial_slice_sleep(const struct trial *trial, int64_t until_ns, int64_t slice_ns)
{
    const struct clock *clock = trial->config->clock;
    int64_t slice_end_ns = clock_now_ns(clock) + slice_ns;

    clock->sleep_until_ns(clock->self, slice_end_ns < until_ns ? slice_end_ns : until_ns);
}

static enum err_code server_start(struct trial *trial, struct err *e)
{
    const struct trial_config *config = trial->config;
    struct engine_command command;

    engine_command_init(&command, config->engine, trial->counters_fd);
    struct supervise_config supervise = {
        .program = config->engine_program,
        .arguments = command.words,
        .variables = config->engine->variables,
        .variable_count = config->engine->variable_count,
        .preload = config->foreign && *config->foreign->preload ? config->foreign->preload : NULL,
        .cpus = config->server_cpus,
        .nofile = config->nofile,
        .counters_fd = trial->counters_fd,
        .padding_bytes = config->padding_bytes,
        .clock = config->clock};
    return supervise_start(&supervise, &trial->server, e);
}

enum err_code trial_start_run(struct trial *trial, struct err *e)
{
    int64_t deadline_ns = clock_now_ns(trial->config->clock) + trial->config->plan->ready_within_ns;
    struct err why;

    trial->oom_kill_count = trial_count_oom_kills();
    if (!trial->config->engine->builtin) {
        return trial_foreign_run(trial, e);
    }
    enum err_code code = counters_create(&trial->counters_fd, &trial->counters, e);

    if (code == ERR_OK) {
        code = server_start(trial, e);
    }
    if (code != ERR_OK) {
        trial_stop(trial, TRIAL_FAILED, "%s", e->text);
        return code;
    }
    while (!supervise_find_port(trial->server, &trial->port)) {
        if (trial_step_is_over(trial, "before it listened")) {
            return ERR_OK;
        }
        if (clock_now_ns(trial->config->clock) >= deadline_ns) {
            trial_stop(trial, TRIAL_FAILED, "not ready: it printed no listening port in time");
            return ERR_OK;
        }
        trial_slice_sleep(trial, deadline_ns, READY_LOOK_NS);
    }
    /* A stranger that answers on the port must not be measured. */
    if (listener_check_owner(MACHINE_PROC_ROOT, supervise_pid(trial->server), trial->port, &why) !=
        ERR_OK) {
        trial_stop(trial, TRIAL_FAILED, "%s", why.text);
        return ERR_OK;
    }
    trial->root_pid = supervise_pid(trial->server);
    trial->asked_ns = supervise_started_ns(trial->server);
    if (trial_process_check(trial)) {
        trial->step = TRIAL_STEP_READY;
    }
    return ERR_OK;
}

/* --- ready --- */

int64_t trial_ready_within_ns(const struct trial *trial)
{
    int64_t own_ns = trial->config->engine->ready.within_ns;

    return own_ns ? own_ns : trial->config->plan->ready_within_ns;
}

/* The workload's own request, or what the engine says. */
static const struct plan_request *ready_request(struct trial *trial)
{
    const struct plan_ready *ready = &trial->config->engine->ready;

    trial->ready = trial->config->workload->requests[0];
    if (ready->path) {
        trial->ready = (struct plan_request){.method = "GET", .path = ready->path, .body = ""};
        trial->ready.expect = (struct plan_expect){.status = 200, .body_bytes = -1};
    }
    if (ready->status) {
        trial->ready.expect.status = ready->status;
    }
    return &trial->ready;
}

static bool ready_cancel(void *self)
{
    struct trial *trial = self;

    return trial_stop_is_wanted(trial) || trial_server_has_ended(trial);
}

/* A try that the end of the time cut short says nothing of a server that has answered before. */
static void why_keep(const struct check_answer *answer, const struct plan_request *request,
                     struct err *why)
{
    if (answer->status) {
        snprintf(why->text, sizeof(why->text), "status %d, the plan expects %d", answer->status,
                 request->expect.status);
    }
}

/* Whether an answer came, of whatever status. */
static bool ready_ask(struct trial *trial, const struct plan_request *request, int64_t left_ns,
                      struct check_answer *answer, struct err *why)
{
    const struct check_cancel cancel = {trial, ready_cancel};
    const struct check_server server = {.port = trial->port,
                                        .host = plan_engine_host(trial->config->engine),
                                        .tls = trial_tls(trial)};
    int64_t timeout_ns = trial->times.timeout_ns;
    int64_t try_ns = timeout_ns > READY_TRY_NS ? timeout_ns : READY_TRY_NS;

    return check_fetch(request, &server, left_ns < try_ns ? left_ns : try_ns, &cancel, answer,
                       why) == ERR_OK;
}

void trial_ready_run(struct trial *trial)
{
    const struct trial_config *config = trial->config;
    const struct plan_request *request = ready_request(trial);
    struct check_answer *answer = &trial->answers[0];
    int64_t within_ns = trial_ready_within_ns(trial);
    int64_t deadline_ns = trial->asked_ns + within_ns;
    struct err why = {.text = "it listened only then"};

    while (!trial_step_is_over(trial, "before it was ready")) {
        int64_t left_ns = deadline_ns - clock_now_ns(config->clock);
        if (left_ns <= 0) {
            char limit[UNITS_TEXT_BYTES];
            units_format_duration(within_ns, limit);
            trial_stop(trial, TRIAL_FAILED, "not ready within %s: %s", limit, why.text);
            return;
        }
        bool answered = ready_ask(trial, request, left_ns, answer, &why);
        if (!answered && why.code == ERR_MISMATCH) {
            trial_stop(trial, TRIAL_FAILED, "not ready: %s", why.text);
            return;
        }
        /* Another status may still change: a server that warms up says 503. */
        if (answered && answer->status == request->expect.status) {
            /* Of a server that ran before nobody knows it. */
            if (trial->server) {
                trial->result->ready_ns = clock_now_ns(config->clock) - trial->asked_ns;
            }
            trial->step = TRIAL_STEP_SETTLE;
            return;
        }
        why_keep(answer, request, &why);
        trial_slice_sleep(trial, deadline_ns, READY_LOOK_NS);
    }
}

void trial_settle_run(struct trial *trial)
{
    const struct clock *clock = trial->config->clock;
    int64_t deadline_ns = clock_now_ns(clock) + trial->times.settle_ns;

    while (!trial_step_is_over(trial, "before the load")) {
        if (clock_now_ns(clock) >= deadline_ns) {
            trial->step = TRIAL_STEP_CHECK;
            return;
        }
        trial_slice_sleep(trial, deadline_ns, WAIT_SLICE_NS);
    }
}

/* "POST /upload: " of a mix, where it matters which request it was; "". */
static const char *request_words(const struct plan_workload *workload, size_t index, char out[80])
{
    const struct plan_request *request = &workload->requests[index];

    out[0] = '\0';
    if (workload->request_count > 1) {
        snprintf(out, 80, "%s %.60s: ", request->method, request->path);
    }
    return out;
}

/* False: the trial is over. */
static bool request_check(struct trial *trial, size_t index)
{
    const struct plan_workload *workload = trial->config->workload;
    const struct plan_request *request = &workload->requests[index];
    struct check_answer *answer = &trial->answers[index];
    struct err why = {0};
    char words[80];
    bool is_answered = ready_ask(trial, request, READY_TRY_NS, answer, &why);

    if (trial_step_is_over(trial, "before the load")) {
        return false;
    }
    if (!is_answered) {
        trial_stop(trial, TRIAL_FAILED, "%sno answer before the load: %s",
                   request_words(workload, index, words), why.text);
        return false;
    }
    if (check_compare(request, answer, &why) != ERR_OK) {
        trial_stop(trial, TRIAL_FAILED, "%swrong answer: %s", request_words(workload, index, words),
                   why.text);
        return false;
    }
    return true;
}

/* Once more, right before the load: what is answered now is what every answer is compared with. */
void trial_check_run(struct trial *trial)
{
    for (size_t i = 0; i < trial->config->workload->request_count; i++) {
        if (!request_check(trial, i)) {
            return;
        }
    }
    trial->step = TRIAL_STEP_RAMP;
}

struct arrivals_config trial_arrivals(const struct trial_config *config, const struct grid *grid)
{
    struct arrivals_config arrivals = {.rate_per_s = config->rate_per_s,
                                       .kind = config->workload->is_poisson ? ARRIVALS_POISSON
                                                                            : ARRIVALS_UNIFORM,
                                       .seed = config->plan->seed};

    if (config->rate_per_s > 0 && config->workload->course.count > 1) {
        arrivals.course = config->workload->course;
        arrivals.course.from_ns = grid->warmup_ns;
        arrivals.course.for_ns = grid->window_ns;
        arrivals.rate_per_s = arrivals.course.rates_per_s[0];
    }
    return arrivals;
}
