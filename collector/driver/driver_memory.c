// SPDX-License-Identifier: Apache-2.0
// Where everything lies that the threads of the driver have: one piece after the other.
#include "collector/driver/driver_memory.h"

#include <string.h>

#include "collector/driver/connection.h"
#include "collector/driver/connection_tls.h"
#include "engines/base/clock.h"

#define SCAN_EVERY_NS       (100 * CLOCK_NS_PER_MS)
#define SCAN_EVERY_LEAST_NS CLOCK_NS_PER_MS

static size_t align_up(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

/* Connections of thread `number`: the remainder goes to the first ones. */
static uint32_t thread_share(const struct driver_config *config, uint32_t number)
{
    return config->connection_count / config->thread_count +
           (number < config->connection_count % config->thread_count);
}

/* Requests of thread `number`, likewise. */
static uint64_t thread_limit(const struct driver_config *config, uint32_t number)
{
    if (config->request_limit == 0) {
        return UINT64_MAX;
    }
    return config->request_limit / config->thread_count +
           (number < config->request_limit % config->thread_count);
}

static const uint32_t *weights_take(const struct driver_config *config,
                                    uint32_t weights_out[MIX_REQUEST_COUNT_MAX])
{
    for (uint32_t i = 0; i < config->request_count; i++) {
        weights_out[i] = config->requests[i].weight;
    }
    return weights_out;
}

/* What a thread has for each request of the config, and for the pauses of its connections. */
static size_t shape_bytes(const struct driver_config *config, uint32_t connection_count)
{
    uint32_t count = config->request_count;
    size_t bytes = align_up(count * sizeof(struct response_template));
    uint32_t weights[MIX_REQUEST_COUNT_MAX];

    if (count > 1) {
        bytes += align_up(count * sizeof(struct driver_tally)) +
                 align_up(mix_deck_count(weights_take(config, weights), count));
    }
    if (config->think.mean_ns > 0) {
        bytes += align_up(connection_count * sizeof(struct think_entry));
    }
    return bytes;
}

static size_t thread_bytes(const struct driver_config *config, uint32_t connection_count)
{
    size_t open_bytes = config->arrivals.rate_per_s > 0
                            ? 2 * INTERVAL_RING_SLOTS * align_up(sizeof(struct histogram))
                            : 0;

    size_t stamp_bytes =
        config->pipeline_count > 1
            ? align_up((size_t)connection_count * config->pipeline_count * sizeof(int64_t))
            : 0;

    return align_up(sizeof(struct interval_ring)) + open_bytes + stamp_bytes +
           shape_bytes(config, connection_count) + DRIVER_BUFFER_BYTES +
           align_up(connection_tls_bytes(config, connection_count)) +
           align_up(connection_count * sizeof(struct connection)) +
           align_up(connection_count * sizeof(uint32_t));
}

size_t driver_memory_bytes(const struct driver_config *config)
{
    size_t bytes = align_up(config->thread_count * sizeof(struct driver_thread));

    for (uint32_t i = 0; i < config->request_count; i++) {
        bytes += align_up(config->pipeline_count * config->requests[i].byte_count);
    }
    for (uint32_t i = 0; i < config->thread_count; i++) {
        bytes += thread_bytes(config, thread_share(config, i));
    }
    return bytes;
}

static int64_t scan_every_ns(int64_t timeout_ns)
{
    int64_t every_ns = timeout_ns / 10;

    if (every_ns < SCAN_EVERY_LEAST_NS) {
        return SCAN_EVERY_LEAST_NS;
    }
    return every_ns < SCAN_EVERY_NS ? every_ns : SCAN_EVERY_NS;
}

/* One copy after the other, so that several go out in one call. */
static void requests_place(struct driver_control *control, char **next)
{
    const struct driver_config *config = control->config;

    for (uint32_t i = 0; i < config->request_count; i++) {
        const struct driver_request *request = &config->requests[i];

        for (uint32_t k = 0; k < config->pipeline_count; k++) {
            memcpy(*next + k * request->byte_count, request->bytes, request->byte_count);
        }
        control->kinds[i] = (struct driver_kind){
            .rules = {.is_head = request->is_head,
                      .hash_wanted = request->expect.body_hash_checked &&
                                     request->expect.body_bytes >= 0 && !request->is_head,
                      .learn_status = request->expect.status},
            .expect = request->expect,
            .bytes = *next,
            .byte_count = request->byte_count,
        };
        *next += align_up(config->pipeline_count * request->byte_count);
    }
}

/* What only an open loop has: its histograms and its schedule. */
static void thread_place_open(const struct driver_config *config, struct driver_thread *t,
                              char **next)
{
    t->idle_first = CONNECTION_NONE;
    t->idle_last = CONNECTION_NONE;
    t->pace_ns = INT64_MAX;
    t->is_open = config->arrivals.rate_per_s > 0;
    if (!t->is_open) {
        return;
    }
    arrivals_init(&t->due, &config->arrivals, config->thread_count, t->number);
    t->sent = t->due;
    for (int i = 0; i < INTERVAL_RING_SLOTS; i++) {
        t->ring->slots[i].service = (struct histogram *)(void *)*next;
        *next += align_up(sizeof(struct histogram));
        t->ring->slots[i].lag = (struct histogram *)(void *)*next;
        *next += align_up(sizeof(struct histogram));
    }
}

/* What depends on the requests and on think time. */
static void thread_place_shape(const struct driver_config *config, struct driver_thread *t,
                               char **next)
{
    uint32_t count = config->request_count;
    uint32_t weights[MIX_REQUEST_COUNT_MAX];

    t->templates = (struct response_template *)(void *)*next;
    *next += align_up(count * sizeof(struct response_template));
    if (count > 1) {
        t->tallies = (struct driver_tally *)(void *)*next;
        *next += align_up(count * sizeof(struct driver_tally));
        mix_init(&t->mix, (uint8_t *)*next, weights_take(config, weights), count, config->mix_seed,
                 t->number);
        *next += align_up(t->mix.count);
    }
    t->has_think = config->think.mean_ns > 0;
    if (t->has_think) {
        think_init(&t->think, &config->think, t->number, (struct think_entry *)(void *)*next);
        *next += align_up(t->connection_count * sizeof(struct think_entry));
    }
}

/* Lays a thread's parts into the arena at *next and moves it on. */
static void thread_place(const struct driver_control *control, struct driver_thread *t,
                         uint32_t number, char **next)
{
    const struct driver_config *config = control->config;
    int64_t connection_gap_ns = CLOCK_NS_PER_S / config->connect_rate_per_s;

    t->number = number;
    t->source_next = number;
    t->control = control;
    t->connection_count = thread_share(config, number);
    t->left_count = thread_limit(config, number);
    t->ring = (struct interval_ring *)(void *)*next;
    *next += align_up(sizeof(struct interval_ring));
    thread_place_open(config, t, next);
    thread_place_shape(config, t, next);
    if (config->pipeline_count > 1) {
        t->stamps = (int64_t *)(void *)*next;
        *next += align_up((size_t)t->connection_count * config->pipeline_count * sizeof(int64_t));
    }
    connection_tls_lay(t, *next);
    *next += align_up(connection_tls_bytes(config, t->connection_count));
    t->buffer = *next;
    *next += DRIVER_BUFFER_BYTES;
    t->connections = (struct connection *)(void *)*next;
    *next += align_up(t->connection_count * sizeof(struct connection));
    t->queue = (uint32_t *)(void *)*next;
    *next += align_up(t->connection_count * sizeof(uint32_t));
    t->record = interval_ring_current(t->ring);
    t->interval_end_ns = INT64_MAX;
    t->scan_every_ns = scan_every_ns(config->timeout_ns);
    t->scan_due_ns = control->opened_ns + t->scan_every_ns;
    t->connect_due_ns = control->opened_ns + number * connection_gap_ns;
    t->connect_every_ns = connection_gap_ns * config->thread_count;
    t->epoll_fd = -1;
    t->wake_fd = -1;
    for (uint32_t i = 0; i < t->connection_count; i++) {
        t->connections[i].fd = -1;
        connection_enqueue(t, &t->connections[i]);
    }
}

struct driver_thread *driver_memory_lay(struct driver_control *control, char *memory)
{
    struct driver_thread *threads = (struct driver_thread *)(void *)memory;
    char *next = memory + align_up(control->thread_count * sizeof(*threads));

    requests_place(control, &next);
    for (uint32_t i = 0; i < control->thread_count; i++) {
        thread_place(control, &threads[i], i, &next);
    }
    return threads;
}
