// SPDX-License-Identifier: Apache-2.0
// What an article takes from a session: figures in the widths of columns, tables, text and where
// the evidence is, in Markdown, HTML and LaTeX.
#ifndef REPORT_ARTICLE_ARTICLE_H
#define REPORT_ARTICLE_ARTICLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/digest.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/bundle/bundle.h"
#include "report/published/published.h"

/* The archive that readers download. */
struct article_evidence {
    char name[BUNDLE_NAME_BYTES]; /* without ".tar" */
    char archive_sha256[DIGEST_HEX_BYTES];
    uint64_t archive_bytes;
    bool has_sources;          /* it is known to hold those of the servers */
    const char *sources_words; /* as in struct bundle_result; NULL: not known */
};

struct article_config {
    const char *results_path;
    const char *session;  /* as in struct report_config */
    const char *language; /* NULL: English */
    const char *folder;   /* to be made: there may be nothing of that name */
    const char *program_version;
    const struct article_evidence *evidence; /* NULL: a bundle is sealed into the folder */
    bool immutable;                          /* as for results_load */
    const struct published *const *published;
    size_t published_count;
};

/*
 * Writes the folder, which appears when it is whole or not at all:
 *
 * article.md .html .tex   findings, tables, figures with captions, methods, evidence
 * figures/NAME-WIDTH.svg .pdf .png .gp .tsv, NAME.csv; WIDTH: single (84 mm), double (174 mm)
 * tables/NAME.md .html .tex
 * NAME-ID.tar, .tar.sha256, .publish.md .html .json   of a bundle that was sealed
 *
 * notice_out   gets a line for the person who asked, of the article or its bundle; as it was when
 *              there is nothing to say
 * errors       ERR_USAGE: the folder is there already; ERR_MISMATCH: the session is unfit or has
 *              nothing, so that no number may be quoted; those of analysis_load and bundle_write;
 *              ERR_SYS: the folder or the disk
 */
enum err_code article_write(const struct article_config *config, char notice_out[FORM_NOTICE_BYTES],
                            struct err *e) ATTR_MUST_USE;

/* ERR_USAGE when there is something of that name: to be asked before anything is written. */
enum err_code article_check_folder(const char *folder, struct err *e) ATTR_MUST_USE;

/* ERR_USAGE when the folder of a report is the article's own or in it: that one is not there yet.
 */
enum err_code article_check_report(const char *folder, const char *report,
                                   struct err *e) ATTR_MUST_USE;

#endif
