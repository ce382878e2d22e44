// SPDX-License-Identifier: Apache-2.0
// The driver as its users see it: memory, threads, and the merging of their intervals.
#include "collector/driver/driver.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "collector/driver/connection.h"
#include "collector/driver/connection_tls.h"
#include "collector/driver/connection_uring.h"
#include "collector/driver/driver_memory.h"
#include "collector/driver/driver_thread.h"
#include "collector/driver/interval_merge.h"
#include "engines/base/clock.h"

#define THREAD_STACK_BYTES (256 * 1024)
#define THREAD_FDS         2  /* epoll, eventfd; one more with io_uring */
#define SPARE_FDS          16 /* for the rest of the program while load runs */
#define RAMP_LOOK_EVERY_NS (CLOCK_NS_PER_MS / 2)

struct driver {
    struct driver_config config;
    struct driver_request requests[MIX_REQUEST_COUNT_MAX];
    cpu_set_t cpus;
    struct driver_control control;
    struct driver_thread *threads;
    char *arena;
    size_t arena_bytes;
    uint32_t next_index;     /* the interval that driver_take gives next */
    uint32_t interval_count; /* before the drain's; driver_stop lowers it */
    int64_t load_end_ns;     /* of driver_stop; from grid zero */
    bool is_finished;
    struct driver_totals totals;
    struct histogram service, lag; /* open loop: of the interval taken last */
};

/* Descriptors that this process has open now. */
static uint64_t fd_count(void)
{
    DIR *folder = opendir("/proc/self/fd");
    uint64_t count = 0;

    if (!folder) {
        return 3;
    }
    while (readdir(folder)) {
        count++;
    }
    closedir(folder);
    return count - 3; /* ".", ".." and the folder's own */
}

static enum err_code limit_check(const struct driver_config *config, struct err *e)
{
    struct rlimit limit;
    uint64_t open_count = fd_count();
    int thread_fds = THREAD_FDS + (config->io == DRIVER_IO_URING);
    uint64_t need = config->connection_count +
                    (uint64_t)config->thread_count * (uint64_t)thread_fds + SPARE_FDS + open_count;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) {
        return err_set_sys(e, "getrlimit");
    }
    if (limit.rlim_cur < need) {
        return err_set(e, ERR_LIMIT,
                       "%" PRIu32 " connections need %" PRIu64 " file descriptors (%" PRIu32
                       " threads with %d each, %d to spare, %" PRIu64
                       " open already); RLIMIT_NOFILE allows %" PRIu64,
                       config->connection_count, need, config->thread_count, thread_fds, SPARE_FDS,
                       open_count, (uint64_t)limit.rlim_cur);
    }
    return ERR_OK;
}

/* Everything in one mapping whose pages are there from the start. */
static enum err_code arena_map(struct driver *driver, struct err *e)
{
    size_t bytes = driver_memory_bytes(&driver->config);
    void *arena = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    if (arena == MAP_FAILED) {
        return err_set_sys(e, "%zu bytes for the driver", bytes);
    }
    driver->arena = arena;
    driver->arena_bytes = bytes;
    return ERR_OK;
}

static enum err_code thread_open_fds(struct driver_thread *t, struct err *e)
{
    struct epoll_event wake = {.events = EPOLLIN, .data.u32 = UINT32_MAX};

    t->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (t->epoll_fd < 0) {
        return err_set_sys(e, "epoll_create1");
    }
    t->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (t->wake_fd < 0 || epoll_ctl(t->epoll_fd, EPOLL_CTL_ADD, t->wake_fd, &wake) < 0) {
        return err_set_sys(e, "eventfd");
    }
    return ERR_OK;
}

/* The CPU of thread `number`: one of the set each, round and round. */
static void cpu_choose(const cpu_set_t *cpus, uint32_t number, cpu_set_t *chosen_out)
{
    int left = (int)(number % (uint32_t)CPU_COUNT(cpus));

    CPU_ZERO(chosen_out);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, cpus) && left-- == 0) {
            CPU_SET(cpu, chosen_out);
            return;
        }
    }
}

static enum err_code thread_create(struct driver *driver, struct driver_thread *t, struct err *e)
{
    pthread_attr_t attributes;
    sigset_t all_signals;
    cpu_set_t chosen;
    int status = pthread_attr_init(&attributes);

