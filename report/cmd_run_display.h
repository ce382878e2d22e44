// SPDX-License-Identifier: Apache-2.0
// How a running session is shown: a redrawn line on a terminal, plain lines elsewhere, or events as
// JSON, one a line.
#ifndef REPORT_CMD_RUN_DISPLAY_H
#define REPORT_CMD_RUN_DISPLAY_H

#include <stdbool.h>

#include "collector/run/session.h"

struct run_display {
    bool is_terminal; /* standard error is one that can redraw a line */
    bool has_waited;  /* for other programs: that was told */
    bool is_json;     /* events on standard output, nothing else there */
    size_t trial_index, trial_count;
    char label[200]; /* "epoll, ping, 125 connections" */
};

/* Looks at standard error and TERM. */
void cmd_run_display_init(struct run_display *display, bool is_json);

/* The callbacks that show it; `display` is kept by reference. */
struct progress cmd_run_display_progress(struct run_display *display);

/* How it ended: VERDICT=WORD as the last line of standard output, or the last event. */
void cmd_run_display_end(const struct run_display *display, const char *verdict, int status,
                         const char *reason, const char *results_path);

#endif
