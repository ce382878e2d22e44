// SPDX-License-Identifier: Apache-2.0
// A sandbox holds what is run in it, for root and for an ordinary user.
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engines/base/attr.h"
#include "engines/base/fs.h"
#include "report/reproduce/sandbox.h"
#include "tests/support/namespaces.h"

#define SECOND_NS CLOCK_NS_PER_S
#define NOBODY    65534

static char folder[] = "/tmp/tacho-sandbox-XXXXXX";
static char work[64], outside[64], out_path[64], said[8192];
static uint16_t listening_port; /* of this process, outside */
static int listening_fd = -1;

static const char *const environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C", NULL};

static uint16_t port_open(int *fd_out)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(address);

    *fd_out = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*fd_out < 0 || bind(*fd_out, (struct sockaddr *)&address, sizeof(address)) < 0 ||
        listen(*fd_out, 8) < 0 || getsockname(*fd_out, (struct sockaddr *)&address, &length) < 0) {
        return 0;
    }
    return ntohs(address.sin_port);
}

static bool port_answers(uint16_t port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool answers = connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0;

    close(fd);
    return answers;
}

/* As an ordinary user the whole test runs as nobody, who owns the folders. */
static void folders_make(bool as_root)
{
    cr_assert(mkdtemp(folder));
    snprintf(work, sizeof(work), "%s/work", folder);
    snprintf(outside, sizeof(outside), "%s/outside", folder);
    snprintf(out_path, sizeof(out_path), "%s/out", folder);
    cr_assert_eq(mkdir(work, 0700), 0);
    cr_assert_eq(mkdir(outside, 0777), 0);
    cr_assert_eq(chmod(outside, 0777), 0);
    cr_assert_eq(chmod(folder, 0777), 0);
    listening_port = port_open(&listening_fd);
    cr_assert_gt(listening_port, 0);
    cr_assert(port_answers(listening_port));
    cr_assert_eq(sandbox_give(work, NULL), ERR_OK);
    if (!as_root && geteuid() == 0) {
        cr_assert_eq(chown(work, NOBODY, NOBODY), 0);
        cr_assert(setresgid(NOBODY, NOBODY, 0) == 0 && setresuid(NOBODY, NOBODY, 0) == 0 &&
                  prctl(PR_SET_DUMPABLE, 1) == 0); /* as a program that it started itself */
    }
}

static void root_make(void)
{
    if (geteuid() != 0) {
        cr_skip_test("not run by root");
    }
    folders_make(true);
}

static void user_make(void)
{
    if (!namespaces_are_for_users()) {
        cr_skip_test(NAMESPACES_MISSING);
    }
    folders_make(false);
}

static void folders_remove(void)
{
    close(listening_fd);
    cr_expect(setresuid(0, 0, 0) == 0 || geteuid() != 0);
    cr_expect_eq(fs_remove_tree(folder, NULL), ERR_OK);
}

/* What the code wrote is in `said`; an error of the sandbox is in *e. */
static struct sandbox_result run(const struct sandbox_config *shape, struct err *e)
{
    struct sandbox_config config = *shape;
    struct sandbox_result result = {.status = -1};
    FILE *out = fopen(out_path, "w+");

    cr_assert_not_null(out, "%s", strerror(errno));
    config.work_folder = work;
    config.folder = "";
    config.environment = environment;
    config.output_fd = config.error_fd = fileno(out);
    config.timeout_ns = config.timeout_ns ? config.timeout_ns : 20 * SECOND_NS;
    config.clock = clock_system();
    *e = (struct err){0};
    enum err_code code = sandbox_run(&config, &result, e);
    rewind(out);
    said[fread(said, 1, sizeof(said) - 1, out)] = '\0';
    fclose(out);
    cr_expect_eq(code, e->code);
    return result;
}

static struct sandbox_result run_shell(const char *command, struct sandbox_limits limits,
                                       int64_t timeout_ns)
{
    const char *const arguments[] = {"/bin/bash", "-c", command, NULL};
    const struct sandbox_config config = {
        .arguments = arguments, .limits = limits, .timeout_ns = timeout_ns};
    struct err e;
    struct sandbox_result result = run(&config, &e);

    cr_assert_eq(e.code, ERR_OK, "%s", e.text);
    return result;
}

