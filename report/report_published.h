// SPDX-License-Identifier: Apache-2.0
// The report of published numbers alone: the same file gives the same bytes.
#ifndef REPORT_REPORT_PUBLISHED_H
#define REPORT_REPORT_PUBLISHED_H

#include "report/report.h"

/*
 * Writes the report of config->results_path, which is a published file (report/published), in those
 * of config->forms that are of a document alone: the others say things of a session.
 *
 * version    of the program whose rules are used
 * word_out   static: what the numbers come to (published_word); may be NULL
 * errors     those of published_load; ERR_SYS when a file cannot be written; ERR_USAGE: none of the
 * forms is of a document alone
 */
enum err_code report_published_write(const struct report_config *config, const char *version,
                                     const char **word_out, struct err *e) ATTR_MUST_USE;

#endif
