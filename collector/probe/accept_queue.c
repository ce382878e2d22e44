// SPDX-License-Identifier: Apache-2.0
// How many connections wait in the accept queue of a port.
#include "collector/probe/accept_queue.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <string.h>

bool accept_queue_open(struct netlink *netlink)
{
    return netlink_open(netlink, NETLINK_SOCK_DIAG);
}

void accept_queue_parse(struct netlink_bytes answer, uint32_t sequence, uint16_t port,
                        struct accept_queue_sum *sum)
{
    struct netlink_message message;
    struct inet_diag_msg socket;

    while (netlink_take_message(&answer, &message)) {
        if (message.sequence != sequence) {
            continue;
        }
        sum->is_complete |= message.type == NLMSG_DONE;
        sum->is_refused |= message.type == NLMSG_ERROR;
        if (message.type != SOCK_DIAG_BY_FAMILY || message.payload.length < sizeof(socket)) {
            continue;
        }
        memcpy(&socket, message.payload.bytes, sizeof(socket));
        if (socket.idiag_state == TCP_LISTEN && ntohs(socket.id.idiag_sport) == port) {
            sum->listener_count++;
            sum->waiting_count += socket.idiag_rqueue;
        }
    }
}

bool accept_queue_read(struct netlink *netlink, uint16_t port, uint64_t *count_out)
{
    const struct inet_diag_req_v2 request = {.sdiag_family = AF_INET,
                                             .sdiag_protocol = IPPROTO_TCP,
                                             .idiag_states = 1U << TCP_LISTEN,
                                             .id.idiag_sport = htons(port)};
    struct accept_queue_sum sum = {0};
    struct netlink_bytes answer;

    if (!netlink_send(netlink, SOCK_DIAG_BY_FAMILY, NLM_F_DUMP, &request, sizeof(request))) {
        return false;
    }
    while (!sum.is_complete && !sum.is_refused && netlink_receive(netlink, &answer)) {
        accept_queue_parse(answer, netlink->sequence, port, &sum);
    }
    if (!sum.is_complete || sum.is_refused || !sum.listener_count) {
        return false;
    }
    *count_out = sum.waiting_count;
    return true;
}
