// SPDX-License-Identifier: Apache-2.0
// The inside of a sandbox.
#include "report/reproduce/sandbox_child.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/probe/machine.h"
#include "collector/run/child.h"
#include "engines/base/proc.h"

#define TMP_OPTIONS   "size=256m,mode=1777"
#define EMPTY_OPTIONS "size=4k,mode=0755"

typedef bool child_step(const struct sandbox_launch *launch);

/* The caller's user and group are themselves inside; nobody else is anybody. */
static bool users_map(const struct sandbox_launch *launch)
{
    char users[64], groups[64];

    if (launch->is_root) {
        return true;
    }
    snprintf(users, sizeof(users), "%u %u 1", launch->user, launch->user);
    snprintf(groups, sizeof(groups), "%u %u 1", launch->group, launch->group);
    return proc_write(MACHINE_PROC_ROOT, "deny", "self/setgroups") &&
           proc_write(MACHINE_PROC_ROOT, users, "self/uid_map") &&
           proc_write(MACHINE_PROC_ROOT, groups, "self/gid_map");
}

/* In a chroot whose root is no mount the mounts can only be reached from the real root; joining the
 * namespace that we are in leads there, and back we go. */
static bool mounts_part_below_chroot(int root_fd)
{
    int self_fd = (int)syscall(SYS_pidfd_open, getpid(), 0);

    return self_fd >= 0 && setns(self_fd, CLONE_NEWNS) == 0 &&
           mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 && fchdir(root_fd) == 0 &&
           chroot(".") == 0;
}

/* What is mounted here is seen nowhere else. */
static bool mounts_part(const struct sandbox_launch *launch)
{
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0) {
        return true;
    }
    int root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

    return errno == EINVAL && launch->is_root && root_fd >= 0 && mounts_part_below_chroot(root_fd);
}

/* Before the root covers it: a mount of the work folder that can be put elsewhere. */
static int work_clone(const char *folder)
{
    struct mount_attr attributes = {.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV,
                                    .propagation = MS_PRIVATE};
    int fd = open_tree(AT_FDCWD, folder, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);

    if (fd >= 0 && mount_setattr(fd, "", AT_EMPTY_PATH, &attributes, sizeof(attributes)) < 0) {
        return -1;
    }
    return fd;
}

/* The same files, read-only, over the root. */
static bool root_cover(void)
{
    struct mount_attr attributes = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID,
                                    .propagation = MS_PRIVATE};
    int root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    int cover_fd =
        open_tree(root_fd, "", AT_EMPTY_PATH | AT_RECURSIVE | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);

    return cover_fd >= 0 &&
           mount_setattr(cover_fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes,
                         sizeof(attributes)) == 0 &&
           move_mount(cover_fd, "", root_fd, "",
                      MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == 0 &&
           fchdir(cover_fd) == 0 && chroot(".") == 0;
}

/* Folders with what is not a compiler's business: secrets, and sockets that a read-only mount does
 * not close. */
static bool folders_hide(void)
{
    static const char *const folders[] = {"/home",    "/root", "/run",  "/var/tmp",
                                          "/dev/shm", "/mnt",  "/media"};
    struct stat status;

    for (size_t i = 0; i < ARRAY_COUNT(folders); i++) {
        if (lstat(folders[i], &status) == 0 && S_ISDIR(status.st_mode) &&
            mount("tmpfs", folders[i], "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY,
                  EMPTY_OPTIONS) < 0) {
            return false;
        }
    }
    return mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, TMP_OPTIONS) == 0;
}

