// SPDX-License-Identifier: Apache-2.0
// One reading of a results file for several ends: samples are there for one trial at a time.
#ifndef REPORT_QUERY_RESULTS_PASS_H
#define REPORT_QUERY_RESULTS_PASS_H

#include <stdbool.h>
#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/query/results.h"

/*
 * Called once for each trial, when everything else of the session is loaded and the trial's samples
 * are: by a thread of its own, one trial at a time. It sees the samples of no other trial.
 *
 * errors   any: ends the loading
 */
typedef enum err_code results_visit(void *self, const struct results *results, size_t trial_index,
                                    struct err *e);

/* What one reading of a file is used for besides. */
struct results_pass {
    const char *session; /* with what its id begins; NULL: the last one */
    results_visit *visit;
    /* Called once, by the visits' thread, when all trials were visited, while what is left of the
     * file is digested: what `visit` leads to. NULL: nothing; errors as of a visit. */
    enum err_code (*finish)(void *self, const struct results *results, struct err *e);
    void *self;
    char *digest_hex; /* 65 bytes for results_digest; NULL: not wanted */
    bool is_checked; /* this process looked at all pages before, and nobody can have changed them */
};

/* A visit that does nothing: for who wants no samples. */
results_visit results_visit_nothing;

/* results_load_session without keeping samples: the memory of a trial's is given back after its
 * visit. */
enum err_code results_load_each(const char *path, bool immutable, const struct results_pass *pass,
                                struct results **results_out, struct err *e) ATTR_MUST_USE;

#endif
