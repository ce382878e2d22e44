// SPDX-License-Identifier: Apache-2.0
// Questions to the kernel over netlink, and a reader of its answers that cannot leave their bytes.
#ifndef COLLECTOR_PROBE_NETLINK_H
#define COLLECTOR_PROBE_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "engines/base/attr.h"

#define NETLINK_REPLY_BYTES 8192

struct netlink {
    int fd; /* -1: closed */
    uint32_t sequence;
    _Alignas(8) char reply[NETLINK_REPLY_BYTES];
};

struct netlink_bytes {
    const char *bytes;
    size_t length;
};

/* False with errno. */
bool netlink_open(struct netlink *netlink, int protocol) ATTR_MUST_USE;
void netlink_close(struct netlink *netlink);

/* Sends one message; numbers it first. False with errno. */
bool netlink_send(struct netlink *netlink, uint16_t type, uint16_t flags, const void *payload,
                  size_t payload_bytes) ATTR_MUST_USE;

/* One datagram of the answer, in netlink->reply. The kernel answers before netlink_send returns, so
 * that this never waits. False with errno: there is none. */
bool netlink_receive(struct netlink *netlink, struct netlink_bytes *answer_out) ATTR_MUST_USE;

/* One message of a datagram; `rest` moves behind it. False: none is left, or it is cut. */
struct netlink_message {
    uint16_t type;
    uint32_t sequence;
    struct netlink_bytes payload;
};
bool netlink_take_message(struct netlink_bytes *rest, struct netlink_message *message_out);

/* The first attribute of the type in a row of attributes. False when there is none. */
bool netlink_find_attribute(struct netlink_bytes attributes, uint16_t type,
                            struct netlink_bytes *value_out);

/* Appends an attribute, padded. Returns the new length, or 0 when there is no room. */
size_t netlink_put_attribute(char *out, size_t capacity, size_t length, uint16_t type,
                             const struct netlink_bytes *value);

#endif
