// SPDX-License-Identifier: Apache-2.0
// Who listens on a port.
#include "collector/probe/listener.h"

#include <stdlib.h>

#include "collector/probe/tree.h"
#include "engines/base/proc.h"

#define TABLE_BYTES ((size_t)8 << 20) /* a line is 150 bytes: 56,000 sockets */

static bool inode_find(const char *proc_root, const char *path, uint16_t port, char *text,
                       uint64_t *inode_out)
{
    ssize_t length = proc_read(proc_root, text, TABLE_BYTES, "%s", path);

    return length >= 0 && proc_find_listener(text, (size_t)length, port, inode_out);
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
    } else if (!inode_find(proc_root, "net/tcp", port, text, &inode) &&
               !inode_find(proc_root, "net/tcp6", port, text, &inode)) {
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
