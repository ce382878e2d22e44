// SPDX-License-Identifier: Apache-2.0
// tacho-engine as a shell sees it.
#include <criterion/criterion.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "engines/engine.h"
#include "tests/support/engine_process.h"

/* Runs a shell command with $E as the program; returns its status and what it printed. */
static int shell_run(const char *command, char *text, size_t text_bytes)
{
    char line[4608];

    snprintf(line, sizeof(line), "E='%s'; %s", engine_process_program(), command);
    FILE *pipe = popen(line, "re");
    size_t length = pipe ? fread(text, 1, text_bytes - 1, pipe) : 0;
    text[length] = '\0';
    int status = pipe ? pclose(pipe) : -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A signal is sent when the server says that it listens, however long that took it. */
#define ENDED_BY(signal, command)                                                                  \
    "F=$(mktemp); { sh -c 'echo $$ >'$F'; exec '$E' " command                                      \
    "'; echo status $?; } | { read line; "                                                         \
    "echo \"${line%:*}\"; kill -" signal " $(cat $F); cat; rm $F; }"
/* Of one that cannot say it: when it answers. */
#define SILENT(engine, streams)                                                                    \
    "D=$(mktemp -d); $E " engine " --address unix:$D/s " streams " & P=$!; "                       \
    "for i in $(seq 200); do [ -S $D/s ] && break; sleep 0.05; done; "                             \
    "curl -s --max-time 5 --unix-socket $D/s http://a/ping; echo; kill $P; wait $P && echo ended;" \
    " rm -r $D"

Test(engine_commands, command_lines_end_with_the_status_they_deserve, .timeout = 60)
{
    static const struct {
        const char *command;
        int status;
        const char *part; /* of standard output and standard error */
    } rows[] = {
        {"$E --help", 0, "usage: tacho-engine"},
        {"$E --version", 0, "tacho-engine 0."},
        {"$E --list", 0, "blocking"},
        {"$E 2>&1 >/dev/null", 2, "tacho-engine: which server?"},
        {"$E nothing 2>&1 >/dev/null", 2, "tacho-engine: there is no server \"nothing\""},
        {"$E epoll limit 2>&1 >/dev/null", 2, "tacho-engine: unexpected argument \"limit\""},
        {"$E epoll --port 65536 2>&1 >/dev/null", 2, "tacho-engine: --port: "},
        {"$E epoll --port x 2>&1 >/dev/null", 2, "tacho-engine: --port: "},
        {"$E epoll --threads 0 2>&1 >/dev/null", 2, "tacho-engine: --threads: "},
        {"$E blocking --threads 2 2>&1 >/dev/null", 2, "tacho-engine: --threads: "},
        {"$E limit --extra-work 10 2>&1 >/dev/null", 2, "tacho-engine: --extra-work: limit "},
        {"$E epoll --extra-work 1001 2>&1 >/dev/null", 2, "tacho-engine: --extra-work: "},
        {"$E epoll --address localhost 2>&1 >/dev/null", 2,
         "is not an IPv4 or IPv6 address or unix:PATH"},
        {"$E epoll --counters-fd 0 </dev/null 2>&1 >/dev/null", 2, "is not a counters page"},
        {"$E epoll --counters-fd 99 2>&1 >/dev/null", 1, "Bad file descriptor"},
        /* TEST-NET-1 (RFC 5737) is no address of this machine; nothing is sent there. */
        {"$E epoll --address 192.0.2.1 2>&1 >/dev/null", 1, "Cannot assign requested address"},
        {ENDED_BY("TERM", "limit --address ::1"), 0, "listening [::1]\nstatus 0"},
        {ENDED_BY("INT", "epoll"), 0, "listening 127.0.0.1\nstatus 0"},
        {SILENT("blocking", ">&- <&-"), 0, "pong\nended"},
        {SILENT("epoll", ">/dev/full"), 0, "pong\nended"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        char text[8192];
        int status = shell_run(rows[i].command, text, sizeof(text));

        cr_expect_eq(status, rows[i].status, "%s: status %d", rows[i].command, status);
        cr_expect(strstr(text, rows[i].part), "%s: \"%s\"", rows[i].command, text);
        if (rows[i].status) {
            cr_expect_eq(strcspn(text, "\n") + 1, strlen(text), "%s: one line", rows[i].command);
        }
    }
}

Test(engine_commands, a_port_in_use_is_an_error, .timeout = 60)
{
    struct engine_process process;
    char command[128], text[1024];

    engine_process_start(&process, "epoll", NULL);
    snprintf(command, sizeof(command), "$E blocking --port %u 2>&1 >/dev/null", process.port);
    cr_expect_eq(shell_run(command, text, sizeof(text)), 1, "%s", text);
    cr_expect(strstr(text, "Address already in use"), "%s", text);
    /* Loops share their address with each other, and with nobody else. */
    snprintf(command, sizeof(command), "$E epoll --threads 2 --port %u 2>&1 >/dev/null",
             process.port);
    cr_expect_eq(shell_run(command, text, sizeof(text)), 1, "%s", text);
    cr_expect(strstr(text, "Address already in use"), "%s", text);
    cr_expect_eq(engine_process_stop(&process), 0);
}

Test(engine_commands, every_server_listens_at_a_path_and_removes_it, .timeout = 60)
{
    for (size_t n = 0; engine_get(n); n++) {
        char command[1024], text[1024];
        bool has_loops = engine_get(n)->threads == ENGINE_THREADS_LOOPS;

        snprintf(command, sizeof(command),
                 "D=$(mktemp -d); $E %s %s --address unix:$D/s >/dev/null & P=$!; "
                 "for i in $(seq 100); do [ -S $D/s ] && break; sleep 0.05; done; "
                 "for i in 1 2 3; do curl -s --max-time 5 --unix-socket $D/s http://a/ping; done; "
                 "$E epoll --address unix:$D/s 2>/dev/null; echo \" $?\"; "
                 "kill $P; wait $P; echo \"$? $(ls -A $D)\"; rm -rf $D",
                 engine_get(n)->name, has_loops ? "--threads 3" : "");
        cr_expect_eq(shell_run(command, text, sizeof(text)), 0, "%s", engine_get(n)->name);
        cr_expect_str_eq(text, "pongpongpong 1\n0 \n", "%s: \"%s\"", engine_get(n)->name, text);
    }
}

/* As the default profile of a container does it: the system call that opens a ring is not allowed.
 */
static void rings_forbid(void)
{
    struct sock_filter rows[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {ARRAY_COUNT(rows), rows};

    cr_assert_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    cr_assert_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

Test(engine_commands, an_engine_that_the_kernel_refuses_says_so, .timeout = 60)
{
    char text[1024];

    rings_forbid();
    cr_expect_eq(shell_run("$E uring 2>&1", text, sizeof(text)), 3, "%s", text);
    cr_expect_str_eq(text, "tacho-engine: io_uring is not allowed here (kernel.io_uring_disabled, "
                           "or a seccomp filter); take another engine: Operation not permitted\n");
    cr_expect_eq(shell_run("D=$(mktemp -d); printf 'title: t\\nbaseline: u\\ntrials: 1\\nengines: "
                           "[{name: u, builtin: uring}]\\nworkloads: [{name: p, get: /ping, "
                           "connections: 1}]\\n' >$D/p; ${E%-engine} run $D/p -o $D/r 2>&1 | "
                           "grep ^tacho:.refused; ls $D; rm -r $D",
                           text, sizeof(text)),
                 0);
    cr_expect(strstr(text, "u: io_uring is not allowed here"), "%s", text);
    cr_expect(strstr(text, "\np\n"), "nothing was begun: %s", text);
}
