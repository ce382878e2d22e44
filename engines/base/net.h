// SPDX-License-Identifier: Apache-2.0
// Listening sockets and their addresses: IPv4, IPv6, and paths of the file system.
#ifndef ENGINES_BASE_NET_H
#define ENGINES_BASE_NET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

#define NET_BACKLOG_DEFAULT 4096
#define NET_TEXT_BYTES      128

struct net_address {
    struct sockaddr_storage storage;
    socklen_t bytes;
    dev_t file_device; /* of a path that net_listen made a socket at, so that net_remove knows it */
    ino_t file_inode;
};

/*
 * A numeric address, "127.0.0.1", "::1" or "[::1]", or "unix:/path", for which the port means
 * nothing; names are not looked up. errors   ERR_USAGE
 */
enum err_code net_parse(const char *text, uint16_t port, struct net_address *address_out,
                        struct err *e) ATTR_MUST_USE;

bool net_is_path(const struct net_address *address);

/* The port of an IPv4 or IPv6 address, 0 of a path. */
uint16_t net_port(const struct net_address *address);

/* "127.0.0.1:8080", "[::1]:8080" or "unix:/path"; the inverse of net_parse with the port added. */
void net_format(const struct net_address *address, char out[NET_TEXT_BYTES]);

/*
 * A listening socket: non-blocking, close-on-exec, SO_REUSEADDR, TCP_NODELAY (accepted sockets
 * inherit it). A path stays when the socket is closed: net_remove; one that a killed server left, a
 * socket that nobody listens at, is taken over, and nothing else.
 *
 * address    port 0: any free port
 * is_shared  SO_REUSEPORT, so that further sockets of this user may listen at the same address
 * real_out   the address with the port that it got; may be the same object as `address`
 * errors     ERR_SYS: the address is in use, not local, not permitted
 */
enum err_code net_listen(const struct net_address *address, int backlog, bool is_shared,
                         int *fd_out, struct net_address *real_out, struct err *e) ATTR_MUST_USE;

/* Removes the socket that net_listen made for a "unix:" address `real_out`, and no other file that
 * lies there now; nothing for others. */
void net_remove(const struct net_address *address);

#endif
