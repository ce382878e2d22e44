// SPDX-License-Identifier: Apache-2.0
// The sums over a server's process tree, from /proc. Allocates nothing.
#ifndef COLLECTOR_PROBE_TREE_H
#define COLLECTOR_PROBE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/probe/taskstats.h"
#include "engines/base/attr.h"

#define TREE_PROCESS_COUNT_MAX 64
#define TREE_TASK_COUNT_MAX    64 /* whose children are looked for, 6 us each */
#define TREE_WALK_COUNT_MAX    16 /* whose switches are read from files, 25 us each */

struct tree {
    const char *proc_root; /* the caller's */
    struct taskstats_link
        *taskstats; /* the caller's; NULL: switches come from walking the threads */
    pid_t root_pid;
    bool skips_root;           /* the root keeps the server (engines/keeper.h) and is none of it */
    uint64_t root_start_ticks; /* the root's start: another process with its pid is not the root */
    pid_t pids[TREE_PROCESS_COUNT_MAX];
    size_t pid_count;
    int64_t tasks[TREE_TASK_COUNT_MAX], previous_tasks[TREE_TASK_COUNT_MAX];
    size_t task_count, previous_task_count;
    bool task_lost; /* a thread of the previous reading was gone in this one */
    char text[4096];
};

/* Counters include reaped children. Those of the last two lines are METRIC_UNKNOWN where not known.
 */
struct tree_total {
    uint64_t user_ticks, system_ticks, minor_fault_count, major_fault_count;
    uint64_t rss_pages, thread_count;
    int64_t process_count;
    int64_t fd_count, run_delay_ns;
    int64_t voluntary_switch_count, involuntary_switch_count;
};

/* False with errno when the process cannot be read. */
bool tree_init(struct tree *tree, const char *proc_root, pid_t root_pid) ATTR_MUST_USE;

/* The root and the descendants that can be found through task/TID/children. False: the root is
 * gone. A process that ends while it is read is left out. */
bool tree_read(struct tree *tree, struct tree_total *total_out) ATTR_MUST_USE;

/* Proportional memory of the processes of the last tree_read, in KiB; METRIC_UNKNOWN where one is
 * not known. Costs 0.2 ms with hundreds of threads. */
int64_t tree_read_pss_kib(struct tree *tree);

/* True when one of the tree's processes, as of the last tree_read, has the socket open. */
bool tree_has_socket(const struct tree *tree, uint64_t inode);

/* The same of any process. */
bool tree_process_has_socket(const char *proc_root, pid_t pid, uint64_t inode);

#endif
