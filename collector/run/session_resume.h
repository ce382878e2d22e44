// SPDX-License-Identifier: Apache-2.0
// A session that stopped is taken up again: one more sitting of the same plan on the same machine.
#ifndef COLLECTOR_RUN_SESSION_RESUME_H
#define COLLECTOR_RUN_SESSION_RESUME_H

#include <stdbool.h>

#include "collector/run/session.h"
#include "collector/run/session_places.h"
#include "collector/run/session_rows.h"
#include "collector/store/store.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"

struct session_resume {
    int64_t sitting_index;  /* of this sitting: 1 … */
    bool is_refused;        /* with an error: the machine or a program is not the one it was */
    bool has_nothing_to_do; /* every place is done: nothing was changed */
};

/*
 * Finds the newest session of the plan in the file, lets every place with a finished trial out,
 * and has the session run again; `rows` then name what is stored.
 *
 * errors   ERR_USAGE: no session there, or one of another plan (the text names the keys that
 *          differ); ERR_MISMATCH with is_refused: another machine, boot or program; ERR_DB,
 *          ERR_LIMIT
 */
enum err_code session_resume(const struct session_config *config, const struct session_setup *setup,
                             struct store *store, struct session_rows *rows,
                             struct session_places *places, struct session_resume *resume_out,
                             struct err *e) ATTR_MUST_USE;

#endif
