// SPDX-License-Identifier: Apache-2.0
// Listening sockets.
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engines/base/net.h"

#define TEN "/123456789"

Test(net, reads_and_writes_numeric_addresses)
{
    static const struct {
        const char *text, *formatted; /* NULL: refused */
    } rows[] = {
        {"127.0.0.1", "127.0.0.1:80"},
        {"0.0.0.0", "0.0.0.0:80"},
        {"::1", "[::1]:80"},
        {"::", "[::]:80"},
        {"0:0::1", "[::1]:80"},
        {"localhost", NULL},
        {"127.0.0.1:80", NULL},
        {"127.1", NULL},
        {"[::1]", "[::1]:80"},
        {"[::1", NULL},
        {"::1]", NULL},
        {"[[::1]]", NULL},
        {"[127.0.0.1]", NULL},
        {"[]", NULL},
        {"256.0.0.1", NULL},
        {"", NULL},
        {"127.0.0.1 ", NULL},
        {"unix:/tmp/a b", "unix:/tmp/a b"},
        {"unix:", NULL},
        {"/tmp/a", NULL},
        /* unix(7): a path has room for 108 bytes, a NUL among them. */
        {"unix:" TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN "1234567",
         "unix:" TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN "1234567"},
        {"unix:" TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN "12345678", NULL},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct net_address address;
        char text[NET_TEXT_BYTES];
        enum err_code code = net_parse(rows[i].text, 80, &address, NULL);

        cr_expect_eq(code, rows[i].formatted ? ERR_OK : ERR_USAGE, "%s", rows[i].text);
        if (code == ERR_OK) {
            net_format(&address, text);
            cr_expect_str_eq(text, rows[i].formatted);
        }
    }
}

static int option_get(int fd, int level, int option)
{
    int value = -1;
    socklen_t bytes = sizeof(value);

    getsockopt(fd, level, option, &value, &bytes);
    return value;
}

Test(net, listens_on_a_free_port_with_its_options)
{
    static const char *const texts[] = {"127.0.0.1", "::1"};

    for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
        struct net_address address, again;
        char text[NET_TEXT_BYTES];
        struct err e = {0};
        int fd, other;

        cr_assert_eq(net_parse(texts[i], 0, &address, NULL), ERR_OK);
        cr_assert_eq(net_listen(&address, NET_BACKLOG_DEFAULT, false, &fd, &address, &e), ERR_OK,
                     "%s", e.text);
        net_format(&address, text);
        cr_expect_neq(strcmp(strrchr(text, ':'), ":0"), 0, "%s", text);
        cr_expect_neq(option_get(fd, IPPROTO_TCP, TCP_NODELAY), 0);
        cr_expect_neq(option_get(fd, SOL_SOCKET, SO_REUSEADDR), 0);
        cr_expect_eq(option_get(fd, SOL_SOCKET, SO_REUSEPORT), 0);
        cr_expect_neq(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
        cr_expect_neq(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
        other = -7;
        cr_expect_eq(net_listen(&address, 1, false, &other, &again, &e), ERR_SYS);
        cr_expect_eq(e.sys_errno, EADDRINUSE);
        cr_expect_eq(other, -7);
        close(fd);
    }
}

Test(net, shares_a_port_between_sockets_that_want_it)
{
    struct net_address address;
    int fds[2];

    cr_assert_eq(net_parse("127.0.0.1", 0, &address, NULL), ERR_OK);
    for (int i = 0; i < 2; i++) {
        cr_expect_eq(net_listen(&address, 16, true, &fds[i], &address, NULL), ERR_OK);
    }
    close(fds[0]);
    close(fds[1]);
}

/* What lies at the path before: nothing, a socket that was left, one that is listened at, others.
 */
Test(net, takes_over_a_socket_that_was_left_and_nothing_else)
{
    static const struct {
        const char *name;
        enum err_code want;
    } rows[] = {{"none", ERR_OK},      {"left", ERR_OK},
                {"alive", ERR_SYS},    {"a file", ERR_SYS},
                {"a folder", ERR_SYS}, {"a link to one that was left", ERR_SYS}};
    char folder[] = "/tmp/tacho-net-XXXXXX", text[128], other[128], before[160], after[160];

    cr_assert_not_null(mkdtemp(folder));
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct net_address address, left;
        struct err e = {0};
        int fd = -1, old = -1;

        snprintf(text, sizeof(text), "unix:%s/%zu", folder, i);
        snprintf(other, sizeof(other), "unix:%s/other%zu", folder, i);
        snprintf(before, sizeof(before), "%s", text + 5);
        snprintf(after, sizeof(after), "%s/after", folder);
        cr_assert_eq(net_parse(text, 0, &address, NULL), ERR_OK);
        cr_assert_eq(net_parse(i == 5 ? other : text, 0, &left, NULL), ERR_OK);
        if (i == 1 || i == 2 || i == 5) {
            cr_assert_eq(net_listen(&left, 1, false, &old, &left, NULL), ERR_OK);
        }
        if (i == 1 || i == 5) {
            close(old); /* the file stays, as after kill -9 */
            old = -1;
        }
        if (i == 3) {
            close(open(before, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
        } else if (i == 4) {
            cr_assert_eq(mkdir(before, 0700), 0);
        } else if (i == 5) {
            cr_assert_eq(symlink(other + 5, before), 0);
        }
        cr_expect_eq(net_listen(&address, 1, false, &fd, &address, &e), rows[i].want, "%s: %s",
                     rows[i].name, e.text);
        cr_expect_eq(e.sys_errno, rows[i].want == ERR_OK ? 0 : EADDRINUSE, "%s", rows[i].name);
        cr_expect_eq(access(before, F_OK), 0, "%s: it is gone", rows[i].name);
        if (rows[i].want == ERR_OK) { /* only the socket itself is removed */
            cr_expect_eq(rename(before, after), 0);
            close(open(before, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
            net_remove(&address);
            cr_expect_eq(access(before, F_OK), 0, "%s: a file of somebody else", rows[i].name);
            cr_expect_eq(rename(after, before), 0);
            net_remove(&address);
            cr_expect_neq(access(before, F_OK), 0, "%s: it stays", rows[i].name);
        }
        close(fd);
        close(old);
        remove(before);
        remove(other + 5);
    }
    cr_expect_eq(rmdir(folder), 0);
}
