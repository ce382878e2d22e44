// SPDX-License-Identifier: Apache-2.0
// Published numbers beside those of a session: which row stands for which figure, value by value
// and ratio by ratio. Two sittings by different programs on different machines: nothing here is a
// verdict.
#ifndef REPORT_JUDGE_BESIDE_H
#define REPORT_JUDGE_BESIDE_H

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/judge/analysis.h"
#include "report/published/published.h"

/* One figure's metric and what was measured of its stand-in, both in the metric's stored unit. */
struct beside_value {
    const struct published_figure *figure;
    const struct analysis_row *row;
    enum published_metric metric;
    struct estimate measured; /* NaN: not measured here; count 0: a value without an interval */
};

/* Where the published ratio lies. */
enum beside_place {
    BESIDE_WITHIN, /* the measured interval */
    BESIDE_ABOVE,
    BESIDE_BELOW,
    BESIDE_UNTOLD, /* one of the two is not known, fewer than 6 blocks were counted, or the session
                      was unfit */
};
extern const char *const beside_place_words[]; /* "within" … */

/* Two engines of one workload in both sittings. */
struct beside_ratio {
    const struct published_figure *of, *over;
    const struct analysis_row *of_row, *over_row;
    enum published_metric metric;
    double published;
    struct estimate measured; /* over blocks */
    enum beside_place place;
};

struct beside {
    const struct analysis *analysis;
    const struct published *published;
    struct beside_value *values;
    size_t value_count;
    struct beside_ratio *ratios;
    size_t ratio_count;
};

/* errors   ERR_LIMIT: memory */
enum err_code beside_make(const struct analysis *analysis, const struct published *published,
                          struct beside *beside_out, struct err *e) ATTR_MUST_USE;
void beside_release(struct beside *beside);

/*
 * The row of the session that stands for a figure: the engine and the workload of its stand-ins'
 * names, in the cell whose number of connections is nearest to its own (the smallest when the
 * source does not say). NULL: none.
 */
const struct analysis_row *beside_find_row(const struct analysis *analysis,
                                           const struct published *published,
                                           const struct published_figure *figure);

#endif
