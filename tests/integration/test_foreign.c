// SPDX-License-Identifier: Apache-2.0
// tacho run against servers that are not built in: commands that behave and those that do not, and
// URLs. Letters as in tests/cases/session.md.
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/run/foreign_files.h"
#include "engines/base/buf.h"
#include "engines/base/fs.h"
#include "engines/base/proc.h"
#include "tests/support/engine_process.h"
#include "tests/support/fake_engine.h"
#include "tests/support/listener_open.h"
#include "tests/support/tacho_run.h"
#include "tests/support/tls_peer.h"

TestSuite(foreign, .init = run_set_up, .fini = run_tear_down, .timeout = 180);

static char engine[PATH_MAX];

/* A plan of the engines' lines, one block of half a second. */
static void plan_write(const char *lines)
{
    struct buf text;
    struct err e;

    cr_assert(realpath(engine_process_program(), engine));
    buf_init(&text, 1 << 16);
    buf_addf(&text,
             "title: foreign\ntrials: 1\naa: false\nsettle: 0s\nwarmup: 0s\nwindow: 500ms\n"
             "cooldown: 0s\nsample: 250ms\ntimeout: 1s\nready_within: 20s\nengines:\n%s"
             "workloads:\n  - { name: ping, get: /ping, expect: { status: 200, body: pong }, "
             "connections: 4 }\n",
             lines);
    cr_assert_eq(fs_write_file(run_plan_path, text.bytes, text.length, &e), ERR_OK, "%s", e.text);
    buf_release(&text);
    unlink(run_results_path);
}

static const struct command_row {
    const char *name;
    const char *mode;   /* of a fake server, whose path is %s below; NULL: the real one */
    const char *engine; /* the engine's keys */
    const char *want;   /* what is so of its trial */
} command_rows[] = {
    {"good", "good", "command: [%s, epoll, --port, \"{port}\"]",
     "state = 'finished' AND server_request_count IS NULL AND ready_ns > 0 AND server_exit = "
     "'signal 15'"},
    {"by variable", "good",
     "command: [sh, -c, 'exec \"$0\" epoll --port \"$PORT\"', %s], environment: { PORT: "
     "\"{port}\" }",
     "state = 'finished'"},
    /* F03: npm and the like: the server is a child of what was started. */
    {"wrapped", NULL, "command: [sh, -c, 'cd / && %s epoll --port {port} & wait']",
     "state = 'finished' AND server_exit = 'signal 15'"},
    {"hidden", NULL, "command: [sh, -c, 'setsid %s epoll --port {port} & wait']",
     "state = 'finished'"},
    /* F06 */
    {"chatty", "noise_first", "command: [%s, epoll, --port, \"{port}\"]",
     "state = 'finished' AND (SELECT written_bytes > 20000000 AND length(head) + length(tail) <= "
     "524288 FROM log WHERE log.trial_id = trial.trial_id)"},
    /* F08 */
    {"warming", "warming", "command: [%s, epoll, --port, \"{port}\"]",
     "state = 'finished' AND ready_ns >= 300000000"},
    {"404 by design", NULL,
     "command: [%s, epoll, --port, \"{port}\"], ready: { path: /nothing, status: 404 }",
     "state = 'finished'"},
    {"never ready", NULL,
     "command: [%s, epoll, --port, \"{port}\"], ready: { path: /nothing, within: 3s }",
     "state = 'failed' AND reason = 'not ready within 3s: status 404, the plan expects 200'"},
    /* F09: ends when its input does, or with a line from it. */
    {"reads", NULL, "command: [sh, -c, '%s epoll --port {port} & read line']",
     "state = 'finished'"},
    {"reads a terminal", NULL,
     "command: [sh, -c, 'test -t 0 || exit 9; %s epoll --port {port} & read line'], "
     "stdin: terminal",
     "state = 'finished'"},
    {"reads nothing", NULL,
     "command: [sh, -c, '%s epoll --port {port} & sleep 0.3; read line; exit 3'], stdin: 'null'",
     "state = 'crashed' AND server_exit = 'exit 3' AND reason LIKE '%%: exit 3 after % ms, its "
     "input was /dev/null%'"},
    /* F11, F15 */
    {"dies", "segv", "command: [%s, epoll, --port, \"{port}\"]",
     "state IN ('crashed', 'finished') AND server_exit IN ('signal 11', 'signal 15')"},
    {"leaves", NULL,
     "command: [sh, -c, '%s epoll --port {port} & sleep 0.3; echo last words; exit 0']",
     "state = 'crashed' AND server_exit = 'exit 0' AND reason LIKE '%last words%'"},
    {"ended by another", NULL, "command: [sh, -c, '%s epoll --port {port} & sleep 0.3; kill $$']",
     "state = 'crashed' AND server_exit = 'signal 15'"},
    /* F12 */
    {"daemon", NULL, "command: [sh, -c, 'setsid %s epoll --port {port} & exit 0'], daemon: true",
     "state = 'finished' AND server_exit = 'exit 0' AND (SELECT min(server_process_count) FROM "
     "sample WHERE sample.trial_id = trial.trial_id) = 1"},
    {"daemon unasked", NULL, "command: [sh, -c, 'setsid %s epoll --port {port} & exit 0']",
     "state = 'crashed' AND reason LIKE '%daemon: true in the plan%'"},
    {"out of memory", NULL,
     "command: [sh, -c, '%s epoll --port {port} & sleep 0.2; ulimit -v 60000; exec dd if=/dev/zero "
     "of=/dev/null bs=1G']",
     "state = 'crashed' AND server_exit = 'exit 1' AND reason LIKE '%input buffer of size "
     "1073741824 bytes%'"},
    {"tunables", NULL,
     "command: [%s, epoll, --port, \"{port}\"], environment: { GLIBC_TUNABLES: "
     "glibc.malloc.trim_threshold=268435456 }",
     "state = 'finished'"},
    {"tunables lost", NULL,
     "command: [env, -u, GLIBC_TUNABLES, %s, epoll, --port, \"{port}\"], environment: { "
     "GLIBC_TUNABLES: glibc.malloc.trim_threshold=268435456 }",
     "state = 'failed' AND reason LIKE 'the plan wants GLIBC_TUNABLES=glibc.malloc.trim\\_%, which "
     "is not in the server''s environment' ESCAPE '\\'"},
    {"preloaded", NULL,
     "command: [%s, epoll, --port, \"{port}\"], environment: { LD_PRELOAD: libanl.so.1 }",
     "state = 'finished'"},
    {"preload lost", NULL,
     "command: [env, -u, LD_PRELOAD, %s, epoll, --port, \"{port}\"], environment: { LD_PRELOAD: "
     "libanl.so.1 }",
     "state = 'failed' AND reason = 'the plan wants LD_PRELOAD=libanl.so.1, which is not in the "
     "server''s map of memory'"},
    {"absent library", NULL, "command: [sh, -c, 'exec ./absent {port}']",
     "state = 'crashed' AND server_exit = 'exit 127' AND reason LIKE '%not found%'"},
};

