// SPDX-License-Identifier: Apache-2.0
// What the steps of a reproduction share. For reproduce*.c alone.
#ifndef REPORT_REPRODUCE_REPRODUCE_WORK_H
#define REPORT_REPRODUCE_REPRODUCE_WORK_H

#include <limits.h>

#include "collector/plan/plan.h"
#include "report/bundle/file_tree.h"
#include "report/query/results.h"
#include "report/reproduce/reproduce.h"

/* Below the caller's folder. Build and session are work folders of sandboxes. */
#define REPRODUCE_BUILD     "build"
#define REPRODUCE_SESSION   "session"
#define REPRODUCE_LOGS      "logs"
#define REPRODUCE_PUBLISHED "published.db"
#define REPRODUCE_RESULTS   "results.db"

struct reproduction {
    const struct reproduce_config *config;
    const struct file_tree *tree; /* while the bundle is taken over */
    struct build_record record;
    struct results *published_results, *here_results;
    struct analysis *published, *here;
    struct plan *plan;
    char folder[PATH_MAX]; /* absolute */
    bool folder_was_there, is_complete;
    const char *invalid_reason, *open_reason; /* static; NULL */
    struct reproduce_state state;
};

/* FOLDER/NAME. errors ERR_LIMIT: too long */
enum err_code reproduce_path(const struct reproduction *reproduction, char out[PATH_MAX],
                             const char *name, struct err *e) ATTR_MUST_USE;
void reproduce_tell(const struct reproduction *reproduction, const char *format, ...)
    ATTR_PRINTF(2, 3);
bool reproduce_is_stopped(const struct reproduction *reproduction);

/* Opens FOLDER/logs/NAME for writing; -1 with *e. */
int reproduce_log_open(const struct reproduction *reproduction, const char *name, struct err *e);

/* The engines are asked; then the plan is run. Each sets what it found in the state, and
 * invalid_reason or open_reason. */
enum err_code reproduce_prepare_session(struct reproduction *reproduction,
                                        struct err *e) ATTR_MUST_USE;
enum err_code reproduce_gate(struct reproduction *reproduction, struct err *e) ATTR_MUST_USE;
enum err_code reproduce_measure(struct reproduction *reproduction, struct err *e) ATTR_MUST_USE;

/* Writes all files for readers. */
enum err_code reproduce_write(struct reproduction *reproduction, struct err *e) ATTR_MUST_USE;

#endif