static void cases_check(void)
{
    char connect[64], write[128];
    const struct {
        const char *command;
        const char *says; /* NULL: anything */
        bool succeeds;
    } rows[] = {
        {"test $(id -u) -gt 1000 -a $(id -u) = $(id -g) && id -G | grep -v ' ' >/dev/null && pwd",
         SANDBOX_WORK "\n", true},
        {"echo x >made && cat made && echo y >/tmp/scratch && cat /tmp/scratch", "x\ny\n", true},
        {connect, NULL, false},                         /* the caller's loopback */
        {"exec 3<>/dev/tcp/192.0.2.1/80", NULL, false}, /* RFC 5737: nobody */
        {"tail -n +3 /proc/net/dev | wc -l; grep -c lo: /proc/net/dev", "1\n1\n", true},
        {write, NULL, false},
        {"touch /etc/made || touch /usr/made || touch /var/made", NULL, false},
        {"echo 1 >/proc/sys/net/ipv4/ip_forward", NULL, false},
        {"ls -A /root /home /run | grep -v : | tr -d '\\n'", "", true},
        {"test $$ = 1 && ls /proc | grep -c '^[0-9]' | grep -x '[1-6]' >/dev/null", "", true},
        {"mount -t tmpfs none /tmp", NULL, false},
        {"mount -o remount,rw /", NULL, false},
        {"unshare -Urm bash -c 'mount -o remount,bind,rw / && touch /etc/made'", NULL, false},
        {"chown 0 made", NULL, false},
        {"exec env -0 | tr '\\0' '\\n' | grep -v -e ^PWD -e ^SHLVL -e ^_= | sort",
         "LC_ALL=C\nPATH=/usr/bin:/bin\n", true},
        {"readlink /proc/self/fd/0; ls /proc/self/fd | tr -d '\\n'", "/dev/null\n0123", true},
        {"grep -c 'NoNewPrivs:.1' /proc/self/status; grep 'CapPrm' /proc/self/status | tr -d '\\t'",
         "1\nCapPrm:0000000000000000\n", true},
    };

    snprintf(connect, sizeof(connect), "exec 3<>/dev/tcp/127.0.0.1/%u", listening_port);
    snprintf(write, sizeof(write), "echo x >%s/made", outside);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct sandbox_result result =
            run_shell(rows[i].command, (struct sandbox_limits){0}, 20 * SECOND_NS);

        cr_expect_eq(result.end, SANDBOX_EXITED, "%s", rows[i].command);
        cr_expect_eq(result.status == 0, rows[i].succeeds, "%s: %d: %s", rows[i].command,
                     result.status, said);
        cr_expect(!rows[i].says || strcmp(said, rows[i].says) == 0, "%s: \"%s\"", rows[i].command,
                  said);
    }
    snprintf(write, sizeof(write), "%s/made", outside);
    cr_expect_not(fs_exists(write));
    snprintf(write, sizeof(write), "%s/made", work);
    cr_expect(fs_exists(write));
    cr_expect_not(fs_exists("/tmp/scratch"));
}

Test(sandbox, lets_root_s_code_reach_nothing, .init = root_make, .fini = folders_remove,
     .timeout = 60)
{
    cases_check();
}

Test(sandbox, lets_a_user_s_code_reach_nothing, .init = user_make, .fini = folders_remove,
     .timeout = 60)
{
    cases_check();
}

