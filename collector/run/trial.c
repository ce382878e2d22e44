// SPDX-License-Identifier: Apache-2.0
// One trial, as steps.
#include "collector/run/trial_work.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/probe/machine.h"
#include "collector/probe/probe.h"
#include "collector/run/check.h"
#include "collector/run/exchange.h"
#include "collector/run/flood.h"
#include "collector/run/foreign_files.h"
#include "collector/run/sampler.h"
#include "collector/run/sampler_priority.h"
#include "collector/run/trial_blobs.h"
#include "collector/run/trial_events.h"
#include "engines/base/units.h"
#include "engines/counters.h"

#define LEAD_NS                (50 * CLOCK_NS_PER_MS) /* from the ramp's end to grid zero */
#define DEATH_SAMPLE_COUNT     20
#define CONNECT_RATE_PER_S     2000
#define REQUEST_HEAD_BYTES_MAX ((size_t)64 << 10)

const char *const trial_state_names[] = {"finished", "crashed", "failed", "interrupted"};

/* --- TLS --- */

static void tls_set(struct trial *trial)
{
    const struct plan_engine *engine = trial->config->engine;

    trial->tls = (struct tls_settings){.host = plan_engine_host(engine),
                                       .skips_certificate = engine->tls.is_insecure,
                                       .never_resumes = !engine->tls.reuses};
    if (engine->tls.ca) {
        foreign_format_ca(engine, trial->ca_path);
        trial->tls.ca_file = trial->ca_path;
    }
}

const struct tls_settings *trial_tls(const struct trial *trial)
{
    return trial->config->engine->tls.is_on ? &trial->tls : NULL;
}

/* --- load --- */

static struct grid grid_make(const struct trial_config *config)
{
    struct plan_times times = plan_times(config->plan, config->workload);

    return (struct grid){.interval_ns = config->plan->sample_ns,
                         .warmup_ns = times.warmup_ns,
                         .window_ns = times.window_ns};
}

static bool has_flood(const struct trial_config *config)
{
    return config->workload->flood.connection_count > 0;
}

static bool is_replay(const struct trial_config *config)
{
    return config->workload->driver == PLAN_DRIVER_REPLAY;
}

/* The bytes of all of them lie in trial->request. */
static enum err_code requests_make(struct trial *trial,
                                   struct driver_request requests_out[PLAN_REQUEST_COUNT_MAX],
                                   struct err *e)
{
    const struct plan_workload *workload = trial->config->workload;
    const char *host = plan_engine_host(trial->config->engine);
    size_t ends[PLAN_REQUEST_COUNT_MAX + 1] = {0};

    for (size_t i = 0; i < workload->request_count; i++) {
        enum err_code code =
            exchange_format_request(&workload->requests[i], host, trial->port, &trial->request, e);

        if (code != ERR_OK) {
            return code;
        }
        ends[i + 1] = trial->request.length;
    }
    for (size_t i = 0; i < workload->request_count; i++) {
        const struct plan_request *request = &workload->requests[i];

        requests_out[i] =
            (struct driver_request){.bytes = trial->request.bytes + ends[i],
                                    .byte_count = ends[i + 1] - ends[i],
                                    .is_head = exchange_is_head(request),
                                    .expect = exchange_make_expect(request, &trial->answers[i]),
                                    .weight = request->weight};
    }
    return ERR_OK;
}

static enum err_code sources_make(struct trial *trial, struct err *e)
{
    const struct plan_machine *machine = &trial->config->plan->machine;
    enum err_code code = ERR_OK;

    for (size_t i = 0; code == ERR_OK && i < machine->source_address_count; i++) {
        code = net_parse(machine->source_addresses[i], 0, &trial->sources[i], e);
    }
    return code;
}

static enum err_code ramp_run(struct trial *trial, struct err *e)
{
    const struct trial_config *config = trial->config;
    const struct grid grid = grid_make(config);

