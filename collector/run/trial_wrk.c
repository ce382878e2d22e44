// SPDX-License-Identifier: Apache-2.0
// A trial whose load comes from wrk: the server is started, checked, sampled and stopped as ever.
#include <inttypes.h>
#include <stdio.h>

#include "collector/run/trial_work.h"

enum err_code trial_wrk_open(struct trial *trial, const struct grid *grid, struct err *e)
{
    const struct trial_config *config = trial->config;
    const struct wrk_load_config wrk = {.path = config->workload->requests[0].path,
                                        .port = trial->port,
                                        .connection_count = config->connection_count,
                                        .thread_count = config->driver_threads,
                                        .timeout_ns = trial->times.timeout_ns,
                                        .grid = *grid,
                                        .clock = config->clock};
    enum err_code code = wrk_load_open(&wrk, &trial->wrk, e);

    if (code != ERR_OK) {
        trial_stop(trial, TRIAL_FAILED, "%s", e->text);
        return code;
    }
    trial->step = TRIAL_STEP_LOAD;
    return ERR_OK;
}

static void port_start(void *self, int64_t grid_zero_ns)
{
    struct trial *trial = self;

    trial_load_zero(trial, grid_zero_ns);
    wrk_load_start(trial->wrk, grid_zero_ns);
}

static bool port_take(void *self, struct driver_interval *interval_out,
                      struct histogram *histogram_out)
{
    struct trial *trial = self;

    histogram_clear(histogram_out);
    return wrk_load_take(trial->wrk, interval_out);
}

static bool port_finished(void *self)
{
    struct trial *trial = self;

    return wrk_load_finished(trial->wrk);
}

static void port_stop(void *self)
{
    struct trial *trial = self;

    wrk_load_stop(trial->wrk);
}

void trial_wrk_set_ports(struct sampler_ports *ports)
{
    ports->load_start = port_start;
    ports->load_take = port_take;
    ports->load_finished = port_finished;
    ports->load_stop = port_stop;
}

/* Its rate is one of all answers; what the trial shows is the rate of the right ones. */
static enum err_code errors_tell(const struct trial_sink *sink, const struct wrk_load_said *said,
                                 struct err *e)
{
    char text[200];

    snprintf(text, sizeof(text),
             "wrk tells of %" PRId64 " answers, %" PRId64
             " of them with a status that is neither 2xx nor 3xx, and %" PRId64
             " errors of connections",
             said->request_count, said->wrong_count, said->error_count - said->wrong_count);
    return sink->warning_put(sink->self, "wrk_errors", text, e);
}

enum err_code trial_wrk_tell(struct trial *trial, struct err *e)
{
    const struct trial_sink *sink = trial->config->sink;
    struct wrk_load_said said;
    struct err why;

    if (wrk_load_read(trial->wrk, &said, &why) != ERR_OK) {
        trial_stop(trial, TRIAL_FAILED, "%s", why.text);
        return ERR_OK;
    }
    /* Where the plan expects such a status, they are right. */
    if (trial->config->workload->requests[0].expect.status >= 400) {
        said.error_count -= said.wrong_count;
        said.wrong_count = 0;
    }
    int64_t ok_count = said.request_count - said.wrong_count;
    if (said.request_count <= 0) {
        trial_stop(trial, TRIAL_FAILED, "nothing measured: wrk had no answer");
    } else if (ok_count <= 0) {
        trial_stop(trial, TRIAL_FAILED,
                   "nothing measured: wrk had %" PRId64
                   " answers, and none of them had a status of 2xx or 3xx",
                   said.request_count);
    }
    trial->result->ok_count = ok_count > 0 ? (uint64_t)ok_count : 0;
    trial->result->rate_per_s =
        ok_count > 0 ? said.rate_per_s * (double)ok_count / (double)said.request_count : 0;
    enum err_code code =
        said.error_count > 0 && ok_count > 0 ? errors_tell(sink, &said, e) : ERR_OK;
    const struct trial_said row = {said.version, said.command_json, said.output};
    return code == ERR_OK ? sink->said_put(sink->self, &row, e) : code;
}
