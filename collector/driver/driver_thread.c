// SPDX-License-Identifier: Apache-2.0
// The event loop of one driver thread and its way through the grid.
#include "collector/driver/driver_thread.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "collector/driver/connection.h"
#include "collector/driver/connection_uring.h"
#include "engines/base/clock.h"

#define WAIT_LONGEST_NS   CLOCK_NS_PER_S
#define POLL_LONGEST_NS   (20 * CLOCK_NS_PER_US)
#define STACK_TOUCH_BYTES (64 * 1024)
#define STACK_PAGE_BYTES  4096

static uint64_t timeval_ns(struct timeval time)
{
    return (uint64_t)time.tv_sec * (uint64_t)CLOCK_NS_PER_S +
           (uint64_t)time.tv_usec * (uint64_t)CLOCK_NS_PER_US;
}

/* Adds what the thread used since the last call to the running record. */
static void usage_mark(struct driver_thread *t)
{
    struct rusage usage;

    if (getrusage(RUSAGE_THREAD, &usage) < 0) {
        return;
    }
    uint64_t user_ns = timeval_ns(usage.ru_utime);
    uint64_t system_ns = timeval_ns(usage.ru_stime);
    uint64_t switch_count = (uint64_t)usage.ru_nvcsw;

    if (t->is_loading) {
        t->record->user_ns += user_ns - t->user_ns;
        t->record->system_ns += system_ns - t->system_ns;
        t->record->sleep_count += switch_count - t->switch_count;
    }
    t->user_ns = user_ns;
    t->system_ns = system_ns;
    t->switch_count = switch_count;
}

static void record_complete(struct driver_thread *t)
{
    usage_mark(t);
    t->record->backlog_count = t->backlog_count;
    t->record->index = t->interval_index;
    t->record->in_flight_count = t->in_flight_count;
    t->record->connection_count = atomic_load_explicit(&t->established_count, memory_order_relaxed);
}

/* Of a mix, what ends and begins in the window is counted by kind. */
static void tally_choose(struct driver_thread *t)
{
    bool is_window = !t->is_draining && grid_phase(&t->control->config->grid, t->interval_index) ==
                                            SAMPLE_PHASE_WINDOW;

    t->tally = is_window ? t->tallies : NULL;
}

static void drain_begin(struct driver_thread *t, int64_t load_end_ns)
{
    t->is_draining = true;
    tally_choose(t);
    t->interval_end_ns = INT64_MAX;
    t->drain_end_ns = load_end_ns + t->control->config->timeout_ns;
}

/* The running interval is over. */
static void interval_next(struct driver_thread *t, int64_t end_ns)
{
    if (t->is_open) {
        connection_count_due(t, end_ns);
    }
    record_complete(t);
    if (interval_ring_has_room(t->ring)) {
        interval_ring_publish(t->ring);
        t->record = interval_ring_current(t->ring);
    } /* else the collector is far behind: go on in this record */
    t->interval_index++;
}

void driver_thread_flip(struct driver_thread *t, int64_t now_ns)
{
    const struct grid *grid = &t->control->config->grid;
    int64_t zero_ns = atomic_load_explicit(&t->control->zero_ns, memory_order_relaxed);

    while (now_ns >= t->interval_end_ns) {
        int64_t end_ns = t->interval_end_ns;

        interval_next(t, end_ns);
        if (t->interval_index == grid_interval_count(grid)) {
            drain_begin(t, end_ns);
        } else {
            t->interval_end_ns = zero_ns + grid_start_ns(grid, t->interval_index + 1);
            tally_choose(t);
        }
    }
}

static void load_begin(struct driver_thread *t, int64_t zero_ns)
{
    usage_mark(t);
    t->is_loading = true;
    t->zero_ns = zero_ns;
    t->interval_end_ns = zero_ns + grid_start_ns(&t->control->config->grid, 1);
    t->scan_due_ns = zero_ns + t->scan_every_ns;
    tally_choose(t);
    connection_think_first(t, zero_ns);
    for (uint32_t i = 0; i < t->connection_count; i++) {
        if (t->connections[i].state == CONNECTION_IDLE) {
            connection_ready(t, &t->connections[i], clock_monotonic_ns());
        }
    }
}

