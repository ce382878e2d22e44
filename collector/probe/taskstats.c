// SPDX-License-Identifier: Apache-2.0
// Switches and run-queue wait of a whole process in one question.
#include "collector/probe/taskstats.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_COUNT_MAX                                                                           \
    8 /* datagrams; what is left over from a question that failed is skipped                       \
       */

/* --- answers --- */

/* The attributes of the message that answers `sequence`. */
static bool attributes_find(struct netlink_bytes answer, uint32_t sequence,
                            struct netlink_bytes *attributes_out)
{
    struct netlink_message message;

    while (netlink_take_message(&answer, &message)) {
        if (message.sequence != sequence) {
            continue;
        }
        if (message.type < NLMSG_MIN_TYPE || message.payload.length < GENL_HDRLEN) {
            return false;
        }
        *attributes_out = (struct netlink_bytes){message.payload.bytes + GENL_HDRLEN,
                                                 message.payload.length - GENL_HDRLEN};
        return true;
    }
    return false;
}

bool taskstats_parse_family(struct netlink_bytes answer, uint32_t sequence, uint16_t *family_out)
{
    struct netlink_bytes attributes, value;

    if (!attributes_find(answer, sequence, &attributes) ||
        !netlink_find_attribute(attributes, CTRL_ATTR_FAMILY_ID, &value) ||
        value.length != sizeof(*family_out)) {
        return false;
    }
    memcpy(family_out, value.bytes, sizeof(*family_out));
    return true;
}

bool taskstats_parse_total(struct netlink_bytes answer, uint32_t sequence, pid_t pid,
                           struct taskstats_total *total_out)
{
    /* The struct grows at its end from version to version; these fields are in all of them. */
    const size_t needed = offsetof(struct taskstats, nivcsw) + sizeof(uint64_t);
    struct netlink_bytes attributes, group, value;
    struct taskstats stats = {0};
    uint32_t answered_pid;

    if (!attributes_find(answer, sequence, &attributes) ||
        !netlink_find_attribute(attributes, TASKSTATS_TYPE_AGGR_TGID, &group) ||
        !netlink_find_attribute(group, TASKSTATS_TYPE_TGID, &value) ||
        value.length != sizeof(answered_pid)) {
        return false;
    }
    memcpy(&answered_pid, value.bytes, sizeof(answered_pid));
    if (answered_pid != (uint32_t)pid ||
        !netlink_find_attribute(group, TASKSTATS_TYPE_STATS, &value) || value.length < needed) {
        return false;
    }
    memcpy(&stats, value.bytes, needed);
    *total_out = (struct taskstats_total){.voluntary_switch_count = stats.nvcsw,
                                          .involuntary_switch_count = stats.nivcsw,
                                          .has_run_delay = stats.cpu_count > 0,
                                          .run_delay_ns = stats.cpu_delay_total};
    return true;
}

/* --- questions --- */

static bool question_send(struct taskstats_link *link, uint16_t type, uint8_t command,
                          uint16_t attribute, const struct netlink_bytes *value)
{
    const struct genlmsghdr head = {.cmd = command, .version = 1};
    char payload[64];

    memcpy(payload, &head, sizeof(head));
    size_t length = netlink_put_attribute(payload, sizeof(payload), sizeof(head), attribute, value);
    return length && netlink_send(&link->netlink, type, 0, payload, length);
}

static bool family_ask(struct taskstats_link *link)
{
    const struct netlink_bytes name = {TASKSTATS_GENL_NAME, sizeof(TASKSTATS_GENL_NAME)};
    struct netlink_bytes answer;

    if (!question_send(link, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, &name) ||
        !netlink_receive(&link->netlink, &answer)) {
        return false;
    }
    errno = ENOENT;
    return taskstats_parse_family(answer, link->netlink.sequence, &link->family);
}

bool taskstats_read(struct taskstats_link *link, pid_t pid, struct taskstats_total *total_out)
{
    uint32_t number = (uint32_t)pid;
    const struct netlink_bytes value = {(const char *)&number, sizeof(number)};
    struct netlink_bytes answer;

    if (!question_send(link, link->family, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_TGID, &value)) {
        return false;
    }
    for (int i = 0; i < ANSWER_COUNT_MAX && netlink_receive(&link->netlink, &answer); i++) {
        if (taskstats_parse_total(answer, link->netlink.sequence, pid, total_out)) {
            return true;
        }
        errno = EPERM; /* most often: the answer is an error, for want of CAP_NET_ADMIN */
    }
    return false;
}

bool taskstats_open(struct taskstats_link *link)
{
    struct taskstats_total total;

    if (!netlink_open(&link->netlink, NETLINK_GENERIC)) {
        return false;
    }
    if (!family_ask(link) || !taskstats_read(link, getpid(), &total)) {
        int saved_errno = errno;
        taskstats_close(link);
        errno = saved_errno;
        return false;
    }
    return true;
}

void taskstats_close(struct taskstats_link *link)
{
    netlink_close(&link->netlink);
}
