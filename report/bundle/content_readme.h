// SPDX-License-Identifier: Apache-2.0
// README.md of a bundle: what it is and what it is worth, its claims, what a reviewer can do with
// it and needs for that.
#ifndef REPORT_BUNDLE_CONTENT_README_H
#define REPORT_BUNDLE_CONTENT_README_H

#include "engines/base/buf.h"
#include "report/bundle/content_review.h"
#include "report/judge/analysis.h"

/* log_count   how many files are in results/logs */
void content_readme_format(const struct content_review *review, const struct analysis *analysis,
                           size_t log_count, struct buf *out);

#endif
