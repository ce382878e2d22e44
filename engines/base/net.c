// SPDX-License-Identifier: Apache-2.0
// Listening sockets.
#include "engines/base/net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define PATH_PREFIX "unix:"

bool net_is_path(const struct net_address *address)
{
    return address->storage.ss_family == AF_UNIX;
}

static enum err_code path_parse(const char *path, struct net_address *address_out, struct err *e)
{
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    size_t length = strlen(path);

    if (length == 0 || length >= sizeof(local.sun_path)) {
        return err_set(e, ERR_USAGE, "the path of \"unix:%.60s\" must have 1 to %zu bytes", path,
                       sizeof(local.sun_path) - 1);
    }
    memcpy(local.sun_path, path, length);
    memset(address_out, 0, sizeof(*address_out));
    memcpy(&address_out->storage, &local, sizeof(local));
    address_out->bytes = sizeof(local);
    return ERR_OK;
}

static const char *path_of(const struct net_address *address, struct sockaddr_un *local)
{
    memcpy(local, &address->storage, sizeof(*local));
    return local->sun_path;
}

void net_remove(const struct net_address *address)
{
    struct sockaddr_un local;
    struct stat status;

    if (net_is_path(address) && lstat(path_of(address, &local), &status) == 0 &&
        status.st_dev == address->file_device && status.st_ino == address->file_inode) {
        unlink(path_of(address, &local));
    }
}

/* "::1", or "[::1]" as it stands before a port. */
static bool ipv6_parse(const char *text, struct in6_addr *address_out)
{
    size_t length = strlen(text);
    char inner[INET6_ADDRSTRLEN] = "";

    if (length > 2 && length - 2 < sizeof(inner) && text[0] == '[' && text[length - 1] == ']') {
        memcpy(inner, text + 1, length - 2);
        text = inner;
    }
    return inet_pton(AF_INET6, text, address_out) == 1;
}

enum err_code net_parse(const char *text, uint16_t port, struct net_address *address_out,
                        struct err *e)
{
    struct sockaddr_in ipv4 = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    struct net_address address = {0};

    if (strncmp(text, PATH_PREFIX, strlen(PATH_PREFIX)) == 0) {
        return path_parse(text + strlen(PATH_PREFIX), address_out, e);
    }
    if (inet_pton(AF_INET, text, &ipv4.sin_addr) == 1) {
        memcpy(&address.storage, &ipv4, sizeof(ipv4));
        address.bytes = sizeof(ipv4);
    } else if (ipv6_parse(text, &ipv6.sin6_addr)) {
        memcpy(&address.storage, &ipv6, sizeof(ipv6));
        address.bytes = sizeof(ipv6);
    } else {
        return err_set(e, ERR_USAGE, "\"%.60s\" is not an IPv4 or IPv6 address or unix:PATH", text);
    }
    *address_out = address;
    return ERR_OK;
}

uint16_t net_port(const struct net_address *address)
{
    struct sockaddr_in ipv4;
    struct sockaddr_in6 ipv6;

    if (net_is_path(address)) {
        return 0;
    }
    if (address->storage.ss_family == AF_INET6) {
        memcpy(&ipv6, &address->storage, sizeof(ipv6));
        return ntohs(ipv6.sin6_port);
    }
    memcpy(&ipv4, &address->storage, sizeof(ipv4));
    return ntohs(ipv4.sin_port);
}

void net_format(const struct net_address *address, char out[NET_TEXT_BYTES])
{
    char host[INET6_ADDRSTRLEN] = "?";

    if (net_is_path(address)) {
        struct sockaddr_un local;
        snprintf(out, NET_TEXT_BYTES, PATH_PREFIX "%s", path_of(address, &local));
    } else if (address->storage.ss_family == AF_INET6) {
        struct sockaddr_in6 ipv6;
        memcpy(&ipv6, &address->storage, sizeof(ipv6));
        inet_ntop(AF_INET6, &ipv6.sin6_addr, host, sizeof(host));
        snprintf(out, NET_TEXT_BYTES, "[%s]:%u", host, (unsigned)net_port(address));
    } else {
        struct sockaddr_in ipv4;
        memcpy(&ipv4, &address->storage, sizeof(ipv4));
        inet_ntop(AF_INET, &ipv4.sin_addr, host, sizeof(host));
        snprintf(out, NET_TEXT_BYTES, "%s:%u", host, (unsigned)net_port(address));
    }
}

static bool option_set(int fd, int level, int option)
{
    return setsockopt(fd, level, option, &(int){1}, sizeof(int)) == 0;
}

static bool options_set(int fd, bool is_shared)
{
    return option_set(fd, SOL_SOCKET, SO_REUSEADDR) && option_set(fd, IPPROTO_TCP, TCP_NODELAY) &&
           (!is_shared || option_set(fd, SOL_SOCKET, SO_REUSEPORT));
}

/*
 * A socket file whose server was killed refuses connections: it is removed, and the path is free.
 * One that answers, and anything that is no socket, stays.
 */
static bool path_free(const struct net_address *address)
{
    struct sockaddr_un local;
    struct stat status;
    const char *path = path_of(address, &local);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    bool is_stale = fd >= 0 && lstat(path, &status) == 0 && S_ISSOCK(status.st_mode) &&
                    connect(fd, (const struct sockaddr *)&address->storage, address->bytes) < 0 &&
                    errno == ECONNREFUSED;

    if (fd >= 0) {
        close(fd);
    }
    return is_stale && unlink(path) == 0;
}

static bool address_bind(int fd, const struct net_address *address)
{
    const struct sockaddr *name = (const struct sockaddr *)&address->storage;

    if (bind(fd, name, address->bytes) == 0) {
        return true;
    }
    if (errno != EADDRINUSE || !net_is_path(address)) {
        return false;
    }
    if (path_free(address)) {
        return bind(fd, name, address->bytes) == 0;
    }
    errno = EADDRINUSE;
    return false;
}

/* Which file the socket of a path is. */
static bool file_note(struct net_address *address)
{
    struct sockaddr_un local;
    struct stat status;

    if (!net_is_path(address)) {
        return true;
    }
    if (lstat(path_of(address, &local), &status) < 0) {
        return false;
    }
    address->file_device = status.st_dev;
    address->file_inode = status.st_ino;
    return true;
}

enum err_code net_listen(const struct net_address *address, int backlog, bool is_shared,
                         int *fd_out, struct net_address *real_out, struct err *e)
{
    char text[NET_TEXT_BYTES];
    struct net_address real = {.bytes = sizeof(real.storage)};
    bool is_path = net_is_path(address);
    int fd = socket(address->storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
                    is_path ? 0 : IPPROTO_TCP);

    net_format(address, text);
    if (fd < 0) {
        return err_set_sys(e, "a socket for %s", text);
    }
    if ((!is_path && !options_set(fd, is_shared)) || !address_bind(fd, address) ||
        listen(fd, backlog) < 0 ||
        getsockname(fd, (struct sockaddr *)&real.storage, &real.bytes) < 0 || !file_note(&real)) {
        err_set_sys(e, "cannot listen on %s", text);
        close(fd);
        return ERR_SYS;
    }
    *fd_out = fd;
    *real_out = real;
    return ERR_OK;
}
