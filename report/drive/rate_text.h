// SPDX-License-Identifier: Apache-2.0
// The search for a rate as text for people and as JSON for programs.
#ifndef REPORT_DRIVE_RATE_TEXT_H
#define REPORT_DRIVE_RATE_TEXT_H

#include "engines/base/buf.h"
#include "report/drive/rate_search.h"

/* The lines before the first step, of one step, and what was found. */
void rate_text_begin(const struct drive_setup *setup, const struct rate_goal *goal,
                     struct buf *out);
void rate_text_step(const struct rate_step *step, struct buf *out);
void rate_text_end(const struct rate_search *search, const struct rate_goal *goal, struct buf *out);

/* One object with its keys in a fixed order and a newline. errors ERR_LIMIT. */
enum err_code rate_json_render(const struct drive_setup *setup, const struct rate_goal *goal,
                               const struct rate_search *search, struct buf *out,
                               struct err *e) ATTR_MUST_USE;

#endif
