// SPDX-License-Identifier: Apache-2.0
// The inside of a sandbox: what the new process does before foreign code runs. For sandbox.c alone.
#ifndef REPORT_REPRODUCE_SANDBOX_CHILD_H
#define REPORT_REPRODUCE_SANDBOX_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "report/reproduce/sandbox.h"

struct sandbox_launch {
    const struct sandbox_config *config;
    bool is_root; /* no user namespace then: root may do all of it, and becomes somebody else */
    uid_t user;   /* whom the code runs as */
    gid_t group;
    int failure[2]; /* the child writes a struct child_failure, or closes it: it runs */
    int alive[2];   /* the caller holds the writing end: closed, it is gone */
};

/* Never returns. */
__attribute__((noreturn)) void sandbox_child_run(const struct sandbox_launch *launch);

/* What failed, for a message: "entering the user namespace". */
const char *sandbox_child_step_name(int step);
bool sandbox_child_step_is_exec(int step);

#endif
