// SPDX-License-Identifier: Apache-2.0
// Starts and stops servers under test.
#include "collector/run/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/probe/machine.h"
#include "collector/run/child.h"
#include "collector/run/drain.h"
#include "collector/run/log_line.h"
#include "engines/base/orphans.h"

#define ENVIRONMENT_COUNT (6 + PLAN_VARIABLE_COUNT_MAX)
#define VARIABLE_BYTES    4200

struct supervised {
    const struct clock *clock;
    pid_t pid;
    int stdin_fd; /* writing end of the server's standard input: open and silent */
    struct drain *drain;
    int64_t started_ns, grace_ns;
    bool ended, ended_early, stopping;
    char exit_text[SUPERVISE_EXIT_BYTES];
};

/* Everything that the child needs: made before the fork, since a child of a program with threads
 * may only make system calls. */
struct launch {
    const struct supervise_config *config;
    pid_t parent_pid;
    struct rlimit nofile;
    int input[2], output[2], failure[2];
    char variables[ENVIRONMENT_COUNT][VARIABLE_BYTES];
    char *environment[ENVIRONMENT_COUNT + 1]; /* NULL at the end */
    size_t environment_count;
};

enum step { STEP_SESSION, STEP_PARENT, STEP_CPUS, STEP_NOFILE, STEP_FILES, STEP_EXEC };
static const char *const step_names[] = {"making its session",     "watching its parent",
                                         "pinning it to its CPUs", "raising RLIMIT_NOFILE",
                                         "wiring its files",       "executing it"};

enum err_code supervise_init(struct err *e)
{
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0) {
        return err_set_sys(e, "becoming the reaper of orphans");
    }
    return ERR_OK;
}

/* --- start --- */

static bool variable_is_there(const struct launch *launch, const char *name)
{
    size_t length = strlen(name);

    for (size_t i = 0; i < launch->environment_count; i++) {
        if (strncmp(launch->environment[i], name, length) == 0 &&
            launch->environment[i][length] == '=') {
            return true;
        }
    }
    return false;
}

/* One that is there already, or too long, is left out. */
static void variable_add(struct launch *launch, const char *name, const char *value)
{
    char *place = launch->variables[launch->environment_count];

    if (!variable_is_there(launch, name) &&
        snprintf(place, VARIABLE_BYTES, "%s=%s", name, value) < VARIABLE_BYTES) {
        launch->environment[launch->environment_count++] = place;
    }
}

static void environment_make(struct launch *launch)
{
    static const char *const kept[] = {"PATH", "LANG", "TZ"};
    const struct supervise_config *config = launch->config;
    char padding[SUPERVISE_PADDING_BYTES_MAX + 1];

    for (size_t i = 0; i < config->variable_count; i++) {
        variable_add(launch, config->variables[i].name, config->variables[i].value);
    }
    for (size_t i = 0; i < ARRAY_COUNT(kept); i++) {
        const char *value = getenv(kept[i]);

        if (value) {
            variable_add(launch, kept[i], value);
        }
    }
    if (config->preload) {
        variable_add(launch, "LD_PRELOAD", config->preload);
    }
    variable_add(launch, "LC_ALL", "C");
    memset(padding, 'x', config->padding_bytes);
    padding[config->padding_bytes] = '\0';
    variable_add(launch, "TACHO_PADDING", padding);
    launch->environment[launch->environment_count] = NULL;
}

static void limit_make(struct launch *launch)
{
    rlim_t wanted = launch->config->nofile;

    getrlimit(RLIMIT_NOFILE, &launch->nofile);
    if (wanted) {
        launch->nofile.rlim_cur =
            wanted < launch->nofile.rlim_max ? wanted : launch->nofile.rlim_max;
    }
}

/* In the child: system calls only. */
__attribute__((noreturn)) static void step_fail(const struct launch *launch, enum step step)
{
    const struct child_failure failure = {(int)step, errno};

    child_fail(launch->failure[1], &failure);
}

static bool files_wire(const struct launch *launch)
{
    int counters_fd = launch->config->counters_fd;

    return syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */) == 0 &&
           dup2(launch->input[0], STDIN_FILENO) >= 0 &&
           dup2(launch->output[1], STDOUT_FILENO) >= 0 &&
           dup2(launch->output[1], STDERR_FILENO) >= 0 &&
           (counters_fd < 0 || fcntl(counters_fd, F_SETFD, 0) == 0);
}

