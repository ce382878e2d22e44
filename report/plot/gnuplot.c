// SPDX-License-Identifier: Apache-2.0
// Starts gnuplot: fork, limits, exec; its standard error and its status decide.
#include "report/plot/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define CPU_SECONDS_MAX  30
#define FILE_BYTES_MAX   ((rlim_t)64 << 20)
#define MEMORY_BYTES_MAX ((rlim_t)1 << 30)
#define FD_COUNT_MAX     64
#define COMPLAINT_BYTES  400

static const char *find_program(const char *program)
{
    static const char *const places[] = {"/usr/local/bin/gnuplot", "/usr/bin/gnuplot",
                                         "/bin/gnuplot"};

    if (program) {
        return access(program, X_OK) == 0 ? program : NULL;
    }
    for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
        if (access(places[i], X_OK) == 0) {
            return places[i];
        }
    }
    return NULL;
}

static void limit_self(void)
{
    static const struct {
        __rlimit_resource_t resource;
        rlim_t value;
    } limits[] = {{RLIMIT_CPU, CPU_SECONDS_MAX}, {RLIMIT_FSIZE, FILE_BYTES_MAX},
                  {RLIMIT_AS, MEMORY_BYTES_MAX}, {RLIMIT_CORE, 0},
                  {RLIMIT_NOFILE, FD_COUNT_MAX}, {RLIMIT_NPROC, 0}}; /* no system(), no pipes */

    for (size_t i = 0; i < ARRAY_COUNT(limits); i++) {
        struct rlimit limit = {limits[i].value, limits[i].value};

        if (setrlimit(limits[i].resource, &limit) != 0) {
            _exit(126);
        }
    }
}

/* In the child. Nothing of this program's environment reaches gnuplot. */
static _Noreturn void become_gnuplot(const char *program, const char *folder, char **argv,
                                     int error_fd)
{
    static char path[] = "PATH=/usr/bin:/bin", locale[] = "LC_ALL=C.UTF-8", zone[] = "TZ=UTC",
                home[] = "HOME=/nonexistent", terminal[] = "GNUTERM=unknown";
    static char *environment[] = {path, locale, zone, home, terminal, NULL};
    int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (null_fd < 0 || dup2(null_fd, 0) < 0 || dup2(null_fd, 1) < 0 || dup2(error_fd, 2) < 0 ||
        chdir(folder) != 0) {
        _exit(126);
    }
    close_range(3, ~0U, 0);
    if (setpgid(0, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
        _exit(126);
    }
    limit_self();
    execve(program, argv, environment);
    _exit(127);
}

/* False: nothing came for so long that the program hangs. */
static bool wait_readable(int fd, unsigned quiet_ms)
{
    struct pollfd wanted = {.fd = fd, .events = POLLIN};
    int count;

    do {
        count = poll(&wanted, 1, (int)quiet_ms);
    } while (count < 0 && errno == EINTR);
    return count != 0;
}

/* Reads to the end, keeps the beginning. Returns false when the end does not come. */
static bool read_complaint(int fd, unsigned quiet_ms, char out[COMPLAINT_BYTES])
{
    char rest[512];
    size_t used = 0;

    while (wait_readable(fd, quiet_ms)) {
        bool is_full = used + 1 == COMPLAINT_BYTES;
        ssize_t count = is_full ? read(fd, rest, sizeof(rest))
                                : read(fd, out + used, COMPLAINT_BYTES - 1 - used);

        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            out[used] = '\0';
            return true;
        }
        used += is_full ? 0 : (size_t)count;
    }
    out[used] = '\0';
    return false;
}

/* One line out of gnuplot's several: the first with anything but blanks and carets. */
static const char *first_line(char *text)
{
    char *line = text + strspn(text, " \t\r\n^");

    line[strcspn(line, "\n")] = '\0';
    for (char *at = line; *at; at++) {
        if ((unsigned char)*at < ' ' || (unsigned char)*at >= 0x7F) {
            *at = '?';
        }
    }
    return line;
}

/* It may have closed its standard error and live on. */
static bool wait_end(pid_t pid, unsigned quiet_ms)
{
    int fd = pidfd_open(pid, 0);

    if (fd < 0) {
        return false;
    }
    bool is_over = wait_readable(fd, quiet_ms);
    close(fd);
    return is_over;
}

static enum err_code wait_for(pid_t pid, int error_fd, unsigned quiet_ms, struct err *e)
{
    char complaint[COMPLAINT_BYTES];
    int status;

    bool is_over = read_complaint(error_fd, quiet_ms, complaint) && wait_end(pid, quiet_ms);
    if (!is_over) {
        kill(-pid, SIGKILL); /* a group of its own: with all that it started */
    }
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return err_set_sys(e, "waiting for gnuplot");
        }
    }
    if (!is_over) {
        return err_set(e, ERR_FORMAT, "gnuplot did not end and was stopped");
    }
    if (WIFSIGNALED(status)) {
        return err_set(e, ERR_FORMAT, "gnuplot was stopped by signal %d", WTERMSIG(status));
    }
    const char *words = first_line(complaint);
    if (*words) {
        return err_set(e, ERR_FORMAT, "gnuplot ended with %d: %s", WEXITSTATUS(status), words);
    }
    return WEXITSTATUS(status) == 0
               ? ERR_OK
               : err_set(e, ERR_FORMAT, "gnuplot ended with %d and said nothing",
                         WEXITSTATUS(status));
}

/* {"gnuplot", "-d", "a.gp", …, NULL} in one piece of memory; NULL without it. */
static char **make_arguments(const char *const *names, size_t name_count)
{
    size_t pointer_bytes = (name_count + 3) * sizeof(char *), text_bytes = 0;
    static char own_name[] = "gnuplot", no_startup_file[] = "-d";

    for (size_t i = 0; i < name_count; i++) {
        text_bytes += strlen(names[i]) + sizeof(".gp");
    }
    char **argv = calloc(1, pointer_bytes + text_bytes);
    if (!argv) {
        return NULL;
    }
    char *text = (char *)argv + pointer_bytes;
    argv[0] = own_name;
    argv[1] = no_startup_file;
    for (size_t i = 0; i < name_count; i++) {
        argv[i + 2] = text;
        text = stpcpy(stpcpy(text, names[i]), ".gp") + 1;
    }
    return argv;
}

enum err_code gnuplot_run(const char *program, const char *folder, const char *const *names,
                          size_t name_count, unsigned quiet_ms, bool *available_out, struct err *e)
{
    const char *path = find_program(program);
    int pipe_fds[2];
    enum err_code code;

    if (!path) {
        *available_out = false;
        return ERR_OK;
    }
    char **argv = make_arguments(names, name_count);
    if (!argv) {
        return err_set(e, ERR_LIMIT, "no memory to start gnuplot");
    }
    if (pipe2(pipe_fds, O_CLOEXEC) != 0) {
        free(argv);
        return err_set_sys(e, "pipe");
    }
    pid_t pid = fork();
    if (pid == 0) {
        become_gnuplot(path, folder, argv, pipe_fds[1]);
    }
    close(pipe_fds[1]);
    code = pid < 0 ? err_set_sys(e, "fork") : wait_for(pid, pipe_fds[0], quiet_ms, e);
    close(pipe_fds[0]);
    free(argv);
    if (code == ERR_OK) {
        *available_out = true;
    }
    return code;
}
