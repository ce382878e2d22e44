// SPDX-License-Identifier: Apache-2.0
// The functional gate.
#include "report/reproduce/gate.h"

#include <stdio.h>
#include <string.h>

#include "collector/run/check.h"
#include "collector/run/engine_command.h"
#include "collector/run/session_rows.h"
#include "collector/run/supervise.h"

#define LOOK_NS (2 * CLOCK_NS_PER_MS)

struct gate {
    const struct gate_config *config;
    struct supervised *server;
    enum gate_status status;
    uint16_t port; /* that the server told */
};

static void fault_tell(struct gate *gate, const char *engine, const char *workload,
                       const char *reason)
{
    dprintf(gate->config->report_fd, "%s, %s: %s\n", engine, workload, reason);
    gate->status = GATE_WRONG;
}

static bool is_over(const struct gate *gate)
{
    return (gate->config->stop && *gate->config->stop) || supervise_has_ended(gate->server);
}

static bool cancel_look(void *self)
{
    return is_over(self);
}

static void moment_wait(const struct gate *gate)
{
    const struct clock *clock = gate->config->clock;

    clock->sleep_until_ns(clock->self, clock_now_ns(clock) + LOOK_NS);
}

/* Until the server told its port. */
static bool port_wait(struct gate *gate, int64_t deadline_ns)
{
    while (!supervise_find_port(gate->server, &gate->port)) {
        if (is_over(gate) || clock_now_ns(gate->config->clock) >= deadline_ns) {
            return false;
        }
        moment_wait(gate);
    }
    return true;
}

/* Asks until there is an answer; a server that warms up may refuse at first. */
static void request_ask(struct gate *gate, const struct plan_engine *subject,
                        const struct plan_workload *workload, size_t index, int64_t deadline_ns)
{
    const struct check_server server = {.port = gate->port, .host = PLAN_ENGINE_ADDRESS};
    const struct plan_request *request = &workload->requests[index];
    const struct check_cancel cancel = {gate, cancel_look};
    struct check_answer answer;
    struct err why = {0};

    do {
        int64_t left_ns = deadline_ns - clock_now_ns(gate->config->clock);
        int64_t timeout_ns = gate->config->plan->timeout_ns;

        if (left_ns <= 0 || is_over(gate)) {
            fault_tell(gate, subject->name, workload->name,
                       *why.text ? why.text : "no answer in time");
            return;
        }
        if (check_fetch(request, &server, left_ns < timeout_ns ? left_ns : timeout_ns, &cancel,
                        &answer, &why) == ERR_OK) {
            break;
        }
        moment_wait(gate);
    } while (true);
    if (check_compare(request, &answer, &why) != ERR_OK) {
        fault_tell(gate, subject->name, workload->name, why.text);
    }
}

static void workload_ask(struct gate *gate, const struct plan_engine *subject,
                         const struct plan_workload *workload, int64_t deadline_ns)
{
    for (size_t i = 0; i < workload->request_count; i++) {
        request_ask(gate, subject, workload, i, deadline_ns);
    }
}

static void workloads_ask(struct gate *gate, const struct plan_engine *subject, bool is_limit)
{
    const struct plan *plan = gate->config->plan;
    int64_t deadline_ns = clock_now_ns(gate->config->clock) + plan->ready_within_ns;

    if (!port_wait(gate, deadline_ns)) {
        fault_tell(gate, subject->name, "start", "it told no port in time, or ended");
        return;
    }
    if (is_limit) {
        workload_ask(gate, subject, &session_calibration, deadline_ns);
        return;
    }
    for (size_t i = 0; i < plan->workload_count; i++) {
        workload_ask(gate, subject, &plan->workloads[i], deadline_ns);
    }
}

static enum err_code subject_ask(struct gate *gate, const struct plan_engine *subject,
                                 bool is_limit, struct err *e)
{
    struct engine_command command;

    engine_command_init(&command, subject, -1);
    const struct supervise_config config = {.program = gate->config->engine_program,
                                            .arguments = command.words,
                                            .variables = subject->variables,
                                            .variable_count = subject->variable_count,
                                            .counters_fd = -1,
                                            .clock = gate->config->clock};
    enum err_code code = supervise_start(&config, &gate->server, e);

    if (code == ERR_OK) {
        workloads_ask(gate, subject, is_limit);
        supervise_free(gate->server);
        gate->server = NULL;
    }
    return code;
}

int gate_run(void *context)
{
    struct gate gate = {.config = context, .status = GATE_RIGHT};
    const struct plan *plan = gate.config->plan;
    struct err e = {0};
    enum err_code code = supervise_init(&e);

    if (code == ERR_OK) {
        code = check_init(&e);
    }
    if (code == ERR_OK) {
        code = subject_ask(&gate, &session_limit, true, &e);
    }
    for (size_t i = 0; i < plan->engine_count && code == ERR_OK; i++) {
        code = subject_ask(&gate, &plan->engines[i], false, &e);
    }
    if (code != ERR_OK) {
        dprintf(gate.config->report_fd, "%s\n", e.text);
        return GATE_FAILED;
    }
    return (int)gate.status;
}