static void rows_write(const struct command_row *rows, size_t count)
{
    struct buf lines;

    buf_init(&lines, 1 << 16);
    cr_assert(realpath(engine_process_program(), engine));
    for (size_t i = 0; i < count; i++) {
        char path[128];
        const char *at = strstr(rows[i].engine, "%s");

        snprintf(path, sizeof(path), "%s/fake-%s", run_folder, rows[i].mode ? rows[i].mode : "");
        if (rows[i].mode) {
            fake_engine_write(path, rows[i].mode, 0);
        }
        buf_addf(&lines, "  - { name: \"%s\", ", rows[i].name);
        if (at) {
            buf_addf(&lines, "%.*s%s%s }\n", (int)(at - rows[i].engine), rows[i].engine,
                     rows[i].mode ? path : engine, at + 2);
        } else {
            buf_addf(&lines, "%s }\n", rows[i].engine);
        }
    }
    plan_write(lines.bytes);
    buf_release(&lines);
}

static void rows_check(const struct command_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cr_expect_eq(run_query_number("SELECT count(*) FROM trial JOIN engine USING (engine_id) "
                                      "WHERE engine.name = '%s' AND kind = 'command'",
                                      rows[i].name),
                     1, "%s", rows[i].name);
        char sql[1024];
        snprintf(sql, sizeof(sql),
                 "sqlite3 %s \"SELECT state, reason, server_exit, ready_ns FROM trial JOIN engine "
                 "USING (engine_id) WHERE engine.name = '%s' AND NOT ifnull((%s), 0)\"",
                 run_results_path, rows[i].name, rows[i].want);
        FILE *pipe = popen(sql, "re");
        char line[512] = "";
        cr_assert(pipe);
        cr_expect_null(fgets(line, sizeof(line), pipe), "%s: %s", rows[i].name, line);
        pclose(pipe);
    }
}

