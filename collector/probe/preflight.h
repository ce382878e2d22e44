// SPDX-License-Identifier: Apache-2.0
// The preflight: one table of rules over what is known before anything is measured. The rules are
// pure.
#ifndef COLLECTOR_PROBE_PREFLIGHT_H
#define COLLECTOR_PROBE_PREFLIGHT_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PREFLIGHT_TEXT_BYTES        400
#define PREFLIGHT_CELL_BYTES        160
#define PREFLIGHT_FINDING_COUNT_MAX 72 /* rules as well */
#define PREFLIGHT_FACT_COUNT_MAX    40
#define PREFLIGHT_FREE_BYTES_MIN    (UINT64_C(64) << 20)

/* What the rules look at; a negative number is one that is not known. */
struct preflight_input {
    uint32_t connection_count_max;
    int64_t connects_per_s; /* of the plan's open loops that close connections; 0: none */
    int64_t think_ns,
        think_window_ns; /* the longest mean pause of a workload, its window; 0: none */
    uint64_t nofile_hard, nofile_wanted;
    const char *engine_program, *program_version;
    bool engine_is_executable;
    const char *engine_refusal; /* why an engine of the plan cannot run here; NULL: all can */
    const char *replay_refusal; /* what the plan replays and is not there; NULL: nothing */
    cpu_set_t allowed_cpus;
    const cpu_set_t *server_cpus, *driver_cpus; /* NULL: not pinned */
    bool pinning_optional;                      /* the built-in plan */
    uint32_t driver_threads;
    const char *results_folder;
    bool folder_is_writable;
    uint64_t folder_free_bytes, results_bytes; /* results_bytes: what the plan may need */
    const char *sampling_priority;             /* that the thread which samples gets */
    bool sampling_is_first;                    /* it runs as soon as it wakes */
    bool is_preloaded, is_sanitized, is_for_tests, is_optimised, is_traced;
    int64_t pressure_cpu_centi, pressure_io_centi, pressure_memory_centi; /* avg10, 0.01 % */
    int64_t load_centi;                                                   /* 1 min, 0.01 */
    bool has_waited; /* for others to end: who is still busy then is in the way */
    int64_t swap_total_kib;
    int64_t somaxconn, syn_backlog;
    uint32_t source_address_count; /* that the plan's driver connects from; 0: one */
    int64_t local_port_count;      /* for connections of the driver, of all its addresses */
    int64_t time_wait_count, tw_reuse;
    int64_t conntrack_count, conntrack_max;
    int64_t quota_centi;       /* hundredths of a CPU; negative: no quota */
    int64_t shared_core_count; /* CPUs of the driver on a core of the server; negative: unknown */
    struct preflight_fact {    /* by fact rule; preflight_set_fact */
        bool is_known;
        char value[96];
    } facts[PREFLIGHT_FACT_COUNT_MAX];
};

enum preflight_consequence { PREFLIGHT_RECORD, PREFLIGHT_WARN, PREFLIGHT_REFUSE };

/* Every rule that concerns the plan, violated or not. */
struct preflight_row {
    const char *name;  /* a stable word */
    const char *title; /* for people */
    bool is_violated, is_known;
    enum preflight_consequence consequence; /* when it is violated */
    char value[PREFLIGHT_CELL_BYTES], threshold[PREFLIGHT_CELL_BYTES];
    const char *why; /* it matters */
    const char *fix; /* a command or an advice; NULL: none */
};

/* is_strict: some of what is a warning refuses. Returns how many there are, at most
 * PREFLIGHT_FINDING_COUNT_MAX. */
size_t preflight_list(const struct preflight_input *input, bool is_strict,
                      struct preflight_row rows_out[PREFLIGHT_FINDING_COUNT_MAX]);

/* Those that are violated, as sentences. */
struct preflight_finding {
    enum preflight_consequence consequence;
    const char *name;
    char text[PREFLIGHT_TEXT_BYTES]; /* value and threshold */
    const char *fix;
};

/* Those that refuse first. Returns how many findings there are. */
size_t preflight_judge(const struct preflight_input *input,
                       struct preflight_finding findings_out[PREFLIGHT_FINDING_COUNT_MAX]);

/* Fills in what /proc and /sys of this machine tell. */
void preflight_read(const char *proc_root, const char *sys_root, struct preflight_input *input);

/* The part of it that moves from second to second: pressure and load. */
void preflight_read_activity(const char *proc_root, struct preflight_input *input);

/* Whether others are at work, by the rules of pressure; by that of the load, which takes minutes to
 * fall, where the kernel does not tell of pressure. why_out: by which rule; untouched when quiet.
 */
bool preflight_is_busy(const struct preflight_input *input, char why_out[PREFLIGHT_TEXT_BYTES]);

/* Keeps a fact (machine.h) that some rule looks at. value NULL: not known. */
void preflight_set_fact(struct preflight_input *input, const char *name, const char *value);

/* Descriptors that the driver and this program need for so many connections. */
uint64_t preflight_nofile_need(uint32_t connection_count);

/* Free bytes that the results need. */
uint64_t preflight_bytes_need(const struct preflight_input *input);

#endif