    if (status != 0) {
        errno = status;
        return err_set_sys(e, "pthread_attr_init");
    }
    sigfillset(&all_signals); /* they end the sleep of the thread that waits for intervals */
    status = pthread_attr_setstacksize(&attributes, THREAD_STACK_BYTES);
    if (status == 0) {
        status = pthread_attr_setsigmask_np(&attributes, &all_signals);
    }
    if (status == 0 && driver->config.cpus && CPU_COUNT(&driver->cpus) > 0) {
        cpu_choose(&driver->cpus, t->number, &chosen);
        status = pthread_attr_setaffinity_np(&attributes, sizeof(chosen), &chosen);
    }
    if (status == 0) {
        status = pthread_create(&t->handle, &attributes, driver_thread_run, t);
    }
    pthread_attr_destroy(&attributes);
    if (status != 0) {
        errno = status;
        return err_set_sys(e, "driver thread %" PRIu32, t->number);
    }
    t->is_created = true;
    return ERR_OK;
}

static uint32_t established_count(const struct driver *driver)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < driver->config.thread_count; i++) {
        count += atomic_load_explicit(&driver->threads[i].established_count, memory_order_relaxed);
    }
    return count;
}

static void ramp_wait(struct driver *driver)
{
    const struct driver_config *config = &driver->config;
    const struct clock *clock = clock_system();
    int64_t ramp_ns =
        (int64_t)config->connection_count * CLOCK_NS_PER_S / config->connect_rate_per_s;
    int64_t end_ns = driver->control.opened_ns + ramp_ns + config->timeout_ns;
    int64_t now_ns = clock_now_ns(clock);

    while (established_count(driver) < config->connection_count && now_ns < end_ns &&
           !(config->stop && *config->stop)) {
        clock->sleep_until_ns(clock->self, now_ns + RAMP_LOOK_EVERY_NS);
        now_ns = clock_now_ns(clock);
    }
    driver->totals.connections_established = established_count(driver);
}

static void config_copy(struct driver *driver, const struct driver_config *config)
{
    driver->config = *config;
    if (config->thread_count > config->connection_count) {
        driver->config.thread_count = config->connection_count;
    }
    if (config->pipeline_count == 0) {
        driver->config.pipeline_count = 1;
    }
    if (config->cpus) {
        driver->cpus = *config->cpus;
        driver->config.cpus = &driver->cpus;
    }
    driver->control.config = &driver->config;
    driver->control.thread_count = driver->config.thread_count;
    driver->control.opened_ns = clock_monotonic_ns();
    memcpy(driver->requests, config->requests, config->request_count * sizeof(*config->requests));
    driver->config.requests = driver->requests;
    driver->totals.connections_requested = config->connection_count;
    driver->interval_count = grid_interval_count(&config->grid);
}

static enum err_code tls_set(struct driver *driver, struct err *e)
{
    const struct tls_settings *settings = driver->config.tls;

    return settings ? tls_open(settings, &driver->control.tls, e) : ERR_OK;
}

/* What goes together, see driver.h. */
static void config_assert(const struct driver_config *config)
{
    assert(config->connection_count > 0 && config->thread_count > 0 && config->timeout_ns > 0);
    assert(config->connect_rate_per_s > 0);
    assert(config->request_count > 0 && config->request_count <= MIX_REQUEST_COUNT_MAX);
    assert(config->pipeline_count <= 1 ||
           (config->arrivals.rate_per_s == 0 && config->request_count == 1));
    assert(config->think.mean_ns == 0 ||
           (config->arrivals.rate_per_s == 0 && config->pipeline_count <= 1));
}