/* In a folder of its own root /dev/pts may not be mounted. */
static bool terminal_is_there(void)
{
    int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    bool is_there =
        fd >= 0 && grantpt(fd) == 0 && unlockpt(fd) == 0 && access(ptsname(fd), R_OK) == 0;

    if (fd >= 0) {
        close(fd);
    }
    return is_there;
}

Test(foreign, commands_are_kept_watched_and_ended_whatever_they_do)
{
    struct command_row rows[ARRAY_COUNT(command_rows)];
    bool has_terminal = terminal_is_there();
    size_t count = 0;

    for (size_t i = 0; i < ARRAY_COUNT(command_rows); i++) {
        if (has_terminal || !strstr(command_rows[i].engine, "stdin: terminal")) {
            rows[count++] = command_rows[i];
        } else {
            cr_log_warn("%s: skipped, no terminal can be opened here", command_rows[i].name);
        }
    }
    rows_write(rows, count);
    cr_expect_eq(run_wait(run_start(0)), 4, "%s", run_file_text(run_err_path));
    cr_expect(run_no_process_left());
    cr_expect(run_results_are_sound());
    rows_check(rows, count);
}

/* A control group for less memory than a server takes that has lost its mind: of v1, or of v2
 * beside this process's own. False: this process may not make one. */
static bool memory_group_make(char path_out[PATH_MAX])
{
    static const struct {
        const char *line, *root, *limit;
    } kinds[] = {{":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
                 {"0::", "/sys/fs/cgroup", "memory.max"}};
    char text[8192], limit[PATH_MAX + 32];
    ssize_t length = proc_read("/proc", text, sizeof(text), "self/cgroup");

    for (size_t i = 0; length > 0 && i < ARRAY_COUNT(kinds); i++) {
        const char *at = strstr(text, kinds[i].line);
        const char *own = at ? at + strlen(kinds[i].line) : "";
        int own_length = (int)strcspn(own, "\n");

        while (i == 1 && own_length > 1 && own[own_length - 1] != '/') {
            own_length--; /* a group of v2 with processes has no groups below it */
        }
        snprintf(path_out, PATH_MAX, "%s%.*s/tacho-test-%d", kinds[i].root, own_length, own,
                 (int)getpid());
        snprintf(limit, sizeof(limit), "%s/%s", path_out, kinds[i].limit);
        if (at && mkdir(path_out, 0755) == 0) {
            int fd = open(limit, O_WRONLY | O_CLOEXEC);
            bool is_limited = fd >= 0 && write(fd, "67108864", 8) == 8;

            if (fd >= 0) {
                close(fd);
            }
            if (is_limited) {
                return true;
            }
            rmdir(path_out);
        }
    }
    return false;
}

/* F11: the kernel ends a server in a control group that has no memory left. */
Test(foreign, a_server_that_the_kernel_ends_for_want_of_memory_is_told_as_such)
{
    char group[PATH_MAX], line[PATH_MAX + 800];

    if (!memory_group_make(group)) {
        cr_skip_test("this user may make no control group with a limit of memory");
    }
    cr_assert(realpath(engine_process_program(), engine));
    snprintf(line, sizeof(line),
             "  - { name: greedy, command: [sh, -c, 'echo $$ >%s/cgroup.procs; %.500s epoll --port "
             "{port} & sleep 0.2; exec dd if=/dev/zero of=/dev/null bs=1G'] }\n",
             group, engine);
    plan_write(line);
    int status = run_wait(run_start(0));
    bool is_clean = run_no_process_left() && rmdir(group) == 0;
    cr_expect_eq(status, 4, "%s", run_file_text(run_err_path));
    cr_expect(is_clean, "%s", group);
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial WHERE state = 'crashed' AND "
                                  "server_exit = 'signal 9' AND reason LIKE '%%: signal 9 (the "
                                  "kernel ended a process for want of memory)%%'"),
                 1, "%s", run_file_text(run_err_path));
}

/* F01: an old server has the port. It is named, not measured, and not ended. F02: two servers one
 * after the other on one port. */