__attribute__((noreturn)) static void child_run(const struct launch *launch)
{
    const struct supervise_config *config = launch->config;

    if (setsid() < 0) {
        step_fail(launch, STEP_SESSION);
    }
    /* A parent that died before prctl sends nothing: look once more. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != launch->parent_pid) {
        step_fail(launch, STEP_PARENT);
    }
    if (config->cpus && sched_setaffinity(0, sizeof(*config->cpus), config->cpus) < 0) {
        step_fail(launch, STEP_CPUS);
    }
    if (setrlimit(RLIMIT_NOFILE, &launch->nofile) < 0) {
        step_fail(launch, STEP_NOFILE);
    }
    if (!files_wire(launch)) {
        step_fail(launch, STEP_FILES);
    }
    child_reset_signals();
    /* execve's type is older than const; it writes nothing there. */
    union {
        const char *const *given;
        char *const *taken;
    } arguments = {.given = config->arguments};
    execve(config->program, arguments.taken, launch->environment);
    step_fail(launch, STEP_EXEC);
}

static void descriptor_close(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

static void launch_release(struct launch *launch)
{
    for (int i = 0; i < 2; i++) {
        descriptor_close(&launch->input[i]);
        descriptor_close(&launch->output[i]);
        descriptor_close(&launch->failure[i]);
    }
    free(launch);
}

static struct launch *launch_new(const struct supervise_config *config, struct err *e)
{
    struct launch *launch = calloc(1, sizeof(*launch));

    if (!launch) {
        err_set(e, ERR_LIMIT, "no memory for starting a server");
        return NULL;
    }
    launch->config = config;
    launch->parent_pid = getpid();
    launch->input[0] = launch->input[1] = -1;
    launch->output[0] = launch->output[1] = -1;
    launch->failure[0] = launch->failure[1] = -1;
    environment_make(launch);
    limit_make(launch);
    if (pipe2(launch->input, O_CLOEXEC) < 0 || pipe2(launch->output, O_CLOEXEC) < 0 ||
        pipe2(launch->failure, O_CLOEXEC) < 0 ||
        fcntl(launch->output[0], F_SETFL, O_NONBLOCK) < 0) {
        err_set_sys(e, "making the server's pipes");
        launch_release(launch);
        return NULL;
    }
    return launch;
}

static enum err_code exec_wait(struct launch *launch, pid_t pid, struct err *e)
{
    struct child_failure failure;

    if (child_wait_exec(launch->failure, pid, &failure)) {
        return ERR_OK;
    }
    errno = failure.sys_errno;
    return err_set_sys(e, "%s: %s", launch->config->program,
                       failure.step < 0 ? "starting it" : step_names[failure.step]);
}

static enum err_code server_take(struct launch *launch, pid_t pid, struct supervised **out,
                                 struct err *e)
{
    struct supervised *server = calloc(1, sizeof(*server));
    enum err_code code = server ? ERR_OK : err_set(e, ERR_LIMIT, "no memory for a server");

    if (code == ERR_OK) {
        server->clock = launch->config->clock;
        server->pid = pid;
        server->grace_ns = launch->config->grace_ns ? launch->config->grace_ns : SUPERVISE_GRACE_NS;
        server->started_ns = clock_now_ns(server->clock);
        int output_fd = launch->output[0];
        launch->output[0] = -1;
        code = drain_open(output_fd, &server->drain, e);
    }
    if (code != ERR_OK) {
        free(server);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        return code;
    }
    server->stdin_fd = launch->input[1];
    launch->input[1] = -1;
    *out = server;
    return ERR_OK;
}

enum err_code supervise_start(const struct supervise_config *config, struct supervised **out,
                              struct err *e)
{
    struct launch *launch = launch_new(config, e);

    if (!launch) {
        return e ? e->code : ERR_SYS;
    }
    pid_t pid = fork();
    if (pid == 0) {
        child_run(launch);
    }
    enum err_code code = pid < 0 ? err_set_sys(e, "fork") : exec_wait(launch, pid, e);
    if (code == ERR_OK) {
        code = server_take(launch, pid, out, e);
    }
    launch_release(launch);
    return code;
}

/* --- look --- */

pid_t supervise_pid(const struct supervised *server)
{
    return server->pid;
}

int64_t supervise_started_ns(const struct supervised *server)
{
    return server->started_ns;
}

bool supervise_find_port(struct supervised *server, uint16_t *port_out)
{
    static const char key[] = "listening ";
    char head[DRAIN_HEAD_BYTES + 1];
    size_t length = drain_copy_head(server->drain, head, DRAIN_HEAD_BYTES);

    head[length] = '\0';
    for (char *line = head, *newline; (newline = strchr(line, '\n')); line = newline + 1) {
        if (strncmp(line, key, sizeof(key) - 1) != 0) {
            continue;
        }
        *newline = '\0';
        char *colon = strrchr(line, ':');
        char *end = NULL;
        unsigned long port = colon ? strtoul(colon + 1, &end, 10) : 0;
        if (colon && end > colon + 1 && !*end && port >= 1 && port <= UINT16_MAX) {
            *port_out = (uint16_t)port;
            return true;
        }
        *newline = '\n';
    }
    return false;
}

static void end_record(struct supervised *server, int status)
{
    server->ended = true;
    server->ended_early = !server->stopping;
    if (WIFSIGNALED(status)) {
        snprintf(server->exit_text, sizeof(server->exit_text), "signal %d", WTERMSIG(status));
    } else {
        snprintf(server->exit_text, sizeof(server->exit_text), "exit %d", WEXITSTATUS(status));
    }
}

bool supervise_has_ended(struct supervised *server)
{
    int status;

    if (!server->ended && waitpid(server->pid, &status, WNOHANG) == server->pid) {
        end_record(server, status);
    }
    return server->ended;
}

const char *supervise_exit(const struct supervised *server)
{
    return server->exit_text;
}

bool supervise_ended_early(const struct supervised *server)
{
    return server->ended_early;
}

void supervise_copy_log_tail(struct supervised *server, char *out, size_t capacity)
{
    size_t length = drain_copy_tail(server->drain, out, capacity - 1);

    log_line_make(out, length, drain_get_total(server->drain) > length);
}

enum err_code supervise_take_log(struct supervised *server, struct supervise_log *log_out,
                                 struct err *e)
{
    struct supervise_log log = {0};

    drain_stop(server->drain);
    log.written_bytes = drain_get_total(server->drain);
    if (log.written_bytes == 0) {
        *log_out = log;
        return ERR_OK;
    }
    log.head = malloc(DRAIN_HEAD_BYTES + DRAIN_TAIL_BYTES);
    if (!log.head) {
        return err_set(e, ERR_LIMIT, "no memory for what the server wrote");
    }
    log.head_bytes = drain_copy_head(server->drain, log.head, DRAIN_HEAD_BYTES);
    log.tail = log.head + log.head_bytes;
    /* Nothing twice: the tail begins after the head. */
    uint64_t rest_bytes = log.written_bytes - log.head_bytes;
    log.tail_bytes =
        drain_copy_tail(server->drain, log.tail,
                        rest_bytes < DRAIN_TAIL_BYTES ? (size_t)rest_bytes : DRAIN_TAIL_BYTES);
    *log_out = log;
    return ERR_OK;
}

/* --- stop --- */

/* Until the server has ended or the deadline passes; the pidfd wakes us at once. */
static bool end_wait(struct supervised *server, int64_t deadline_ns)
{
    int pid_fd = (int)syscall(SYS_pidfd_open, server->pid, 0);

    while (!supervise_has_ended(server)) {
        int64_t left_ns = deadline_ns - clock_now_ns(server->clock);
        struct pollfd wait = {.fd = pid_fd, .events = POLLIN};

        if (left_ns <= 0) {
            break;
        }
        /* Without pidfds (before Linux 5.3) look each 5 ms. */
        int64_t wait_ms = pid_fd < 0 ? 5 : left_ns / CLOCK_NS_PER_MS + 1;
        poll(&wait, pid_fd < 0 ? 0 : 1, (int)wait_ms);
    }
    if (pid_fd >= 0) {
        close(pid_fd);
    }
    return server->ended;
}

/* Orphans of the server are our children: this process is their reaper, and it has no others. */
static size_t children_kill(void)
{
    size_t count = orphans_signal(MACHINE_PROC_ROOT, SIGKILL);

    while (count > 0 && waitpid(-1, NULL, WNOHANG) > 0) {
        continue;
    }
    return count;
}

static void orphans_end(struct supervised *server)
{
    int64_t deadline_ns = clock_now_ns(server->clock) + SUPERVISE_GRACE_NS;

    /* A child that was killed may hand its own children to us: until none is left. */
    while (children_kill() && clock_now_ns(server->clock) < deadline_ns) {
        poll(NULL, 0, 1);
    }
}

void supervise_stop(struct supervised *server)
{
    if (!supervise_has_ended(server)) {
        server->stopping = true;
        kill(-server->pid, SIGTERM);
        if (!end_wait(server, clock_now_ns(server->clock) + server->grace_ns)) {
            kill(-server->pid, SIGKILL);
            end_wait(server, clock_now_ns(server->clock) + SUPERVISE_GRACE_NS);
        }
    }
    /* The group outlives its leader as long as it has a member, so the number is not another's. */
    kill(-server->pid, SIGKILL);
    orphans_end(server);
}

void supervise_free(struct supervised *server)
{
    if (server) {
        supervise_stop(server);
        drain_close(server->drain);
        close(server->stdin_fd);
        free(server);
    }
}
