// SPDX-License-Identifier: Apache-2.0
// How many connections wait in the accept queue of a port, by sock_diag: the listening sockets are
// looked up by their port, whatever else is open.
#ifndef COLLECTOR_PROBE_ACCEPT_QUEUE_H
#define COLLECTOR_PROBE_ACCEPT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/probe/netlink.h"
#include "engines/base/attr.h"

/* False with errno. */
bool accept_queue_open(struct netlink *netlink) ATTR_MUST_USE;

/* Sums over the IPv4 sockets that listen on the port. False: none does, or the kernel does not
 * tell. Allocates nothing. */
bool accept_queue_read(struct netlink *netlink, uint16_t port, uint64_t *count_out) ATTR_MUST_USE;

/* What one datagram of the answer adds. */
struct accept_queue_sum {
    uint64_t listener_count, waiting_count;
    bool is_complete, is_refused;
};
void accept_queue_parse(struct netlink_bytes answer, uint32_t sequence, uint16_t port,
                        struct accept_queue_sum *sum);

#endif
