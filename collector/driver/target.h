// SPDX-License-Identifier: Apache-2.0
// A URL as a person types it, turned into what the driver needs: where to connect, what to put into
// the Host field, what to ask for.
#ifndef COLLECTOR_DRIVER_TARGET_H
#define COLLECTOR_DRIVER_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "engines/base/net.h"

#define TARGET_HOST_BYTES 256
#define TARGET_PATH_BYTES 8192

struct target {
    char node[TARGET_HOST_BYTES];             /* name, address (with its zone) or socket file */
    char host[TARGET_HOST_BYTES + 16];        /* of the Host field: "[::1]:8080", without a zone */
    char path[TARGET_PATH_BYTES];             /* path and query; "/" at least */
    uint16_t port;                            /* 0 for a unix socket */
    bool is_tls;                              /* https */
    enum { TARGET_INET, TARGET_UNIX } family; /* how `node` is to be read */
};

/*
 * http://HOST[:PORT][/PATH][?QUERY], https:// likewise, HOST a name, an IPv4 address or an IPv6
 * address in brackets (a zone as %25eth0); or unix:/SOCKET[:/PATH]. A fragment is left out, as
 * browsers do.
 *
 * errors   ERR_USAGE: another scheme, user information, a bad port, bytes that
 * have to be written as %XX, too long
 */
enum err_code target_parse(const char *url, struct target *target_out, struct err *e) ATTR_MUST_USE;

/* Whose certificate is wanted: `node` without a zone and without the dot of the root. */
void target_format_tls_host(const struct target *target, char out[TARGET_HOST_BYTES]);

/*
 * The address of it. Only a name is looked up; the first address that it has is taken.
 * errors   ERR_USAGE: no such name; ERR_LIMIT: the path of the socket is too long
 */
enum err_code target_resolve(const struct target *target, struct net_address *address_out,
                             struct err *e) ATTR_MUST_USE;

#endif
