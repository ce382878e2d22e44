// SPDX-License-Identifier: Apache-2.0
// One trial, as steps.
#include "collector/run/trial.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/probe/listener.h"
#include "collector/probe/machine.h"
#include "collector/probe/probe.h"
#include "collector/run/check.h"
#include "collector/run/engine_command.h"
#include "collector/run/exchange.h"
#include "collector/run/flood.h"
#include "collector/run/sampler.h"
#include "collector/run/sampler_priority.h"
#include "collector/run/trial_events.h"
#include "engines/base/units.h"
#include "engines/counters.h"

#define LEAD_NS            (50 * CLOCK_NS_PER_MS) /* from the ramp's end to grid zero */
#define READY_TRY_NS       (5 * CLOCK_NS_PER_S)   /* then it is asked anew */
#define READY_LOOK_NS      (2 * CLOCK_NS_PER_MS)
#define WAIT_SLICE_NS      (100 * CLOCK_NS_PER_MS)
#define DEATH_SAMPLE_COUNT 20
#define CONNECT_RATE_PER_S 2000
#define HISTOGRAM_BYTES    (1 << 20)

const char *const trial_state_names[] = {"finished", "crashed", "failed", "interrupted"};

struct trial {
    const struct trial_config *config;
    struct trial_result *result;
    enum trial_step step;
    int counters_fd;
    struct counters_page *counters;
    struct counters_total counters_at_zero;
    struct supervised *server;
    uint16_t port;
    struct check_answer answer;
    struct buf request;
    struct driver *driver;
    struct probe *probe;
    struct flood *flood;                   /* NULL: none, or not yet */
    struct buf encoded[3];                 /* the histograms of one sample: latency, service, lag */
    const struct histogram *service, *lag; /* of the interval that the sampler took last */
};

/* The first reason is kept: what follows is its consequence. */
static void trial_end(struct trial *trial, enum trial_state state, const char *format, ...)
    ATTR_PRINTF(3, 4);
static void trial_end(struct trial *trial, enum trial_state state, const char *format, ...)
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

static bool stop_is_wanted(const struct trial *trial)
{
    return trial->config->stop && *trial->config->stop;
}

static void crash_end(struct trial *trial, const char *when)
{
    static const char listening[] = "listening ";
    char tail[160];

    supervise_copy_log_tail(trial->server, tail, sizeof(tail));
    /* That it listened is no reason for its end. */
    if (strncmp(tail, listening, sizeof(listening) - 1) == 0 &&
        !strchr(tail + sizeof(listening) - 1, ' ')) {
        tail[0] = '\0';
    }
    trial_end(trial, TRIAL_CRASHED, "the server ended %s: %s%s%s", when,
              supervise_exit(trial->server), tail[0] ? "; it wrote: " : "", tail);
}

static int interrupt_number(const struct trial *trial)
{
    return (int)*trial->config->stop;
}

