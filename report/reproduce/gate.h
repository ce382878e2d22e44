// SPDX-License-Identifier: Apache-2.0
// The functional gate: every engine is asked every request of the plan and must give the recorded
// answer, before any load.
#ifndef REPORT_REPRODUCE_GATE_H
#define REPORT_REPRODUCE_GATE_H

#include <signal.h>

#include "collector/plan/plan.h"
#include "engines/base/clock.h"

enum gate_status {
    GATE_RIGHT = 0,
    GATE_WRONG = 4,   /* at least one wrong answer, or none; the lines say which */
    GATE_FAILED = 70, /* it could not be asked */
};

struct gate_config {
    const struct plan *plan;
    const char *engine_program;
    int report_fd; /* a line each: "epoll, ping: status 404, the plan expects 200" */
    const struct clock *clock;
    const volatile sig_atomic_t *stop;
};

/* Made for sandbox_run: `context` is a struct gate_config. Returns an enum gate_status. */
int gate_run(void *context);

#endif
