// SPDX-License-Identifier: Apache-2.0
// CPU lists.
#include "collector/run/cpus.h"

#include <stdio.h>

/* A CPU number; -1 when there is none. The text moves behind it. */
static int cpu_take(const char **text)
{
    int cpu = -1;

    for (; **text >= '0' && **text <= '9'; (*text)++) {
        cpu = (cpu < 0 ? 0 : cpu) * 10 + (**text - '0');
        if (cpu >= CPU_SETSIZE) {
            return CPU_SETSIZE;
        }
    }
    return cpu;
}

enum err_code cpus_parse(const char *text, cpu_set_t *cpus_out, struct err *e)
{
    const char *at = text;
    cpu_set_t cpus;

    CPU_ZERO(&cpus);
    for (;;) {
        int first = cpu_take(&at);
        int last = first;

        if (*at == '-') {
            at++;
            last = cpu_take(&at);
        }
        if (first < 0 || last < first || last >= CPU_SETSIZE || (*at && *at != ',')) {
            return err_set(e, ERR_USAGE, "\"%.60s\" is no CPU list; write it as \"0\" or \"0-1,4\"",
                           text);
        }
        for (int cpu = first; cpu <= last; cpu++) {
            CPU_SET((size_t)cpu, &cpus);
        }
        if (!*at) {
            break;
        }
        at++;
    }
    *cpus_out = cpus;
    return ERR_OK;
}

const char *cpus_format(const cpu_set_t *cpus, char *out, size_t capacity)
{
    size_t length = 0;

    out[0] = '\0';
    for (int first = 0; first < CPU_SETSIZE; first++) {
        int last = first;

        if (!CPU_ISSET((size_t)first, cpus)) {
            continue;
        }
        while (last + 1 < CPU_SETSIZE && CPU_ISSET((size_t)last + 1, cpus)) {
            last++;
        }
        const char *comma = length ? "," : "";
        int count = first == last
                        ? snprintf(out + length, capacity - length, "%s%d", comma, first)
                        : snprintf(out + length, capacity - length, "%s%d-%d", comma, first, last);
        if (count < 0 || (size_t)count >= capacity - length) {
            out[length] = '\0';
            break;
        }
        length += (size_t)count;
        first = last;
    }
    return out;
}

bool cpus_are_within(const cpu_set_t *part, const cpu_set_t *whole)
{
    cpu_set_t both;

    CPU_AND(&both, part, whole);
    return CPU_EQUAL(&both, part);
}
