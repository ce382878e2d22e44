// SPDX-License-Identifier: Apache-2.0
// Connections of a closed loop that pause between a response and the next request.
#include "collector/driver/connection.h"
#include "engines/base/clock.h"

void connection_think(struct driver_thread *t, struct connection *c, int64_t now_ns)
{
    if (t->has_think && !c->is_thinking && !t->is_draining) {
        c->is_thinking = true;
        think_begin(&t->think, (uint32_t)(c - t->connections), now_ns + think_draw(&t->think));
    }
}

void connection_think_first(struct driver_thread *t, int64_t now_ns)
{
    for (uint32_t i = 0; t->has_think && i < t->connection_count; i++) {
        t->connections[i].is_thinking = true;
        think_begin(&t->think, i, now_ns + think_draw_rest(&t->think));
    }
}

/* Of one that is without a socket somebody else will hear when it has one. */
static void pause_end(struct driver_thread *t, struct connection *c, int64_t now_ns)
{
    c->is_thinking = false;
    if (c->is_parked) {
        c->is_parked = false;
        connection_renew(t, c, now_ns);
    } else if (c->state == CONNECTION_IDLE) {
        c->counts_connecting = false; /* it waited for the pause, not for the connection */
        connection_ready(t, c, now_ns);
    }
}

void connection_wake_due(struct driver_thread *t)
{
    while (t->is_loading && !t->is_draining) {
        int64_t now_ns = clock_monotonic_ns();

        driver_thread_mark(t, now_ns);
        if (t->is_draining || think_first_ns(&t->think) > now_ns) {
            return;
        }
        pause_end(t, &t->connections[think_end(&t->think)], now_ns);
    }
}
