// SPDX-License-Identifier: Apache-2.0
// What the report says: an analysis becomes a document and the figures' data. Pure but for memory.
#ifndef REPORT_COMPOSE_COMPOSE_H
#define REPORT_COMPOSE_COMPOSE_H

#include <stdbool.h>

#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"
#include "report/judge/analysis.h"
#include "report/judge/history.h"
#include "report/plot/plot.h"
#include "report/render/document_language.h"

#define COMPOSE_PLOT_COUNT_MAX 14

/* Widths of figures. At PLOT_PAPER_MM_PER_PX a column of a journal (84 mm) and a page (174 mm). */
#define FIGURE_WIDTH_PAGE_PX   960
#define FIGURE_WIDTH_DOUBLE_PX 740
#define FIGURE_WIDTH_SINGLE_PX 357

struct compose {
    const struct analysis *analysis;
    const struct results *results;
    const struct history *history; /* NULL: none */
    const char *samples_digest;
    struct document *document;
    struct plot plots[COMPOSE_PLOT_COUNT_MAX]; /* to be drawn */
    struct document_figure *figures[COMPOSE_PLOT_COUNT_MAX];
    size_t plot_count;
    unsigned figure_width_px, figure_count; /* the latter: those that have a number */
    bool is_article;
    struct document_block *figure_notice;
    struct document_table *comparisons, *trials;
    struct document_table *findings, *claims, *floods; /* NULL: the session has none */
};

/*
 * samples_digest   results_digest of the file
 * compose_out      the caller's; compose_release
 * errors           ERR_LIMIT: memory
 */
enum err_code compose_make(const struct analysis *analysis, const char *samples_digest,
                           struct compose *compose_out, struct err *e) ATTR_MUST_USE;

struct compose_config {
    const char *language;          /* "en", "pt-BR"; NULL: English */
    const struct history *history; /* of earlier sessions; NULL: none */
    unsigned figure_width_px;      /* 0: FIGURE_WIDTH_PAGE_PX */
    bool is_article; /* sentences name the files of an article's folder: figures/, the archive */
};
/* The same in a language and for a width. Errors also those of document_set_language. */
enum err_code compose_make_as(const struct compose_config *config, const struct analysis *analysis,
                              const char *samples_digest, struct compose *compose_out,
                              struct err *e) ATTR_MUST_USE;
void compose_release(struct compose *compose);

/* Puts the pictures into the document; with `missing` not NULL, says instead why there are none. */
void compose_take_pictures(struct compose *compose, const char *missing);

/* tables/samples.csv: every sample of the session, numbers only; the heading, then trial by trial
 * while the samples are there. */
void compose_samples_head(struct buf *out);
void compose_samples_trial(const struct results *results, size_t trial_index, struct buf *out);

#endif
