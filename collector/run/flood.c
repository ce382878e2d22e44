// SPDX-License-Identifier: Apache-2.0
// A ring of connections, opened as fast as one thread can.
#include "collector/run/flood.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collector/run/check.h"
#include "collector/sample.h"

#define ASK_PAUSE_NS (5 * CLOCK_NS_PER_MS)
/* Meanwhile somebody asks in the ordinary way: few enough to be no load. */
#define ASK_CONNECTION_COUNT 2
#define ASK_RATE_PER_S       20
#define WAIT_SLICE_NS        (20 * CLOCK_NS_PER_MS)

struct flood {
    struct flood_config config;
    struct flood_result result;
    struct sockaddr_in address;
    int64_t start_ns;
    pthread_t thread;
    atomic_bool is_over; /* the trial wants no more of it */
    int fds[];           /* the ring; -1: free */
};

static bool is_over(const struct flood *flood)
{
    return atomic_load_explicit(&flood->is_over, memory_order_relaxed) ||
           (flood->config.stop && *flood->config.stop);
}

static int64_t now_ns(const struct flood *flood)
{
    return clock_now_ns(flood->config.clock);
}

static void wait_until(const struct flood *flood, int64_t deadline_ns)
{
    const struct clock *clock = flood->config.clock;

    while (now_ns(flood) < deadline_ns && !is_over(flood)) {
        int64_t slice_ns = now_ns(flood) + WAIT_SLICE_NS;

        clock->sleep_until_ns(clock->self, slice_ns < deadline_ns ? slice_ns : deadline_ns);
    }
}

/* By a reset: the client goes away, and leaves no port in TIME_WAIT. */
static void slot_close(int *fd)
{
    static const struct linger reset = {.l_onoff = 1, .l_linger = 0};

    if (*fd >= 0) {
        setsockopt(*fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
        close(*fd);
        *fd = -1;
    }
}

/* Connects and sends in one go; what the kernel does not take at once is not sent. */
static void slot_open(struct flood *flood, int *fd)
{
    *fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (*fd < 0) {
        flood->result.failed_count++;
        return;
    }
    if (connect(*fd, (const struct sockaddr *)&flood->address, sizeof(flood->address)) < 0 &&
        errno != EINPROGRESS) {
        flood->result.refused_count += errno == ECONNREFUSED;
        flood->result.failed_count += errno != ECONNREFUSED;
        slot_close(fd);
        return;
    }
    if (send(*fd, flood->config.request, flood->config.request_bytes, MSG_NOSIGNAL) < 0 &&
        errno == ECONNREFUSED) {
        flood->result.refused_count++;
        slot_close(fd);
        return;
    }
    flood->result.opened_count++;
}

static void connections_pour(struct flood *flood, int64_t end_ns)
{
    uint32_t count = flood->config.workload->flood.connection_count;

    for (uint32_t i = 0; !is_over(flood) && now_ns(flood) < end_ns; i = (i + 1) % count) {
        slot_close(&flood->fds[i]);
        slot_open(flood, &flood->fds[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        slot_close(&flood->fds[i]);
    }
}

static bool ask_cancel(void *self)
{
    return is_over(self);
}

static bool answer_is_right(struct flood *flood, int64_t left_ns)
{
    const struct flood_config *config = &flood->config;
    const struct check_cancel cancel = {flood, ask_cancel};
    const struct check_server server = {.port = config->port, .host = PLAN_ENGINE_ADDRESS};
    const struct plan_request *request = &config->workload->requests[0];
    struct check_answer answer;
    struct err why;
    int64_t timeout_ns = left_ns < config->timeout_ns ? left_ns : config->timeout_ns;

    return check_fetch(request, &server, timeout_ns, &cancel, &answer, &why) == ERR_OK &&
           check_compare(request, &answer, &why) == ERR_OK;
}

static void recovery_watch(struct flood *flood, int64_t end_ns)
{
    int64_t deadline_ns = end_ns + flood->config.workload->flood.recover_within_ns;

    while (!is_over(flood) && now_ns(flood) < deadline_ns) {
        if (answer_is_right(flood, deadline_ns - now_ns(flood))) {
            flood->result.recover_ns = now_ns(flood) - end_ns;
            return;
        }
        wait_until(flood, now_ns(flood) + ASK_PAUSE_NS);
    }
}

static void *flood_run(void *self)
{
    struct flood *flood = self;
    int64_t end_ns = flood->start_ns + flood->config.workload->flood.for_ns;

    wait_until(flood, flood->start_ns);
    connections_pour(flood, end_ns);
    recovery_watch(flood, end_ns);
    return NULL;
}

void flood_shape_driver(struct driver_config *driver)
{
    driver->connection_count = ASK_CONNECTION_COUNT;
    driver->connection_requests = 1;
    driver->pipeline_count = 1;
    driver->arrivals.rate_per_s = ASK_RATE_PER_S;
    driver->arrivals.kind = ARRIVALS_UNIFORM;
}

enum err_code flood_start(const struct flood_config *config, int64_t start_ns,
                          struct flood **flood_out, struct err *e)
{
    uint32_t count = config->workload->flood.connection_count;
    struct flood *flood = malloc(sizeof(*flood) + count * sizeof(flood->fds[0]));

    if (!flood) {
        return err_set(e, ERR_LIMIT, "no memory for a flood of %u connections", count);
    }
    *flood = (struct flood){.config = *config,
                            .result = {.recover_ns = METRIC_UNKNOWN},
                            .address = {.sin_family = AF_INET,
                                        .sin_port = htons(config->port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)},
                            .start_ns = start_ns};
    for (uint32_t i = 0; i < count; i++) {
        flood->fds[i] = -1;
    }
    sigset_t all, old;

    /* Signals are for the main thread: it is the one that sleeps until a grid point. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int problem = pthread_create(&flood->thread, NULL, flood_run, flood);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (problem != 0) {
        free(flood);
        errno = problem;
        return err_set_sys(e, "starting the flood");
    }
    *flood_out = flood;
    return ERR_OK;
}

void flood_finish(struct flood *flood, struct flood_result *result_out)
{
    if (!flood) {
        return;
    }
    atomic_store_explicit(&flood->is_over, true, memory_order_relaxed);
    pthread_join(flood->thread, NULL);
    if (result_out) {
        *result_out = flood->result;
    }
    free(flood);
}
