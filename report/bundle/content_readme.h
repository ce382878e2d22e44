// SPDX-License-Identifier: Apache-2.0
// README.md of a bundle: what it is, its claims, what a reviewer can do with it and needs for that.
#ifndef REPORT_BUNDLE_CONTENT_README_H
#define REPORT_BUNDLE_CONTENT_README_H

#include "engines/base/buf.h"
#include "report/bundle/content.h"
#include "report/judge/analysis.h"

void content_readme_format(const struct content_config *config, const struct analysis *analysis,
                           struct buf *out);

#endif
