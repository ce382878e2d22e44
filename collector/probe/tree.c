// SPDX-License-Identifier: Apache-2.0
// The sums over a server's process tree.
#include "collector/probe/tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/sample.h"
#include "engines/base/proc.h"

static bool stat_read(struct tree *tree, pid_t pid, struct proc_stat *stat_out)
{
    ssize_t length =
        proc_read(tree->proc_root, tree->text, sizeof(tree->text), "%d/stat", (int)pid);

    if (length < 0) {
        return false;
    }
    if (!proc_parse_stat(tree->text, (size_t)length, stat_out)) {
        errno = EBADMSG;
        return false;
    }
    return true;
}

bool tree_init(struct tree *tree, const char *proc_root, pid_t root_pid)
{
    struct proc_stat stat;

    memset(tree, 0, sizeof(*tree));
    tree->proc_root = proc_root;
    tree->root_pid = root_pid;
    if (!stat_read(tree, root_pid, &stat)) {
        return false;
    }
    tree->root_start_ticks = stat.start_ticks;
    return true;
}

static void pid_add(struct tree *tree, pid_t pid)
{
    for (size_t i = 0; i < tree->pid_count; i++) {
        if (tree->pids[i] == pid) {
            return;
        }
    }
    if (tree->pid_count < TREE_PROCESS_COUNT_MAX) {
        tree->pids[tree->pid_count++] = pid;
    }
}

/* Adds the pids of "12 34 56 ". */
static void children_add(struct tree *tree, pid_t pid, int64_t task)
{
    ssize_t length = proc_read(tree->proc_root, tree->text, sizeof(tree->text),
                               "%d/task/%lld/children", (int)pid, (long long)task);
    char *at = tree->text;

    while (length > 0) {
        char *end;
        long child = strtol(at, &end, 10);

        if (end == at || child <= 0 || child > INT32_MAX) {
            return;
        }
        pid_add(tree, (pid_t)child);
        at = end;
    }
}

static void count_add(int64_t *sum, bool is_known, uint64_t count)
{
    if (*sum == METRIC_UNKNOWN || !is_known || count > INT64_MAX / 128 ||
        *sum > INT64_MAX - (int64_t)count) {
        *sum = METRIC_UNKNOWN;
        return;
    }
    *sum += (int64_t)count;
}

static void scheduling_add(struct tree_total *total, const struct taskstats_total *of)
{
    count_add(&total->voluntary_switch_count, of != NULL, of ? of->voluntary_switch_count : 0);
    count_add(&total->involuntary_switch_count, of != NULL, of ? of->involuntary_switch_count : 0);
    count_add(&total->run_delay_ns, of && of->has_run_delay, of ? of->run_delay_ns : 0);
}

/* What taskstats tells of a process, of one thread from its files. */
static bool task_read(struct tree *tree, pid_t pid, int64_t task, struct taskstats_total *of_out)
{
    struct taskstats_total of = {0};
    ssize_t length = proc_read(tree->proc_root, tree->text, sizeof(tree->text),
                               "%d/task/%lld/status", (int)pid, (long long)task);

    if (length < 0 ||
        !proc_find_number(tree->text, (size_t)length, "voluntary_ctxt_switches",
                          &of.voluntary_switch_count) ||
        !proc_find_number(tree->text, (size_t)length, "nonvoluntary_ctxt_switches",
                          &of.involuntary_switch_count)) {
        return false;
    }
    length = proc_read(tree->proc_root, tree->text, sizeof(tree->text), "%d/task/%lld/schedstat",
                       (int)pid, (long long)task);
    of.has_run_delay =
        length >= 0 && proc_find_word(tree->text, (size_t)length, 1, &of.run_delay_ns);
    *of_out = of;
    return true;
}

/* Threads of one process: their children, and what they did when nothing else tells it. The lists
 * of a process are those of its threads; /proc/PID/status has the main thread's switches only. */
static void tasks_read(struct tree *tree, pid_t pid, struct tree_total *total)
{
    size_t room = TREE_TASK_COUNT_MAX - tree->task_count;
    int64_t *tasks = tree->tasks + tree->task_count;
    struct taskstats_total of;
    ssize_t count = proc_list_numbers(tree->proc_root, tasks, room, "%d/task", (int)pid);

    if (tree->taskstats) {
        scheduling_add(total, taskstats_read(tree->taskstats, pid, &of) ? &of : NULL);
    }
    if (count < 0 || (size_t)count > room) {
        if (!tree->taskstats) {
            scheduling_add(total, NULL);
        }
        /* Too many threads to walk: the main thread's children still belong to the tree. */
        children_add(tree, pid, pid);
        return;
    }
    tree->task_count += (size_t)count;
    bool is_walked = !tree->taskstats && tree->task_count <= TREE_WALK_COUNT_MAX;
    for (ssize_t i = 0; i < count; i++) {
        children_add(tree, pid, tasks[i]);
        if (is_walked) {
            scheduling_add(total, task_read(tree, pid, tasks[i], &of) ? &of : NULL);
        }
    }
    if (!is_walked && !tree->taskstats) {
        scheduling_add(total, NULL);
    }
}

