// SPDX-License-Identifier: Apache-2.0
// Who listens on a port: a server that was left over from before must not be measured for ours.
#ifndef COLLECTOR_PROBE_LISTENER_H
#define COLLECTOR_PROBE_LISTENER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

/*
 * Looks whether the socket that listens on the port (net/tcp, net/tcp6) is open in the process tree
 * of root_pid.
 *
 * errors   ERR_MISMATCH: nobody listens there, or somebody else; ERR_SYS: cannot be read
 */
enum err_code listener_check_owner(const char *proc_root, pid_t root_pid, uint16_t port,
                                   struct err *e) ATTR_MUST_USE;

/* Whether the process is `below` or one that it descends from: its tree has both. */
bool listener_is_above(const char *proc_root, pid_t pid, pid_t below);

/* Whether anybody does. */
bool listener_is_there(const char *proc_root, uint16_t port);

/*
 * The process that has the socket open; of several that share it the one that is no child of
 * another. Processes of other users cannot be looked into without privileges.
 *
 * errors   ERR_MISMATCH: nobody listens there, or nobody that can be looked into; ERR_LIMIT
 */
struct listener_owner {
    pid_t pid;
    char name[17]; /* /proc/PID/comm */
};
enum err_code listener_find_owner(const char *proc_root, uint16_t port,
                                  struct listener_owner *owner_out, struct err *e) ATTR_MUST_USE;

#endif
