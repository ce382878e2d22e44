// SPDX-License-Identifier: Apache-2.0
// Real processes: servers that do what servers should not do.
#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/run/supervise.h"

static const struct clock *system_clock;

static void supervise_set_up(void)
{
    struct err e;

    system_clock = clock_system();
    cr_assert_eq(supervise_init(&e), ERR_OK);
}

TestSuite(supervise, .init = supervise_set_up, .timeout = 60);

static struct supervised *script_start(const char *script)
{
    const char *const arguments[] = {"sh", "-c", script, NULL};
    struct supervise_config config = {.program = "/bin/sh",
                                      .arguments = arguments,
                                      .counters_fd = -1,
                                      .padding_bytes = 100,
                                      .clock = system_clock};
    struct supervised *server = NULL;
    struct err e;

    cr_assert_eq(supervise_start(&config, &server, &e), ERR_OK, "%s", e.text);
    return server;
}

static int64_t now_ns(void)
{
    return clock_now_ns(system_clock);
}

/* Looks each millisecond for at most 20 s. */
static uint16_t port_wait(struct supervised *server)
{
    int64_t deadline_ns = now_ns() + 20 * CLOCK_NS_PER_S;
    uint16_t port = 0;

    while (!supervise_find_port(server, &port) && now_ns() < deadline_ns) {
        usleep(1000);
    }
    return port;
}

static void end_wait_bounded(struct supervised *server)
{
    int64_t deadline_ns = now_ns() + 20 * CLOCK_NS_PER_S;

    while (!supervise_has_ended(server) && now_ns() < deadline_ns) {
        usleep(1000);
    }
}

static bool have_no_child(void)
{
    return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
}

Test(supervise, keeps_exit_status_and_signal_apart)
{
    static const struct {
        const char *script, *want;
    } rows[] = {
        {"exit 7", "exit 7"}, {"kill -SEGV $$", "signal 11"}, {"kill -TERM $$", "signal 15"}};

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct supervised *server = script_start(rows[i].script);
        end_wait_bounded(server);
        supervise_stop(server);
        cr_expect_str_eq(supervise_exit(server), rows[i].want); /* F15 */
        cr_expect(supervise_ended_early(server), "row %zu", i);
        supervise_free(server);
    }
}

Test(supervise, finds_the_port_that_a_server_prints_and_stops_it_by_sigterm)
{
    struct supervised *server =
        script_start("trap 'exit 0' TERM; echo hello; echo listening 127.0.0.1:4711; "
                     "while :; do sleep 0.01; done");

    cr_expect_eq(port_wait(server), 4711);
    cr_expect_not(supervise_has_ended(server));
    int64_t before_ns = now_ns();
    supervise_stop(server);
    cr_expect_lt(now_ns() - before_ns, 3 * CLOCK_NS_PER_S);
    cr_expect_str_eq(supervise_exit(server), "exit 0");
    cr_expect_not(supervise_ended_early(server));
    supervise_stop(server);
    supervise_free(server);
    cr_expect(have_no_child());
}

/* F05: ignores SIGTERM and holds the pipe. */
Test(supervise, kills_a_server_that_ignores_sigterm_after_the_grace)
{
    struct supervised *server =
        script_start("trap '' TERM; echo listening 127.0.0.1:1; while :; do sleep 0.05; done");

    cr_expect_eq(port_wait(server), 1);
    int64_t before_ns = now_ns();
    supervise_stop(server);
    int64_t took_ns = now_ns() - before_ns;
    cr_expect_geq(took_ns, SUPERVISE_GRACE_NS);
    cr_expect_lt(took_ns, SUPERVISE_GRACE_NS + CLOCK_NS_PER_S);
    cr_expect_str_eq(supervise_exit(server), "signal 9");
    supervise_free(server);
    cr_expect(have_no_child());
}

/* F03: the real server is a grandchild, once in the group and once in a session of its own. */
Test(supervise, leaves_no_grandchild_behind_wherever_it_hides)
{
    struct supervised *server =
        script_start("sleep 1000 & setsid sleep 1000 & setsid sh -c 'sleep 1000 & sleep 1000' & "
                     "echo listening 127.0.0.1:2; wait");

    cr_expect_eq(port_wait(server), 2);
    usleep(50000); /* the grandchildren's setsid; being early only makes the test easier */
    supervise_stop(server);
    supervise_free(server);
    cr_expect(have_no_child());
}

/* F06: 17 MB on both streams before it is ready. */
Test(supervise, drains_a_chatty_server_from_the_first_byte)
{
    struct supervised *server = script_start("echo listening 127.0.0.1:3; "
                                             "yes 'a line of eighty-four bytes, as a server that "
                                             "logs every request would write it...' | "
                                             "head -n 200000; "
                                             "yes 'a line of eighty-four bytes, as a server that "
                                             "logs every request would write it...' | "
                                             "head -n 200000 >&2; echo the last line; exit 3");
    char tail[32];

    end_wait_bounded(server);
    supervise_stop(server);
    cr_expect_str_eq(supervise_exit(server), "exit 3", "it was never blocked for long");
    cr_expect_eq(port_wait(server), 3);
    int64_t deadline_ns = now_ns() + 5 * CLOCK_NS_PER_S;
    do {
        supervise_copy_log_tail(server, tail, sizeof(tail));
    } while (!strstr(tail, "the last line") && now_ns() < deadline_ns);
    cr_expect(strstr(tail, "the last line"), "%s", tail);
    supervise_free(server);
}

