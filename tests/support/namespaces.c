// SPDX-License-Identifier: Apache-2.0
// Asks the kernel in a child, which then ends; moves the test itself into a network of its own.
#include "tests/support/namespaces.h"

#include <criterion/criterion.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

bool namespaces_are_for_users(void)
{
    int status = 0;
    pid_t pid = fork();

    cr_assert_geq(pid, 0);
    if (pid == 0) {
        bool is_user = geteuid() != 0 || (setresgid(NOBODY, NOBODY, NOBODY) == 0 &&
                                          setresuid(NOBODY, NOBODY, NOBODY) == 0);
        _exit(is_user && unshare(CLONE_NEWUSER) == 0 ? 0 : 1);
    }
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    return status == 0;
}

static bool setting_write(const char *name, const char *value)
{
    char path[96];
    FILE *file = NULL;

    snprintf(path, sizeof(path), "/proc/sys/net/ipv4/%s", name);
    file = fopen(path, "w");
    if (!file) {
        return false;
    }
    bool is_written = fputs(value, file) >= 0;
    return fclose(file) == 0 && is_written;
}

bool namespaces_limit_ports(const char *reuse)
{
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};

    if (unshare(geteuid() == 0 ? CLONE_NEWNET : CLONE_NEWUSER | CLONE_NEWNET) != 0) {
        return false;
    }
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool is_up = fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &request) == 0;
    if (fd >= 0) {
        close(fd);
    }
    return is_up && setting_write("ip_local_port_range", "32768 32868") &&
           setting_write("tcp_tw_reuse", reuse);
}
