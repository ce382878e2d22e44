// SPDX-License-Identifier: Apache-2.0
// What no file tells of the network: the queue of the loopback, and how many rules filter packets.
#ifndef COLLECTOR_PROBE_NET_FACTS_H
#define COLLECTOR_PROBE_NET_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/probe/netlink.h"

#define NET_FACTS_NAME_BYTES 32

/* The kind of queue of the loopback ("noqueue"), by rtnetlink. False: not known. */
bool net_facts_read_queue(char name_out[NET_FACTS_NAME_BYTES]);

/* Rules of nftables. False: the kernel does not tell (CAP_NET_ADMIN), or has none of it. */
bool net_facts_count_rules(uint64_t *count_out);

/* What one datagram of an answer adds. */
struct net_facts_answer {
    char queue[NET_FACTS_NAME_BYTES]; /* "": not told yet */
    uint64_t rule_count;
    bool is_complete, is_refused;
};
void net_facts_parse(struct netlink_bytes answer, uint32_t sequence, struct net_facts_answer *of);

#endif
