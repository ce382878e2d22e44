// SPDX-License-Identifier: Apache-2.0
// What a running session shows: events as JSON, plain lines, and a line that fits the terminal.
#include <criterion/criterion.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tests/support/tacho_run.h"

TestSuite(session_display, .init = run_set_up, .fini = run_tear_down, .timeout = 60);

/* Each line is an object with just the keys that the schema requires of its kind. */
static void line_check(const char *line, const json_t *kinds)
{
    json_error_t problem;
    json_t *event = json_loads(line, JSON_REJECT_DUPLICATES, &problem);

    cr_assert(event, "%s: %s", problem.text, line);
    const char *name = json_string_value(json_object_get(event, "event"));
    const json_t *required = json_object_get(json_object_get(kinds, name ? name : ""), "required");
    cr_expect(required, "the schema knows no %s", line);
    cr_expect_eq(json_object_size(event), json_array_size(required), "%s", line);
    for (size_t i = 0; i < json_array_size(required); i++) {
        cr_expect(json_object_get(event, json_string_value(json_array_get(required, i))), "%s",
                  line);
    }
    json_decref(event);
}

Test(session_display, tells_events_as_the_schema_says)
{
    json_t *schema = json_load_file("report/run-events.schema.json", 0, NULL);
    char *rest = NULL, last[2000] = "";
    size_t count = 0;

    cr_assert(schema);
    run_plan_write("500ms", "", "pong", 4);
    run_options[0] = "--json";
    run_options[1] = "--force"; /* whatever else runs here */
    cr_expect_eq(run_wait(run_start(0)), 0);
    run_file_text(run_out_path);
    for (char *line = strtok_r(run_text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        line_check(line, json_object_get(schema, "$defs"));
        snprintf(last, sizeof(last), "%s", line);
        count++;
    }
    cr_expect_geq(count, 3 * (2 + 9 + 2) + 2, "three trials of nine phases and two samples");
    cr_expect(strstr(last, "\"event\":\"session_ended\"") &&
                  strstr(last, "\"verdict\":\"MEASURED\""),
              "%s", last);
    cr_expect(!*run_file_text(run_err_path) || strstr(run_text, "(--force)\n"), "%s", run_text);
    json_decref(schema);
}

Test(session_display, writes_no_escape_bytes_where_there_is_no_terminal)
{
    run_plan_write("500ms", "", "pong", 4);
    cr_expect_eq(run_wait(run_start(0)), 0);
    cr_expect_null(strchr(run_file_text(run_err_path), '\033'), "%s", run_text);
    cr_expect_null(strchr(run_text, '\r'));
    cr_expect(strstr(run_text, "trial 3/3  limit, limit, 4 connections  "), "%s", run_text);
}

/* A pseudo-terminal of 40 columns as its standard error. */
static pid_t terminal_start(int *master_out)
{
    const struct winsize size = {.ws_row = 24, .ws_col = 40};
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    char name[64];

    if (master < 0) {
        cr_skip_test("no pseudo-terminals here");
    }
    cr_assert(grantpt(master) == 0 && unlockpt(master) == 0 &&
              ptsname_r(master, name, sizeof(name)) == 0);
    cr_assert_eq(ioctl(master, TIOCSWINSZ, &size), 0);
    setenv("TERM", "xterm", 1);
    snprintf(run_err_path, sizeof(run_err_path), "%s", name);
    pid_t pid = run_start(0);
    *master_out = master;
    return pid;
}

Test(session_display, redraws_one_line_that_fits_the_terminal)
{
    char text[65536];
    size_t used = 0;
    int master = -1;
    size_t line_count = 0;

    run_plan_write("1s", "", "pong", 4);
    run_options[0] = "--force"; /* whatever else runs here */
    pid_t tacho = terminal_start(&master);
    for (ssize_t count = 1; count > 0 && used < sizeof(text) - 1;) {
        count = read(master, text + used, sizeof(text) - 1 - used); /* EIO at its end */
        used += count > 0 ? (size_t)count : 0;
    }
    text[used] = '\0';
    close(master);
    cr_expect_eq(run_wait(tacho), 0);
    for (const char *at = strstr(text, "\r\033[K"); at; at = strstr(at + 1, "\r\033[K")) {
        size_t length = strcspn(at + 4, "\r\n");

        if (strncmp(at + 4, "trial ", 6) != 0 && strncmp(at + 4, "tacho: ", 7) != 0) {
            cr_expect_leq(length, 39, "%.*s", (int)length, at + 4);
            line_count += strstr(at + 4, " req/s") != NULL;
        }
    }
    cr_expect_geq(line_count, 4, "%s", text);
}
