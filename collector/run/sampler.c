// SPDX-License-Identifier: Apache-2.0
// The loop of a trial under load.
#include "collector/run/sampler.h"

#include <stdlib.h>
#include <string.h>

#define DRAIN_LOOK_NS (5 * CLOCK_NS_PER_MS)
#define DRAIN_PATIENCE_NS                                                                          \
    (500 * CLOCK_NS_PER_MS) /* for what is in flight when the user ends it                         \
                             */

/* One reading of the probe; it waits here for the driver's interval of the same index. */
struct reading {
    bool is_set;
    uint32_t index;
    int64_t metrics[METRIC_COUNT];
};

struct sampler {
    const struct sampler_config *config;
    const struct sampler_ports *ports;
    struct sampler_result *result;
    int64_t zero_ns;         /* of the grid, on the clock */
    uint32_t interval_count; /* of the grid, without the drain's */
    struct reading ring[SAMPLER_RING_COUNT];
    struct histogram histogram;
};

static int64_t now_on_grid_ns(const struct sampler *sampler)
{
    return clock_now_ns(sampler->config->clock) - sampler->zero_ns;
}

/* Whether the next interval is of another phase; the drain is the last. */
static bool phase_ends(const struct sampler *sampler, uint32_t index)
{
    const struct grid *grid = &sampler->config->grid;

    return index >= sampler->interval_count ||
           grid_phase(grid, index) != grid_phase(grid, index + 1);
}

/* Nothing is known of an interval but how late one came to it. */
static struct reading *reading_put(struct sampler *sampler, uint32_t index, int64_t lateness_ns)
{
    struct reading *reading = &sampler->ring[index % SAMPLER_RING_COUNT];

    for (int i = 0; i < METRIC_COUNT; i++) {
        reading->metrics[i] = METRIC_UNKNOWN;
    }
    reading->metrics[METRIC_lateness_ns] = lateness_ns;
    reading->index = index;
    reading->is_set = true;
    return reading;
}

static void reading_take(struct sampler *sampler, uint32_t index, bool ends_phase,
                         int64_t lateness_ns)
{
    struct reading *reading = reading_put(sampler, index, lateness_ns);

    sampler->ports->probe_read(sampler->ports->self, ends_phase, reading->metrics);
    reading->metrics[METRIC_lateness_ns] = lateness_ns;
}

/* Whether the next grid point has passed as well, because this program stood still: what would be
 * read now is of that one. The end of a phase is read at all events. */
static bool reading_is_missed(const struct sampler *sampler, uint32_t index)
{
    return !phase_ends(sampler, index) &&
           now_on_grid_ns(sampler) >= grid_start_ns(&sampler->config->grid, index + 2);
}

static void metrics_join(const struct sampler *sampler, const struct driver_interval *interval,
                         int64_t metrics[METRIC_COUNT])
{
    const struct reading *reading = &sampler->ring[interval->index % SAMPLER_RING_COUNT];
    bool has_reading = reading->is_set && reading->index == interval->index;

    for (int i = 0; i < METRIC_COUNT; i++) {
        if (metric_infos[i].scope == METRIC_SCOPE_DRIVER) {
            metrics[i] = interval->metrics[i];
        } else {
            metrics[i] = has_reading ? reading->metrics[i] : METRIC_UNKNOWN;
        }
    }
}

static enum err_code interval_store(struct sampler *sampler, const struct driver_interval *interval,
                                    struct err *e)
{
    struct sample sample = {.index = interval->index,
                            .phase = interval->phase,
                            .start_ns = interval->start_ns,
                            .end_ns = interval->end_ns};

    metrics_join(sampler, interval, sample.metrics);
    memcpy(sample.outcomes, interval->outcomes, sizeof(sample.outcomes));
    sampler->result->sample_count++;
    sampler->result->folded_count += interval->is_folded;
    if (interval->outcomes[OUTCOME_OK]) {
        sampler->result->last_ok_ns = sample.end_ns;
    }
    if (interval->phase == SAMPLE_PHASE_WINDOW) {
        sampler->result->ok_count += interval->outcomes[OUTCOME_OK];
        sampler->result->window_ns += sample.end_ns - sample.start_ns;
        sampler->result->is_owed = sample.metrics[METRIC_in_flight_count] > 0;
    }
    return sampler->ports->sample_put(sampler->ports->self, &sample, &sampler->histogram, e);
}

/*
 * Takes what the driver has ready; never waits for it. `read_count` intervals have a reading: after
 * this program stood still the driver is further, and the rest is taken when it was read for.
 */
static enum err_code intervals_take(struct sampler *sampler, uint32_t read_count, struct err *e)
{
    struct driver_interval interval;

