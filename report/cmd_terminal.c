// SPDX-License-Identifier: Apache-2.0
// Signals and the redrawn line.
#include "report/cmd_terminal.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMNS_USUAL 79

volatile sig_atomic_t cmd_stop_signal, cmd_stop_count;

static void signal_keep(int number)
{
    if (!cmd_stop_signal) {
        cmd_stop_signal = number;
    }
    cmd_stop_count = cmd_stop_count + 1;
}

void cmd_signals_catch(void)
{
    struct sigaction action = {.sa_handler = signal_keep}; /* no SA_RESTART: sleeps must end */
    struct sigaction hangup;

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) {
        sigaction(SIGHUP, &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN); /* it is then an error of the write */
}

void cmd_line_clear(bool is_terminal)
{
    if (is_terminal) {
        fputs("\r\033[K", stderr);
    }
}

size_t cmd_terminal_columns(int fd, size_t otherwise)
{
    struct winsize size;

    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : otherwise;
}

void cmd_line_draw(const char *text)
{
    cmd_line_clear(true);
    fprintf(stderr, "%.*s", (int)cmd_terminal_columns(STDERR_FILENO, COLUMNS_USUAL + 1) - 1, text);
    fflush(stderr);
}
