// SPDX-License-Identifier: Apache-2.0
// The sockets of a local port by sock_diag.
#include "collector/probe/inet_diag.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <string.h>

static const uint8_t families[2] = {AF_INET, AF_INET6};

bool inet_diag_open(struct inet_diag *diag)
{
    diag->families[0] = diag->families[1] = true;
    return netlink_open(&diag->netlink, NETLINK_SOCK_DIAG);
}

void inet_diag_close(struct inet_diag *diag)
{
    netlink_close(&diag->netlink);
}

void inet_diag_parse(struct netlink_bytes answer, uint32_t sequence, uint16_t port,
                     struct inet_diag_sum *sum)
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
        if (ntohs(socket.id.idiag_sport) != port || socket.idiag_state >= INET_DIAG_STATE_COUNT) {
            continue;
        }
        sum->counts[socket.idiag_state]++;
        if (socket.idiag_state == TCP_LISTEN) {
            sum->waiting_count += socket.idiag_rqueue;
        }
    }
}

/* Adds what the kernel tells of one family. */
static bool family_read(struct netlink *netlink, uint8_t family, uint32_t states, uint16_t port,
                        struct inet_diag_sum *sum)
{
    const struct inet_diag_req_v2 request = {.sdiag_family = family,
                                             .sdiag_protocol = IPPROTO_TCP,
                                             .idiag_states = states,
                                             .id.idiag_sport = htons(port)};
    struct netlink_bytes answer;

    sum->is_complete = sum->is_refused = false;
    if (!netlink_send(netlink, SOCK_DIAG_BY_FAMILY, NLM_F_DUMP, &request, sizeof(request))) {
        return false;
    }
    while (!sum->is_complete && !sum->is_refused && netlink_receive(netlink, &answer)) {
        inet_diag_parse(answer, netlink->sequence, port, sum);
    }
    return sum->is_complete && !sum->is_refused;
}

bool inet_diag_read_queue(struct inet_diag *diag, uint16_t port, uint64_t *count_out)
{
    struct inet_diag_sum sum = {0};
    uint64_t before_count = 0;

    /* A kernel without IPv6 refuses the second question, which says nothing against the first. */
    for (int i = 0; i < 2; i++) {
        bool answered = family_read(&diag->netlink, families[i], 1U << TCP_LISTEN, port, &sum);

        diag->families[i] = answered && sum.counts[TCP_LISTEN] > before_count;
        before_count = sum.counts[TCP_LISTEN];
    }
    if (!diag->families[0] && !diag->families[1]) {
        return false;
    }
    *count_out = sum.waiting_count;
    return true;
}

bool inet_diag_read_states(struct inet_diag *diag, uint16_t port, struct inet_diag_sum *sum_out)
{
    /* Connections that are being opened have a state of their own since Linux 4.4. */
    const uint32_t states = ((1U << INET_DIAG_STATE_COUNT) - 2) & ~(1U << TCP_LISTEN);
    struct inet_diag_sum sum = {0};
    bool has_listener = diag->families[0] || diag->families[1];

    for (int i = 0; i < 2; i++) {
        bool is_needed = diag->families[i] || (!has_listener && i == 0);

        if (is_needed && !family_read(&diag->netlink, families[i], states, port, &sum)) {
            return false;
        }
    }
    *sum_out = sum;
    return true;
}
