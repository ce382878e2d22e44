// SPDX-License-Identifier: Apache-2.0
// The sessions of one plan in one results file, in the order of time: how each engine's ratio to
// its own session's baseline went. It describes; only a session judges.
#ifndef REPORT_JUDGE_HISTORY_H
#define REPORT_JUDGE_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/digest.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/judge/analysis.h"
#include "report/query/session_history.h"

#define HISTORY_SESSION_MAX  60 /* the newest */
#define HISTORY_BAND_MIN     8  /* sessions that a control band is made of */
#define HISTORY_CHANGES_MIN  20 /* sessions among which changes are looked for */
#define HISTORY_CHANGE_COUNT (HISTORY_SESSION_MAX / 5)

struct history_session {
    char uid[SESSION_UID_BYTES];
    int64_t started_utc_ns;
    enum trust trust;
    bool is_boundary; /* another machine, or another program as the baseline, than before it */
};

/* One engine in one cell. */
struct history_series {
    size_t engine_index, cell_index;             /* of the reported session */
    struct estimate ratios[HISTORY_SESSION_MAX]; /* n 0: not known, or of a session not fit */
    double band_low, band_high; /* NaN: too few sessions on this ground and level before the last */
    size_t band_count;
    size_t band_first;  /* the oldest session that the band is of */
    bool is_outside;    /* the last session's ratio lies outside the band */
    double from_middle; /* of the band to that ratio, as a share: -0.29; NaN: no band or ratio */
    size_t changes[HISTORY_CHANGE_COUNT]; /* sessions with which a level begins */
    double steps[HISTORY_CHANGE_COUNT];   /* of medians: the level to the one before it */
    size_t change_count;
    bool is_new_program[HISTORY_SESSION_MAX]; /* of the engine, than before that session */
    char program[DIGEST_HEX_BYTES];           /* the last one that is known */
};

struct history {
    struct history_session sessions[HISTORY_SESSION_MAX]; /* the reported one last */
    size_t session_count, left_out_count;                 /* older ones */
    struct history_series *series;
    size_t series_count;
};

/*
 * history_out   NULL when the file has no earlier session of the plan; history_free
 * errors        those of analysis_load and session_history_load
 */
enum err_code history_make(const char *path, bool immutable, const struct analysis *analysis,
                           struct history **history_out, struct err *e) ATTR_MUST_USE;
void history_free(struct history *history);

/*
 * Fills band and changes from ratios since the last boundary. The band is that of an individuals
 * control chart on logarithms, made of the sessions of the newest level but the last: mean ±
 * 3·MR/1.128, where MR is the mean distance of neighbours, and no less than a tenth of the margin.
 * A change of level is one of at least `margin`.
 *
 * errors   ERR_LIMIT: memory
 * source   NIST/SEMATECH e-Handbook of Statistical Methods, 6.3.2.2; series_find_changes
 */
enum err_code history_judge(const struct history_session *sessions, size_t session_count,
                            double margin, struct history_series *series,
                            struct err *e) ATTR_MUST_USE;

#endif