static void process_add(struct tree *tree, const struct proc_stat *stat, struct tree_total *total)
{
    total->process_count++;
    total->user_ticks += stat->user_ticks + stat->child_user_ticks;
    total->system_ticks += stat->system_ticks + stat->child_system_ticks;
    total->minor_fault_count += stat->minor_fault_count + stat->child_minor_fault_count;
    total->major_fault_count += stat->major_fault_count + stat->child_major_fault_count;
    total->rss_pages += stat->rss_pages;
    total->thread_count += stat->thread_count;
    ssize_t fd_count = proc_list_numbers(tree->proc_root, NULL, 0, "%d/fd", (int)stat->pid);
    count_add(&total->fd_count, fd_count >= 0, (uint64_t)fd_count);
    tasks_read(tree, stat->pid, total);
}

static bool task_is_here(const struct tree *tree, int64_t task)
{
    for (size_t i = 0; i < tree->task_count; i++) {
        if (tree->tasks[i] == task) {
            return true;
        }
    }
    return false;
}

static void tasks_compare(struct tree *tree)
{
    tree->task_lost = false;
    for (size_t i = 0; i < tree->previous_task_count; i++) {
        tree->task_lost |= !task_is_here(tree, tree->previous_tasks[i]);
    }
    memcpy(tree->previous_tasks, tree->tasks, tree->task_count * sizeof(tree->tasks[0]));
    tree->previous_task_count = tree->task_count;
}

/* Of a keeper only what its children used up: those that ended were the server's. */
static void keeper_add(struct tree *tree, const struct proc_stat *stat, struct tree_total *total)
{
    struct tree_total own = {0};

    process_add(tree, stat, &own);
    total->user_ticks = stat->child_user_ticks;
    total->system_ticks = stat->child_system_ticks;
    total->minor_fault_count = stat->child_minor_fault_count;
    total->major_fault_count = stat->child_major_fault_count;
}

bool tree_read(struct tree *tree, struct tree_total *total_out)
{
    struct tree_total total = {0};
    struct proc_stat stat;

    tree->pid_count = 0;
    tree->task_count = 0;
    if (!stat_read(tree, tree->root_pid, &stat) || stat.start_ticks != tree->root_start_ticks ||
        stat.state == 'Z' || stat.state == 'X') {
        return false;
    }
    pid_add(tree, tree->root_pid);
    if (tree->skips_root) {
        keeper_add(tree, &stat, &total);
    } else {
        process_add(tree, &stat, &total);
    }
    for (size_t i = 1; i < tree->pid_count; i++) {
        if (stat_read(tree, tree->pids[i], &stat)) {
            process_add(tree, &stat, &total);
        }
    }
    tasks_compare(tree);
    *total_out = total;
    return true;
}

int64_t tree_read_pss_kib(struct tree *tree)
{
    int64_t sum_kib = 0;

    for (size_t i = tree->skips_root; i < tree->pid_count; i++) {
        uint64_t kib = 0;
        ssize_t length = proc_read(tree->proc_root, tree->text, sizeof(tree->text),
                                   "%d/smaps_rollup", (int)tree->pids[i]);
        bool is_known = length >= 0 && proc_find_number(tree->text, (size_t)length, "Pss", &kib);

        count_add(&sum_kib, is_known, kib);
    }
    return sum_kib;
}

bool tree_process_has_socket(const char *proc_root, pid_t pid, uint64_t inode)
{
    int64_t fds[256];
    char want[48], link[64];
    ssize_t count = proc_list_numbers(proc_root, fds, ARRAY_COUNT(fds), "%d/fd", (int)pid);

    snprintf(want, sizeof(want), "socket:[%llu]", (unsigned long long)inode);
    for (ssize_t i = 0; i < count && i < (ssize_t)ARRAY_COUNT(fds); i++) {
        if (proc_read_link(proc_root, link, sizeof(link), "%d/fd/%lld", (int)pid,
                           (long long)fds[i]) > 0 &&
            strcmp(link, want) == 0) {
            return true;
        }
    }
    return false;
}

bool tree_has_socket(const struct tree *tree, uint64_t inode)
{
    for (size_t i = 0; i < tree->pid_count; i++) {
        if (tree_process_has_socket(tree->proc_root, tree->pids[i], inode)) {
            return true;
        }
    }
    return false;
}