Test(foreign, a_port_is_the_servers_own_or_nothing_is_measured)
{
    char lines[2048];
    uint16_t taken_port, shared_port;
    int taken_fd = listener_open(&taken_port), shared_fd = listener_open(&shared_port);

    close(shared_fd);
    cr_assert(realpath(engine_process_program(), engine));
    snprintf(lines, sizeof(lines),
             "  - { name: taken, command: [%.300s, epoll, --port, \"{port}\"], port: %u }\n"
             "  - { name: first, command: [%.300s, epoll, --port, \"%u\"], port: %u }\n"
             "  - { name: next, command: [%.300s, pool, --port, \"{port}\"], port: %u }\n",
             engine, taken_port, engine, shared_port, shared_port, engine, shared_port);
    plan_write(lines);
    cr_expect_eq(run_wait(run_start(0)), 4, "%s", run_file_text(run_err_path));
    cr_expect(run_no_process_left());
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial WHERE state = 'finished'"), 4,
                 "both of the shared port, and two calibrations: %s", run_file_text(run_err_path));
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial WHERE state = 'failed' AND reason "
                                  "LIKE 'port %u is in use by process %d (%%'",
                                  taken_port, (int)getpid()),
                 1, "%s", run_file_text(run_err_path));
    cr_expect_eq(run_query_number("SELECT count(*) FROM sample JOIN trial USING (trial_id) JOIN "
                                  "engine USING (engine_id) WHERE name = 'taken'"),
                 0);
    close(taken_fd);
}

/* F03: a server that hides in a session of its own does not outlive tacho, whatever ends that. */
Test(foreign, no_grandchild_outlives_a_killed_tacho)
{
    char lines[1024];

    cr_assert(realpath(engine_process_program(), engine));
    snprintf(lines, sizeof(lines),
             "  - { name: d, command: [sh, -c, '(setsid %.300s epoll --port {port} &) & exit 0'], "
             "daemon: true }\n",
             engine);
    plan_write(lines);
    pid_t tacho = run_start(0);
    cr_assert(run_sample_wait(1), "%s", run_file_text(run_err_path));
    kill(tacho, SIGKILL);
    cr_expect_eq(run_wait(tacho), 1000 + SIGKILL);
    cr_expect(run_no_process_left());
}

/* The tree of an ancestor has tacho in it: its CPU time would be the server's. Told before the wait
 * for a quiet machine, as is a results file that is none. */
Test(foreign, a_process_that_tacho_descends_from_is_no_server)
{
    const int pids[] = {1, (int)getpid(), (int)getppid()};
    int64_t before_ns = run_now_ns();
    char lines[256];
    struct err e;

    for (size_t i = 0; i < sizeof(pids) / sizeof(*pids); i++) {
        snprintf(lines, sizeof(lines), "  - { name: u, url: \"http://127.0.0.1:9\", pid: %d }\n",
                 pids[i]);
        plan_write(lines);
        cr_expect_eq(run_wait(run_start(0)), 2, "%s", run_file_text(run_err_path));
        cr_expect(strstr(run_file_text(run_err_path), "is no server apart from tacho"), "%s",
                  run_text);
        cr_expect_not(fs_exists(run_results_path));
    }
    plan_write("  - { name: u, url: \"http://127.0.0.1:9\" }\n");
    cr_assert_eq(fs_write_file(run_results_path, "title: a plan\n", 14, &e), ERR_OK, "%s", e.text);
    cr_expect_eq(run_wait(run_start(0)), 2);
    cr_expect(strstr(run_file_text(run_err_path), "not an SQLite file"), "%s", run_text);
    cr_expect_lt(run_now_ns() - before_ns, 30 * INT64_C(1000000000));
}

