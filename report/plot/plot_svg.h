// SPDX-License-Identifier: Apache-2.0
// What is done to a picture of gnuplot's before anyone sees it.
#ifndef REPORT_PLOT_PLOT_SVG_H
#define REPORT_PLOT_PLOT_SVG_H

#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"

/*
 * Appends the picture to `out` without gnuplot's version and with ids that occur once: "NAME-ID",
 * then "NAME-ID-2" …. Refuses what is no well-formed element tree of the kind that gnuplot writes:
 * invalid UTF-8, unbalanced or unquoted, entities but the five of XML and numeric ones, scripts,
 * processing instructions but the first, declarations but the document type.
 *
 * errors   ERR_FORMAT: says what was found and at which byte; ERR_LIMIT: the buffer
 */
enum err_code plot_svg_finish(const char *bytes, size_t length, const char *name, struct buf *out,
                              struct err *e) ATTR_MUST_USE;

#endif
