// SPDX-License-Identifier: Apache-2.0
// One reactor that accepts, reads and sends, and workers that parse and answer. Requests wait for
// them in a bounded queue; when it is full, 503. The reactor hands on what a turn of its loop read
// with one lock and one wake; workers announce what they finished with one eventfd.
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engines/acceptor.h"
#include "engines/app/routes.h"
#include "engines/base/clock.h"
#include "engines/extra_work.h"
#include "engines/http/http_rest.h"
#include "engines/patience.h"
#include "engines/workers.h"

enum {
    EVENT_COUNT = 512,
    INPUT_BYTES = 4096,
    MEMORY_BYTES_KEPT = 256 << 10, /* of an idle connection */
};

/* Owned by the reactor, or by the worker that has it: never by both. `is_busy`, `is_ready` and the
 * lists are the reactor's in either case. */
struct reactor_conn {
    int fd;
    bool is_busy;  /* queued, or with a worker */
    bool is_ready; /* something came meanwhile, or the last read did not empty the socket */
    bool is_ended; /* the client closed: reading goes on until its end is met */
    bool watches_output, closes, lingers, input_is_left;
    bool failed;       /* memory ran out */
    bool is_restarted; /* the kept input is of a request behind one that the last job answered */
    bool is_unchecked; /* its time was not looked at when it was due, because it was busy */
    struct patience patience;
    enum http_action action; /* of the last job */
    struct http_conn http;
    struct byte_pool pool;
    struct http_rest rest; /* its memory is where reads go */
    struct http_output out;
    size_t out_start;
    LIST_ENTRY(reactor_conn) link; /* all connections */
    struct reactor_conn *next_job; /* in the list that it waits in */
};

struct job_list {
    struct reactor_conn *first, **end;
    uint32_t count;
};

struct reactor {
    const struct engine_config *config;
    struct counters_slot *counters;
    int epoll_fd, done_fd;
    bool stops;
    int64_t now_ns; /* as of the last tick, about a second ago at most */
    struct acceptor acceptor;
    struct extra_work extra_work;
    LIST_HEAD(, reactor_conn) conns;
    struct http_date date;
    struct job_list ready; /* of this turn */
    char drain[65536];

    pthread_mutex_t mutex; /* of what follows */
    pthread_cond_t changed;
    bool workers_stop;
    struct job_list queue, done;
};

static void jobs_init(struct job_list *list)
{
    *list = (struct job_list){.end = &list->first};
}

static void jobs_append(struct job_list *list, struct reactor_conn *conn)
{
    conn->next_job = NULL;
    *list->end = conn;
    list->end = &conn->next_job;
    list->count++;
}

static struct reactor_conn *jobs_take(struct job_list *list)
{
    struct reactor_conn *conn = list->first;

    if (conn) {
        list->first = conn->next_job;
        list->count--;
        if (!list->first) {
            list->end = &list->first;
        }
    }
    return conn;
}

static void job_do(struct reactor_conn *conn, const struct http_date *date)
{
    struct http_input in = {.bytes = conn->rest.bytes, .length = conn->rest.length};

    conn->out.date = date;
    conn->is_restarted = false;
    conn->action = http_conn_feed(&conn->http, &app_routes, &in, &conn->out);
    if (conn->action == HTTP_ACTION_CLOSE) {
        conn->input_is_left |= in.start < in.length;
        conn->rest.length = 0;
    } else {
        conn->is_restarted = in.start > 0;
        conn->failed = !http_rest_keep(&conn->rest, &conn->pool, &in, conn->http.wanted_bytes, 1);
    }
    conn->failed |= conn->out.failed;
}

/* The next job; NULL when there will be none. Each worker that leaves work behind wakes another. */
static struct reactor_conn *job_take(struct reactor *reactor)
{
    pthread_mutex_lock(&reactor->mutex);
    while (!reactor->workers_stop && !reactor->queue.first) {
        pthread_cond_wait(&reactor->changed, &reactor->mutex);
    }
    struct reactor_conn *conn = reactor->workers_stop ? NULL : jobs_take(&reactor->queue);
    if (reactor->queue.first) {
        pthread_cond_signal(&reactor->changed);
    }
    pthread_mutex_unlock(&reactor->mutex);
    return conn;
}

/* Only the first of several finished jobs wakes the reactor, which takes all. */
static void job_finish(struct reactor *reactor, struct reactor_conn *conn)
{
    uint64_t one = 1;

    pthread_mutex_lock(&reactor->mutex);
    bool is_first = !reactor->done.first;
    jobs_append(&reactor->done, conn);
    pthread_mutex_unlock(&reactor->mutex);
    if (is_first && write(reactor->done_fd, &one, sizeof(one)) < 0) {
        return; /* only a full counter refuses, and that is readable as well */
    }
}

