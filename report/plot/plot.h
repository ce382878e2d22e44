// SPDX-License-Identifier: Apache-2.0
// Figures: variables and data of ours, scripts of this repository, drawn by gnuplot in one process
// without a shell. This module alone starts gnuplot.
#ifndef REPORT_PLOT_PLOT_H
#define REPORT_PLOT_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"
#include "report/render/document_language.h"

/* Of paper: letters of 8 points where pages have 12 px; pictures of points twice as many. */
#define PLOT_PAPER_MM_PER_PX (8.0 / 12 * 25.4 / 72)

struct plot {
    const char *name;          /* of its files: letters, digits, '-' */
    const char *script;        /* asset that draws it: "report/plot/throughput.gp" */
    struct document *document; /* whose language labels have; NULL: English */
    unsigned width_px, height_px;
    size_t label_columns; /* labels are cut there */
    const char *mark;     /* in a corner of the picture, wherever it goes; NULL: none */
    bool
        is_paper; /* also drawn as PDF and PNG, of a size in millimetres; all of a folder or none */
    struct buf variables; /* lines "name = value" and arrays, by plot_set_… */
    struct buf data;      /* tab-separated numbers; two empty lines between index blocks */
    struct buf svg;       /* filled by plot_draw */
};

void plot_init(struct plot *plot, const char *name, const char *script);
void plot_release(struct plot *plot);

void plot_set_number(struct plot *plot, const char *name, double value);
void plot_set_text(struct plot *plot, const char *name, const char *text);
void plot_set_numbers(struct plot *plot, const char *name, const double *values, size_t count);
/* Foreign text is allowed: it is quoted and cut to label_columns. */
void plot_set_texts(struct plot *plot, const char *name, const char *const *texts, size_t count);

/* One line of data; what is not finite becomes "NaN", which gnuplot leaves out. */
void plot_add_row(struct plot *plot, const double *values, size_t count);
void plot_end_line(struct plot *plot);  /* the curve ends, the block goes on */
void plot_end_block(struct plot *plot); /* the next index begins */

/*
 * Writes NAME.gp and NAME.tsv of each plot into `folder`, has them drawn to NAME.svg there (those
 * for paper to NAME.pdf and NAME.png as well), checks and finishes the pictures and keeps the SVG
 * in plot->svg.
 *
 * program        NULL: gnuplot of /usr/local/bin, /usr/bin or /bin
 * quiet_ms       a gnuplot that neither complains nor ends for so long is stopped
 * available_out  false: there is no such program; the scripts and the data are written
 * errors         ERR_SYS: a file cannot be written; ERR_FORMAT: gnuplot failed or complained, the
 * text says how
 */
enum err_code plot_draw(struct plot *plots, size_t plot_count, const char *folder,
                        const char *program, unsigned quiet_ms, bool *available_out,
                        struct err *e) ATTR_MUST_USE;

#endif
