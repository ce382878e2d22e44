// SPDX-License-Identifier: Apache-2.0
// What long commands share: signals that end them, and the one line that is redrawn on a terminal.
#ifndef REPORT_CMD_TERMINAL_H
#define REPORT_CMD_TERMINAL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* The first signal decides the exit status; the count tells that somebody is in a hurry. */
extern volatile sig_atomic_t cmd_stop_signal, cmd_stop_count;

/* SIGINT, SIGTERM and SIGHUP go into cmd_stop_signal and end sleeps; SIGPIPE is ignored, and so is
 * a SIGHUP that was ignored before (nohup). */
void cmd_signals_catch(void);

/* Columns of the terminal behind a descriptor; `otherwise` when it is none. */
size_t cmd_terminal_columns(int fd, size_t otherwise);

/* Takes the redrawn line away; nothing when it is no terminal. */
void cmd_line_clear(bool is_terminal);

/* Redraws the line on standard error; what does not fit is cut, because a line that wraps cannot be
 * redrawn. */
void cmd_line_draw(const char *text);

#endif
