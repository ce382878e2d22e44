// SPDX-License-Identifier: Apache-2.0
// A trial that is played from a recorded one: no server is started and nothing is sent; its samples
// come when their time has come, as they were stored.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "collector/digest.h"
#include "collector/run/engine_command.h"
#include "collector/run/trial_work.h"
#include "collector/store/replay_source.h"

#define LEAD_NS        (50 * CLOCK_NS_PER_MS)
#define SAID_BYTES_MAX 4096
#define COMMAND_BYTES  16384 /* a path, escaped */

struct replaying {
    struct trial *trial;
    const struct replay_trial *recorded;
    int64_t zero_ns;
    size_t next_index, end_index;
};

/* --- what the sampler sees --- */

static void port_start(void *self, int64_t grid_zero_ns)
{
    struct replaying *replaying = self;

    replaying->zero_ns = grid_zero_ns;
    trial_load_zero(replaying->trial, grid_zero_ns);
}

static bool port_take(void *self, struct driver_interval *interval_out,
                      struct histogram *histogram_out)
{
    struct replaying *replaying = self;
    const struct sample *sample = &replaying->recorded->samples[replaying->next_index];

    if (replaying->next_index >= replaying->end_index ||
        clock_now_ns(replaying->trial->config->clock) < replaying->zero_ns + sample->end_ns) {
        return false;
    }
    histogram_clear(histogram_out);
    *interval_out = (struct driver_interval){.index = sample->index,
                                             .phase = sample->phase,
                                             .start_ns = sample->start_ns,
                                             .end_ns = sample->end_ns};
    memcpy(interval_out->metrics, sample->metrics, sizeof(interval_out->metrics));
    memcpy(interval_out->outcomes, sample->outcomes, sizeof(interval_out->outcomes));
    replaying->next_index++;
    return true;
}

static bool port_finished(void *self)
{
    const struct replaying *replaying = self;

    return replaying->next_index >= replaying->end_index;
}

static void port_stop(void *self)
{
    struct replaying *replaying = self;

    replaying->end_index = replaying->next_index;
}

/* The machine that plays is not the one that was measured. */
static void port_probe_read(void *self, bool ends_phase, int64_t metrics[METRIC_COUNT])
{
    (void)self, (void)ends_phase, (void)metrics;
}

static bool port_server_ended(void *self)
{
    (void)self;
    return false;
}

static bool port_stop_wanted(void *self)
{
    const struct replaying *replaying = self;

    return trial_stop_is_wanted(replaying->trial);
}

/* Not what the sampler put together, but the recorded sample with all that it has. */
static enum err_code port_sample_put(void *self, const struct sample *sample,
                                     const struct histogram *histogram, struct err *e)
{
    struct replaying *replaying = self;
    const struct trial_sink *sink = replaying->trial->config->sink;
    const struct sample *recorded = &replaying->recorded->samples[sample->index];
    enum err_code code = trial_phases_tell(replaying->trial, recorded, e);

    (void)histogram;
    if (code == ERR_OK && sink->sample_seen && recorded->phase != SAMPLE_PHASE_DRAIN) {
        const struct progress_sample seen = session_progress_make(recorded, -1, false);

        sink->sample_seen(sink->self, &seen);
    }
    return code == ERR_OK ? sink->sample_put(sink->self, recorded, e) : code;
}

/* --- the trial --- */

static void result_copy(const struct replay_trial *recorded, struct trial_result *result)
{
    result->ready_ns = recorded->ready_ns;
    result->connections_requested = recorded->connections_requested;
    result->connections_established = recorded->connections_established;
    result->connections_served = recorded->connections_served;
    result->started_count = recorded->started_count;
    result->server_request_count = recorded->server_request_count;
}

/* The file is the one that the plan was read with; another would be another plan. */
static enum err_code source_check(const struct plan_workload *workload, struct err *e)
{
    char hex[DIGEST_HEX_BYTES];
    enum err_code code = digest_file(workload->replay_file, hex, e);

    if (code == ERR_OK && strcmp(hex, workload->replay_sha256) != 0) {
        code = err_set(e, ERR_MISMATCH,
                       "%.200s has changed since the plan was read: SHA-256 %s, the plan says %s",
                       workload->replay_file, hex, workload->replay_sha256);
    }
    return code;
}

/* Which trial it was, and the digest of the file that it stands in. */
static enum err_code source_tell(const struct trial *trial, const struct replay_trial *recorded,
                                 struct err *e)
{
    const struct trial_sink *sink = trial->config->sink;
    const struct plan_workload *workload = trial->config->workload;
    const char *const words[] = {"replay", workload->replay, NULL};
    char said[SAID_BYTES_MAX];
    struct buf command;

    snprintf(said, sizeof(said), "trial %" PRId64 " of session %.100s, SHA-256 of the file %s",
             recorded->trial_id, recorded->session_uid, workload->replay_sha256);
    buf_init(&command, COMMAND_BYTES);
    engine_command_format(words, &command);
    enum err_code code = buf_check(&command, "replay", e);
    if (code == ERR_OK) {
        const struct trial_said row = {.command_json = command.bytes, .output = said};

        code = sink->said_put(sink->self, &row, e);
    }
    buf_release(&command);
    return code;
}

static enum err_code replay_play(struct trial *trial, const struct grid *grid,
                                 const struct replay_trial *recorded, struct err *e)
{
    struct replaying replaying = {
        .trial = trial, .recorded = recorded, .end_index = recorded->sample_count};
    const struct sample *last = &recorded->samples[recorded->sample_count - 1];
    const struct sampler_ports ports = {
        .self = &replaying,
        .load_start = port_start,
        .load_take = port_take,
        .load_finished = port_finished,
        .load_stop = port_stop,
        .probe_read = port_probe_read,
        .server_ended = port_server_ended,
        .stop_wanted = port_stop_wanted,
        .sample_put = port_sample_put,
    };
    const struct sampler_config sampler = {.clock = trial->config->clock,
                                           .grid = *grid,
                                           .lead_ns = LEAD_NS,
                                           .drain_ns =
                                               last->end_ns - last->start_ns + 5 * CLOCK_NS_PER_S};
    struct trial_result *result = trial->result;
    struct sampler_result sampled;
    enum err_code code = sampler_run(&sampler, &ports, &sampled, e);

    result->ok_count = sampled.ok_count;
    if (sampled.window_ns > 0) {
        result->rate_per_s = (double)sampled.ok_count * 1e9 / (double)sampled.window_ns;
    }
    if (sampled.end == SAMPLER_STOPPED) {
        trial_stop(trial, TRIAL_INTERRUPTED, "interrupted by signal %d",
                   trial_interrupt_number(trial));
        return code;
    }
    result_copy(recorded, result);
    return code == ERR_OK ? source_tell(trial, recorded, e) : code;
}

enum err_code trial_replay_run(struct trial *trial, struct grid grid, struct err *e)
{
    const struct trial_config *config = trial->config;
    const struct replay_trial *recorded = NULL;
    struct replay_source *source = NULL;
    enum err_code code = source_check(config->workload, e);

    if (code == ERR_OK) {
        code = replay_source_open(config->workload->replay_file, RESULTS_DB_SCHEMA, &source, e);
    }
    if (code == ERR_OK) {
        code = replay_source_load(source, &config->replay, &grid, &recorded, e);
    }
    if (code == ERR_OK) {
        code = replay_play(trial, &grid, recorded, e);
    }
    replay_source_close(source);
    if (code != ERR_OK) {
        trial_stop(trial, TRIAL_FAILED, "%s", e->text);
    }
    trial->step = TRIAL_STEP_STOP;
    return code;
}