    if (config->workload->driver == PLAN_DRIVER_WRK) {
        return trial_wrk_open(trial, &grid, e);
    }
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(trial->port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct driver_request requests[PLAN_REQUEST_COUNT_MAX];
    struct driver_config driver = {
        .address_bytes = sizeof(address),
        .sources = trial->sources,
        .source_count = (uint32_t)config->plan->machine.source_address_count,
        .io = config->plan->machine.io,
        .requests = requests,
        .request_count = (uint32_t)config->workload->request_count,
        .mix_seed = config->plan->seed,
        .think = {.mean_ns = config->workload->think_ns,
                  .kind = config->workload->think_kind,
                  .seed = config->plan->seed},
        .connection_count = config->connection_count,
        .arrivals = trial_arrivals(config, &grid),
        .thread_count = config->driver_threads,
        .cpus = config->driver_cpus,
        .timeout_ns = trial->times.timeout_ns,
        .connect_rate_per_s = CONNECT_RATE_PER_S,
        .tls = trial_tls(trial),
        .grid = grid,
        .spin_ns = config->spin_ns,
        .pipeline_count = config->workload->pipeline_count,
        .connection_requests = config->workload->requests_per_connection,
        .stop = config->stop,
    };

    memcpy(&driver.address, &address, sizeof(address));
    if (has_flood(config)) {
        flood_shape_driver(&driver);
        trial->result->connections_requested = driver.connection_count;
    }
    enum err_code code = requests_make(trial, requests, e);
    if (code == ERR_OK) {
        code = sources_make(trial, e);
    }
    if (code == ERR_OK) {
        code = driver_open(&driver, &trial->driver, e);
    }
    if (code != ERR_OK) {
        trial_stop(trial, TRIAL_FAILED, "%s", e->text);
        return code;
    }
    if (trial_step_is_over(trial, "while the connections were opened")) {
        return ERR_OK;
    }
    trial->step = TRIAL_STEP_LOAD;
    return ERR_OK;
}

static void load_flood(struct trial *trial, int64_t grid_zero_ns)
{
    const struct trial_config *config = trial->config;
    const struct flood_config flood = {.workload = config->workload,
                                       .port = trial->port,
                                       .request = trial->request.bytes,
                                       .request_bytes = trial->request.length,
                                       .timeout_ns = trial->times.timeout_ns,
                                       .clock = config->clock,
                                       .stop = config->stop};
    struct err why;

    if (flood_start(&flood, grid_zero_ns + grid_make(config).warmup_ns, &trial->flood, &why) !=
        ERR_OK) {
        trial_stop(trial, TRIAL_FAILED, "%s", why.text);
    }
}

void trial_load_zero(struct trial *trial, int64_t grid_zero_ns)
{
    trial->grid_zero_ns = grid_zero_ns;
    if (trial->counters) {
        counters_read(trial->counters, &trial->counters_at_zero);
    }
}

static void port_load_start(void *self, int64_t grid_zero_ns)
{
    struct trial *trial = self;

    trial_load_zero(trial, grid_zero_ns);
    driver_start(trial->driver, grid_zero_ns);
    if (has_flood(trial->config)) {
        load_flood(trial, grid_zero_ns);
    }
}

static bool port_load_take(void *self, struct driver_interval *interval_out,
                           struct histogram *histogram_out)
{
    struct trial *trial = self;

    bool is_there = driver_take(trial->driver, interval_out, histogram_out);

    trial->blobs.service = is_there ? interval_out->service : NULL;
    trial->blobs.lag = is_there ? interval_out->lag : NULL;
    return is_there;
}

static bool port_load_finished(void *self)
{
    struct trial *trial = self;

    return driver_finished(trial->driver);
}

static void port_load_stop(void *self)
{
    struct trial *trial = self;

    driver_stop(trial->driver);
}

static void port_probe_read(void *self, bool ends_phase, int64_t metrics[METRIC_COUNT])
{
    struct trial *trial = self;

    probe_read(trial->probe, ends_phase, metrics);
}

static bool port_server_ended(void *self)
{
    struct trial *trial = self;

    return trial_server_has_ended(trial);
}

static bool port_stop_wanted(void *self)
{
    return trial_stop_is_wanted(self);
}

/* Samples come when their interval is over: a phase began where its first sample begins. */
enum err_code trial_phases_tell(struct trial *trial, const struct sample *sample, struct err *e)
{
    const struct trial_sink *sink = trial->config->sink;
    enum err_code code = ERR_OK;