/* Timeouts that fell before the boundary belong to the interval that it ends. */
static void boundaries_pass(struct driver_thread *t, int64_t now_ns)
{
    while (now_ns >= t->interval_end_ns) {
        int64_t end_ns = t->interval_end_ns;

        connection_scan_timeouts(t, end_ns - 1);
        driver_thread_flip(t, end_ns);
    }
    if (now_ns >= t->scan_due_ns) {
        connection_scan_timeouts(t, now_ns);
        t->scan_due_ns = now_ns + t->scan_every_ns;
    }
}

static void load_stop(struct driver_thread *t)
{
    int64_t stop_ns = atomic_load_explicit(&t->control->stop_ns, memory_order_relaxed);

    if (t->is_loading) {
        interval_next(t, stop_ns);
    }
    drain_begin(t, stop_ns);
}

static bool drain_is_over(const struct driver_thread *t, int stop_level, int64_t now_ns)
{
    return t->is_draining &&
           (t->in_flight_count == 0 || now_ns >= t->drain_end_ns || stop_level == DRIVER_STOP_NOW);
}

/* Does what is due by time; false when the thread has nothing more to do. */
static bool thread_advance(struct driver_thread *t, int64_t now_ns)
{
    int stop_level = atomic_load_explicit(&t->control->stop_level, memory_order_acquire);
    int64_t zero_ns = atomic_load_explicit(&t->control->zero_ns, memory_order_acquire);

    boundaries_pass(t, now_ns);
    if (t->left_count == 0 && t->in_flight_count == 0 &&
        atomic_load_explicit(&t->exhausted_ns, memory_order_relaxed) == 0) {
        atomic_store_explicit(&t->exhausted_ns, now_ns, memory_order_release);
    }
    if (stop_level != DRIVER_RUN && !t->is_draining) {
        load_stop(t);
    }
    if (!t->is_loading && !t->is_draining && zero_ns != 0 && now_ns >= zero_ns) {
        load_begin(t, zero_ns);
    }
    if (t->is_open) {
        connection_start_due(t);
    }
    if (t->has_think) {
        connection_wake_due(t);
    }
    return !drain_is_over(t, stop_level, now_ns);
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* When a request can be sent next by time alone, in an open loop and after a pause; INT64_MAX: it
 * waits for something else. */
static int64_t pace_ns(const struct driver_thread *t)
{
    bool is_sending = t->is_loading && !t->is_draining && t->left_count > 0;
    bool can_send = t->is_open && is_sending && t->idle_first != CONNECTION_NONE;

    if (t->has_think) {
        return is_sending ? think_first_ns(&t->think) : INT64_MAX;
    }
    return can_send ? t->zero_ns + t->sent.due_ns : INT64_MAX;
}

/* When something is due by time. */
static int64_t thread_deadline_ns(struct driver_thread *t, int64_t now_ns)
{
    int64_t zero_ns = atomic_load_explicit(&t->control->zero_ns, memory_order_acquire);
    int64_t deadline_ns = earlier(now_ns + WAIT_LONGEST_NS, t->interval_end_ns);

    t->pace_ns = pace_ns(t);
    deadline_ns = earlier(deadline_ns, t->pace_ns);
    deadline_ns = earlier(deadline_ns, connection_open_due(t, now_ns));
    if (t->in_flight_count > 0 || t->connecting_count > 0) {
        deadline_ns = earlier(deadline_ns, t->scan_due_ns);
    }
    if (t->is_draining) {
        deadline_ns = earlier(deadline_ns, t->drain_end_ns);
    }
    if (zero_ns != 0 && !t->is_loading) {
        deadline_ns = earlier(deadline_ns, zero_ns);
    }
    return deadline_ns;
}

int64_t driver_thread_idle(struct driver_thread *t, int64_t since_ns)
{
    int64_t now_ns = clock_monotonic_ns();

    if (t->is_loading && now_ns - since_ns < POLL_LONGEST_NS) { /* else somebody else had the CPU */
        t->record->spin_ns += (uint64_t)(now_ns - since_ns);
    }
    return now_ns;
}

/* Looks without blocking until something is there, the time to spin is over or the deadline has
 * come. */
static int events_spin(struct driver_thread *t, struct epoll_event *events, int64_t now_ns,
                       int64_t deadline_ns)
{
    int64_t end_ns = earlier(now_ns + t->control->config->spin_ns, deadline_ns);
    int count = epoll_wait(t->epoll_fd, events, DRIVER_EVENT_COUNT, 0);

    while (count == 0 && now_ns < end_ns) {
        now_ns = driver_thread_idle(t, now_ns);
        count = epoll_wait(t->epoll_fd, events, DRIVER_EVENT_COUNT, 0);
    }
    return count;
}

static int events_wait(struct driver_thread *t, struct epoll_event *events, int64_t now_ns,
                       int64_t deadline_ns)
{
    if (t->control->config->spin_ns > 0) {
        int count = events_spin(t, events, now_ns, deadline_ns);
        if (count != 0) {
            return count;
        }
        now_ns = clock_monotonic_ns();
        if (t->pace_ns != INT64_MAX) { /* awake in time, then spin until the request is due */
            deadline_ns = earlier(deadline_ns, t->pace_ns - t->control->config->spin_ns);
        }
    }
    int64_t wait_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
    struct timespec timeout = {.tv_sec = (time_t)(wait_ns / CLOCK_NS_PER_S),
                               .tv_nsec = (long)(wait_ns % CLOCK_NS_PER_S)};
    int count = epoll_pwait2(t->epoll_fd, events, DRIVER_EVENT_COUNT, &timeout, NULL);

    if (count < 0 && errno == ENOSYS) { /* Linux before 5.11 */
        int wait_ms = (int)((wait_ns + CLOCK_NS_PER_MS - 1) / CLOCK_NS_PER_MS);
        count = epoll_wait(t->epoll_fd, events, DRIVER_EVENT_COUNT, wait_ms);
    }
    return count;
}

static void events_handle(struct driver_thread *t, const struct epoll_event *events, int count)
{
    for (int i = 0; i < count; i++) {
        uint32_t index = events[i].data.u32;

        if (index < t->connection_count) {
            connection_handle(t, &t->connections[index], events[i].events);
        } else {
            uint64_t ignored;
            (void)!read(t->wake_fd, &ignored, sizeof(ignored));
        }
    }
}

/* The stack's pages are there before the clock runs. */
static void stack_touch(void)
{
    volatile char pages[STACK_TOUCH_BYTES];

    for (size_t i = 0; i < sizeof(pages); i += STACK_PAGE_BYTES) {
        pages[i] = 0;
    }
}

/* The last record: of the drain. What is still open was in flight at the end. */
static void thread_finish(struct driver_thread *t)
{
    int64_t now_ns = clock_monotonic_ns();

    connection_scan_timeouts(t, now_ns);
    for (uint32_t i = 0; i < t->connection_count; i++) {
        if (t->connections[i].on_way_count > 0) {
            connection_fail(t, &t->connections[i], OUTCOME_IN_FLIGHT_AT_END, now_ns);
        }
    }
    record_complete(t);
    interval_ring_publish(t->ring);
    atomic_store_explicit(&t->done_ns, now_ns, memory_order_relaxed);
    atomic_store_explicit(&t->is_done, true, memory_order_release);
}

void *driver_thread_run(void *argument)
{
    struct driver_thread *t = argument;
    struct epoll_event events[DRIVER_EVENT_COUNT];
    int64_t now_ns = clock_monotonic_ns();

    stack_touch();
    if (t->has_ring) {
        uring_ring_enable(&t->uring);
    }
    /* The kernel may wake a sleeper 50 us late to save power; a schedule cannot afford that. */
    (void)prctl(PR_SET_TIMERSLACK, 1);
    while (thread_advance(t, now_ns)) {
        int64_t deadline_ns = thread_deadline_ns(t, now_ns);
        int count = 0;

        if (!t->has_ring) {
            count = events_wait(t, events, now_ns, deadline_ns);
        } else if (connection_uring_wait(t, now_ns, deadline_ns)) {
            count = epoll_wait(t->epoll_fd, events, DRIVER_EVENT_COUNT, 0);
        }
        events_handle(t, events, count);
        now_ns = clock_monotonic_ns();
    }
    thread_finish(t);
    return NULL;
}
