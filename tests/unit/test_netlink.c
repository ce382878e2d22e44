// SPDX-License-Identifier: Apache-2.0
// The kernel's netlink answers, made by hand after its headers; each ends at an unreadable page.
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <linux/genetlink.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/taskstats.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <string.h>

#include "collector/probe/inet_diag.h"
#include "collector/probe/net_facts.h"
#include "collector/probe/taskstats.h"
#include "tests/support/edge_buf.h"

struct message {
    _Alignas(8) char bytes[1024];
    size_t length;
};

static void message_begin(struct message *message, uint16_t type, uint32_t sequence,
                          const void *head, size_t head_bytes)
{
    const struct nlmsghdr netlink = {.nlmsg_type = type, .nlmsg_seq = sequence};

    memset(message, 0, sizeof(*message));
    memcpy(message->bytes, &netlink, sizeof(netlink));
    memcpy(message->bytes + sizeof(netlink), head, head_bytes);
    message->length = sizeof(netlink) + head_bytes;
}

static void message_end(struct message *message)
{
    uint32_t length = (uint32_t)message->length;

    memcpy(message->bytes, &length, sizeof(length));
}

static void attribute_add(struct message *message, uint16_t type, const void *value, size_t bytes)
{
    const struct netlink_bytes of = {value, bytes};

    message->length =
        netlink_put_attribute(message->bytes, sizeof(message->bytes), message->length, type, &of);
    cr_assert(message->length);
}

static const struct genlmsghdr generic_head = {.cmd = 1, .version = 1};

/* An answer as of a kernel whose struct has `stats_bytes`. */
static void total_make(struct message *message, size_t stats_bytes)
{
    struct message group = {0};
    struct taskstats stats = {.nvcsw = 41, .nivcsw = 42, .cpu_count = 9, .cpu_delay_total = 43};
    char grown[sizeof(stats) + 64] = {0};
    const uint32_t pid = 4711;

    memcpy(grown, &stats, sizeof(stats));
    attribute_add(&group, TASKSTATS_TYPE_TGID, &pid, sizeof(pid));
    attribute_add(&group, TASKSTATS_TYPE_NULL, "", 0); /* padding before the struct */
    attribute_add(&group, TASKSTATS_TYPE_STATS, grown, stats_bytes);
    message_begin(message, 31, 5, &generic_head, sizeof(generic_head));
    attribute_add(message, TASKSTATS_TYPE_AGGR_TGID, group.bytes, group.length);
    message_end(message);
}

static const size_t stats_needed = offsetof(struct taskstats, nivcsw) + 8;

Test(netlink, reads_taskstats_of_older_and_of_newer_kernels)
{
    const size_t sizes[] = {stats_needed, sizeof(struct taskstats), sizeof(struct taskstats) + 64};

    for (size_t i = 0; i < ARRAY_COUNT(sizes); i++) {
        struct message message;
        struct edge_buf edge;
        struct taskstats_total total = {0};

        total_make(&message, sizes[i]);
        edge_buf_init(&edge, message.bytes, message.length);
        const struct netlink_bytes answer = {edge.bytes, edge.length};
        cr_assert(taskstats_parse_total(answer, 5, 4711, &total), "row %zu", i);
        cr_expect_eq(total.voluntary_switch_count, 41);
        cr_expect_eq(total.involuntary_switch_count, 42);
        cr_expect(total.has_run_delay);
        cr_expect_eq(total.run_delay_ns, 43);
        cr_expect_not(taskstats_parse_total(answer, 6, 4711, &total), "of another question");
        cr_expect_not(taskstats_parse_total(answer, 5, 4712, &total), "of another process");
        edge_buf_release(&edge);
    }
}

Test(netlink, refuses_taskstats_that_are_cut_anywhere)
{
    struct message message;
    struct taskstats_total total;

    total_make(&message, stats_needed);
    for (size_t length = 0; length < message.length; length++) {
        struct edge_buf edge;

        edge_buf_init(&edge, message.bytes, length);
        cr_expect_not(
            taskstats_parse_total((struct netlink_bytes){edge.bytes, length}, 5, 4711, &total));
        edge_buf_release(&edge);
    }
    total_make(&message, stats_needed - 8);
    cr_expect_not(taskstats_parse_total((struct netlink_bytes){message.bytes, message.length}, 5,
                                        4711, &total));
}

