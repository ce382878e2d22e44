// SPDX-License-Identifier: Apache-2.0
// What tacho wrote into a results file while it measured, in English: in the document's language
// where its wording is known.
#ifndef REPORT_RENDER_RECORDED_TEXT_H
#define REPORT_RENDER_RECORDED_TEXT_H

#include "report/render/document.h"

/*
 * An event's or a reason's text with its numbers and names in their places, marked as foreign. As
 * it is in English, and where it is none of recorded_patterns.
 */
const char *recorded_text(struct document *document, const char *text);

/* English, with {1} … {4} for what differs, a key of the catalogue; NULL at the end. */
struct recorded_pattern {
    const char *english;
};
extern const struct recorded_pattern recorded_patterns[];

#endif
