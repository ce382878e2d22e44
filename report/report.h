// SPDX-License-Identifier: Apache-2.0
// The report of a results file: the same file gives the same bytes. Reads no clock, no network, no
// environment.
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"
#include "report/forms/form.h"
#include "report/published/published.h"
#include "report/query/results.h"

struct report_config {
    const char *results_path;
    const char *session; /* with what its id begins; NULL: the newest one */
    bool immutable;      /* as for results_load: true for a file out of a bundle */
    bool is_checked;     /* as in struct results_pass */
    const char *folder;  /* made when missing; its files replace those that are there */
    uint64_t forms;      /* what to write: bits of report/forms/form.h; 0: no folder is made */
    enum form_figures figures;
    const char *language;     /* of what readers get: "en", "pt-BR"; NULL: English */
    struct buf *text_out;     /* NULL, or gets the report as text for a terminal */
    size_t text_column_count; /* of that terminal */
    const struct published *const *published; /* to stand beside what was measured */
    size_t published_count;
    const struct results *baseline; /* whose machine stands beside this one's; NULL: none */
};

/* What a results file comes to. */
struct report_verdict {
    const char *word; /* static: "NOTHING MEASURED" or "UNFIT"; else, when the plan has claims,
                         "REFUTED", "INCONCLUSIVE" or "SUPPORTED"; else "VALID" or "VALID WITH
                         WARNINGS" */
    bool is_nothing, is_unfit;
    size_t claim_count, refuted_count, inconclusive_count;
    bool claims_unreadable; /* the stored plan has claims that this program does not understand */
};

/*
 * Writes the report; report/forms/forms.def lists its files.
 *
 * verdict_out  may be NULL
 * notice_out   may be NULL; gets "", or a line for the person who asked: without gnuplot, or when
 *              it fails, the report is written without pictures and says so
 * errors       those of results_load_session and analysis_make; ERR_SYS when a file cannot be
 *              written
 */
enum err_code report_write(const struct report_config *config, struct report_verdict *verdict_out,
                           char notice_out[FORM_NOTICE_BYTES], struct err *e) ATTR_MUST_USE;

#endif
