// SPDX-License-Identifier: Apache-2.0
// Tests of the sampling loop with a fake clock, a fake driver and a fake probe.
#include <criterion/criterion.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "collector/run/sampler.h"
#include "collector/run/sampler_priority.h"
#include "tests/support/clock_fake.h"

#define MS CLOCK_NS_PER_MS

/* A load that answers 100 requests an interval, and what the test wants to go wrong. */
struct world {
    struct clock_fake clock;
    struct grid grid;
    int64_t zero_ns, stopped_ns;
    int64_t delay_ns; /* an interval is ready so much after its end */
    uint32_t next_index;
    bool drained, finished, is_folding;
    int64_t last_end_ns;
    uint32_t stop_count;
    int64_t dead_ns, stop_ns; /* from grid zero; INT64_MAX: never */
    int64_t probe_cost_ns;    /* a slow probe */
    int64_t probe_reads;
    int64_t stall_ns; /* once, in the third reading: grid zero, first, second interval */
    uint64_t per_interval;
    uint32_t put_count, fail_at;
    struct sample samples[200];
    struct sampler_result result;
};

static int64_t world_now_ns(const struct world *world)
{
    return world->clock.now_ns - world->zero_ns;
}

static void world_start(void *self, int64_t grid_zero_ns)
{
    struct world *world = self;
    world->zero_ns = grid_zero_ns;
}

static bool world_take(void *self, struct driver_interval *interval_out,
                       struct histogram *histogram_out)
{
    struct world *world = self;
    uint32_t count = grid_interval_count(&world->grid);
    bool is_stopped = world->stopped_ns != INT64_MAX;

    if (world->finished) {
        return false;
    }
    bool is_drain = world->drained || world->next_index >= count;
    int64_t end_ns = is_drain ? grid_start_ns(&world->grid, count)
                              : grid_start_ns(&world->grid, world->next_index + 1);
    if (is_stopped && world->stopped_ns < end_ns) {
        end_ns = world->stopped_ns;
        world->drained = !is_drain;
    }
    if (world_now_ns(world) < end_ns + world->delay_ns) {
        world->drained = false;
        return false;
    }
    *interval_out = (struct driver_interval){
        .index = world->next_index++,
        .phase = is_drain ? SAMPLE_PHASE_DRAIN : grid_phase(&world->grid, world->next_index - 1)};
    interval_out->start_ns = world->last_end_ns;
    interval_out->end_ns = world->last_end_ns = end_ns;
    interval_out->is_folded = world->is_folding;
    interval_out->outcomes[OUTCOME_OK] = is_drain ? 0 : world->per_interval;
    interval_out->metrics[METRIC_started_count] = (int64_t)world->per_interval;
    histogram_clear(histogram_out);
    world->finished = is_drain;
    return true;
}

static bool world_finished(void *self)
{
    struct world *world = self;
    return world->finished;
}

static void world_stop(void *self)
{
    struct world *world = self;
    if (!world->stop_count++) {
        world->stopped_ns = world_now_ns(world);
    } else {
        world->delay_ns = 0; /* what is in flight is given up */
    }
}

static void world_probe(void *self, bool ends_phase, int64_t metrics[METRIC_COUNT])
{
    struct world *world = self;
    metrics[METRIC_server_rss_kib] = world->probe_reads++;
    metrics[METRIC_server_established_count] = ends_phase;
    clock_fake_advance(&world->clock, world->probe_cost_ns);
    clock_fake_advance(&world->clock, world->probe_reads == 3 ? world->stall_ns : 0);
}

static bool world_server_ended(void *self)
{
    struct world *world = self;
    return world_now_ns(world) >= world->dead_ns;
}

static bool world_stop_wanted(void *self)
{
    struct world *world = self;
    return world_now_ns(world) >= world->stop_ns;
}

static enum err_code world_put(void *self, const struct sample *sample,
                               const struct histogram *histogram, struct err *e)
{
    struct world *world = self;

    (void)histogram;
    if (world->put_count == world->fail_at) {
        return err_set(e, ERR_DB, "disk is full");
    }
    cr_assert_lt(world->put_count, 200);
    world->samples[world->put_count++] = *sample;
    return ERR_OK;
}

static struct world *world_new(int64_t warmup_ns, int64_t window_ns)
{
    struct world *world = calloc(1, sizeof(*world));

    clock_fake_init(&world->clock, 1000 * CLOCK_NS_PER_S);
    world->grid = (struct grid){500 * MS, warmup_ns, window_ns};
    world->stopped_ns = world->dead_ns = world->stop_ns = INT64_MAX;
    world->per_interval = 100;
    world->fail_at = UINT32_MAX;
    return world;
}