/* F09: standard input is open and silent; F16: nothing of the environment but the list. */
Test(supervise, gives_a_silent_input_and_a_small_environment)
{
    setenv("HTTP_PROXY", "http://127.0.0.1:1", 1);
    setenv("LD_DEBUG_OUTPUT", "x", 1);
    struct supervised *server =
        script_start("env | cut -d= -f1 | sort | tr '\\n' ' '; echo; echo listening 127.0.0.1:4; "
                     "read line; exit 9");
    char tail[256];

    cr_expect_eq(port_wait(server), 4);
    usleep(100000); /* an end of file would end it at once */
    cr_expect_not(supervise_has_ended(server));
    supervise_copy_log_tail(server, tail, sizeof(tail));
    cr_expect_null(strstr(tail, "PROXY"), "%s", tail);
    cr_expect_null(strstr(tail, "LD_DEBUG"), "%s", tail);
    cr_expect(strstr(tail, "TACHO_PADDING"), "%s", tail);
    cr_expect(strstr(tail, "LC_ALL"), "%s", tail);
    supervise_free(server);
}

/* The last words of a server that ends at once are in its log; of much only the ends are. */
Test(supervise, keeps_both_ends_of_what_the_server_wrote)
{
    static const struct {
        const char *script;
        uint64_t written_bytes; /* by hand: 600 lines of 1000 bytes are more than twice 256 KiB */
        size_t head_bytes, tail_bytes;
        const char *begin, *end;
    } rows[] = {
        {"echo first; echo last >&2", 11, 11, 0, "first\n", "last\n"},
        {"echo A; i=0; while [ $i -lt 600 ]; do printf '%0999d\n' $i; i=$((i+1)); done; echo Z",
         600004, 262144, 262144, "A\n0", "599\nZ\n"},
        {"exit 0", 0, 0, 0, "", ""},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct supervised *server = script_start(rows[i].script);
        struct supervise_log log;

        for (int tries = 0; tries < 500 && !supervise_has_ended(server); tries++) {
            usleep(10000);
        }
        supervise_stop(server);
        cr_assert_eq(supervise_take_log(server, &log, NULL), ERR_OK);
        cr_expect_eq(log.written_bytes, rows[i].written_bytes, "row %zu: %lu", i,
                     (unsigned long)log.written_bytes);
        cr_expect_eq(log.head_bytes, rows[i].head_bytes, "row %zu", i);
        cr_expect_eq(log.tail_bytes, rows[i].tail_bytes, "row %zu", i);
        size_t kept = log.head_bytes + log.tail_bytes, end = strlen(rows[i].end);
        cr_expect(kept == 0 || memcmp(log.head, rows[i].begin, strlen(rows[i].begin)) == 0);
        cr_expect(kept == 0 || memcmp(log.head + kept - end, rows[i].end, end) == 0);
        free(log.head);
        supervise_free(server);
    }
}

Test(supervise, names_the_step_that_failed)
{
    const char *const arguments[] = {"x", NULL};
    struct supervise_config config = {.program = "/nonexistent/server",
                                      .arguments = arguments,
                                      .counters_fd = -1,
                                      .clock = system_clock};
    struct supervised *server = NULL;
    struct err e;

    cr_expect_eq(supervise_start(&config, &server, &e), ERR_SYS);
    cr_expect_str_eq(e.text, "/nonexistent/server: executing it: No such file or directory");
    cr_expect_null(server);
    cr_expect(have_no_child());
}

/* The server dies with us: PDEATHSIG. */
Test(supervise, takes_the_server_along_when_it_is_killed_itself)
{
    int pipes[2];
    pid_t server_pid = 0;

    cr_assert_eq(pipe(pipes), 0);
    pid_t keeper = fork();
    cr_assert_geq(keeper, 0);
    if (keeper == 0) {
        struct supervised *server = script_start("trap '' TERM HUP; while :; do sleep 0.05; done");
        pid_t pid = supervise_pid(server);
        _exit(write(pipes[1], &pid, sizeof(pid)) == sizeof(pid) && pause() ? 1 : 0);
    }
    cr_assert_eq(read(pipes[0], &server_pid, sizeof(server_pid)), sizeof(server_pid));
    cr_assert_eq(kill(server_pid, 0), 0);
    kill(keeper, SIGKILL);
    cr_expect_eq(waitpid(keeper, NULL, 0), keeper);
    /* It is handed to this process, the reaper. */
    int status = 0;
    cr_expect_eq(waitpid(server_pid, &status, 0), server_pid);
    cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    while (waitpid(-1, NULL, 0) > 0) {
        continue; /* its "sleep 0.05" */
    }
    close(pipes[0]);
    close(pipes[1]);
}