    while (code == ERR_OK && trial->phase_count <= (size_t)sample->phase) {
        const char *name = sample_phase_names[trial->phase_count++];
        int64_t began_ns = trial->grid_zero_ns + sample->start_ns;

        code = sink->phase_put(sink->self, name, clock_now_ns(trial->config->clock) - began_ns, e);
    }
    return code;
}

static enum err_code port_sample_put(void *self, const struct sample *sample,
                                     const struct histogram *histogram, struct err *e)
{
    struct trial *trial = self;
    const struct trial_sink *sink = trial->config->sink;
    struct sample whole = *sample;
    enum err_code code = trial_phases_tell(trial, sample, e);

    if (code == ERR_OK) {
        code = trial_blobs_attach(&trial->blobs, histogram, &whole, e);
    }
    if (code != ERR_OK) {
        return code;
    }
    if (sink->sample_seen && sample->phase != SAMPLE_PHASE_DRAIN) {
        const struct progress_sample seen = session_progress_make(
            sample, histogram_quantile(histogram, 0.99), trial->config->softirq_is_charged);

        sink->sample_seen(sink->self, &seen);
    }
    return sink->sample_put(sink->self, &whole, e);
}

/* Of each request of a mix. */
static enum err_code totals_put(struct trial *trial, struct err *e)
{
    const struct trial_sink *sink = trial->config->sink;
    size_t count = trial->config->workload->request_count;
    struct histogram *latency = count > 1 ? malloc(sizeof(*latency)) : NULL;
    enum err_code code = ERR_OK;

    if (count == 1 || !driver_finished(trial->driver)) {
        free(latency);
        return ERR_OK;
    }
    if (!latency) {
        return err_set(e, ERR_LIMIT, "no memory for a histogram");
    }
    for (size_t i = 0; code == ERR_OK && i < count; i++) {
        struct driver_request_total total;
        struct sample_blob blob = {0};

        driver_get_request_total(trial->driver, (uint32_t)i, &total, latency);
        code = trial_blobs_encode(&trial->blobs, latency, &blob, e);
        if (code == ERR_OK) {
            code = sink->total_put(sink->self, (uint32_t)i, &total, &blob, e);
        }
    }
    free(latency);
    return code;
}

static void totals_take(struct trial *trial)
{
    struct driver_totals totals;
    struct counters_total counters;
    struct trial_result *result = trial->result;

    if (trial->counters) {
        counters_read(trial->counters, &counters);
        result->server_request_count =
            (int64_t)(counters.request_count - trial->counters_at_zero.request_count);
    }
    if (!trial->driver || !driver_finished(trial->driver)) {
        return;
    }
    driver_get_totals(trial->driver, &totals);
    result->connections_established = totals.connections_established;
    result->connections_served = totals.connections_served;
    result->started_count = (int64_t)totals.started_count;
    snprintf(result->io_reason, sizeof(result->io_reason), "%s", totals.io_reason);
    result->tls = totals.tls;
}

/* Connections that the driver itself could not open: the server has no part in it. */
static bool client_judge(struct trial *trial)
{
    struct driver_totals totals;

    if (!driver_finished(trial->driver)) {
        return true;
    }
    driver_get_totals(trial->driver, &totals);
    if (totals.outcomes[OUTCOME_CONNECT_NO_PORT] > 0) {
        trial_stop(trial, TRIAL_FAILED,
                   "the driver had no local port for %" PRIu64
                   " connections: widen net.ipv4.ip_local_port_range, or keep connections",
                   totals.outcomes[OUTCOME_CONNECT_NO_PORT]);
        return false;
    }
    if (totals.outcomes[OUTCOME_CONNECT_NO_FD] > 0) {
        trial_stop(trial, TRIAL_FAILED,
                   "the driver had no descriptor for %" PRIu64
                   " connection%s: raise machine.nofile",
                   totals.outcomes[OUTCOME_CONNECT_NO_FD],
                   units_word((int64_t)totals.outcomes[OUTCOME_CONNECT_NO_FD], "", "s"));
        return false;
    }
    return true;
}

static void load_judge(struct trial *trial, const struct sampler_result *sampled)
{
    int64_t window_end_ns = trial->times.warmup_ns + trial->times.window_ns; /* without a flood */
    char when[64];

    trial->result->ok_count = sampled->ok_count;
    if (sampled->window_ns > 0) {
        trial->result->rate_per_s = (double)sampled->ok_count * 1e9 / (double)sampled->window_ns;
    }
    switch (sampled->end) {
    case SAMPLER_STOPPED:
        trial_stop(trial, TRIAL_INTERRUPTED, "interrupted by signal %d",
                   trial_interrupt_number(trial));
        return;
    case SAMPLER_SERVER_ENDED:
        snprintf(when, sizeof(when), "%.1f s after the load began",
                 (double)sampled->server_ended_ns / 1e9);
        trial_crash(trial, when);
        return;
    case SAMPLER_DONE:
        break;
    }
    if (trial->wrk ||
        has_flood(trial->config) || /* it is no failure of the trial when nobody is served */
        !client_judge(trial)) {
        return;
    }
    if (sampled->ok_count == 0) {
        trial_stop(trial, TRIAL_FAILED, "nothing measured: no right answer in the window");
    } else if ((sampled->is_owed || trial->config->workload->think_ns == 0) &&
               sampled->last_ok_ns < window_end_ns) {
        /* Not even what was in flight at the window's end was answered in the drain. */
        trial_stop(trial, TRIAL_FAILED,
                   "the server stopped answering %.1f s before the window's end",
                   (double)(window_end_ns - sampled->last_ok_ns) / 1e9);
    }
}

/* Before whatever else runs here. */
static enum err_code sampler_run_first(const struct sampler_config *config,
                                       const struct sampler_ports *ports,
                                       struct sampler_result *result_out, struct err *e)
{
    struct sampler_priority before;

