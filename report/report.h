// SPDX-License-Identifier: Apache-2.0
// The report of a results file: the same file gives the same bytes. Reads no clock, no network, no
// environment.
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/query/results_db.h"

/* What report_write can leave out; the tables always come with csv. */
struct report_formats {
    bool html, markdown, json, csv, plots;
};

/*
 * Writes the report into `folder` (made when missing; files of an earlier report are replaced):
 *   report.html report.md report.json tables/trials.csv tables/samples.csv tables/comparisons.csv
 *   plots/NAME.svg plots/NAME.gp plots/NAME.tsv
 *
 * trust       as for results_load: RESULTS_IMMUTABLE for a file out of a bundle
 * errors      those of results_load and analysis_make; ERR_SYS when a file cannot be written.
 * Without gnuplot, or when it fails, the report is written without figures and says so; *notice_out
 * (may be NULL) gets a static text, else NULL.
 */
enum err_code report_write(const char *results_path, enum results_trust trust, const char *folder,
                           const struct report_formats *formats, const char **notice_out,
                           struct err *e) ATTR_MUST_USE;

/* What a results file comes to. */
struct report_verdict {
    const char *word; /* "NOTHING MEASURED" or "UNFIT"; else, when the plan has claims, "REFUTED",
                         "INCONCLUSIVE" or "SUPPORTED"; else "VALID" or "VALID WITH WARNINGS" */
    bool is_nothing, is_unfit;
    size_t claim_count, refuted_count, inconclusive_count;
    bool claims_unreadable; /* the stored plan has claims that this program does not understand */
};

/*
 * verdict_out   its word is static
 *
 * errors   those of results_load and analysis_make
 */
enum err_code report_verdict(const char *results_path, enum results_trust trust,
                             struct report_verdict *verdict_out, struct err *e) ATTR_MUST_USE;

#endif