Test(netlink, finds_the_number_of_a_family_but_not_in_an_error)
{
    struct message message;
    const struct nlmsgerr refusal = {.error = -1};
    const uint16_t number = 31;
    uint16_t family = 0;

    message_begin(&message, GENL_ID_CTRL, 1, &generic_head, sizeof(generic_head));
    attribute_add(&message, CTRL_ATTR_FAMILY_NAME, "TASKSTATS", 10);
    attribute_add(&message, CTRL_ATTR_FAMILY_ID, &number, sizeof(number));
    message_end(&message);
    cr_expect(
        taskstats_parse_family((struct netlink_bytes){message.bytes, message.length}, 1, &family));
    cr_expect_eq(family, 31);
    message_begin(&message, NLMSG_ERROR, 1, &refusal, sizeof(refusal));
    message_end(&message);
    cr_expect_not(
        taskstats_parse_family((struct netlink_bytes){message.bytes, message.length}, 1, &family));
}

Test(netlink, adds_up_the_accept_queues_of_one_port)
{
    struct inet_diag_msg socket = {.idiag_state = TCP_LISTEN, .idiag_rqueue = 7};
    struct inet_diag_sum sum = {0};
    struct message message;
    struct edge_buf edge;
    static const struct {
        uint16_t port;
        uint8_t state;
        uint64_t listeners, waiting;
    } rows[] = {{8080, TCP_LISTEN, 1, 7},
                {8081, TCP_LISTEN, 1, 7},
                {8080, TCP_ESTABLISHED, 1, 7},
                {8080, TCP_LISTEN, 2, 14}};

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        socket.id.idiag_sport = htons(rows[i].port);
        socket.idiag_state = rows[i].state;
        message_begin(&message, SOCK_DIAG_BY_FAMILY, 3, &socket, sizeof(socket));
        message_end(&message);
        edge_buf_init(&edge, message.bytes, message.length);
        const struct netlink_bytes answer = {edge.bytes, edge.length};
        inet_diag_parse(answer, 2, 8080, &sum);
        inet_diag_parse((struct netlink_bytes){edge.bytes + 1, edge.length - 1}, 3, 8080, &sum);
        inet_diag_parse(answer, 3, 8080, &sum);
        cr_expect_eq(sum.counts[TCP_LISTEN], rows[i].listeners, "row %zu", i);
        cr_expect_eq(sum.waiting_count, rows[i].waiting, "row %zu", i);
        edge_buf_release(&edge);
    }
    cr_expect_not(sum.is_complete || sum.is_refused);
    message_begin(&message, NLMSG_DONE, 3, "\0\0\0", 4);
    message_end(&message);
    inet_diag_parse((struct netlink_bytes){message.bytes, message.length}, 3, 8080, &sum);
    cr_expect(sum.is_complete && !sum.is_refused);
}

/* The loopback has index 1; a kind without its NUL, or too long for a name, is none. */
Test(netlink, finds_the_queue_of_the_loopback_and_counts_rules)
{
    static const struct {
        int index;
        const char *kind;
        size_t kind_bytes;
        const char *queue;
    } rows[] = {
        {2, "fq_codel", 9, ""},
        {1, "noqueue", 7, ""},
        {1, "0123456789012345678901234567890123456789", 41, ""},
        {1, "noqueue", 8, "noqueue"},
        {1, "htb", 4, "noqueue"},
    };
    const uint16_t new_rule = (10 << 8) | 6; /* NFNL_SUBSYS_NFTABLES, NFT_MSG_NEWRULE */
    struct net_facts_answer of = {0};
    struct message message;

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const struct tcmsg head = {.tcm_ifindex = rows[i].index};
        struct edge_buf edge;

        message_begin(&message, RTM_NEWQDISC, 3, &head, sizeof(head));
        attribute_add(&message, TCA_KIND, rows[i].kind, rows[i].kind_bytes);
        message_end(&message);
        for (size_t length = 0; length <= message.length; length++) {
            edge_buf_init(&edge, message.bytes, length);
            net_facts_parse((struct netlink_bytes){edge.bytes, length}, 3, &of);
            edge_buf_release(&edge);
        }
        cr_expect_str_eq(of.queue, rows[i].queue, "row %zu", i);
        message_begin(&message, new_rule, i < 2 ? 3 : 4, "", 0);
        message_end(&message);
        net_facts_parse((struct netlink_bytes){message.bytes, message.length}, 3, &of);
    }
    cr_expect_eq(of.rule_count, 2, "of this question alone");
    cr_expect_not(of.is_complete || of.is_refused);
}
