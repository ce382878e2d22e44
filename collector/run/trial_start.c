// SPDX-License-Identifier: Apache-2.0
// The steps of a trial before its load: start, ready, settle, check.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "collector/probe/listener.h"
#include "collector/probe/machine.h"
#include "collector/run/engine_command.h"
#include "collector/run/trial_work.h"
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

void trial_crash(struct trial *trial, const char *when)
{
    static const char listening[] = "listening ";
    char tail[160];

    supervise_copy_log_tail(trial->server, tail, sizeof(tail));
    /* That it listened is no reason for its end. */
    if (strncmp(tail, listening, sizeof(listening) - 1) == 0 &&
        !strchr(tail + sizeof(listening) - 1, ' ')) {
        tail[0] = '\0';
    }
    trial_stop(trial, TRIAL_CRASHED, "the server ended %s: %s%s%s", when,
               supervise_exit(trial->server), tail[0] ? "; it wrote: " : "", tail);
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
    if (supervise_has_ended(trial->server)) {
        trial_crash(trial, when);
        return true;
    }
    return false;
}

static void slice_sleep(const struct trial *trial, int64_t until_ns, int64_t slice_ns)
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
    struct supervise_config supervise = {.program = config->engine_program,
                                         .arguments = command.words,
                                         .variables = config->engine->variables,
                                         .variable_count = config->engine->variable_count,
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
        slice_sleep(trial, deadline_ns, READY_LOOK_NS);
    }
    /* A stranger that answers on the port must not be measured. */
    if (listener_check_owner(MACHINE_PROC_ROOT, supervise_pid(trial->server), trial->port, &why) !=
        ERR_OK) {
        trial_stop(trial, TRIAL_FAILED, "%s", why.text);
        return ERR_OK;
    }
    trial->step = TRIAL_STEP_READY;
    return ERR_OK;
}

/* --- ready --- */

static bool ready_cancel(void *self)
{
    struct trial *trial = self;

    return trial_stop_is_wanted(trial) || supervise_has_ended(trial->server);
}

/* Whether an answer came, of whatever status, into trial->answer. */
static bool ready_ask(struct trial *trial, int64_t left_ns, struct err *why)
{
    const struct trial_config *config = trial->config;
    const struct check_cancel cancel = {trial, ready_cancel};
    int64_t timeout_ns = trial->times.timeout_ns;
    int64_t try_ns = timeout_ns > READY_TRY_NS ? timeout_ns : READY_TRY_NS;

    return check_fetch(config->workload, trial->port, left_ns < try_ns ? left_ns : try_ns, &cancel,
                       &trial->answer, why) == ERR_OK;
}

void trial_ready_run(struct trial *trial)
{
    const struct trial_config *config = trial->config;
    int64_t started_ns = supervise_started_ns(trial->server);
    int64_t deadline_ns = started_ns + config->plan->ready_within_ns;
    struct err why = {0};

    while (!trial_step_is_over(trial, "before it was ready")) {
        int64_t left_ns = deadline_ns - clock_now_ns(config->clock);
        if (left_ns <= 0) {
            char limit[UNITS_TEXT_BYTES];
            units_format_duration(config->plan->ready_within_ns, limit);
            trial_stop(trial, TRIAL_FAILED, "not ready within %s: %s", limit, why.text);
            return;
        }
        bool answered = ready_ask(trial, left_ns, &why);
        /* Another status may still change: a server that warms up says 503. */
        if (answered && trial->answer.status == config->workload->expect.status) {
            trial->result->ready_ns = clock_now_ns(config->clock) - started_ns;
            trial->step = TRIAL_STEP_SETTLE;
            return;
        }
        if (answered) {
            snprintf(why.text, sizeof(why.text), "status %d, the plan expects %d",
                     trial->answer.status, config->workload->expect.status);
        }
        slice_sleep(trial, deadline_ns, READY_LOOK_NS);
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
        slice_sleep(trial, deadline_ns, WAIT_SLICE_NS);
    }
}

/* Once more, right before the load: what is answered now is what every answer is compared with. */
void trial_check_run(struct trial *trial)
{
    struct err why = {0};
    bool is_right = ready_ask(trial, READY_TRY_NS, &why);

    if (trial_step_is_over(trial, "before the load")) {
        return;
    }
    if (!is_right) {
        trial_stop(trial, TRIAL_FAILED, "no answer before the load: %s", why.text);
        return;
    }
    if (check_compare(trial->config->workload, &trial->answer, &why) != ERR_OK) {
        trial_stop(trial, TRIAL_FAILED, "wrong answer: %s", why.text);
        return;
    }
    trial->step = TRIAL_STEP_RAMP;
}