/* A server that runs already: measured, looked into, and left alone. */
Test(foreign, a_url_is_measured_and_left_running)
{
    struct engine_process process;
    struct engine_process_options options = {0};
    char lines[512];
    pid_t other = fork();

    if (other == 0) {
        pause();
        _exit(0);
    }
    engine_process_start(&process, "epoll", &options);
    snprintf(lines, sizeof(lines),
             "  - { name: u, url: \"http://%s\" }\n"
             "  - { name: mine, url: \"http://%s\", pid: %d }\n"
             "  - { name: not mine, url: \"http://%s\", pid: %d }\n",
             process.address, process.address, (int)process.pid, process.address, (int)other);
    plan_write(lines);
    cr_expect_eq(run_wait(run_start(0)), 4, "%s", run_file_text(run_err_path));
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial JOIN engine USING (engine_id) WHERE "
                                  "kind = 'url' AND state = 'finished' AND ready_ns IS NULL AND "
                                  "server_exit IS NULL AND (SELECT min(server_rss_kib) FROM sample "
                                  "WHERE sample.trial_id = trial.trial_id) > 0"),
                 2, "%s", run_file_text(run_err_path));
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial WHERE state = 'failed' AND reason "
                                  "LIKE 'pid %d of the plan: port %% belongs to another process%%'",
                                  (int)other),
                 1);
    cr_expect_eq(run_query_number("SELECT count(*) FROM fact WHERE name = 'engine.u.process' AND "
                                  "value = 'tacho-engine, found by its listening socket'"),
                 1);
    cr_expect_eq(run_query_number("SELECT count(*) FROM event WHERE kind = 'not_started' AND "
                                  "severity = 'warning'"),
                 3);
    cr_expect_eq(engine_process_stop(&process), 0, "it was not touched");
    kill(other, SIGKILL);
    cr_expect_eq(waitpid(other, NULL, 0), other);
    /* Now nobody answers there: nothing is begun. */
    unlink(run_results_path);
    cr_expect_eq(run_wait(run_start(0)), 3);
    cr_expect(strstr(run_file_text(run_err_path), "u needs a server at http://127.0.0.1:"), "%s",
              run_text);
}

/* One line names all that is missing, before anything is begun; what --only leaves out is not
 * missed, and no program of it is looked at. */
Test(foreign, what_is_missing_is_told_at_once_and_only_where_it_would_run)
{
    char late[128];

    plan_write("  - { name: good, builtin: epoll }\n"
               "  - { name: gone, command: [/nonexistent/server, \"{port}\"] }\n"
               "  - { name: preloaded, builtin: epoll, environment: { LD_PRELOAD: "
               "'libc.so.6:/nonexistent/lib.so' } }\n");
    cr_expect_eq(run_wait(run_start(0)), 3, "%s", run_file_text(run_err_path));
    cr_expect(strstr(run_file_text(run_err_path),
                     "gone needs the program /nonexistent/server; preloaded needs the library of "
                     "LD_PRELOAD /nonexistent/lib.so;"),
              "%s", run_text);
    plan_write("  - { name: p, builtin: epoll, environment: { LD_PRELOAD: /etc/passwd } }\n");
    cr_expect_eq(run_wait(run_start(0)), 3, "%s", run_file_text(run_err_path));
    cr_expect(
        strstr(run_file_text(run_err_path), ": p needs a library in LD_PRELOAD, not /etc/passwd;"),
        "%s", run_text);
    plan_write("  - { name: tuned, builtin: epoll, environment: { GLIBC_TUNABLES: "
               "'glibc.malloc.trim_threshold=1:glibc.malloc.trim_treshold=1' } }\n");
    cr_expect_eq(run_wait(run_start(0)), 3, "%s", run_file_text(run_err_path));
    cr_expect(strstr(run_file_text(run_err_path), "tuned: the glibc of this machine has no tunable "
                                                  "\"glibc.malloc.trim_treshold\""),
              "%s", run_text);
    plan_write("  - { name: good, builtin: epoll }\n"
               "  - { name: gone, command: [./late, epoll, --port, \"{port}\"] }\n");
    cr_expect_not(fs_exists(run_results_path));
    run_options[0] = "--only=good";
    cr_expect_eq(run_wait(run_start(0)), 0, "%s", run_file_text(run_err_path));
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial JOIN engine USING (engine_id) WHERE "
                                  "name = 'good' AND state = 'finished'"),
                 1);
    cr_expect_eq(run_query_number("SELECT count(*) FROM engine WHERE name = 'gone' AND "
                                  "binary_sha256 IS NULL"),
                 1);
    /* What runs later is looked at then, and must be the same from then on. */
    snprintf(late, sizeof(late), "%s/late", run_folder);
    cr_assert_eq(symlink(engine, late), 0);
    run_options[0] = "--resume";
    cr_expect_eq(run_wait(run_start(0)), 0, "%s", run_file_text(run_err_path));
    cr_expect_eq(run_query_number("SELECT count(*) FROM engine WHERE name = 'gone' AND "
                                  "length(binary_sha256) = 64"),
                 1);
    unlink(late);
    fake_engine_write(late, "good", 0);
    cr_expect_eq(run_wait(run_start(0)), 3);
    cr_expect(strstr(run_file_text(run_err_path), "the program of gone is another file"), "%s",
              run_text);
    run_options[0] = NULL;
}

