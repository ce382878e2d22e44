// SPDX-License-Identifier: Apache-2.0
// Who listens on a port.
#include "collector/probe/listener.h"

#include <stdlib.h>
#include <string.h>

#include "collector/probe/tree.h"
#include "engines/base/proc.h"

#define PROCESS_COUNT_MAX 32768
#define TABLE_BYTES       ((size_t)8 << 20) /* a line is 150 bytes: 56,000 sockets */

static bool inode_find_in(const char *proc_root, const char *path, uint16_t port, char *text,
                          uint64_t *inode_out)
{
    ssize_t length = proc_read(proc_root, text, TABLE_BYTES, "%s", path);

    return length >= 0 && proc_find_listener(text, (size_t)length, port, inode_out);
}

static bool inode_find(const char *proc_root, uint16_t port, char *text, uint64_t *inode_out)
{
    return inode_find_in(proc_root, "net/tcp", port, text, inode_out) ||
           inode_find_in(proc_root, "net/tcp6", port, text, inode_out);
}

enum err_code listener_check_owner(const char *proc_root, pid_t root_pid, uint16_t port,
                                   struct err *e)
{
    uint64_t inode = 0;
    struct tree_total total;
    struct tree *tree = calloc(1, sizeof(*tree));
    char *text = malloc(TABLE_BYTES);
    enum err_code code = ERR_OK;

    if (!tree || !text) {
        code = err_set(e, ERR_LIMIT, "no memory for the table of sockets");
    } else if (!inode_find(proc_root, port, text, &inode)) {
        code = err_set(e, ERR_MISMATCH, "nobody listens on port %u", port);
    } else if (!tree_init(tree, proc_root, root_pid) || !tree_read(tree, &total)) {
        code = err_set_sys(e, "process %d", (int)root_pid);
    } else if (!tree_has_socket(tree, inode)) {
        code = err_set(e, ERR_MISMATCH,
                       "port %u belongs to another process than the server that was started", port);
    }
    free(text);
    free(tree);
    return code;
}

bool listener_is_there(const char *proc_root, uint16_t port)
{
    uint64_t inode;
    char *text = malloc(TABLE_BYTES);
    bool is_there = text && inode_find(proc_root, port, text, &inode);

    free(text);
    return is_there;
}

static bool stat_of(const char *proc_root, pid_t pid, struct proc_stat *stat_out)
{
    char text[1024];
    ssize_t length = proc_read(proc_root, text, sizeof(text), "%d/stat", (int)pid);

    return length > 0 && proc_parse_stat(text, (size_t)length, stat_out);
}

bool listener_is_above(const char *proc_root, pid_t pid, pid_t below)
{
    struct proc_stat stat = {0};

    while (below > 1 && below != pid && stat_of(proc_root, below, &stat)) {
        below = (pid_t)stat.parent_pid;
    }
    return below == pid;
}

/* Upwards as long as the parent has the socket as well. */
static pid_t eldest_find(const char *proc_root, pid_t pid, uint64_t inode)
{
    struct proc_stat stat;

    while (stat_of(proc_root, pid, &stat) && stat.parent_pid > 1 &&
           tree_process_has_socket(proc_root, stat.parent_pid, inode)) {
        pid = stat.parent_pid;
    }
    return pid;
}

static pid_t owner_find(const char *proc_root, uint64_t inode, int64_t *pids)
{
    ssize_t count = proc_list_numbers(proc_root, pids, PROCESS_COUNT_MAX, ".");

    for (ssize_t i = 0; i < count && i < PROCESS_COUNT_MAX; i++) {
        if (tree_process_has_socket(proc_root, (pid_t)pids[i], inode)) {
            return eldest_find(proc_root, (pid_t)pids[i], inode);
        }
    }
    return 0;
}

enum err_code listener_find_owner(const char *proc_root, uint16_t port,
                                  struct listener_owner *owner_out, struct err *e)
{
    struct listener_owner owner = {0};
    uint64_t inode = 0;
    int64_t *pids = calloc(PROCESS_COUNT_MAX, sizeof(*pids));
    char *text = malloc(TABLE_BYTES);
    enum err_code code = ERR_OK;

    if (!pids || !text) {
        code = err_set(e, ERR_LIMIT, "no memory for the table of sockets");
    } else if (!inode_find(proc_root, port, text, &inode)) {
        code = err_set(e, ERR_MISMATCH, "nobody listens on port %u", port);
    } else {
        owner.pid = owner_find(proc_root, inode, pids);
    }
    free(text);
    free(pids);
    if (code == ERR_OK && !owner.pid) {
        code = err_set(e, ERR_MISMATCH, "who listens on port %u is not ours to see", port);
    }
    if (code == ERR_OK) {
        (void)proc_read(proc_root, owner.name, sizeof(owner.name), "%d/comm", (int)owner.pid);
        owner.name[strcspn(owner.name, "\n")] = '\0';
        *owner_out = owner;
    }
    return code;
}
