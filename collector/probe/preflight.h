// SPDX-License-Identifier: Apache-2.0
// The preflight: a table of rules over what is known before anything is measured. The rules are
// pure.
#ifndef COLLECTOR_PROBE_PREFLIGHT_H
#define COLLECTOR_PROBE_PREFLIGHT_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PREFLIGHT_TEXT_BYTES        320
#define PREFLIGHT_FINDING_COUNT_MAX 32
#define PREFLIGHT_FREE_BYTES_MIN    (UINT64_C(64) << 20)

/* What the rules look at; a negative number is one that is not known. */
struct preflight_input {
    uint32_t connection_count_max;
    uint64_t nofile_hard, nofile_wanted;
    const char *engine_program;
    bool engine_is_executable;
    cpu_set_t allowed_cpus;
    const cpu_set_t *server_cpus, *driver_cpus; /* NULL: not pinned */
    bool pinning_optional;                      /* the built-in plan */
    const char *results_folder;
    bool folder_is_writable;
    uint64_t folder_free_bytes;
    bool is_preloaded, is_sanitized, is_traced;
    int64_t pressure_cpu_centi, pressure_io_centi, pressure_memory_centi; /* avg10, 0.01 % */
    int64_t load_centi;                                                   /* 1 min, 0.01 */
    int64_t swap_total_kib;
    int64_t somaxconn;
    int64_t local_port_count; /* for connections of the driver */
    char governor[32];        /* "": not known */
};

enum preflight_consequence { PREFLIGHT_RECORD, PREFLIGHT_WARN, PREFLIGHT_REFUSE };

struct preflight_finding {
    enum preflight_consequence consequence;
    const char *name;                /* stable word */
    char text[PREFLIGHT_TEXT_BYTES]; /* value and threshold */
    const char *fix;                 /* a command or an advice; NULL: none */
};

/* Fills in what /proc and /sys of this machine tell: pressures, load, swap, somaxconn, ports,
 * governor, TracerPid. */
void preflight_read(const char *proc_root, const char *sys_root, struct preflight_input *input);

/* Applies the rules, those that refuse first. Returns how many findings there are. */
size_t preflight_judge(const struct preflight_input *input,
                       struct preflight_finding findings_out[PREFLIGHT_FINDING_COUNT_MAX]);

/* The same for every rule in its order, with whether it is violated; the text is "" when not.
 * Returns how many rules there are. */
size_t preflight_judge_all(const struct preflight_input *input,
                           struct preflight_finding rules_out[PREFLIGHT_FINDING_COUNT_MAX],
                           bool violated_out[PREFLIGHT_FINDING_COUNT_MAX]);

/* Descriptors that the driver and this program need for so many connections. */
uint64_t preflight_nofile_need(uint32_t connection_count);

#endif