static void worker_run(struct reactor *reactor)
{
    struct http_date date = {.second = -1};
    struct reactor_conn *conn;
    struct extra_work extra_work;

    extra_work_begin(&extra_work, reactor->config->extra_work_percent);
    while ((conn = job_take(reactor))) {
        http_date_set(&date, clock_system()->wall_ns(clock_system()->self));
        job_do(conn, &date);
        extra_work_add(&extra_work, conn->out.answer_count);
        job_finish(reactor, conn);
    }
}

static void conn_close(struct reactor *reactor, struct reactor_conn *conn)
{
    LIST_REMOVE(conn, link);
    close(conn->fd);
    http_rest_release(&conn->rest, &conn->pool);
    http_output_release(&conn->out);
    byte_pool_release(&conn->pool);
    free(conn);
    acceptor_leave(reactor->config, reactor->counters);
    acceptor_resume(&reactor->acceptor);
}

static bool conn_watch(struct reactor *reactor, struct reactor_conn *conn, int operation,
                       uint32_t events)
{
    struct epoll_event event = {.events = events | EPOLLRDHUP | EPOLLET, .data.ptr = conn};

    return epoll_ctl(reactor->epoll_fd, operation, conn->fd, &event) == 0;
}

/* Reads away what the client still sends; closes at its end. */
static void conn_drain(struct reactor *reactor, struct reactor_conn *conn)
{
    ssize_t count;

    do {
        count = recv(conn->fd, reactor->drain, sizeof(reactor->drain), 0);
    } while (count > 0 || (count < 0 && errno == EINTR));
    if (count == 0 || errno != EAGAIN) {
        conn_close(reactor, conn);
    }
}

/* All is sent, and the connection is to end; half closed first when a reset could overtake the last
 * answer. */
static void conn_finish(struct reactor *reactor, struct reactor_conn *conn)
{
    if (!conn->input_is_left || shutdown(conn->fd, SHUT_WR) < 0) {
        conn_close(reactor, conn);
        return;
    }
    conn->lingers = true;
    conn->patience.active_ns = reactor->now_ns;
    conn_drain(reactor, conn);
}