/* Forks without bound, runs for ever, writes and allocates without bound, burns the CPU. */
static void limits_check(void)
{
    struct sandbox_limits limits = {
        .cpu_s = 1, .file_bytes = 1 << 20, .memory_bytes = 256 << 20, .process_count = 40};
    char bomb_said[SANDBOX_TEXT_BYTES];
    struct sandbox_result bomb = run_shell("b() { b | b & }; b; sleep 1000", limits, SECOND_NS);

    sandbox_format(&bomb, bomb_said);
    cr_expect(strcmp(bomb_said, "exit 0") != 0, "%s", bomb_said);
    cr_expect_not_null(strstr(said, "fork"), "%s", said);
    limits.process_count = 0;
    static const struct {
        const char *command;
        enum sandbox_end end;
        int64_t timeout_ns;
        bool succeeds;
    } rows[] = {
        {"sleep 1000 & sleep 1000", SANDBOX_TIMED_OUT, 300 * CLOCK_NS_PER_MS, false},
        {"head -c 2000000 /dev/zero >large", SANDBOX_EXITED, 20 * SECOND_NS, false},
        {"head -c 1000000 /dev/zero >large", SANDBOX_EXITED, 20 * SECOND_NS, true},
        {"exec tail -c 600000000 /dev/zero", SANDBOX_EXITED, 20 * SECOND_NS, false},
        {"(while :; do :; done) & wait $!", SANDBOX_EXITED, 20 * SECOND_NS, false},
        {"trap '' TERM; (trap '' TERM; exec sleep 1000) & exit 7", SANDBOX_EXITED, 20 * SECOND_NS,
         false},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct sandbox_result result = run_shell(rows[i].command, limits, rows[i].timeout_ns);

        cr_expect_eq(result.end, rows[i].end, "%s: %d %d: %s", rows[i].command, result.end,
                     result.status, said);
        cr_expect(result.end != SANDBOX_EXITED || (result.status == 0) == rows[i].succeeds,
                  "%s: %d: %s", rows[i].command, result.status, said);
    }
}

Test(sandbox, ends_code_that_knows_no_bounds, .timeout = 60)
{
    if (geteuid() == 0) {
        folders_make(true);
        limits_check();
        folders_remove();
        strcpy(folder, "/tmp/tacho-sandbox-XXXXXX");
    }
    user_make();
    limits_check();
    folders_remove();
}

static int loopback_use(void *context)
{
    int fd = -1;
    uint16_t port = port_open(&fd);

    return *(int *)context == 7 && port && port_answers(port) ? 42 : 1;
}

Test(sandbox, has_a_loopback_interface_of_its_own, .init = user_make, .fini = folders_remove)
{
    int context = 7;
    const struct sandbox_config config = {.run = loopback_use, .context = &context};
    struct err e;
    struct sandbox_result result = run(&config, &e);

    cr_expect_eq(e.code, ERR_OK, "%s", e.text);
    cr_expect_eq(result.end, SANDBOX_EXITED);
    cr_expect_eq(result.status, 42);
}

Test(sandbox, says_what_cannot_be_executed, .init = user_make, .fini = folders_remove)
{
    const char *const arguments[] = {"no-such-compiler", NULL};
    const struct sandbox_config config = {.arguments = arguments};
    struct err e;

    run(&config, &e);
    cr_expect_eq(e.code, ERR_SYS);
    cr_expect_eq(e.sys_errno, ENOENT);
    cr_expect_not_null(strstr(e.text, "no-such-compiler"), "%s", e.text);
}

/* The code writes once, then waits; the reader sees the end of the pipe when the last process of it
 * is gone. */
Test(sandbox, ends_when_its_caller_is_killed, .init = user_make, .fini = folders_remove,
     .timeout = 20)
{
    const char *const arguments[] = {"/bin/bash", "-c",
                                     "sleep 1000 & setsid sleep 1000 & echo up; wait", NULL};
    int ends[2];
    char byte;

    cr_assert_eq(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        const struct sandbox_config config = {.work_folder = work,
                                              .folder = "",
                                              .arguments = arguments,
                                              .environment = environment,
                                              .output_fd = ends[1],
                                              .error_fd = -1,
                                              .timeout_ns = 1000 * SECOND_NS,
                                              .clock = clock_system()};
        struct sandbox_result result;

        close(ends[0]);
        _exit(sandbox_run(&config, &result, NULL) == ERR_OK);
    }
    close(ends[1]);
    cr_assert_eq(read(ends[0], &byte, 1), 1);
    cr_assert_eq(kill(pid, SIGKILL), 0);
    cr_assert_eq(waitpid(pid, NULL, 0), pid);
    while (read(ends[0], &byte, 1) > 0) {
    }
    close(ends[0]);
}