enum err_code driver_open(const struct driver_config *config, struct driver **driver_out,
                          struct err *e)
{
    config_assert(config);
    struct driver *driver = mmap(NULL, sizeof(*driver), PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (driver == MAP_FAILED) {
        return err_set_sys(e, "memory for the driver");
    }
    config_copy(driver, config);
    enum err_code code = limit_check(&driver->config, e);
    if (code == ERR_OK) {
        code = tls_set(driver, e);
    }
    if (code == ERR_OK) {
        code = arena_map(driver, e);
    }
    if (code != ERR_OK) {
        goto fail;
    }
    driver->threads = driver_memory_lay(&driver->control, driver->arena);
    driver->totals.io =
        connection_uring_open(driver->threads, &driver->config, driver->totals.io_reason);
    for (uint32_t i = 0; i < driver->config.thread_count; i++) {
        code = thread_open_fds(&driver->threads[i], e);
        code = code == ERR_OK ? thread_create(driver, &driver->threads[i], e) : code;
        if (code != ERR_OK) {
            goto fail;
        }
    }
    ramp_wait(driver);
    *driver_out = driver;
    return ERR_OK;
fail:
    driver_close(driver);
    return code;
}

static void threads_wake(struct driver *driver)
{
    uint64_t one = 1;

    for (uint32_t i = 0; driver->threads && i < driver->config.thread_count; i++) {
        if (driver->threads[i].is_created) {
            (void)!write(driver->threads[i].wake_fd, &one, sizeof(one));
        }
    }
}

void driver_start(struct driver *driver, int64_t grid_zero_ns)
{
    assert(grid_zero_ns > 0);
    atomic_store_explicit(&driver->control.zero_ns, grid_zero_ns, memory_order_release);
    threads_wake(driver);
}

/* Intervals that have begun at `now_ns`. */
static uint32_t intervals_begun(const struct driver *driver, int64_t now_ns)
{
    int64_t zero_ns = atomic_load(&driver->control.zero_ns);
    uint32_t count = 0;

    if (zero_ns == 0) {
        return 0;
    }
    while (count < driver->interval_count &&
           zero_ns + grid_start_ns(&driver->config.grid, count) <= now_ns) {
        count++;
    }
    return count;
}

/* When the last thread of an exhausted driver had its last response; 0 while one has not. */
static int64_t exhausted_ns(const struct driver *driver)
{
    int64_t last_ns = 0;

    for (uint32_t i = 0; i < driver->config.thread_count; i++) {
        int64_t thread_ns =
            atomic_load_explicit(&driver->threads[i].exhausted_ns, memory_order_acquire);
        if (thread_ns == 0) {
            return 0;
        }
        last_ns = thread_ns > last_ns ? thread_ns : last_ns;
    }
    return last_ns;
}

bool driver_is_exhausted(const struct driver *driver)
{
    return exhausted_ns(driver) != 0;
}

void driver_stop(struct driver *driver)
{
    if (atomic_load(&driver->control.stop_level) == DRIVER_RUN) {
        int64_t now_ns = clock_monotonic_ns();
        int64_t zero_ns = atomic_load(&driver->control.zero_ns);
        uint32_t count = intervals_begun(driver, now_ns);
        int64_t idle_since_ns = exhausted_ns(driver);

        driver->interval_count = count > driver->next_index ? count : driver->next_index;
        driver->load_end_ns = (idle_since_ns > zero_ns ? idle_since_ns : now_ns) - zero_ns;
        if (count > 0 && driver->load_end_ns < grid_start_ns(&driver->config.grid, count - 1)) {
            driver->load_end_ns = grid_start_ns(&driver->config.grid, count - 1);
        }
        atomic_store(&driver->control.stop_ns, now_ns);
        atomic_store(&driver->control.stop_level, DRIVER_STOP_LOAD);
    } else {
        atomic_store(&driver->control.stop_level, DRIVER_STOP_NOW);
    }
    threads_wake(driver);
}

/* End of the load in ns from grid zero: the window's, or where driver_stop cut it. */
static int64_t load_end_ns(const struct driver *driver)
{
    const struct grid *grid = &driver->config.grid;
    int64_t end_ns = grid_start_ns(grid, grid_interval_count(grid));

    if (atomic_load(&driver->control.stop_level) != DRIVER_RUN) {
        end_ns = driver->load_end_ns < end_ns ? driver->load_end_ns : end_ns;
    }
    return end_ns > 0 && driver->interval_count > 0 ? end_ns : 0;
}

static void bounds_set(const struct driver *driver, struct driver_interval *interval)
{
    const struct grid *grid = &driver->config.grid;
    int64_t load_ns = load_end_ns(driver);
    int64_t zero_ns = atomic_load(&driver->control.zero_ns);

    if (interval->index < driver->interval_count) {
        int64_t end_ns = grid_start_ns(grid, interval->index + 1);

        interval->phase = grid_phase(grid, interval->index);
        interval->start_ns = grid_start_ns(grid, interval->index);
        interval->end_ns = end_ns < load_ns ? end_ns : load_ns;
        return;
    }
    interval->phase = SAMPLE_PHASE_DRAIN;
    interval->start_ns = load_ns;
    interval->end_ns = load_ns;
    for (uint32_t i = 0; i < driver->config.thread_count; i++) {
        int64_t done_ns = atomic_load(&driver->threads[i].done_ns) - zero_ns;
        if (zero_ns != 0 && done_ns > interval->end_ns) {
            interval->end_ns = done_ns;
        }
    }
}

/* All threads are past the end of the next interval; the drain's needs all of them to be done. */
static bool next_is_ready(const struct driver *driver)
{
    bool is_drain = driver->next_index >= driver->interval_count;

    for (uint32_t i = 0; i < driver->config.thread_count; i++) {
        struct driver_thread *t = &driver->threads[i];
        if (is_drain ? !atomic_load_explicit(&t->is_done, memory_order_acquire)
                     : !interval_ring_front(t->ring)) {
            return false;
        }
    }
    return true;
}

bool driver_take(struct driver *driver, struct driver_interval *interval_out,
                 struct histogram *histogram_out)
{
    if (driver->is_finished || !next_is_ready(driver)) {
        return false;
    }
    bool is_drain = driver->next_index >= driver->interval_count;
    bool is_open = driver->config.arrivals.rate_per_s > 0;
    struct interval_merge merge = {.interval = interval_out,
                                   .latency = histogram_out,
                                   .service = is_open ? &driver->service : NULL,
                                   .lag = is_open ? &driver->lag : NULL};

