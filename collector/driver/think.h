// SPDX-License-Identifier: Apache-2.0
// Think time: how long a connection of a closed loop pauses between a response and its next
// request, and whose pause ends next.
#ifndef COLLECTOR_DRIVER_THINK_H
#define COLLECTOR_DRIVER_THINK_H

#include <stdint.h>

#include "engines/base/rng.h"

enum think_kind {
    THINK_CONSTANT,    /* always the mean */
    THINK_EXPONENTIAL, /* independent, as of users who act at random */
};
extern const char *const think_kind_names[]; /* "constant", "exponential" */

struct think_config {
    int64_t mean_ns; /* 0: no pause */
    enum think_kind kind;
    uint64_t seed;
};

struct think {
    const struct think_config *config;
    struct rng rng;
    struct think_entry {
        int64_t end_ns;
        uint32_t index; /* of the connection */
    } * entries;        /* the caller's memory; a heap, the first one on top */
    uint32_t count;
};

/* For thread `number`; room in `entries` for one of each connection. */
void think_init(struct think *think, const struct think_config *config, uint32_t number,
                struct think_entry *entries);

/* The length of a pause. */
int64_t think_draw(struct think *think);

/* What is left of a pause in which the load begins, so that connections do not begin together. */
int64_t think_draw_rest(struct think *think);

/* A connection that has no pause yet has one until end_ns. */
void think_begin(struct think *think, uint32_t index, int64_t end_ns);

/* When the first pause ends; INT64_MAX: there is none. */
int64_t think_first_ns(const struct think *think);

/* Takes out the first pause and returns whose it was; there is one. */
uint32_t think_end(struct think *think);

#endif