/* Whether the trial must end now: the user wants it, or the server is gone. */
static bool step_is_over(struct trial *trial, const char *when)
{
    if (stop_is_wanted(trial)) {
        trial_end(trial, TRIAL_INTERRUPTED, "interrupted by signal %d %s", interrupt_number(trial),
                  when);
        return true;
    }
    if (supervise_has_ended(trial->server)) {
        crash_end(trial, when);
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

/* --- start --- */

static enum err_code server_start(struct trial *trial, struct err *e)
{
    const struct trial_config *config = trial->config;
    struct engine_command command;

    engine_command_init(&command, config->builtin, config->thread_count, config->extra_work_percent,
                        trial->counters_fd);
    struct supervise_config supervise = {.program = config->engine_program,
                                         .arguments = command.words,
                                         .cpus = config->server_cpus,
                                         .nofile = config->nofile,
                                         .counters_fd = trial->counters_fd,
                                         .padding_bytes = config->padding_bytes,
                                         .clock = config->clock};
    return supervise_start(&supervise, &trial->server, e);
}

static enum err_code start_run(struct trial *trial, struct err *e)
{
    int64_t deadline_ns = clock_now_ns(trial->config->clock) + trial->config->plan->ready_within_ns;
    struct err why;
    enum err_code code = counters_create(&trial->counters_fd, &trial->counters, e);

    if (code == ERR_OK) {
        code = server_start(trial, e);
    }
    if (code != ERR_OK) {
        trial_end(trial, TRIAL_FAILED, "%s", e->text);
        return code;
    }
    while (!supervise_find_port(trial->server, &trial->port)) {
        if (step_is_over(trial, "before it listened")) {
            return ERR_OK;
        }
        if (clock_now_ns(trial->config->clock) >= deadline_ns) {
            trial_end(trial, TRIAL_FAILED, "not ready: it printed no listening port in time");
            return ERR_OK;
        }
        slice_sleep(trial, deadline_ns, READY_LOOK_NS);
    }
    /* A stranger that answers on the port must not be measured. */
    if (listener_check_owner(MACHINE_PROC_ROOT, supervise_pid(trial->server), trial->port, &why) !=
        ERR_OK) {
        trial_end(trial, TRIAL_FAILED, "%s", why.text);
        return ERR_OK;
    }
    trial->step = TRIAL_STEP_READY;
    return ERR_OK;
}

/* --- ready --- */

static bool ready_cancel(void *self)
{
    struct trial *trial = self;

    return stop_is_wanted(trial) || supervise_has_ended(trial->server);
}

/* Whether an answer came, of whatever status, into trial->answer. */
static bool ready_ask(struct trial *trial, int64_t left_ns, struct err *why)
{
    const struct trial_config *config = trial->config;
    const struct check_cancel cancel = {trial, ready_cancel};
    int64_t timeout_ns = config->plan->timeout_ns;
    int64_t try_ns = timeout_ns > READY_TRY_NS ? timeout_ns : READY_TRY_NS;

    return check_fetch(config->workload, trial->port, left_ns < try_ns ? left_ns : try_ns, &cancel,
                       &trial->answer, why) == ERR_OK;
}

static void ready_run(struct trial *trial)
{
    const struct trial_config *config = trial->config;
    int64_t started_ns = supervise_started_ns(trial->server);
    int64_t deadline_ns = started_ns + config->plan->ready_within_ns;
    struct err why = {0};

    while (!step_is_over(trial, "before it was ready")) {
        int64_t left_ns = deadline_ns - clock_now_ns(config->clock);
        if (left_ns <= 0) {
            char limit[UNITS_TEXT_BYTES];
            units_format_duration(config->plan->ready_within_ns, limit);
            trial_end(trial, TRIAL_FAILED, "not ready within %s: %s", limit, why.text);
            return;
        }
        bool answered = ready_ask(trial, left_ns, &why);
        bool is_right = answered && check_compare(config->workload, &trial->answer, &why) == ERR_OK;
        /* Another status may still change: a server that warms up says 503. A wrong body stays. */
        if (answered && trial->answer.status == config->workload->expect.status) {
            trial->result->ready_ns = clock_now_ns(config->clock) - started_ns;
            trial->step = TRIAL_STEP_SETTLE;
            if (!is_right) {
                trial_end(trial, TRIAL_FAILED, "wrong answer: %s", why.text);
            }
            return;
        }
        slice_sleep(trial, deadline_ns, READY_LOOK_NS);
    }
}

static void settle_run(struct trial *trial)
{
    const struct clock *clock = trial->config->clock;
    int64_t deadline_ns = clock_now_ns(clock) + trial->config->plan->settle_ns;

    while (!step_is_over(trial, "before the load")) {
        if (clock_now_ns(clock) >= deadline_ns) {
            trial->step = TRIAL_STEP_RAMP;
            return;
        }
        slice_sleep(trial, deadline_ns, WAIT_SLICE_NS);
    }
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

static enum err_code ramp_run(struct trial *trial, struct err *e)
{
    const struct trial_config *config = trial->config;
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(trial->port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct driver_config driver = {
        .address_bytes = sizeof(address),
        .request_is_head = exchange_is_head(config->workload),
        .expect = exchange_make_expect(config->workload, &trial->answer),
        .connection_count = config->connection_count,
        .arrivals = {.rate_per_s = config->rate_per_s,
                     .kind = config->workload->is_poisson ? ARRIVALS_POISSON : ARRIVALS_UNIFORM,
                     .seed = config->plan->seed},
        .thread_count = config->driver_threads,
        .cpus = config->driver_cpus,
        .timeout_ns = config->plan->timeout_ns,
        .connect_rate_per_s = CONNECT_RATE_PER_S,
        .grid = grid_make(config),
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
    enum err_code code = exchange_format_request(config->workload, trial->port, &trial->request, e);
    if (code == ERR_OK) {
        driver.request = trial->request.bytes;
        driver.request_bytes = trial->request.length;
        code = driver_open(&driver, &trial->driver, e);
    }
    if (code != ERR_OK) {
        trial_end(trial, TRIAL_FAILED, "%s", e->text);
        return code;
    }
    if (step_is_over(trial, "while the connections were opened")) {
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
                                       .timeout_ns = config->plan->timeout_ns,
                                       .clock = config->clock,
                                       .stop = config->stop};
    struct err why;

    if (flood_start(&flood, grid_zero_ns + grid_make(config).warmup_ns, &trial->flood, &why) !=
        ERR_OK) {
        trial_end(trial, TRIAL_FAILED, "%s", why.text);
    }
}

static void port_load_start(void *self, int64_t grid_zero_ns)
{
    struct trial *trial = self;

    counters_read(trial->counters, &trial->counters_at_zero);
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

    trial->service = is_there ? interval_out->service : NULL;
    trial->lag = is_there ? interval_out->lag : NULL;
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

    return supervise_has_ended(trial->server);
}

static bool port_stop_wanted(void *self)
{
    return stop_is_wanted(self);
}

/* Encodes what is not empty. */
static enum err_code blob_make(const struct histogram *histogram, struct buf *encoded,
                               struct sample_blob *blob_out, struct err *e)
{
    if (!histogram || (histogram->total_count == 0 && histogram->overflow_count == 0)) {
        return ERR_OK;
    }
    buf_clear(encoded);
    enum err_code code = histogram_encode(histogram, encoded, e);
    if (code == ERR_OK) {
        *blob_out = (struct sample_blob){(const uint8_t *)encoded->bytes, encoded->length};
    }
    return code;
}

static enum err_code port_sample_put(void *self, const struct sample *sample,
                                     const struct histogram *histogram, struct err *e)
{
    struct trial *trial = self;
    const struct trial_sink *sink = trial->config->sink;
    struct sample whole = *sample;

    enum err_code code = blob_make(histogram, &trial->encoded[0], &whole.histogram, e);
    if (code == ERR_OK) {
        code = blob_make(trial->service, &trial->encoded[1], &whole.service_histogram, e);
    }
    if (code == ERR_OK) {
        code = blob_make(trial->lag, &trial->encoded[2], &whole.lag_histogram, e);
    }
    if (code != ERR_OK) {
        return code;
    }
    int64_t length_ns = sample->end_ns - sample->start_ns;
    double rate_per_s =
        length_ns > 0 ? (double)sample->outcomes[OUTCOME_OK] * 1e9 / (double)length_ns : 0.0;
    if (sink->sample_seen && sample->phase != SAMPLE_PHASE_DRAIN) {
        sink->sample_seen(sink->self, rate_per_s, histogram_quantile(histogram, 0.99));
    }
    return sink->sample_put(sink->self, &whole, e);
}

static void totals_take(struct trial *trial)
{
    struct driver_totals totals;
    struct counters_total counters;
    struct trial_result *result = trial->result;

    counters_read(trial->counters, &counters);
    result->server_request_count =
        (int64_t)(counters.request_count - trial->counters_at_zero.request_count);
    if (!driver_finished(trial->driver)) {
        return;
    }
    driver_get_totals(trial->driver, &totals);
    result->connections_established = totals.connections_established;
    result->connections_served = totals.connections_served;
    result->started_count = (int64_t)totals.started_count;
}

static void load_judge(struct trial *trial, const struct sampler_result *sampled)
{
    const struct plan *plan = trial->config->plan;
    int64_t window_end_ns = plan->warmup_ns + plan->window_ns; /* without a flood */
    char when[64];

    trial->result->ok_count = sampled->ok_count;
    if (sampled->window_ns > 0) {
        trial->result->rate_per_s = (double)sampled->ok_count * 1e9 / (double)sampled->window_ns;
    }
    switch (sampled->end) {
    case SAMPLER_STOPPED:
        trial_end(trial, TRIAL_INTERRUPTED, "interrupted by signal %d", interrupt_number(trial));
        return;
    case SAMPLER_SERVER_ENDED:
        snprintf(when, sizeof(when), "%.1f s after the load began",
                 (double)sampled->server_ended_ns / 1e9);
        crash_end(trial, when);
        return;
    case SAMPLER_DONE:
        break;
    }
    if (has_flood(trial->config)) { /* it is no failure of the trial when nobody is served */
        return;
    }
    if (sampled->ok_count == 0) {
        trial_end(trial, TRIAL_FAILED, "nothing measured: no right answer in the window");
    } else if (sampled->last_ok_ns < window_end_ns) {
        /* Not even what was in flight at the window's end was answered in the drain. */
        trial_end(trial, TRIAL_FAILED,
                  "the server stopped answering %.1f s before the window's end",
                  (double)(window_end_ns - sampled->last_ok_ns) / 1e9);
    }
}

static enum err_code load_run(struct trial *trial, struct err *e)
{
    const struct trial_config *config = trial->config;
    const struct sampler_ports ports = {
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
        .drain_ns = config->plan->timeout_ns + 5 * CLOCK_NS_PER_S,
        .death_count = DEATH_SAMPLE_COUNT,
    };
    struct sampler_result sampled;
    struct sampler_priority before;
    struct flood_result flood = {.recover_ns = METRIC_UNKNOWN};
    const struct probe_config probe = {.proc_root = MACHINE_PROC_ROOT,
                                       .sys_root = MACHINE_SYS_ROOT,
                                       .root_pid = supervise_pid(trial->server),
                                       .counters = trial->counters,
                                       .port = trial->port,
                                       .asks_kernel = true};
    enum err_code code = probe_open(&probe, &trial->probe, e);

    if (code != ERR_OK) {
        if (!step_is_over(trial, "before the load")) {
            trial_end(trial, TRIAL_FAILED, "%s", e->text);
        }
        return trial->result->state == TRIAL_FAILED ? code : ERR_OK;
    }
    (void)sampler_priority_raise(&before);
    code = sampler_run(&sampler, &ports, &sampled, e);
    sampler_priority_restore(&before);
    totals_take(trial);
    flood_finish(trial->flood, &flood);
    trial->flood = NULL;
    trial->result->recover_ns = flood.recover_ns;
    if (code == ERR_OK && has_flood(config)) {
        code = trial_tell_flood(config, &flood, e);
    }
    if (code == ERR_OK) {
        code = trial_tell_warnings(config, trial->result, &sampled, e);
    }
    load_judge(trial, &sampled);
    if (code != ERR_OK) {
        trial_end(trial, TRIAL_FAILED, "%s", e->text);
    }
    trial->step = TRIAL_STEP_STOP;
    return code;
}

static void trial_release(struct trial *trial)
{
    flood_finish(trial->flood, NULL);
    driver_close(trial->driver);
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
    for (size_t i = 0; i < ARRAY_COUNT(trial->encoded); i++) {
        buf_release(&trial->encoded[i]);
    }
    trial->step = TRIAL_STEP_ENDED;
}

static enum err_code step_run(struct trial *trial, struct err *e)
{
    switch (trial->step) {
    case TRIAL_STEP_START:
        return start_run(trial, e);
    case TRIAL_STEP_READY:
        ready_run(trial);
        return ERR_OK;
    case TRIAL_STEP_SETTLE:
        settle_run(trial);
        return ERR_OK;
    case TRIAL_STEP_RAMP:
        return ramp_run(trial, e);
    case TRIAL_STEP_LOAD:
        return load_run(trial, e);
    case TRIAL_STEP_STOP:
    case TRIAL_STEP_ENDED:
        trial_release(trial);
        return ERR_OK;
    }
    return ERR_OK;
}

enum err_code trial_run(const struct trial_config *config, struct trial_result *result_out,
                        struct err *e)
{
    struct trial trial = {.config = config, .result = result_out, .counters_fd = -1};
    enum err_code code = ERR_OK;

    *result_out = (struct trial_result){.state = TRIAL_FINISHED,
                                        .ready_ns = METRIC_UNKNOWN,
                                        .connections_requested = config->connection_count,
                                        .connections_established = METRIC_UNKNOWN,
                                        .connections_served = METRIC_UNKNOWN,
                                        .started_count = METRIC_UNKNOWN,
                                        .server_request_count = METRIC_UNKNOWN,
                                        .recover_ns = METRIC_UNKNOWN};
    buf_init(&trial.request, PLAN_BODY_BYTES_MAX + (64 << 10));
    for (size_t i = 0; i < ARRAY_COUNT(trial.encoded); i++) {
        buf_init(&trial.encoded[i], HISTOGRAM_BYTES);
    }
    while (code == ERR_OK && trial.step != TRIAL_STEP_ENDED) {
        code = step_run(&trial, e);
    }
    if (trial.step != TRIAL_STEP_ENDED) {
        trial_release(&trial);
    }
    return code;
}
