// SPDX-License-Identifier: Apache-2.0
// What no file tells of the network.
#include "collector/probe/net_facts.h"

#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

#define LOOPBACK_INDEX 1 /* of every network namespace */
#define NEW_RULE       ((NFNL_SUBSYS_NFTABLES << 8) | NFT_MSG_NEWRULE)
#define GET_RULE       ((NFNL_SUBSYS_NFTABLES << 8) | NFT_MSG_GETRULE)

static void queue_parse(struct netlink_bytes payload, struct net_facts_answer *of)
{
    struct tcmsg head;
    struct netlink_bytes value;

    if (payload.length < sizeof(head)) {
        return;
    }
    memcpy(&head, payload.bytes, sizeof(head));
    const struct netlink_bytes attributes = {payload.bytes + NLMSG_ALIGN(sizeof(head)),
                                             payload.length - NLMSG_ALIGN(sizeof(head))};
    if (head.tcm_ifindex == LOOPBACK_INDEX && !of->queue[0] &&
        netlink_find_attribute(attributes, TCA_KIND, &value) && value.length > 1 &&
        value.length <= sizeof(of->queue) && value.bytes[value.length - 1] == '\0') {
        memcpy(of->queue, value.bytes, value.length);
    }
}

void net_facts_parse(struct netlink_bytes answer, uint32_t sequence, struct net_facts_answer *of)
{
    struct netlink_message message;

    while (netlink_take_message(&answer, &message)) {
        if (message.sequence != sequence) {
            continue;
        }
        of->is_complete |= message.type == NLMSG_DONE;
        of->is_refused |= message.type == NLMSG_ERROR;
        of->rule_count += message.type == NEW_RULE;
        if (message.type == RTM_NEWQDISC) {
            queue_parse(message.payload, of);
        }
    }
}

/* Asks for all of a kind. False: there was no whole answer. */
static bool question_ask(int protocol, uint16_t type, const void *payload, size_t payload_bytes,
                         struct net_facts_answer *of)
{
    struct netlink netlink;
    struct netlink_bytes answer;

    *of = (struct net_facts_answer){0};
    if (!netlink_open(&netlink, protocol)) {
        return false;
    }
    if (netlink_send(&netlink, type, NLM_F_DUMP, payload, payload_bytes)) {
        while (!of->is_complete && !of->is_refused && netlink_receive(&netlink, &answer)) {
            net_facts_parse(answer, netlink.sequence, of);
        }
    }
    netlink_close(&netlink);
    return of->is_complete && !of->is_refused;
}

bool net_facts_read_queue(char name_out[NET_FACTS_NAME_BYTES])
{
    const struct tcmsg request = {.tcm_family = AF_UNSPEC};
    struct net_facts_answer of;

    if (!question_ask(NETLINK_ROUTE, RTM_GETQDISC, &request, sizeof(request), &of) ||
        !of.queue[0]) {
        return false;
    }
    memcpy(name_out, of.queue, sizeof(of.queue));
    return true;
}

bool net_facts_count_rules(uint64_t *count_out)
{
    const struct nfgenmsg request = {.nfgen_family = AF_UNSPEC, .version = NFNETLINK_V0};
    struct net_facts_answer of;

    if (!question_ask(NETLINK_NETFILTER, GET_RULE, &request, sizeof(request), &of)) {
        return false;
    }
    *count_out = of.rule_count;
    return true;
}
