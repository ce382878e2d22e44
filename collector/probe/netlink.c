// SPDX-License-Identifier: Apache-2.0
// Questions to the kernel over netlink.
#include "collector/probe/netlink.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define REQUEST_BYTES        256
#define ATTRIBUTE_HEAD_BYTES sizeof(struct nlattr)

bool netlink_open(struct netlink *netlink, int protocol)
{
    netlink->sequence = 0;
    netlink->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
    return netlink->fd >= 0;
}

void netlink_close(struct netlink *netlink)
{
    if (netlink->fd >= 0) {
        close(netlink->fd);
    }
    netlink->fd = -1;
}

bool netlink_send(struct netlink *netlink, uint16_t type, uint16_t flags, const void *payload,
                  size_t payload_bytes)
{
    const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    char request[REQUEST_BYTES] = {0};
    struct nlmsghdr head = {.nlmsg_len = (uint32_t)(NLMSG_HDRLEN + payload_bytes),
                            .nlmsg_type = type,
                            .nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags),
                            .nlmsg_seq = ++netlink->sequence};

    if (payload_bytes > sizeof(request) - NLMSG_HDRLEN) {
        errno = EMSGSIZE;
        return false;
    }
    memcpy(request, &head, sizeof(head));
    memcpy(request + NLMSG_HDRLEN, payload, payload_bytes);
    return sendto(netlink->fd, request, head.nlmsg_len, MSG_DONTWAIT | MSG_NOSIGNAL,
                  (const struct sockaddr *)&kernel, sizeof(kernel)) == (ssize_t)head.nlmsg_len;
}

bool netlink_receive(struct netlink *netlink, struct netlink_bytes *answer_out)
{
    ssize_t length;

    do {
        length = recv(netlink->fd, netlink->reply, sizeof(netlink->reply), MSG_DONTWAIT);
    } while (length < 0 && errno == EINTR);
    if (length < 0) {
        return false;
    }
    *answer_out = (struct netlink_bytes){netlink->reply, (size_t)length};
    return true;
}

static void bytes_skip(struct netlink_bytes *rest, size_t count)
{
    size_t padded = NLMSG_ALIGN(count);

    padded = padded < rest->length ? padded : rest->length;
    rest->bytes += padded;
    rest->length -= padded;
}

bool netlink_take_message(struct netlink_bytes *rest, struct netlink_message *message_out)
{
    struct nlmsghdr head;

    if (rest->length < sizeof(head)) {
        return false;
    }
    memcpy(&head, rest->bytes, sizeof(head));
    if (head.nlmsg_len < NLMSG_HDRLEN || head.nlmsg_len > rest->length) {
        return false;
    }
    *message_out = (struct netlink_message){
        .type = head.nlmsg_type,
        .sequence = head.nlmsg_seq,
        .payload = {rest->bytes + NLMSG_HDRLEN, head.nlmsg_len - NLMSG_HDRLEN}};
    bytes_skip(rest, head.nlmsg_len);
    return true;
}

bool netlink_find_attribute(struct netlink_bytes attributes, uint16_t type,
                            struct netlink_bytes *value_out)
{
    struct nlattr head;

    while (attributes.length >= sizeof(head)) {
        memcpy(&head, attributes.bytes, sizeof(head));
        if (head.nla_len < ATTRIBUTE_HEAD_BYTES || head.nla_len > attributes.length) {
            return false;
        }
        if ((head.nla_type & NLA_TYPE_MASK) == type) {
            *value_out = (struct netlink_bytes){attributes.bytes + ATTRIBUTE_HEAD_BYTES,
                                                (size_t)head.nla_len - ATTRIBUTE_HEAD_BYTES};
            return true;
        }
        bytes_skip(&attributes, head.nla_len);
    }
    return false;
}

size_t netlink_put_attribute(char *out, size_t capacity, size_t length, uint16_t type,
                             const struct netlink_bytes *value)
{
    struct nlattr head = {.nla_len = (uint16_t)(ATTRIBUTE_HEAD_BYTES + value->length),
                          .nla_type = type};
    size_t padded = NLMSG_ALIGN(ATTRIBUTE_HEAD_BYTES + value->length);

    if (length > capacity || padded > capacity - length || value->length > UINT16_MAX / 2) {
        return 0;
    }
    memset(out + length, 0, padded);
    memcpy(out + length, &head, sizeof(head));
    memcpy(out + length + ATTRIBUTE_HEAD_BYTES, value->bytes, value->length);
    return length + padded;
}