/* Sends what there is. False: the socket is full, or the connection was closed. */
static bool conn_send(struct reactor *reactor, struct reactor_conn *conn)
{
    while (conn->out_start < conn->out.length) {
        ssize_t count = send(conn->fd, conn->out.bytes + conn->out_start,
                             conn->out.length - conn->out_start, MSG_NOSIGNAL);

        if (count >= 0) {
            conn->out_start += (size_t)count;
            counters_add_owned(&reactor->counters->sent_bytes, (uint64_t)count);
        } else if (errno == EAGAIN) {
            if (!conn->watches_output) {
                conn->watches_output = true;
                conn_watch(reactor, conn, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
            }
            return false;
        } else if (errno != EINTR) {
            conn_close(reactor, conn);
            return false;
        }
    }
    http_output_clear(&conn->out);
    conn->out_start = 0;
    return true;
}

/* An idle connection holds on to no more than it may. */
static void conn_shrink(struct reactor_conn *conn)
{
    if (conn->rest.capacity + conn->out.capacity + conn->pool.cached_bytes > MEMORY_BYTES_KEPT &&
        conn->rest.length == 0) {
        http_output_release(&conn->out);
        http_rest_release(&conn->rest, &conn->pool);
        byte_pool_release(&conn->pool);
    }
}

static void job_add(struct reactor *reactor, struct reactor_conn *conn)
{
    conn->is_busy = true;
    jobs_append(&reactor->ready, conn);
}

/* One read; what came is a job. */
static void conn_read(struct reactor *reactor, struct reactor_conn *conn)
{
    struct http_rest *rest = &conn->rest;
    ssize_t count;

    if (!rest->bytes) {
        rest->bytes = byte_pool_take(&conn->pool, INPUT_BYTES, &rest->capacity);
    }
    if (!rest->bytes) {
        conn_close(reactor, conn);
        return;
    }
    size_t room = rest->capacity - rest->length;
    do {
        count = recv(conn->fd, rest->bytes + rest->length, room, 0);
    } while (count < 0 && errno == EINTR);
    conn->is_ready = (size_t)count == room || (count > 0 && conn->is_ended);
    if (count < 0 && errno == EAGAIN) {
        return;
    }
    if (count <= 0) {
        conn_close(reactor, conn);
        return;
    }
    counters_add_owned(&reactor->counters->received_bytes, (uint64_t)count);
    patience_receive(&conn->patience, (size_t)count, reactor->now_ns);
    rest->length += (size_t)count;
    conn->input_is_left = conn->is_ready;
    job_add(reactor, conn);
}

/* Goes on where the last job or a full socket left it. */
static void conn_advance(struct reactor *reactor, struct reactor_conn *conn)
{
    if (!conn_send(reactor, conn)) {
        return;
    }
    if (conn->closes) {
        conn_finish(reactor, conn);
    } else if (conn->action == HTTP_ACTION_FLUSH) {
        job_add(reactor, conn);
    } else if (conn->is_ready) {
        conn_read(reactor, conn);
    } else {
        conn_shrink(conn);
    }
}

static void conn_event(struct reactor *reactor, struct reactor_conn *conn, uint32_t events)
{
    if (conn->lingers) {
        conn_drain(reactor, conn);
        return;
    }
    conn->patience.active_ns = reactor->now_ns;
    /* Edge-triggered: it is not told again. */
    conn->is_ready |= (events & ~(uint32_t)EPOLLOUT) != 0;
    conn->is_ended |= (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
    if (conn->is_busy) {
        return;
    }
    if (conn->out.length) {
        conn_advance(reactor, conn);
    } else if (conn->is_ready) {
        conn_read(reactor, conn);
    }
}

/* Answers for the reactor itself: 408, 503. */
static void conn_refuse(struct reactor *reactor, struct reactor_conn *conn, int status)
{
    conn->out.date = &reactor->date;
    http_write_error(&conn->out, status, true);
    conn->closes = conn->input_is_left = true;
    counters_add_owned(&reactor->counters->request_count, 1);
    counters_add_owned(&reactor->counters->error_count, 1);
    conn_advance(reactor, conn);
}

static void conns_accept(struct reactor *reactor)
{
    for (int i = 0; i < ACCEPTOR_BATCH_COUNT; i++) {
        int fd = acceptor_accept(&reactor->acceptor);
        if (fd < 0) {
            return;
        }
        struct reactor_conn *conn = calloc(1, sizeof(*conn));
        if (!conn || (conn->fd = fd, !conn_watch(reactor, conn, EPOLL_CTL_ADD, EPOLLIN))) {
            free(conn);
            close(fd);
            acceptor_leave(reactor->config, reactor->counters);
            continue;
        }
        conn->patience.active_ns = reactor->now_ns;
        byte_pool_init(&conn->pool);
        http_output_init(&conn->out, &conn->pool, &reactor->date);
        LIST_INSERT_HEAD(&reactor->conns, conn, link);
    }
}

/* Ends a connection that took too long, and returns false; one with a request half sent is told so.
 */
static bool conn_check_time(struct reactor *reactor, struct reactor_conn *conn)
{
    const struct engine_config *config = reactor->config;
    struct patience *patience = &conn->patience;
    conn->is_unchecked = false;
    bool is_last = conn->lingers || conn->out.length;

    switch (is_last ? patience_check_last(patience, config, conn->lingers, reactor->now_ns)
                    : patience_check(patience, config, reactor->now_ns)) {
    case PATIENCE_WAITS:
        return true;
    case PATIENCE_ENDS:
        conn_close(reactor, conn);
        break;
    case PATIENCE_TELLS:
        conn_refuse(reactor, conn, 408);
        break;
    }
    return false;
}

/* Takes what the workers finished. */
static void jobs_collect(struct reactor *reactor)
{
    struct reactor_conn *conn, *next;

    pthread_mutex_lock(&reactor->mutex);
    conn = reactor->done.first;
    jobs_init(&reactor->done);
    pthread_mutex_unlock(&reactor->mutex);
    for (; conn; conn = next) {
        next = conn->next_job;
        conn->is_busy = false;
        extra_work_add(&reactor->extra_work, conn->out.answer_count);
        counters_add_owned(&reactor->counters->request_count, conn->out.answer_count);
        counters_add_owned(&reactor->counters->error_count, conn->out.error_count);
        conn->out.answer_count = conn->out.error_count = 0;
        conn->closes |= conn->action == HTTP_ACTION_CLOSE;
        patience_settle(&conn->patience, &conn->http, conn->rest.length, conn->is_restarted,
                        reactor->now_ns);
        if (conn->failed) {
            conn_close(reactor, conn);
        } else if (!conn->is_unchecked || conn->out.length || conn_check_time(reactor, conn)) {
            conn_advance(reactor, conn);
        }
    }
}

/* Hands on what is ready, as far as there is room; the rest is refused. */
static void jobs_hand_on(struct reactor *reactor)
{
    struct reactor_conn *conn;

    if (!reactor->ready.first) {
        return;
    }
    pthread_mutex_lock(&reactor->mutex);
    while (reactor->queue.count < reactor->config->queue_count &&
           (conn = jobs_take(&reactor->ready))) {
        jobs_append(&reactor->queue, conn);
    }
    pthread_cond_signal(&reactor->changed);
    pthread_mutex_unlock(&reactor->mutex);
    while ((conn = jobs_take(&reactor->ready))) {
        conn->is_busy = false;
        conn_refuse(reactor, conn, 503);
    }
}

/* Once a second: the date, the time limits, and another try at accepting. */
static void time_check(struct reactor *reactor)
{
    if (!acceptor_second(&reactor->acceptor, &reactor->date, &reactor->now_ns)) {
        return;
    }
    for (struct reactor_conn *conn = LIST_FIRST(&reactor->conns), *next; conn; conn = next) {
        next = LIST_NEXT(conn, link);
        if (conn->is_busy) {
            conn->is_unchecked = true;
        } else {
            conn_check_time(reactor, conn);
        }
    }
}

static void events_take(struct reactor *reactor)
{
    struct epoll_event events[EVENT_COUNT];
    int count = epoll_wait(reactor->epoll_fd, events, EVENT_COUNT,
                           acceptor_wait_ms(&reactor->acceptor, ACCEPTOR_WAIT_MS));
    bool has_done = false;
    uint64_t ignored;

    for (int i = 0; i < count; i++) {
        void *target = events[i].data.ptr;

        if (target == reactor) {
            reactor->stops = true;
        } else if (target == &reactor->acceptor) {
            conns_accept(reactor);
        } else if (target == &reactor->done_fd) {
            has_done = read(reactor->done_fd, &ignored, sizeof(ignored)) > 0;
        } else {
            conn_event(reactor, target, events[i].events);
        }
    }
    /* Not before: these close connections, and the events may speak of them. */
    if (has_done) {
        jobs_collect(reactor);
    }
    jobs_hand_on(reactor);
    time_check(reactor);
}

static void reactor_run_loop(struct reactor *reactor)
{
    extra_work_begin(&reactor->extra_work, reactor->config->extra_work_percent);
    time_check(reactor);
    while (!reactor->stops) {
        events_take(reactor);
    }
    pthread_mutex_lock(&reactor->mutex);
    reactor->workers_stop = true;
    pthread_cond_broadcast(&reactor->changed);
    pthread_mutex_unlock(&reactor->mutex);
}

struct member {
    struct reactor *reactor;
    bool is_reactor;
};

static void member_run(void *state)
{
    const struct member *member = state;

    if (member->is_reactor) {
        reactor_run_loop(member->reactor);
    } else {
        worker_run(member->reactor);
    }
}

static enum err_code reactor_open(struct reactor *reactor, struct err *e)
{
    struct epoll_event stop = {.events = EPOLLIN, .data.ptr = reactor};
    struct epoll_event done = {.events = EPOLLIN, .data.ptr = &reactor->done_fd};

    reactor->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    reactor->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (reactor->epoll_fd < 0 || reactor->done_fd < 0 ||
        epoll_ctl(reactor->epoll_fd, EPOLL_CTL_ADD, reactor->config->stop_fd, &stop) < 0 ||
        epoll_ctl(reactor->epoll_fd, EPOLL_CTL_ADD, reactor->done_fd, &done) < 0) {
        return err_set_sys(e, "opening the reactor");
    }
    return acceptor_init(&reactor->acceptor, reactor->epoll_fd, reactor->config, 0, SOCK_NONBLOCK,
                         e);
}

static void reactor_close(struct reactor *reactor)
{
    while (!LIST_EMPTY(&reactor->conns)) {
        conn_close(reactor, LIST_FIRST(&reactor->conns));
    }
    acceptor_release(&reactor->acceptor);
    if (reactor->epoll_fd >= 0) {
        close(reactor->epoll_fd);
    }
    if (reactor->done_fd >= 0) {
        close(reactor->done_fd);
    }
}

static enum err_code reactor_run(const struct engine_config *config, struct err *e)
{
    size_t count = config->thread_count + 1;
    struct reactor *reactor = calloc(1, sizeof(*reactor));
    struct member *members = calloc(count, sizeof(*members));
    enum err_code code = ERR_OK;

    if (!reactor || !members) {
        code = err_set_sys(e, "opening the reactor");
        goto done;
    }
    *reactor = (struct reactor){
        .config = config,
        .counters = &config->counters->slots[0],
        .date = {.second = -1},
        .mutex = PTHREAD_MUTEX_INITIALIZER,
        .changed = PTHREAD_COND_INITIALIZER,
    };
    jobs_init(&reactor->ready);
    jobs_init(&reactor->queue);
    jobs_init(&reactor->done);
    code = reactor_open(reactor, e);
    for (size_t i = 0; i < count; i++) {
        members[i] = (struct member){reactor, i == 0};
    }
    if (code == ERR_OK) {
        code = workers_run(member_run, members, sizeof(*members), count, e);
    }
    reactor_close(reactor);
done:
    free(members);
    free(reactor);
    return code;
}

const struct engine engine_reactor = {
    .name = "reactor",
    .summary = "one reactor, workers behind a bounded queue, 503 when it is full",
    .threads = ENGINE_THREADS_WORKERS,
    .run = reactor_run,
};
