// SPDX-License-Identifier: Apache-2.0
// Which gnuplot draws the figures here: their bytes depend on it.
#ifndef REPORT_BUNDLE_RENDERER_H
#define REPORT_BUNDLE_RENDERER_H

#include "engines/base/attr.h"
#include "engines/base/err.h"

#define RENDERER_NONE  "none"
#define RENDERER_BYTES 64

/*
 * "gnuplot 5.4 patchlevel 4", or RENDERER_NONE when there is none that runs.
 *
 * folder   a private one: a script and its output are written into it
 * errors   ERR_SYS
 */
enum err_code renderer_find(const char *folder, char out[RENDERER_BYTES],
                            struct err *e) ATTR_MUST_USE;

#endif