static enum err_code world_run(struct world *world, struct err *e)
{
    const struct sampler_ports ports = {
        world,       world_start,        world_take,        world_finished, world_stop,
        world_probe, world_server_ended, world_stop_wanted, world_put,
    };
    const struct sampler_config config = {.clock = &world->clock.clock,
                                          .grid = world->grid,
                                          .lead_ns = 50 * MS,
                                          .drain_ns = 2000 * MS,
                                          .death_count = 3};
    return sampler_run(&config, &ports, &world->result, e);
}

static void samples_expect_whole(const struct world *world)
{
    for (uint32_t i = 0; i < world->put_count; i++) {
        const struct sample *sample = &world->samples[i];
        cr_expect_eq(sample->index, i);
        cr_expect_eq(sample->start_ns, i ? world->samples[i - 1].end_ns : 0, "sample %u", i);
        cr_expect_geq(sample->end_ns, sample->start_ns, "sample %u", i);
    }
}

Test(sampler, takes_every_interval_on_an_absolute_grid_when_the_probe_is_slow)
{
    struct world *world = world_new(1000 * MS, 3000 * MS);
    struct err e;

    world->probe_cost_ns = 30 * MS;
    cr_assert_eq(world_run(world, &e), ERR_OK);
    cr_expect_eq(world->put_count, 9, "2 of warm-up, 6 of the window, the drain");
    samples_expect_whole(world);
    for (uint32_t i = 0; i < 8; i++) {
        cr_expect_eq(world->samples[i].end_ns, (i + 1) * 500 * MS);
        cr_expect_eq(world->samples[i].metrics[METRIC_lateness_ns], 0, "no drift");
        cr_expect_eq(world->samples[i].phase, i < 2 ? SAMPLE_PHASE_WARMUP : SAMPLE_PHASE_WINDOW);
        cr_expect_eq(world->samples[i].metrics[METRIC_server_rss_kib], i + 1,
                     "each interval has its own reading; the first one is at grid zero");
        cr_expect_eq(world->samples[i].metrics[METRIC_server_established_count], i == 1 || i == 7,
                     "sample %u: the end of a phase", i);
    }
    cr_expect_eq(world->samples[8].phase, SAMPLE_PHASE_DRAIN);
    cr_expect_eq(world->samples[8].metrics[METRIC_server_established_count], 1);
    cr_expect_eq(world->samples[8].metrics[METRIC_lateness_ns], METRIC_UNKNOWN);
    cr_expect_eq(world->result.end, SAMPLER_DONE);
    cr_expect_eq(world->result.ok_count, 600, "the window's alone (A34)");
    cr_expect_eq(world->result.window_ns, 3000 * MS);
    free(world);
}

Test(sampler, stores_how_late_a_reading_was_without_moving_the_grid)
{
    struct world *world = world_new(0, 2000 * MS);

    world->clock.oversleep_ns = 7 * MS;
    cr_assert_eq(world_run(world, NULL), ERR_OK);
    cr_expect_eq(world->put_count, 5);
    for (uint32_t i = 0; i < 4; i++) {
        cr_expect_eq(world->samples[i].metrics[METRIC_lateness_ns], 7 * MS);
        cr_expect_eq(world->samples[i].end_ns, (i + 1) * 500 * MS);
    }
    free(world);
}

/* The driver went on meanwhile. What is read afterwards is of the last point that passed; of those
 * before it nothing is known but how late they were. */
Test(sampler, knows_nothing_of_the_intervals_in_which_it_stood_still)
{
    /* Stopped at 1000 ms for 2200 ms: the grid points of 1500, 2000, 2500 and 3000 ms passed. */
    static const int64_t lateness_ms[] = {0, 0, 1700, 1200, 700, 200, 0, 0, 0, 0};
    static const int64_t readings[] = {
        1, 2, METRIC_UNKNOWN, METRIC_UNKNOWN, METRIC_UNKNOWN, 3, 4, 5, 6, 7};
    struct world *world = world_new(0, 5000 * MS);

    world->stall_ns = 2200 * MS;
    cr_assert_eq(world_run(world, NULL), ERR_OK);
    cr_expect_eq(world->put_count, 11);
    samples_expect_whole(world);
    for (uint32_t i = 0; i < 10; i++) {
        cr_expect_eq(world->samples[i].metrics[METRIC_lateness_ns], lateness_ms[i] * MS, "%u", i);
        cr_expect_eq(world->samples[i].metrics[METRIC_server_rss_kib], readings[i], "%u", i);
    }
    free(world);
}

Test(sampler, joins_readings_with_intervals_that_come_late)
{
    struct world *world = world_new(0, 5000 * MS);

    world->delay_ns = 1700 * MS; /* three grid points later */
    cr_assert_eq(world_run(world, NULL), ERR_OK);
    cr_expect_eq(world->put_count, 11);
    samples_expect_whole(world);
    for (uint32_t i = 0; i < 10; i++) {
        cr_expect_eq(world->samples[i].metrics[METRIC_server_rss_kib], i + 1);
        cr_expect_eq(world->samples[i].metrics[METRIC_started_count], 100);
    }
    free(world);
}