    (void)sampler_priority_raise(&before);
    enum err_code code = sampler_run(config, ports, result_out, e);
    sampler_priority_restore(&before);
    return code;
}

static enum err_code load_run(struct trial *trial, struct err *e)
{
    const struct trial_config *config = trial->config;
    struct sampler_ports ports = {
        .self = trial,
        .load_start = port_load_start,
        .load_take = port_load_take,
        .load_finished = port_load_finished,
        .load_stop = port_load_stop,
        .probe_read = port_probe_read,
        .server_ended = port_server_ended,
        .stop_wanted = port_stop_wanted,
        .sample_put = port_sample_put,
    };
    const struct sampler_config sampler = {
        .clock = config->clock,
        .grid = grid_make(config),
        .lead_ns = LEAD_NS,
        .drain_ns = trial->times.timeout_ns + 5 * CLOCK_NS_PER_S,
        .death_count = DEATH_SAMPLE_COUNT,
    };
    struct sampler_result sampled;
    struct flood_result flood = {.recover_ns = METRIC_UNKNOWN};
    const struct probe_config probe = {.proc_root = MACHINE_PROC_ROOT,
                                       .sys_root = MACHINE_SYS_ROOT,
                                       .root_pid = trial->root_pid,
                                       .root_is_keeper = !config->engine->builtin && trial->server,
                                       .counters = trial->counters,
                                       .port = trial->port,
                                       .asks_kernel = true};
    enum err_code code = probe_open(&probe, &trial->probe, e);