/* The checking client and the driver trust the same certificates, and ask by the same name. */
Test(foreign, a_url_of_https_is_measured_when_it_is_trusted)
{
    static const struct tls_peer_script script = {
        .reply = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npong", .name = "peer.example"};
    struct tls_peer peer;
    char lines[512], link_path[128];

    tls_peer_open(&peer, &script);
    snprintf(link_path, sizeof(link_path), "%s/ca.pem", run_folder);
    cr_assert_eq(symlink(peer.ca_path, link_path), 0);
    snprintf(lines, sizeof(lines),
             "  - { name: known, url: \"https://127.0.0.1:%u\", tls: { host: peer.example, ca: "
             "ca.pem } }\n"
             "  - { name: any, url: \"https://localhost:%u\", tls: { insecure: true } }\n"
             "  - { name: other, url: \"https://127.0.0.1:%u\", tls: { ca: ca.pem } }\n",
             peer.port, peer.port, peer.port);
    plan_write(lines);
    cr_expect_eq(run_wait(run_start(0)), 4, "%s", run_file_text(run_err_path));
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial WHERE state = 'finished' AND "
                                  "tls_version = 'TLSv1.3' AND tls_cipher LIKE 'TLS_%%_SHA%%' AND "
                                  "tls_full_count > 0 AND tls_resumed_count >= 0 AND "
                                  "tls_handshake_ns > 0"),
                 2, "%s", run_file_text(run_err_path));
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial WHERE state = 'failed' AND reason "
                                  "LIKE 'not ready: its certificate is refused: it is not one "
                                  "for 127.0.0.1; %%'"),
                 1, "%s", run_file_text(run_err_path));
    cr_expect_eq(run_query_number("SELECT count(*) FROM fact WHERE moment = 'start' AND name = "
                                  "'engine.known.tls_ca_sha256' AND length(value) = 64"),
                 1);
    tls_peer_close(&peer);
}

/* What is wanted is in the server's map, or the trial fails; where it is not installed nothing is
 * begun, and its package is named. */
Test(foreign, an_allocator_is_in_the_servers_map)
{
    static const char *const names[] = {"jemalloc", "mimalloc", "tcmalloc"};
    struct buf lines;
    size_t installed_count = 0;
    char path[PATH_MAX];

#ifdef __SANITIZE_ADDRESS__
    cr_skip_test("the sanitizer is an allocator of its own");
#endif
    buf_init(&lines, 1 << 14);
    buf_add_text(&lines, "  - { name: plain, builtin: epoll, allocator: glibc }\n");
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (foreign_find_allocator(names[i], path)) {
            buf_addf(&lines, "  - { name: %s, builtin: epoll, allocator: %s }\n", names[i],
                     names[i]);
            installed_count++;
            continue;
        }
        char line[128];
        snprintf(line, sizeof(line), "  - { name: a, builtin: epoll, allocator: %s }\n", names[i]);
        plan_write(line);
        cr_expect_eq(run_wait(run_start(0)), 3);
        cr_expect(strstr(run_file_text(run_err_path), foreign_allocator_package(names[i])), "%s",
                  run_text);
    }
    /* The variable of the plan stands before ours: nothing is preloaded, and that is seen. */
    if (installed_count > 0) {
        buf_addf(&lines,
                 "  - { name: not really, builtin: epoll, allocator: %s, environment: { "
                 "LD_PRELOAD: '' } }\n",
                 foreign_find_allocator(names[0], path) ? names[0] : names[1]);
    }
    plan_write(lines.bytes);
    cr_expect_eq(run_wait(run_start(0)), installed_count ? 4 : 0, "%s",
                 run_file_text(run_err_path));
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial JOIN engine USING (engine_id) WHERE "
                                  "role <> 'limit' AND state = 'finished'"),
                 (long long)installed_count + 1, "%s", run_file_text(run_err_path));
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial WHERE state = 'failed' AND reason "
                                  "LIKE 'the plan wants the allocator %%, the server''s map has "
                                  "glibc'"),
                 installed_count > 0);
    cr_expect_eq(run_query_number("SELECT count(*) FROM fact WHERE name LIKE "
                                  "'engine.%%.allocator_sha256' AND name NOT LIKE '%%really%%'"),
                 (long long)installed_count);
    buf_release(&lines);
}