/* A25: windows shorter than an interval. */
Test(sampler, works_with_a_window_of_any_length)
{
    static const struct {
        int64_t window_ms;
        uint32_t count;
        int64_t last_ms;
    } rows[] = {{100, 1, 100}, {499, 1, 499}, {500, 1, 500}, {501, 2, 1}, {750, 2, 250}};

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct world *world = world_new(0, rows[i].window_ms * MS);
        cr_assert_eq(world_run(world, NULL), ERR_OK);
        cr_expect_eq(world->put_count, rows[i].count + 1, "row %zu", i);
        const struct sample *last = &world->samples[rows[i].count - 1];
        cr_expect_eq(last->end_ns - last->start_ns, rows[i].last_ms * MS, "row %zu", i);
        cr_expect_eq(world->result.window_ns, rows[i].window_ms * MS, "row %zu", i);
        free(world);
    }
}

/* F11: samples after the death are there, but not for ever. */
Test(sampler, goes_on_for_a_bounded_time_after_the_server_ended)
{
    struct world *world = world_new(0, 60000 * MS);

    world->dead_ns = 1200 * MS;
    cr_assert_eq(world_run(world, NULL), ERR_OK);
    cr_expect_eq(world->result.end, SAMPLER_SERVER_ENDED);
    cr_expect_eq(world->result.server_ended_ns, 1500 * MS, "noticed at the next grid point");
    cr_expect_geq(world->put_count, 3 + 3);
    cr_expect_leq(world->put_count, 3 + 3 + 2, "the partial one and the drain");
    samples_expect_whole(world);
    free(world);
}

Test(sampler, samples_to_the_end_of_a_window_in_which_the_server_ended)
{
    struct world *world = world_new(0, 2000 * MS);

    world->dead_ns = 1200 * MS;
    cr_assert_eq(world_run(world, NULL), ERR_OK);
    cr_expect_eq(world->result.end, SAMPLER_SERVER_ENDED);
    cr_expect_eq(world->put_count, 5);
    free(world);
}

/* A41: what there was is stored. */
Test(sampler, ends_when_the_user_wants_and_keeps_what_there_was)
{
    struct world *world = world_new(0, 5000 * MS);
    struct err e;

    world->stop_ns = 1300 * MS;
    cr_assert_eq(world_run(world, &e), ERR_OK);
    cr_expect_eq(world->result.end, SAMPLER_STOPPED);
    cr_expect_geq(world->put_count, 3);
    cr_expect_eq(world->samples[world->put_count - 1].phase, SAMPLE_PHASE_DRAIN);
    samples_expect_whole(world);
    cr_expect_lt(world_now_ns(world), 2000 * MS, "at once, not after the window");
    free(world);
}

Test(sampler, gives_up_what_is_in_flight_when_the_user_waits)
{
    struct world *world = world_new(0, 5000 * MS);

    world->stop_ns = 1300 * MS;
    world->delay_ns = 1900 * MS; /* a server that does not answer */
    cr_assert_eq(world_run(world, NULL), ERR_OK);
    cr_expect_eq(world->result.end, SAMPLER_STOPPED);
    cr_expect_eq(world->stop_count, 2);
    cr_expect_lt(world_now_ns(world), 2100 * MS);
    free(world);
}

Test(sampler, counts_intervals_that_are_not_whole)
{
    struct world *world = world_new(0, 1000 * MS);

    world->is_folding = true;
    cr_assert_eq(world_run(world, NULL), ERR_OK);
    cr_expect_eq(world->result.folded_count, 3);
    free(world);
}

Test(sampler, tells_the_error_of_a_store_that_fails_and_ends_the_load)
{
    struct world *world = world_new(0, 5000 * MS);
    struct err e;

    world->fail_at = 2;
    cr_expect_eq(world_run(world, &e), ERR_DB);
    cr_expect_str_eq(e.text, "disk is full");
    cr_expect_neq(world->stopped_ns, INT64_MAX);
    free(world);
}

/* A09: the driver never ends. */
Test(sampler, does_not_wait_for_ever_for_a_driver)
{
    struct world *world = world_new(0, 500 * MS);
    struct err e;

    world->delay_ns = INT64_MAX / 4;
    cr_expect_eq(world_run(world, &e), ERR_LIMIT);
    cr_expect_leq(world_now_ns(world), 2600 * MS);
    free(world);
}

Test(sampler, raises_its_thread_as_far_as_it_may_and_lowers_it_again)
{
    struct sampler_priority before;
    int policy = sched_getscheduler(0);
    const char *name = sampler_priority_raise(&before);
    int raised = sched_getscheduler(0);

    cr_expect_eq(raised == SCHED_FIFO, strcmp(name, "SCHED_FIFO 1") == 0, "%s", name);
    cr_expect(raised == SCHED_FIFO || raised == policy, "%s", name);
    sampler_priority_restore(&before);
    cr_expect_eq(sched_getscheduler(0), policy);
}
