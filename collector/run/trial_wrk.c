// SPDX-License-Identifier: Apache-2.0
// A trial whose load comes from wrk: the server is started, checked, sampled and stopped as ever.
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

enum err_code trial_wrk_tell(struct trial *trial, struct err *e)
{
    const struct trial_sink *sink = trial->config->sink;
    struct wrk_load_said said;
    struct err why;

    if (wrk_load_read(trial->wrk, &said, &why) != ERR_OK) {
        trial_stop(trial, TRIAL_FAILED, "%s", why.text);
        return ERR_OK;
    }
    if (said.request_count <= 0) {
        trial_stop(trial, TRIAL_FAILED, "nothing measured: wrk had no answer");
    }
    trial->result->ok_count = said.request_count > 0 ? (uint64_t)said.request_count : 0;
    trial->result->rate_per_s = said.rate_per_s;
    const struct trial_said row = {said.version, said.command_json, said.output};
    return sink->said_put(sink->self, &row, e);
}
