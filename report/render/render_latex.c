// SPDX-License-Identifier: Apache-2.0
// A table for LaTeX with the rules of booktabs: a float, or, when it is longer than a page, a
// longtable.
#include <stdio.h>
#include <string.h>

#include "report/render/number.h"
#include "report/render/render.h"
#include "report/render/text_latex.h"
#include "report/render/text_safe.h"

#define FLOAT_ROWS_MAX    40 /* what fits on a page */
#define CELL_COLUMN_COUNT 40
#define WIDE_COLUMN_COUNT 10 /* more want headings of several lines, and a page on its side */
#define WIDE_CELL_COLUMNS 60 /* a text that may be longer is broken into lines */

static void add_cell(const struct document_column *column, const struct document_cell *cell,
                     struct buf *out)
{
    char value[NUMBER_TEXT_BYTES], interval[NUMBER_TEXT_BYTES];
    struct buf name;

    if (cell->kind != DOCUMENT_CELL_TEXT) {
        render_cell_number(column, cell, value, interval);
        text_add_latex(out, value);
        buf_add_text(out, *interval ? " " : "");
        text_add_latex(out, interval);
        return;
    }
    if (cell->is_sentence) {
        text_add_latex(out, cell->text);
        return;
    }
    buf_init(&name, out->limit_bytes);
    text_add_name(&name, cell->text,
                  column->precision > 0 ? (size_t)column->precision : CELL_COLUMN_COUNT);
    text_add_latex(out, name.bytes);
    buf_release(&name);
}

static void add_columns(const struct document_table *table, unsigned view, struct buf *out)
{
    for (size_t k = 0; k < table->column_count; k++) {
        if (table->columns[k].views & view) {
            buf_add_text(out, table->columns[k].number != DOCUMENT_TEXT ? "r"
                              : table->columns[k].precision > WIDE_CELL_COLUMNS
                                  ? (table->is_list ? ">{\\raggedright}p{.7\\linewidth}"
                                                    : ">{\\raggedright}p{.33\\linewidth}")
                                  : "l");
        }
    }
}

static size_t count_columns(const struct document_table *table, unsigned view)
{
    size_t count = 0;

    for (size_t k = 0; k < table->column_count; k++) {
        count += (table->columns[k].views & view) != 0;
    }
    return count;
}

/* A word a line: no column is wider for its heading. */
static void add_stacked(const char *heading, struct buf *out)
{
    char word[CELL_COLUMN_COUNT * 4];

    buf_add_text(out, "\\shortstack[r]{");
    for (const char *at = heading; *at;) {
        size_t length = strcspn(at, " ");

        snprintf(word, sizeof(word), "%.*s", (int)length, at);
        text_add_latex(out, word);
        at += length + strspn(at + length, " ");
        buf_add_text(out, *at ? "\\\\" : "}");
    }
}

/* Cells with & between them; the line ends by \tabularnewline, which takes no option. */
static void add_heading(const struct document_table *table, unsigned view, struct buf *out)
{
    bool is_wide = count_columns(table, view) > WIDE_COLUMN_COUNT;
    bool is_first = true;

    for (size_t k = 0; k < table->column_count; k++) {
        if (table->columns[k].views & view) {
            buf_add_text(out, is_first ? "" : " & ");
            if (is_wide && table->columns[k].number != DOCUMENT_TEXT) {
                add_stacked(table->columns[k].heading, out);
            } else {
                text_add_latex(out, table->columns[k].heading);
            }
            is_first = false;
        }
    }
    buf_add_text(out, " \\tabularnewline\n");
}

static void add_rows(const struct document_table *table, unsigned view, struct buf *out)
{
    for (size_t i = 0; i < table->row_count; i++) {
        bool is_first = true;

        for (size_t k = 0; k < table->column_count; k++) {
            if (table->columns[k].views & view) {
                buf_add_text(out, is_first ? "" : " & ");
                add_cell(&table->columns[k], &table->rows[i][k], out);
                is_first = false;
            }
        }
        buf_add_text(out, " \\tabularnewline\n");
    }
}

static void add_caption(const struct document_table *table, const char *label, const char *end,
                        struct buf *out)
{
    buf_add_text(out, "\\caption{");
    text_add_latex(out, table->caption ? table->caption : table->name);
    buf_addf(out, "}\\label{tab:%s}%s\n", label, end);
}

static void add_note(const struct document_table *table, struct buf *out)
{
    if (table->note) {
        buf_add_text(out,
                     "\\par\\smallskip\\noindent\\begin{minipage}{\\linewidth}\\footnotesize\n");
        text_add_latex(out, table->note);
        buf_add_text(out, "\n\\end{minipage}\n");
    }
}

static void add_float(const struct document_table *table, unsigned view, const char *label,
                      struct buf *out)
{
    buf_add_text(out, "\\begin{table}[htbp]\n\\centering\\footnotesize\n");
    add_caption(table, label, "", out);
    buf_add_text(out, "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n"
                      "\\begin{tabular}{");
    add_columns(table, view, out);
    buf_add_text(out, "}\n\\toprule\n");
    add_heading(table, view, out);
    buf_add_text(out, "\\midrule\n");
    add_rows(table, view, out);
    buf_add_text(out, "\\bottomrule\n\\end{tabular}}\n");
    add_note(table, out);
    buf_add_text(out, "\\end{table}\n");
}

/* A list of facts has neither heading nor caption. */
static void add_list(const struct document_table *table, unsigned view, struct buf *out)
{
    buf_add_text(out, "\\par\\medskip\\noindent{\\footnotesize\n"
                      "\\begin{tabular}{@{}>{\\raggedright}p{0.2\\linewidth}"
                      ">{\\raggedright}p{0.74\\linewidth}@{}}\n\\toprule\n");
    add_rows(table, view, out);
    buf_add_text(out, "\\bottomrule\n\\end{tabular}\\par}\\medskip\n");
}

static void add_long(const struct document_table *table, unsigned view, const char *label,
                     struct buf *out)
{
    bool is_wide = count_columns(table, view) > WIDE_COLUMN_COUNT;

    buf_addf(out, "%s{\\scriptsize\\setlength{\\tabcolsep}{2.5pt}\n\\begin{longtable}{",
             is_wide ? "\\begin{landscape}" : "");
    add_columns(table, view, out);
    buf_add_text(out, "}\n");
    add_caption(table, label, " \\tabularnewline", out);
    buf_add_text(out, "\\toprule\n");
    add_heading(table, view, out);
    buf_add_text(out, "\\midrule\n\\endfirsthead\n\\toprule\n");
    add_heading(table, view, out);
    buf_add_text(out, "\\midrule\n\\endhead\n\\bottomrule\n\\endfoot\n");
    add_rows(table, view, out);
    buf_add_text(out, "\\end{longtable}\n");
    add_note(table, out);
    buf_add_text(out, is_wide ? "}\\end{landscape}\n" : "}\n");
}

void render_latex_table(const struct document_table *table, unsigned view, const char *label,
                        struct buf *out)
{
    buf_add_text(
        out, "% needs \\usepackage[T1]{fontenc}, textcomp, array, booktabs, longtable, graphicx, "
             "lscape\n");
    if (table->is_list && !table->caption) {
        add_list(table, view, out);
    } else if (table->row_count > FLOAT_ROWS_MAX) {
        add_long(table, view, label, out);
    } else {
        add_float(table, view, label, out);
    }
}