static bool files_make(const struct sandbox_launch *launch)
{
    int work_fd = work_clone(launch->config->work_folder);

    return work_fd >= 0 && root_cover() && folders_hide() &&
           mount("proc", MACHINE_PROC_ROOT, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0 &&
           mkdir(SANDBOX_WORK, 0755) == 0 &&
           move_mount(work_fd, "", AT_FDCWD, SANDBOX_WORK, MOVE_MOUNT_F_EMPTY_PATH) == 0;
}

static bool loopback_raise(const struct sandbox_launch *launch)
{
    struct ifreq request = {.ifr_name = "lo"};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    (void)launch;
    if (fd < 0 || ioctl(fd, SIOCGIFFLAGS, &request) < 0) {
        return false;
    }
    request.ifr_flags |= IFF_UP;
    return ioctl(fd, SIOCSIFFLAGS, &request) == 0 && close(fd) == 0;
}

static bool limit_set(int resource, uint64_t value)
{
    const struct rlimit limit = {value, value};

    return !value || setrlimit((__rlimit_resource_t)resource, &limit) == 0;
}

static bool limits_set(const struct sandbox_launch *launch)
{
    const struct sandbox_limits *limits = &launch->config->limits;
    const struct rlimit none = {0, 0};

    return setrlimit(RLIMIT_CORE, &none) == 0 && limit_set(RLIMIT_CPU, limits->cpu_s) &&
           limit_set(RLIMIT_FSIZE, limits->file_bytes) &&
           limit_set(RLIMIT_AS, limits->memory_bytes) &&
           limit_set(RLIMIT_NPROC, limits->process_count);
}

static bool privileges_drop(const struct sandbox_launch *launch)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[2] = {0};

    if (launch->is_root &&
        (setgroups(0, NULL) < 0 || setresgid(launch->group, launch->group, launch->group) < 0 ||
         setresuid(launch->user, launch->user, launch->user) < 0)) {
        return false;
    }
    return syscall(SYS_capset, &header, none) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

/* After the credentials, whose change clears the signal. A caller that died before is noticed. */
static bool caller_watch(const struct sandbox_launch *launch)
{
    struct pollfd alive = {.fd = launch->alive[0], .events = POLLIN};

    close(launch->alive[1]);
    return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 && poll(&alive, 1, 0) == 0;
}

static bool descriptor_put(int given, int nowhere, int number)
{
    return dup2(given < 0 ? nowhere : given, number) >= 0;
}

static bool files_wire(const struct sandbox_launch *launch)
{
    const struct sandbox_config *config = launch->config;
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

    umask(022);
    return nowhere >= 0 && descriptor_put(-1, nowhere, STDIN_FILENO) &&
           descriptor_put(config->output_fd, nowhere, STDOUT_FILENO) &&
           descriptor_put(config->error_fd, nowhere, STDERR_FILENO) &&
           syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */) == 0 &&
           chdir(SANDBOX_WORK) == 0 && (!*config->folder || chdir(config->folder) == 0);
}

static bool program_start(const struct sandbox_launch *launch)
{
    const struct sandbox_config *config = launch->config;
    union { /* older than const; nothing is written there */
        const char *const *given;
        char **taken;
    } arguments = {.given = config->arguments}, environment = {.given = config->environment};

    environ = environment.taken;
    child_reset_signals();
    if (config->arguments) {
        execvp(config->arguments[0], arguments.taken);
        return false;
    }
    close(launch->failure[1]);
    /* Not exit: that would write what the caller had not written yet. */
    syscall(SYS_exit_group, config->run(config->context) & 0xff);
    return false;
}

static const struct {
    const char *name;
    child_step *run;
} steps[] = {
    {"mapping its user", users_map},       {"making its mounts private", mounts_part},
    {"making its files", files_make},      {"raising its loopback interface", loopback_raise},
    {"setting its limits", limits_set},    {"dropping its privileges", privileges_drop},
    {"watching its caller", caller_watch}, {"wiring its files", files_wire},
    {"executing it", program_start},
};

void sandbox_child_run(const struct sandbox_launch *launch)
{
    struct child_failure failure = {0};

    for (; failure.step < (int)ARRAY_COUNT(steps); failure.step++) {
        errno = 0;
        if (!steps[failure.step].run(launch)) {
            failure.sys_errno = errno;
            break;
        }
    }
    child_fail(launch->failure[1], &failure);
}

const char *sandbox_child_step_name(int step)
{
    return step >= 0 && step < (int)ARRAY_COUNT(steps) ? steps[step].name : "starting it";
}

bool sandbox_child_step_is_exec(int step)
{
    return step == (int)ARRAY_COUNT(steps) - 1;
}
