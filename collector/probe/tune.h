// SPDX-License-Identifier: Apache-2.0
// Settings of the machine that a preflight rule warns of and root can change: what would be
// changed, changing it, and giving back what was there before.
#ifndef COLLECTOR_PROBE_TUNE_H
#define COLLECTOR_PROBE_TUNE_H

#include <stdbool.h>
#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"

#define TUNE_STATE_PATH       "/run/tacho-tuned" /* gone after a restart, as the changes are */
#define TUNE_CHANGE_COUNT_MAX 1100               /* a governor for each of 1024 CPUs */
#define TUNE_STATE_BYTES_MAX  ((size_t)1 << 18)
#define TUNE_PATH_BYTES       96
#define TUNE_VALUE_BYTES      48
#define TUNE_BOOT_BYTES       40

enum tune_outcome {
    TUNE_PLANNED, /* nothing was done yet */
    TUNE_DONE,
    TUNE_FAILED, /* sys_errno says why */
    TUNE_LEFT,   /* somebody else changed it since: it is theirs */
};

struct tune_change {
    bool is_sys; /* below /sys, else below /proc */
    char path[TUNE_PATH_BYTES];
    char former[TUNE_VALUE_BYTES], tuned[TUNE_VALUE_BYTES];
    enum tune_outcome outcome;
    int sys_errno;
};

struct tune {
    char boot_id[TUNE_BOOT_BYTES]; /* "": the kernel does not tell */
    size_t count;
    struct tune_change changes[TUNE_CHANGE_COUNT_MAX];
};

struct tune_machine {
    const char *proc_root, *sys_root, *state_path;
};

/* What is not as the rules want it, in the order of the table. NULL: no memory. free() it. */
struct tune *tune_plan(const struct tune_machine *machine) ATTR_MUST_USE;

/*
 * Keeps the former values at state_path, then changes each setting and reads it back; one that
 * cannot be changed does not keep the others from it. What was done is in the outcomes; the state
 * has only that.
 *
 * errors   ERR_USAGE: the machine is tuned already; ERR_SYS: the state cannot be kept. Nothing was
 * changed then
 */
enum err_code tune_apply(const struct tune_machine *machine, struct tune *tune,
                         struct err *e) ATTR_MUST_USE;

/*
 * Gives back the former values of everything that is as tune_apply left it, last first, and removes
 * the state when nothing has failed. After a restart there is nothing to give back.
 *
 * tune_out   free() it
 * errors     ERR_USAGE: there is no state; ERR_FORMAT: it is none; ERR_SYS
 */
enum err_code tune_reset(const struct tune_machine *machine, struct tune **tune_out,
                         struct err *e) ATTR_MUST_USE;

size_t tune_count(const struct tune *tune, enum tune_outcome outcome);

/* Whether such a change is in the table: nothing else is ever written. */
bool tune_knows(bool is_sys, const char *path);

/* tune_state.c: the state as text, a line for each change that was done or is planned. */
void tune_state_format(const struct tune *tune, struct buf *out);
/* Any bytes. errors ERR_FORMAT: not such a text, or a path that tune_knows does not. */
enum err_code tune_state_parse(const char *bytes, size_t length, struct tune *tune_out,
                               struct err *e) ATTR_MUST_USE;

#endif