    if (code != ERR_OK) {
        if (!trial_step_is_over(trial, "before the load")) {
            trial_stop(trial, TRIAL_FAILED, "%s", e->text);
        }
        return trial->result->state == TRIAL_FAILED ? code : ERR_OK;
    }
    if (trial->wrk) {
        trial_wrk_set_ports(&ports);
    }
    code = sampler_run_first(&sampler, &ports, &sampled, e);
    totals_take(trial);
    flood_finish(trial->flood, &flood);
    trial->flood = NULL;
    trial->result->recover_ns = flood.recover_ns;
    if (code == ERR_OK && has_flood(config)) {
        code = trial_tell_flood(config, &flood, e);
    }
    if (code == ERR_OK) {
        code = totals_put(trial, e);
    }
    if (code == ERR_OK) {
        code = trial_tell_warnings(config, trial->result, &sampled, e);
    }
    load_judge(trial, &sampled);
    if (code == ERR_OK && trial->wrk && trial->result->state == TRIAL_FINISHED) {
        code = trial_wrk_tell(trial, e);
    }
    if (code != ERR_OK) {
        trial_stop(trial, TRIAL_FAILED, "%s", e->text);
    }
    trial->step = TRIAL_STEP_STOP;
    return code;
}

static void trial_release(struct trial *trial)
{
    flood_finish(trial->flood, NULL);
    driver_close(trial->driver);
    wrk_load_close(trial->wrk);
    probe_close(trial->probe);
    if (trial->server) {
        supervise_stop(trial->server);
        snprintf(trial->result->server_exit, sizeof(trial->result->server_exit), "%s",
                 supervise_exit(trial->server));
        /* Without memory for it a trial has no log. */
        if (supervise_take_log(trial->server, &trial->result->log, NULL) != ERR_OK) {
            trial->result->log = (struct supervise_log){0};
        }
        supervise_free(trial->server);
    }
    counters_unmap(trial->counters);
    if (trial->counters_fd >= 0) {
        close(trial->counters_fd);
    }
    buf_release(&trial->request);
    trial_blobs_release(&trial->blobs);
    trial->step = TRIAL_STEP_ENDED;
}

static enum err_code step_run(struct trial *trial, struct err *e)
{
    switch (trial->step) {
    case TRIAL_STEP_START:
        return trial_start_run(trial, e);
    case TRIAL_STEP_READY:
        trial_ready_run(trial);
        return ERR_OK;
    case TRIAL_STEP_SETTLE:
        trial_settle_run(trial);
        return ERR_OK;
    case TRIAL_STEP_CHECK:
        trial_check_run(trial);
        return ERR_OK;
    case TRIAL_STEP_RAMP:
        return ramp_run(trial, e);
    case TRIAL_STEP_LOAD:
        return is_replay(trial->config) ? trial_replay_run(trial, grid_make(trial->config), e)
                                        : load_run(trial, e);
    case TRIAL_STEP_STOP:
    case TRIAL_STEP_ENDED:
        trial_release(trial);
        return ERR_OK;
    }
    return ERR_OK;
}

/* The load has phases of its own. */
static enum err_code step_tell(const struct trial *trial, struct err *e)
{
    static const char *const names[] = {
        [TRIAL_STEP_START] = "start", [TRIAL_STEP_READY] = "ready",  [TRIAL_STEP_SETTLE] = "settle",
        [TRIAL_STEP_CHECK] = "check", [TRIAL_STEP_RAMP] = "connect", [TRIAL_STEP_STOP] = "stop"};
    const struct trial_sink *sink = trial->config->sink;

    return trial->step == TRIAL_STEP_LOAD ? ERR_OK
                                          : sink->phase_put(sink->self, names[trial->step], 0, e);
}

enum err_code trial_run(const struct trial_config *config, struct trial_result *result_out,
                        struct err *e)
{
    struct trial trial = {.config = config,
                          .times = plan_times(config->plan, config->workload),
                          .result = result_out,
                          .step = is_replay(config) ? TRIAL_STEP_LOAD : TRIAL_STEP_START,
                          .counters_fd = -1};
    enum err_code code = ERR_OK;

    *result_out = (struct trial_result){.state = TRIAL_FINISHED,
                                        .ready_ns = METRIC_UNKNOWN,
                                        .connections_requested = config->connection_count,
                                        .connections_established = METRIC_UNKNOWN,
                                        .connections_served = METRIC_UNKNOWN,
                                        .started_count = METRIC_UNKNOWN,
                                        .server_request_count = METRIC_UNKNOWN,
                                        .recover_ns = METRIC_UNKNOWN};
    tls_set(&trial);
    buf_init(&trial.request,
             config->workload->request_count * (PLAN_BODY_BYTES_MAX + REQUEST_HEAD_BYTES_MAX));
    trial_blobs_init(&trial.blobs);
    while (code == ERR_OK && trial.step != TRIAL_STEP_ENDED) {
        code = step_tell(&trial, e);
        code = code == ERR_OK ? step_run(&trial, e) : code;
    }
    if (trial.step != TRIAL_STEP_ENDED) {
        trial_release(&trial);
    }
    return code;
}
