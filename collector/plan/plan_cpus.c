// SPDX-License-Identifier: Apache-2.0
// CPU lists, both ways.
#include "collector/plan/plan_cpus.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Reads digits; returns the first byte after them, NULL when there are none or the number is no
 * CPU. */
static const char *cpu_read(const char *text, size_t *cpu_out)
{
    const char *p = text;
    size_t cpu = 0;

    for (; *p >= '0' && *p <= '9'; p++) {
        cpu = cpu * 10 + (size_t)(*p - '0');
        if (cpu >= CPU_SETSIZE) {
            return NULL;
        }
    }
    *cpu_out = cpu;
    return p == text ? NULL : p;
}

enum err_code plan_cpus_parse(const char *text, cpu_set_t *cpus_out, struct err *e)
{
    cpu_set_t cpus;
    const char *p = text;

    CPU_ZERO(&cpus);
    for (;;) {
        size_t first = 0;
        size_t last = 0;

        p = cpu_read(p, &first);
        last = first;
        if (p && *p == '-') {
            p = cpu_read(p + 1, &last);
        }
        if (!p || last < first || (*p != ',' && *p != '\0')) {
            return err_set(e, ERR_USAGE,
                           "\"%.40s\" is not a list of CPUs; write it like 0 or 0-1,4", text);
        }
        for (size_t cpu = first; cpu <= last; cpu++) {
            CPU_SET(cpu, &cpus);
        }
        if (*p == '\0') {
            *cpus_out = cpus;
            return ERR_OK;
        }
        p++;
    }
}

void plan_cpus_format(const cpu_set_t *cpus, char out[PLAN_CPUS_TEXT_BYTES])
{
    size_t used = 0;

    out[0] = '\0';
    for (size_t first = 0; first < CPU_SETSIZE; first++) {
        size_t last = first;

        if (!CPU_ISSET(first, cpus)) {
            continue;
        }
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, cpus)) {
            last++;
        }
        /* At most 512 runs of at most 5 bytes each: it always fits. */
        used += (size_t)snprintf(out + used, PLAN_CPUS_TEXT_BYTES - used, "%s%zu", used ? "," : "",
                                 first);
        if (last > first) {
            used += (size_t)snprintf(out + used, PLAN_CPUS_TEXT_BYTES - used, "-%zu", last);
        }
        first = last;
    }
}
