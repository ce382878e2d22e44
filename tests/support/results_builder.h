// SPDX-License-Identifier: Apache-2.0
// Results files for tests, made from the schema asset: a whole session that looks like a real one,
// the same bytes of content for the same options.
#ifndef TESTS_SUPPORT_RESULTS_BUILDER_H
#define TESTS_SUPPORT_RESULTS_BUILDER_H

#include <stdint.h>

/* What is wrong with the session. Bits may be combined. */
enum results_builder_fault {
    RESULTS_BUILDER_CRASHED =
        1 << 0, /* the server of epoll's trial in block 1 dies in the window */
    RESULTS_BUILDER_FOREIGN_CPU = 1
                                  << 1, /* other programs take 12 % of the machine in every trial */
    RESULTS_BUILDER_NOTHING = 1 << 2,   /* every connection is refused: no ok request anywhere */
    RESULTS_BUILDER_HOSTILE = 1 << 3, /* names and texts with markup, quotes, backticks, newlines */
    RESULTS_BUILDER_INTERRUPTED = 1 << 4,  /* stopped by the user in block 2 */
    RESULTS_BUILDER_NO_AA = 1 << 5,        /* no A/A arm */
    RESULTS_BUILDER_EMPTY = 1 << 6,        /* a session without any trial */
    RESULTS_BUILDER_NO_HISTOGRAM = 1 << 7, /* histograms are NULL */
    RESULTS_BUILDER_WHOLE_PLAN = 1 << 8,   /* nothing: the plan's text can be read; rows, order and
                                              commands are a real session's; for 125 connections */
};

/* Zeroed: the demo session. */
struct results_builder {
    unsigned faults;
    uint32_t block_count;          /* 0: 6; 1: a single trial an engine, no interval */
    uint64_t seed;                 /* of the noise; 0: 42 */
    double epoll_per_s;            /* 0: 52000 */
    double blocking_per_s;         /* 0: 31000 */
    double limit_per_s;            /* 0: 88000 */
    double trial_noise;            /* SD of the log rate between trials; 0: 0.01 */
    uint32_t connection_counts[2]; /* 0: {125, none} */
};

/*
 * Makes the file (replacing one that is there). Arms: epoll, blocking (baseline), "blocking (A/A)"
 * in a balanced order, limit before and after. A trial has 1 warm-up, 6 window and 1 drain sample
 * of 500 ms with every metric, its outcomes and histograms. Aborts the test when it cannot.
 */
void results_builder_make(const struct results_builder *builder, const char *path);

/* Runs SQL on a results file, for damage that the options do not have. Aborts on an SQL error. */
void results_builder_alter(const char *path, const char *sql);

#endif
