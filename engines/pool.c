// SPDX-License-Identifier: Apache-2.0
// A bounded number of workers with blocking reads and sends. Sticky: a worker keeps its connection
// until that ends, and who comes when all workers are taken waits. Fair: a worker gives a
// connection back when it is silent, or when others wait; the accepting thread watches the silent
// ones.
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engines/acceptor.h"
#include "engines/base/clock.h"
#include "engines/blocking_conn.h"
#include "engines/workers.h"

enum {
    EVENT_COUNT = 256,
    WORKERS_DEFAULT = 64,
    FAIR_WAIT_MS = 20, /* so long a worker waits for the next request before it gives up */
};

TAILQ_HEAD(conn_list, blocking_conn);

/* Each connection is in one list. Under the mutex: lists and the stop. */
struct pool {
    const struct engine_config *config;
    bool is_fair, stops;
    int epoll_fd;
    uint32_t accepted_count;
    struct acceptor acceptor;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct conn_list queue;  /* waiting for a worker */
    struct conn_list busy;   /* with one */
    struct conn_list parked; /* silent, watched by epoll_fd */
    _Atomic uint32_t queue_count;
};

static uint32_t queue_length(const struct pool *pool)
{
    return atomic_load_explicit(&pool->queue_count, memory_order_relaxed);
}

/* Under the mutex. */
static void queue_append(struct pool *pool, struct blocking_conn *conn)
{
    TAILQ_INSERT_TAIL(&pool->queue, conn, link);
    atomic_fetch_add_explicit(&pool->queue_count, 1, memory_order_relaxed);
    pthread_cond_signal(&pool->changed);
}

static bool others_wait(void *self)
{
    return queue_length(self) > 0;
}

/* The next connection to serve; NULL when the pool stops. */
static struct blocking_conn *conn_take(struct pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    while (!pool->stops && TAILQ_EMPTY(&pool->queue)) {
        pthread_cond_wait(&pool->changed, &pool->mutex);
    }
    struct blocking_conn *conn = pool->stops ? NULL : TAILQ_FIRST(&pool->queue);
    if (conn) {
        TAILQ_REMOVE(&pool->queue, conn, link);
        atomic_fetch_sub_explicit(&pool->queue_count, 1, memory_order_relaxed);
        TAILQ_INSERT_TAIL(&pool->busy, conn, link);
    }
    pthread_mutex_unlock(&pool->mutex);
    return conn;
}

/* Under the mutex: has the connection announced once when it can be read. */
static bool conn_watch(struct pool *pool, struct blocking_conn *conn)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT, .data.ptr = conn};
    int operation = conn->is_watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;

    conn->is_watched = true;
    return epoll_ctl(pool->epoll_fd, operation, conn->fd, &event) == 0;
}

/* Under the mutex: the connection is in no list. False: it cannot be watched, and is to be closed.
 */
static bool conn_park(struct pool *pool, struct blocking_conn *conn)
{
    TAILQ_INSERT_TAIL(&pool->parked, conn, link);
    if (!conn_watch(pool, conn)) {
        TAILQ_REMOVE(&pool->parked, conn, link);
        return false;
    }
    return true;
}

static void conn_serve(struct pool *pool, struct blocking_conn *conn, struct extra_work *extra_work)
{
    bool goes_on = blocking_conn_serve(conn, extra_work, pool->is_fair ? others_wait : NULL, pool);

    pthread_mutex_lock(&pool->mutex);
    TAILQ_REMOVE(&pool->busy, conn, link);
    if (goes_on) {
        goes_on = conn_park(pool, conn);
    }
    pthread_mutex_unlock(&pool->mutex);
    if (!goes_on) {
        blocking_conn_close(conn);
        acceptor_resume(&pool->acceptor);
    }
}

static void conns_accept(struct pool *pool)
{
    const struct engine_config *config = pool->config;
    int receive_ms = pool->is_fair ? FAIR_WAIT_MS : patience_wait_ms(config);

    for (int i = 0; i < ACCEPTOR_BATCH_COUNT; i++) {
        int fd = acceptor_accept(&pool->acceptor);
        if (fd < 0) {
            return;
        }
        uint32_t slot = pool->accepted_count++ % COUNTERS_SLOT_COUNT;
        struct blocking_conn *conn = NULL;
        if (queue_length(pool) < config->queue_count) {
            conn = blocking_conn_open(config, fd, &config->counters->slots[slot], receive_ms);
        }
        if (!conn) {
            acceptor_refuse(&pool->acceptor, fd);
            continue;
        }
        pthread_mutex_lock(&pool->mutex);
        if (!pool->is_fair || !conn_park(pool, conn)) {
            queue_append(pool, conn);
        }
        pthread_mutex_unlock(&pool->mutex);
    }
}

/* Parked connections whose time is over go to a worker, which says so and closes them. */
static void parked_check_time(struct pool *pool)
{
    int64_t now_ns = clock_monotonic_ns();

    pthread_mutex_lock(&pool->mutex);
    for (struct blocking_conn *conn = TAILQ_FIRST(&pool->parked), *next; conn; conn = next) {
        next = TAILQ_NEXT(conn, link);
        if (blocking_conn_is_late(conn, now_ns)) {
            epoll_ctl(pool->epoll_fd, EPOLL_CTL_DEL, conn->fd, NULL);
            conn->is_watched = false;
            TAILQ_REMOVE(&pool->parked, conn, link);
            queue_append(pool, conn);
        }
    }
    pthread_mutex_unlock(&pool->mutex);
}

