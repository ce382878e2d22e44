// SPDX-License-Identifier: Apache-2.0
// The line of a running session at every width.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "engines/base/attr.h"
#include "report/run_line.h"

static const struct progress_sample sample = {.phase = "window",
                                              .rate_per_s = 52000.4,
                                              .p99_ns = 1200000,
                                              .error_count = 1,
                                              .foreign_cpu_share = 0.014,
                                              .left_ns = 3723000000000};
static const struct progress_sample bare = {.p99_ns = -1, .foreign_cpu_share = (double)NAN};

Test(run_line, keeps_what_matters_where_the_terminal_is_narrow)
{
    static const struct {
        size_t columns, index;
        const char *label;
        const struct progress_sample *seen;
        const char *want;
    } rows[] = {
        {200, 8, "epoll, ping, 125 connections", &sample,
         "[######------] 9/16 epoll, ping, 125 connections  52000 req/s  p99 1.20 ms  1 error  "
         "foreign "
         "CPU 1 %  left 1:02:03"},
        {100, 8, "epoll, ping, 125 connections", &sample,
         "9/16 epoll, ping, 125 connections  52000 req/s  p99 1.20 ms  1 error  foreign CPU 1 %  "
         "left "
         "1:02:03"},
        {80, 8, "epoll, ping, 125 connections", &sample,
         "9/16 epoll, ping, 125 connections  52000 req/s  1 error  left 1:02:03"},
        {50, 8, "epoll, ping, 125 connections", &sample,
         "9/16 epoll, ping, 125 connections  52000 req/s"},
        {30, 8, "epoll, ping, 125 connections", &sample, "9/16 epoll, ping,  52000 req/s"},
        {19, 8, "epoll", &sample, "9/16 e  52000 req/s"},
        {10, 8, "epoll", &sample, "9/16   520"},
        {200, 0, "h\xc3\xa9llo", NULL, "[------------] 1/16 h\xc3\xa9llo"},
        {8, 0, "h\xc3\xa9llo", NULL, "1/16 h\xc3\xa9l"},
        {7, 0, "h\xc3\xa9llo", NULL, "1/16 h\xc3\xa9"},
        {200, 15, "w", &bare, "[###########-] 16/16 w  0 req/s  0 errors  left 0:00"},
        {0, 0, "w", NULL, ""},
    };
    char out[RUN_LINE_BYTES];

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const struct run_line line = {rows[i].index, 16, rows[i].label, rows[i].seen};

        run_line_format(&line, rows[i].columns, out);
        cr_expect_str_eq(out, rows[i].want, "row %zu", i);
    }
}

/* Whatever the width, it is kept, and no character is cut in two. */
Test(run_line, never_is_longer_than_the_terminal)
{
    char out[RUN_LINE_BYTES];

    for (size_t columns = 0; columns < 160; columns++) {
        const struct run_line line = {3, 1000, "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac, ping",
                                      &sample};
        size_t count = 0;

        run_line_format(&line, columns, out);
        for (const char *at = out; *at; at++) {
            count += ((unsigned char)*at & 0xc0) != 0x80;
        }
        cr_expect_leq(count, columns, "%s", out);
        size_t length = strlen(out);
        cr_expect(length == 0 || (unsigned char)out[length - 1] < 0xc0, "a character is whole");
    }
}
