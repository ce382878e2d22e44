// SPDX-License-Identifier: Apache-2.0
// Says in fewer bytes what gnuplot's pictures say: half of a page of many trials is its dots.
#ifndef REPORT_PLOT_SVG_COMPACT_H
#define REPORT_PLOT_SVG_COMPACT_H

#include <stdbool.h>
#include <stddef.h>

#include "engines/base/buf.h"

/* Rewrites an attribute's value, which is all of `out` from `begin` on: numbers without zeros that
 * say nothing, colours as #rrggbb, no blanks at the end, none before the letters of a path. */
void svg_compact_value(struct buf *out, size_t begin, bool is_path);

#define SVG_MARK_COUNT_MAX 16

/* Marks that stand one after the other; all zero before the first. */
struct svg_marks {
    struct svg_mark {
        char symbol[16], scale[16];
    } marks[SVG_MARK_COUNT_MAX]; /* those that were defined */
    size_t count;
    char color[32]; /* of the group that is open; empty: none is */
};

/*
 * Rewrites an element <use/>, which is all of `out` from `begin` on: a mark of gnuplot's is defined
 * once for each size and then placed; a colour is said once for all marks that follow each other.
 * Any other element stays as it is.
 */
void svg_marks_add(struct svg_marks *marks, struct buf *out, size_t begin);

/* Before anything that is no mark. */
void svg_marks_end(struct svg_marks *marks, struct buf *out);

#endif
