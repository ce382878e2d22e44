// SPDX-License-Identifier: Apache-2.0
// The sockets of a local port by sock_diag: how many connections wait in the accept queue, and how
// many are in each state.
#ifndef COLLECTOR_PROBE_INET_DIAG_H
#define COLLECTOR_PROBE_INET_DIAG_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/probe/netlink.h"
#include "engines/base/attr.h"

#define INET_DIAG_NEW_SYN_RECV 12 /* no header of the C library has it */
#define INET_DIAG_STATE_COUNT  13 /* TCP_ESTABLISHED (1) … */

/* What the answers add up to. */
struct inet_diag_sum {
    uint64_t counts[INET_DIAG_STATE_COUNT]; /* sockets by state (TCP_LISTEN …) */
    uint64_t waiting_count;                 /* in the accept queues of those that listen */
    bool is_complete, is_refused;
};

struct inet_diag {
    struct netlink netlink;
    bool families[2]; /* where a socket listened last: IPv4, IPv6 */
};

/* False with errno. */
bool inet_diag_open(struct inet_diag *diag) ATTR_MUST_USE;
void inet_diag_close(struct inet_diag *diag);

/* Connections in the accept queues of the port. False: nobody listens, or the kernel does not tell.
 * Costs about 20 us for each family. Allocates nothing. */
bool inet_diag_read_queue(struct inet_diag *diag, uint16_t port, uint64_t *count_out) ATTR_MUST_USE;

/* The sockets of the port in all other states, of the families in which it was last listened on.
 * The kernel walks all its sockets for it: 1 to 2 ms. False: it does not tell. Allocates nothing.
 */
bool inet_diag_read_states(struct inet_diag *diag, uint16_t port,
                           struct inet_diag_sum *sum_out) ATTR_MUST_USE;

/* What one datagram of the answer adds. */
void inet_diag_parse(struct netlink_bytes answer, uint32_t sequence, uint16_t port,
                     struct inet_diag_sum *sum);

#endif
