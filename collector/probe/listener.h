// SPDX-License-Identifier: Apache-2.0
// Who listens on a port: a server that was left over from before must not be measured for ours.
#ifndef COLLECTOR_PROBE_LISTENER_H
#define COLLECTOR_PROBE_LISTENER_H

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

#endif