    interval_merge_begin(&merge, driver->next_index);
    bounds_set(driver, interval_out);
    for (uint32_t i = 0; i < driver->config.thread_count; i++) {
        interval_merge_thread(&merge, &driver->threads[i], is_drain);
    }
    interval_merge_finish(&merge);
    interval_out->metrics[METRIC_driver_spin_limit_ns] = driver->config.spin_ns;
    interval_out->metrics[METRIC_driver_ring_thread_count] =
        driver->totals.io == DRIVER_IO_URING ? driver->config.thread_count : 0;
    driver->totals.started_count += (uint64_t)interval_out->metrics[METRIC_started_count];
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        driver->totals.outcomes[i] += interval_out->outcomes[i];
    }
    driver->next_index++;
    driver->is_finished = is_drain;
    return true;
}

bool driver_finished(const struct driver *driver)
{
    return driver->is_finished;
}

void driver_get_totals(const struct driver *driver, struct driver_totals *totals_out)
{
    *totals_out = driver->totals;
    totals_out->connections_served = 0;
    for (uint32_t i = 0; i < driver->config.thread_count; i++) {
        totals_out->connections_served +=
            atomic_load_explicit(&driver->threads[i].served_count, memory_order_relaxed);
    }
    connection_tls_total(driver->threads, driver->config.thread_count, &totals_out->tls);
}

void driver_get_request_total(const struct driver *driver, uint32_t index,
                              struct driver_request_total *total_out, struct histogram *latency_out)
{
    struct driver_request_total sum = {0};

    histogram_clear(latency_out);
    for (uint32_t i = 0; driver->config.request_count > 1 && i < driver->config.thread_count; i++) {
        const struct driver_tally *tally = &driver->threads[i].tallies[index];

        sum.started_count += tally->total.started_count;
        sum.sent_bytes += tally->total.sent_bytes;
        sum.received_bytes += tally->total.received_bytes;
        for (int k = 0; k < OUTCOME_COUNT; k++) {
            sum.outcomes[k] += tally->total.outcomes[k];
        }
        histogram_merge(latency_out, &tally->latency);
    }
    *total_out = sum;
}

static void thread_release(struct driver_thread *t)
{
    if (t->is_created) {
        pthread_join(t->handle, NULL);
    }
    for (uint32_t i = 0; i < t->connection_count; i++) {
        connection_close(t, &t->connections[i]);
    }
    tls_tally_release(&t->tls_tally);
    if (t->has_ring) {
        uring_ring_close(&t->uring);
    }
    if (t->epoll_fd >= 0) {
        close(t->epoll_fd);
    }
    if (t->wake_fd >= 0) {
        close(t->wake_fd);
    }
}

void driver_close(struct driver *driver)
{
    if (!driver) {
        return;
    }
    atomic_store(&driver->control.stop_ns, clock_monotonic_ns());
    atomic_store(&driver->control.stop_level, DRIVER_STOP_NOW);
    threads_wake(driver);
    for (uint32_t i = 0; driver->threads && i < driver->config.thread_count; i++) {
        thread_release(&driver->threads[i]);
    }
    tls_close(driver->control.tls);
    if (driver->arena) {
        munmap(driver->arena, driver->arena_bytes);
    }
    munmap(driver, sizeof(*driver));
}