/* One turn of the accepting thread. False: it is told to stop. */
static bool events_take(struct pool *pool, int wait_ms)
{
    struct epoll_event events[EVENT_COUNT];
    int count = epoll_wait(pool->epoll_fd, events, EVENT_COUNT, wait_ms);
    bool accepts = false, goes_on = true;

    pthread_mutex_lock(&pool->mutex);
    for (int i = 0; i < count; i++) {
        void *target = events[i].data.ptr;

        if (target == pool) {
            goes_on = false;
        } else if (target == &pool->acceptor) {
            accepts = true;
        } else {
            struct blocking_conn *conn = target;

            TAILQ_REMOVE(&pool->parked, conn, link);
            queue_append(pool, conn);
        }
    }
    pthread_mutex_unlock(&pool->mutex);
    if (accepts && goes_on) {
        conns_accept(pool);
    }
    return goes_on;
}

static void workers_stop(struct pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    pool->stops = true;
    pthread_cond_broadcast(&pool->changed);
    /* Wakes whoever waits for a client. What was handed to a socket is still delivered. */
    struct blocking_conn *conn;
    TAILQ_FOREACH(conn, &pool->busy, link)
    {
        shutdown(conn->fd, SHUT_RDWR);
    }
    pthread_mutex_unlock(&pool->mutex);
}

static void acceptor_run(struct pool *pool)
{
    int64_t next_tick_ns = 0;

    while (events_take(pool, acceptor_wait_ms(&pool->acceptor, ACCEPTOR_WAIT_MS))) {
        int64_t now_ns = clock_monotonic_ns();

        acceptor_tick(&pool->acceptor);
        if (now_ns >= next_tick_ns) {
            next_tick_ns = now_ns + CLOCK_NS_PER_S;
            parked_check_time(pool);
        }
    }
    workers_stop(pool);
}

/* A thread of the pool: the first one accepts. */
struct member {
    struct pool *pool;
    bool accepts;
};

static void member_run(void *state)
{
    const struct member *member = state;
    struct pool *pool = member->pool;
    struct blocking_conn *conn;
    struct extra_work extra_work;

    if (member->accepts) {
        acceptor_run(pool);
        return;
    }
    extra_work_begin(&extra_work, pool->config->extra_work_percent);
    while ((conn = conn_take(pool))) {
        conn_serve(pool, conn, &extra_work);
    }
}

static enum err_code pool_open(struct pool *pool, struct err *e)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = pool};

    pool->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (pool->epoll_fd < 0 ||
        epoll_ctl(pool->epoll_fd, EPOLL_CTL_ADD, pool->config->stop_fd, &event) < 0) {
        return err_set_sys(e, "watching for connections");
    }
    return acceptor_init(&pool->acceptor, pool->epoll_fd, pool->config, 0, 0, e);
}

static void list_close(struct conn_list *list)
{
    struct blocking_conn *conn;

    while ((conn = TAILQ_FIRST(list))) {
        TAILQ_REMOVE(list, conn, link);
        conn->input_is_left = false; /* nobody has the time to linger */
        blocking_conn_close(conn);
    }
}

static enum err_code run(const struct engine_config *config, bool is_fair, struct err *e)
{
    struct pool pool = {.config = config,
                        .is_fair = is_fair,
                        .epoll_fd = -1,
                        .mutex = PTHREAD_MUTEX_INITIALIZER,
                        .changed = PTHREAD_COND_INITIALIZER};
    TAILQ_INIT(&pool.queue);
    TAILQ_INIT(&pool.busy);
    TAILQ_INIT(&pool.parked);
    size_t count = config->thread_count + 1;
    struct member *members = calloc(count, sizeof(*members));
    enum err_code code = members ? pool_open(&pool, e) : err_set_sys(e, "starting the pool");

    for (size_t i = 0; members && i < count; i++) {
        members[i] = (struct member){&pool, i == 0};
    }
    blocking_threads_calm();
    if (code == ERR_OK) {
        code = workers_run(member_run, members, sizeof(*members), count, e);
    }
    list_close(&pool.queue);
    list_close(&pool.parked);
    acceptor_release(&pool.acceptor);
    if (pool.epoll_fd >= 0) {
        close(pool.epoll_fd);
    }
    free(members);
    return code;
}

static enum err_code fair_run(const struct engine_config *config, struct err *e)
{
    return run(config, true, e);
}

static enum err_code sticky_run(const struct engine_config *config, struct err *e)
{
    return run(config, false, e);
}

const struct engine engine_pool = {
    .name = "pool",
    .summary = "bounded workers with blocking reads; silent connections give theirs back",
    .threads = ENGINE_THREADS_WORKERS,
    .threads_default = WORKERS_DEFAULT,
    .run = fair_run,
};

const struct engine engine_pool_sticky = {
    .name = "pool_sticky",
    .summary = "bounded workers that each keep a connection until it ends",
    .threads = ENGINE_THREADS_WORKERS,
    .threads_default = WORKERS_DEFAULT,
    .run = sticky_run,
};
