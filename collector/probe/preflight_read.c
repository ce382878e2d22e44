// SPDX-License-Identifier: Apache-2.0
// What the preflight rules look at, from /proc and /sys.
#include <stdlib.h>
#include <string.h>

#include "collector/plan/plan_cpus.h"
#include "collector/probe/cgroup.h"
#include "collector/probe/machine.h"
#include "collector/probe/preflight.h"
#include "collector/sample.h"
#include "engines/base/proc.h"

#define FILE_BYTES 16384

struct reader {
    const char *proc_root, *sys_root;
    char text[FILE_BYTES];
};

static int64_t known_or_minus(bool is_known, uint64_t number)
{
    return is_known && number <= INT64_MAX ? (int64_t)number : -1;
}

static int64_t pressure_read(struct reader *reader, const char *name)
{
    uint64_t centi = 0;
    ssize_t length = proc_read(reader->proc_root, reader->text, FILE_BYTES, "pressure/%s", name);
    bool found = length >= 0 && proc_find_pressure(reader->text, (size_t)length, "some", &centi);

    return known_or_minus(found, centi);
}

/* The number after "KEY:"; key NULL: the first word of the file. */
static int64_t number_read(struct reader *reader, const char *path, const char *key)
{
    uint64_t number = 0;
    ssize_t length = proc_read(reader->proc_root, reader->text, FILE_BYTES, "%s", path);
    bool found = length >= 0 && (key ? proc_find_number(reader->text, (size_t)length, key, &number)
                                     : proc_find_word(reader->text, (size_t)length, 0, &number));

    return known_or_minus(found, number);
}

/* "32768\t60999" holds both ends. */
static int64_t local_ports_read(struct reader *reader)
{
    char *text = reader->text;
    ssize_t length =
        proc_read(reader->proc_root, text, FILE_BYTES, "sys/net/ipv4/ip_local_port_range");
    char *end = text;
    long first = length > 0 ? strtol(text, &end, 10) : 0;
    long last = end > text ? strtol(end, NULL, 10) : 0;

    return first >= 1 && last >= first && last <= UINT16_MAX ? last - first + 1 : -1;
}

static int64_t time_wait_read(struct reader *reader)
{
    uint64_t count = 0;
    ssize_t length = proc_read(reader->proc_root, reader->text, FILE_BYTES, "net/sockstat");
    bool found = length >= 0 && proc_find_pair(reader->text, (size_t)length, "TCP", "tw", &count);

    return known_or_minus(found, count);
}

/* CPUs of the driver that are none of the server's and lie on the core of one; -1: not known. */
static int64_t shared_cores_count(struct reader *reader, const struct preflight_input *input)
{
    cpu_set_t cores, siblings, shared;

    if (!input->server_cpus || !input->driver_cpus) {
        return -1;
    }
    CPU_ZERO(&cores);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, input->server_cpus)) {
            continue;
        }
        if (proc_read(reader->sys_root, reader->text, FILE_BYTES,
                      "devices/system/cpu/cpu%zu/topology/thread_siblings_list", cpu) <= 0) {
            return -1;
        }
        reader->text[strcspn(reader->text, "\n")] = '\0';
        if (plan_cpus_parse(reader->text, &siblings, NULL) != ERR_OK) {
            return -1;
        }
        CPU_OR(&cores, &cores, &siblings);
    }
    CPU_XOR(&cores, &cores, input->server_cpus);
    CPU_AND(&shared, &cores, input->driver_cpus);
    return CPU_COUNT(&shared);
}

static void fact_put(void *self, const char *name, const char *value)
{
    preflight_set_fact(self, name, value);
}

static void facts_read(const struct reader *reader, struct preflight_input *input)
{
    const struct machine_sink sink = {input, fact_put};

    machine_describe(reader->proc_root, reader->sys_root, &sink);
    machine_describe_state(reader->proc_root, reader->sys_root, &sink);
}

void preflight_read_activity(const char *proc_root, struct preflight_input *input)
{
    struct reader reader = {.proc_root = proc_root};

    input->pressure_cpu_centi = pressure_read(&reader, "cpu");
    input->pressure_io_centi = pressure_read(&reader, "io");
    input->pressure_memory_centi = pressure_read(&reader, "memory");
    ssize_t length = proc_read(proc_root, reader.text, FILE_BYTES, "loadavg");
    double load = length > 0 ? strtod(reader.text, NULL) : -1;
    input->load_centi = load >= 0 && load < 1e6 ? (int64_t)(load * 100 + 0.5) : -1;
}

void preflight_read(const char *proc_root, const char *sys_root, struct preflight_input *input)
{
    struct reader reader = {.proc_root = proc_root, .sys_root = sys_root};
    struct cgroup cgroup;
    struct cgroup_limits limits;

    preflight_read_activity(proc_root, input);
    input->swap_total_kib = number_read(&reader, "meminfo", "SwapTotal");
    input->is_traced = number_read(&reader, "self/status", "TracerPid") > 0;
    input->somaxconn = number_read(&reader, "sys/net/core/somaxconn", NULL);
    input->syn_backlog = number_read(&reader, "sys/net/ipv4/tcp_max_syn_backlog", NULL);
    input->tw_reuse = number_read(&reader, "sys/net/ipv4/tcp_tw_reuse", NULL);
    input->conntrack_max = number_read(&reader, "sys/net/netfilter/nf_conntrack_max", NULL);
    input->conntrack_count = number_read(&reader, "sys/net/netfilter/nf_conntrack_count", NULL);
    input->local_port_count = local_ports_read(&reader);
    if (input->local_port_count > 0 && input->source_address_count > 1) {
        input->local_port_count *= input->source_address_count;
    }
    input->time_wait_count = time_wait_read(&reader);
    cgroup_open(&cgroup, proc_root, sys_root, 0);
    cgroup_read_limits(&cgroup, &limits);
    input->quota_centi = limits.cpu_centi == METRIC_UNKNOWN ? -1 : limits.cpu_centi;
    input->shared_core_count = shared_cores_count(&reader, input);
    facts_read(&reader, input);
}
