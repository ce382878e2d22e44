// SPDX-License-Identifier: Apache-2.0
// wrk in place of the driver: one run for the warm-up, which is ended with it, and one for the
// window, whose words are kept. It tells of no interval, so the samples hold the server and the
// machine alone. The functions from start to stop are those of struct sampler_ports.
#ifndef COLLECTOR_RUN_WRK_LOAD_H
#define COLLECTOR_RUN_WRK_LOAD_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "collector/driver/driver.h"
#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/clock.h"
#include "engines/base/err.h"

#define WRK_LOAD_WORD_COUNT 12

struct wrk_load_config {
    const char *path; /* of the request, a GET */
    uint16_t port;    /* on 127.0.0.1 */
    uint32_t connection_count, thread_count;
    int64_t timeout_ns;
    struct grid grid; /* the window: whole seconds, which is all that wrk measures */
    const struct clock *clock;
};

struct wrk_load;

/* Whether wrk is in PATH. */
bool wrk_load_is_there(char path_out[PATH_MAX]);

/* errors   ERR_LIMIT: no wrk, or memory; ERR_SYS */
enum err_code wrk_load_open(const struct wrk_load_config *config, struct wrk_load **load_out,
                            struct err *e) ATTR_MUST_USE;

void wrk_load_start(struct wrk_load *load, int64_t grid_zero_ns);
bool wrk_load_take(struct wrk_load *load, struct driver_interval *interval_out);
bool wrk_load_finished(const struct wrk_load *load);
void wrk_load_stop(struct wrk_load *load);

/* What it said of the window. */
struct wrk_load_said {
    const char *version;      /* its first line of -v; NULL: not known */
    const char *command_json; /* JSON array of its words */
    const char *output;
    double rate_per_s; /* NaN: not said */
    int64_t request_count;
    int64_t wrong_count; /* of these: statuses that are neither 2xx nor 3xx */
    int64_t error_count; /* these, and errors of sockets */
};

/*
 * When it has finished.
 *
 * errors   ERR_MISMATCH: it could not be started, ended by itself too early or with another status
 *          than 0, or its words are no result; *said_out is untouched
 */
enum err_code wrk_load_read(struct wrk_load *load, struct wrk_load_said *said_out,
                            struct err *e) ATTR_MUST_USE;

/* Ends what runs. NULL is accepted. */
void wrk_load_close(struct wrk_load *load);

#endif
