// SPDX-License-Identifier: Apache-2.0
// The flood: connections opened without a pause, each asks once and goes away without reading; then
// the server is asked until it gives the right answer again.
#ifndef COLLECTOR_RUN_FLOOD_H
#define COLLECTOR_RUN_FLOOD_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/driver/driver.h"
#include "collector/plan/plan.h"
#include "engines/base/attr.h"
#include "engines/base/clock.h"
#include "engines/base/err.h"

struct flood_config {
    const struct plan_workload *workload; /* its flood, and what a right answer is */
    uint16_t port;                        /* on 127.0.0.1 */
    const char *request;                  /* kept by reference until flood_finish */
    size_t request_bytes;
    int64_t timeout_ns; /* for one answer afterwards */
    const struct clock *clock;
    const volatile sig_atomic_t *stop; /* when it is not 0 all ends; NULL: never */
};

struct flood_result {
    uint64_t opened_count;  /* connections that were opened, or on their way to be */
    uint64_t refused_count; /* attempts that were refused at once */
    uint64_t failed_count;  /* attempts that failed in another way, such as for want of ports */
    int64_t recover_ns;     /* from the flood's end to the first right answer; METRIC_UNKNOWN: none
                               within the limit */
};

struct flood;

/*
 * Begins at start_ns of the clock, in a thread of its own. A connection is closed by a reset when
 * so many newer ones are open, whatever the server did with it, so no port stays in TIME_WAIT.
 *
 * errors   ERR_LIMIT: memory; ERR_SYS: thread
 */
enum err_code flood_start(const struct flood_config *config, int64_t start_ns,
                          struct flood **flood_out, struct err *e) ATTR_MUST_USE;

/* What the driver does in a trial with a flood: a few requests on new connections, which show in
 * the samples whether anybody is served before, during and after it. */
void flood_shape_driver(struct driver_config *driver);

/* Ends it when it has not ended, joins the thread, frees. NULL is accepted; then and when
 * `result_out` is NULL nothing is told, and *result_out stays as it is. */
void flood_finish(struct flood *flood, struct flood_result *result_out);

#endif
