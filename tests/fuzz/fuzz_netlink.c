// SPDX-License-Identifier: Apache-2.0
// Fuzzes the readers of the kernel's netlink answers.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "collector/probe/inet_diag.h"
#include "collector/probe/net_facts.h"
#include "collector/probe/taskstats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct netlink_bytes answer = {(const char *)data, size};
    struct inet_diag_sum sum = {0};
    struct net_facts_answer facts = {0};
    struct taskstats_total total;
    uint16_t family;

    (void)taskstats_parse_family(answer, 1, &family);
    (void)taskstats_parse_total(answer, 1, 4711, &total);
    net_facts_parse(answer, 1, &facts);
    if (memchr(facts.queue, '\0', sizeof(facts.queue)) == NULL) {
        __builtin_trap();
    }
    inet_diag_parse(answer, 1, 8080, &sum);
    uint64_t socket_count = 0;
    for (int i = 0; i < INET_DIAG_STATE_COUNT; i++) {
        socket_count += sum.counts[i];
    }
    if (socket_count > size / 72) {
        __builtin_trap();
    }
    return 0;
}