    while (sampler->result->sample_count < read_count &&
           sampler->ports->load_take(sampler->ports->self, &interval, &sampler->histogram)) {
        /* The drain's reading belongs to the moment when its interval is complete. */
        if (interval.phase == SAMPLE_PHASE_DRAIN) {
            reading_take(sampler, interval.index, true, METRIC_UNKNOWN);
        }
        enum err_code code = interval_store(sampler, &interval, e);
        if (code != ERR_OK) {
            return code;
        }
    }
    return ERR_OK;
}

/* False when the user wants to end before the deadline. */
static bool grid_point_wait(const struct sampler *sampler, int64_t deadline_ns)
{
    const struct clock *clock = sampler->config->clock;

    while (clock_now_ns(clock) < deadline_ns) {
        if (sampler->ports->stop_wanted(sampler->ports->self)) {
            return false;
        }
        clock->sleep_until_ns(clock->self, deadline_ns);
    }
    return !sampler->ports->stop_wanted(sampler->ports->self);
}

static void server_look(struct sampler *sampler)
{
    struct sampler_result *result = sampler->result;

    if (result->server_ended_ns == METRIC_UNKNOWN &&
        sampler->ports->server_ended(sampler->ports->self)) {
        result->server_ended_ns = now_on_grid_ns(sampler);
        result->end = SAMPLER_SERVER_ENDED;
    }
}

static void load_end_early(struct sampler *sampler, enum sampler_end end)
{
    sampler->result->end = end;
    sampler->ports->load_stop(sampler->ports->self);
}

/* Grid point after grid point through warm-up and window. */
static enum err_code grid_walk(struct sampler *sampler, struct err *e)
{
    uint32_t left_count = sampler->config->death_count;

    for (uint32_t index = 0; index < sampler->interval_count; index++) {
        int64_t deadline_ns = sampler->zero_ns + grid_start_ns(&sampler->config->grid, index + 1);
        bool goes_on = grid_point_wait(sampler, deadline_ns);
        int64_t lateness_ns = clock_now_ns(sampler->config->clock) - deadline_ns;

        if (goes_on && reading_is_missed(sampler, index)) {
            (void)reading_put(sampler, index, lateness_ns);
        } else {
            reading_take(sampler, index, phase_ends(sampler, index),
                         goes_on ? lateness_ns : METRIC_UNKNOWN);
        }
        if (!goes_on) {
            load_end_early(sampler, SAMPLER_STOPPED);
            return ERR_OK;
        }
        enum err_code code = intervals_take(sampler, index + 1, e);
        if (code != ERR_OK) {
            load_end_early(sampler, sampler->result->end);
            return code;
        }
        server_look(sampler);
        if (sampler->result->server_ended_ns != METRIC_UNKNOWN && left_count-- == 0) {
            load_end_early(sampler, SAMPLER_SERVER_ENDED);
            return ERR_OK;
        }
    }
    return ERR_OK;
}

static enum err_code drain_walk(struct sampler *sampler, struct err *e)
{
    const struct clock *clock = sampler->config->clock;
    int64_t began_ns = clock_now_ns(clock);
    int64_t deadline_ns = began_ns + sampler->config->drain_ns;
    bool is_hurried = false;

    for (;;) {
        enum err_code code = intervals_take(sampler, UINT32_MAX, e);
        if (code != ERR_OK || sampler->ports->load_finished(sampler->ports->self)) {
            return code;
        }
        int64_t now_ns = clock_now_ns(clock);
        if (now_ns >= deadline_ns) {
            return err_set(e, ERR_LIMIT, "the driver did not finish within %lld ms of its window",
                           (long long)(sampler->config->drain_ns / CLOCK_NS_PER_MS));
        }
        if (!is_hurried && now_ns >= began_ns + DRAIN_PATIENCE_NS &&
            sampler->ports->stop_wanted(sampler->ports->self)) {
            sampler->ports->load_stop(sampler->ports->self);
            is_hurried = true;
        }
        clock->sleep_until_ns(clock->self, now_ns + DRAIN_LOOK_NS);
        server_look(sampler);
    }
}

enum err_code sampler_run(const struct sampler_config *config, const struct sampler_ports *ports,
                          struct sampler_result *result_out, struct err *e)
{
    struct sampler *sampler = calloc(1, sizeof(*sampler));

    *result_out = (struct sampler_result){.end = SAMPLER_DONE, .server_ended_ns = METRIC_UNKNOWN};
    if (!sampler) {
        return err_set(e, ERR_LIMIT, "no memory for the sampler");
    }
    sampler->config = config;
    sampler->ports = ports;
    sampler->result = result_out;
    sampler->interval_count = grid_interval_count(&config->grid);
    sampler->zero_ns = clock_now_ns(config->clock) + config->lead_ns;
    ports->load_start(ports->self, sampler->zero_ns);
    (void)grid_point_wait(sampler, sampler->zero_ns);
    /* The first deltas count from grid zero. */
    reading_take(sampler, 0, false, METRIC_UNKNOWN);
    enum err_code code = grid_walk(sampler, e);
    if (code == ERR_OK) {
        code = drain_walk(sampler, e);
    }
    free(sampler);
    return code;
}
