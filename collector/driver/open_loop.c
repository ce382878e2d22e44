// SPDX-License-Identifier: Apache-2.0
// The open loop of one thread: which requests are due, and which connections wait for one.
#include "collector/driver/connection.h"
#include "engines/base/clock.h"

void connection_list(struct driver_thread *t, struct connection *c, int64_t now_ns)
{
    uint32_t index = (uint32_t)(c - t->connections);

    c->state = CONNECTION_IDLE;
    c->since_ns = now_ns;
    c->is_listed = true;
    c->idle_next = CONNECTION_NONE;
    c->idle_previous = t->idle_last;
    if (t->idle_last == CONNECTION_NONE) {
        t->idle_first = index;
    } else {
        t->connections[t->idle_last].idle_next = index;
    }
    t->idle_last = index;
}

void connection_unlist(struct driver_thread *t, struct connection *c)
{
    if (c->idle_previous == CONNECTION_NONE) {
        t->idle_first = c->idle_next;
    } else {
        t->connections[c->idle_previous].idle_next = c->idle_next;
    }
    if (c->idle_next == CONNECTION_NONE) {
        t->idle_last = c->idle_previous;
    } else {
        t->connections[c->idle_next].idle_previous = c->idle_previous;
    }
    c->is_listed = false;
}

void connection_count_due(struct driver_thread *t, int64_t end_ns)
{
    while (t->left_count > 0 && t->zero_ns + t->due.due_ns < end_ns) {
        t->record->scheduled_count++;
        t->backlog_count++;
        arrivals_advance(&t->due);
    }
}

/* The request at the cursor is no longer waited for: it was sent or given up. */
static void backlog_drop(struct driver_thread *t)
{
    t->backlog_count--;
    arrivals_advance(&t->sent);
}

static void backlog_shed(struct driver_thread *t, int64_t now_ns)
{
    int64_t deadline_ns = t->control->config->deadline_ns;

    while (deadline_ns > 0 && t->backlog_count > 0 &&
           now_ns - (t->zero_ns + t->sent.due_ns) > deadline_ns) {
        t->record->shed_count++;
        backlog_drop(t);
    }
}

/* The request at the cursor goes out on the connection that has been idle longest. */
static void due_start(struct driver_thread *t, int64_t now_ns)
{
    struct connection *c = &t->connections[t->idle_first];
    int64_t due_ns = t->zero_ns + t->sent.due_ns;
    /* Before that nobody could have sent it: the server's doing, not the driver's. */
    int64_t could_ns = due_ns > c->since_ns ? due_ns : c->since_ns;

    connection_unlist(t, c);
    backlog_drop(t);
    c->due_ns = due_ns;
    histogram_record(t->record->lag, now_ns > could_ns ? now_ns - could_ns : 0);
    connection_start(t, c, now_ns);
}

void connection_start_due(struct driver_thread *t)
{
    while (t->is_loading && !t->is_draining) {
        int64_t now_ns = clock_monotonic_ns();

        driver_thread_mark(t, now_ns);
        if (t->is_draining) {
            return;
        }
        connection_count_due(t, now_ns + 1);
        backlog_shed(t, now_ns);
        if (t->backlog_count == 0 || t->idle_first == CONNECTION_NONE || t->left_count == 0) {
            return;
        }
        due_start(t, now_ns);
    }
}
