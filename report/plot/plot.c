// SPDX-License-Identifier: Apache-2.0
// Figures: what goes into scripts and data files, and what is done with the pictures.
#include "report/plot/plot.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/asset.h"
#include "engines/base/fs.h"
#include "report/plot/gnuplot.h"
#include "report/plot/plot_svg.h"
#include "report/render/number.h"
#include "report/render/text_safe.h"

#define DATA_BYTES_MAX     ((size_t)64 << 20)
#define SCRIPT_BYTES_MAX   ((size_t)1 << 20)
#define SVG_BYTES_MAX      ((size_t)64 << 20)
#define LABEL_COLUMN_COUNT 36
#define PNG_SCALE          2
#define DRAW_ALL           "all" /* and the width: the script that has every picture for paper drawn */
#define PATH_BYTES         4096
#define LABEL_BYTES        120

void plot_init(struct plot *plot, const char *name, const char *script)
{
    *plot = (struct plot){.name = name,
                          .script = script,
                          .width_px = 960,
                          .height_px = 400,
                          .label_columns = LABEL_COLUMN_COUNT};
    buf_init(&plot->variables, SCRIPT_BYTES_MAX);
    buf_init(&plot->data, DATA_BYTES_MAX);
    buf_init(&plot->svg, SVG_BYTES_MAX);
}

void plot_release(struct plot *plot)
{
    buf_release(&plot->variables);
    buf_release(&plot->data);
    buf_release(&plot->svg);
}

static void add_number(struct buf *out, double value)
{
    char text[NUMBER_TEXT_BYTES];

    buf_add_text(out, isfinite(value) ? number_format_plain(value, text) : "NaN");
}

void plot_set_number(struct plot *plot, const char *name, double value)
{
    buf_addf(&plot->variables, "%s = 1.0*", name); /* real: whole numbers would divide as such */
    add_number(&plot->variables, value);
    buf_add_char(&plot->variables, '\n');
}

void plot_set_text(struct plot *plot, const char *name, const char *text)
{
    buf_addf(&plot->variables, "%s = ", name);
    text_add_gnuplot(&plot->variables, text, 200);
    buf_add_char(&plot->variables, '\n');
}

void plot_set_numbers(struct plot *plot, const char *name, const double *values, size_t count)
{
    buf_addf(&plot->variables, "array %s[%zu]\n", name, count);
    for (size_t i = 0; i < count; i++) {
        buf_addf(&plot->variables, "%s[%zu] = ", name, i + 1);
        add_number(&plot->variables, values[i]);
        buf_add_char(&plot->variables, '\n');
    }
}

void plot_set_texts(struct plot *plot, const char *name, const char *const *texts, size_t count)
{
    buf_addf(&plot->variables, "array %s[%zu]\n", name, count);
    for (size_t i = 0; i < count; i++) {
        buf_addf(&plot->variables, "%s[%zu] = ", name, i + 1);
        text_add_gnuplot(&plot->variables, texts[i], plot->label_columns);
        buf_add_char(&plot->variables, '\n');
    }
}

void plot_add_row(struct plot *plot, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            buf_add_char(&plot->data, '\t');
        }
        add_number(&plot->data, values[i]);
    }
    buf_add_char(&plot->data, '\n');
}

void plot_end_line(struct plot *plot)
{
    buf_add_char(&plot->data, '\n');
}

void plot_end_block(struct plot *plot)
{
    buf_add_text(&plot->data, "\n\n");
}

/* Fixed colours that stand out 3:1 against white (Okabe and Ito; grey for the sixth), each with a
 * dash and a mark of its own. */
static const char prologue[] = "set encoding utf8\n"
                               "set decimalsign '.'\n"
                               "unset timestamp\n"
                               "set pointintervalbox 0.001\n" /* whiskers go on under their marks */
                               "set key noenhanced\n"
                               "set linetype 1 lc rgb '#0072B2' dt 1 pt 7\n"
                               "set linetype 2 lc rgb '#D55E00' dt 2 pt 5\n"
                               "set linetype 3 lc rgb '#009E73' dt 4 pt 9\n"
                               "set linetype 4 lc rgb '#AA4499' dt 3 pt 13\n"
                               "set linetype 5 lc rgb '#000000' dt 5 pt 11\n"
                               "set linetype 6 lc rgb '#666666' dt 6 pt 3\n";

/* The script with its labels, "{{seconds}}", as strings in the document's language. */
static void add_body(const struct plot *plot, const struct asset *body, struct buf *out)
{
    const char *at = body->bytes, *open;

    while ((open = strstr(at, "{{")) != NULL) {
        const char *close = strstr(open, "}}");
        char label[LABEL_BYTES];

        assert(close && close - open < LABEL_BYTES);
        snprintf(label, sizeof(label), "%.*s", (int)(close - open - 2), open + 2);
        buf_add(out, at, (size_t)(open - at));
        text_add_gnuplot(out, plot->document ? document_tr(plot->document, label) : label,
                         LABEL_BYTES);
        at = close + 2;
    }
    buf_add_text(out, at);
}

/* Over everything, in every panel at the same place. */
static void add_mark(const struct plot *plot, struct buf *out)
{
    if (plot->mark) {
        buf_add_text(out, "set label 100000 ");
        text_add_gnuplot(out, plot->mark, LABEL_BYTES);
        buf_add_text(out, " at screen 1 - 8 / width_px, screen 1 - 10 / height_px right noenhanced "
                          "textcolor rgb '#A83200' front\n");
    }
}

/* One terminal, the same marks in each. Rows that stand close have a smaller font, in each terminal
 * by as much. */
static void add_terminal(const struct plot *plot, struct buf *out)
{
    buf_addf(out,
             "set terminal svg size %u,%u noenhanced font 'DejaVu Sans,12' background '#ffffff' "
             "name '",
             plot->width_px, plot->height_px);
    for (const char *at = plot->name; *at; at++) {
        buf_add_char(out, *at == '-' ? '_' : *at); /* as gnuplot wants an id */
    }
    buf_addf(out, "'\nset output '%s.svg'\nrow_font = ',10'\n", plot->name);
}

/* Of three terminals the one that is asked for. */
static void add_paper_terminals(const struct plot *plot, struct buf *out)
{
    buf_add_text(out, "format = ARGC > 0 ? ARG1 : 'svg'\nif (format eq 'svg') {\n");
    add_terminal(plot, out);
    buf_add_text(out, "}\n");
    buf_addf(
        out,
        "if (format eq 'pdf') {\n    set terminal pdfcairo size %.2fcm,%.2fcm noenhanced font "
        "'DejaVu Sans,8' fontscale 0.75 linewidth 0.67 "
        "pointscale 0.85 background '#ffffff'\n    set output '%s.pdf'\n    row_font = ',6.7'\n}\n",
        plot->width_px * PLOT_PAPER_MM_PER_PX / 10, plot->height_px * PLOT_PAPER_MM_PER_PX / 10,
        plot->name);
    buf_addf(out,
             "if (format eq 'png') {\n    set terminal pngcairo size %u,%u noenhanced font "
             "'DejaVu Sans,9' fontscale %d linewidth %d pointscale %d background '#ffffff'\n"
             "    set output '%s.png'\n    row_font = ',7.5'\n}\n",
             plot->width_px * PNG_SCALE, plot->height_px * PNG_SCALE, PNG_SCALE, PNG_SCALE,
             PNG_SCALE, plot->name);
}

static void add_script(const struct plot *plot, struct buf *out)
{
    const struct asset *body = asset_find(plot->script);

    assert(body);
    if (plot->is_paper) {
        buf_addf(out,
                 "# gnuplot -d -c %s.gp svg|pdf|png, run in this folder, draws %s.svg, .pdf or "
                 ".png from %s.tsv.\nreset\n",
                 plot->name, plot->name, plot->name);
    } else {
        buf_addf(out,
                 "# gnuplot -d %s.gp, run in this folder, draws %s.svg from %s.tsv.\n"
                 "reset session\n",
                 plot->name, plot->name, plot->name);
    }
    buf_addf(out, "%s%s", prologue,
             plot->document && plot->document->catalogue ? "set decimalsign ','\n" : "");
    if (plot->is_paper) {
        add_paper_terminals(plot, out);
    } else {
        add_terminal(plot, out);
    }
    buf_addf(out, "data = '%s.tsv'\nwidth_px = %u.0\nheight_px = %u.0\n", plot->name,
             plot->width_px, plot->height_px);
    buf_add(out, plot->variables.bytes, plot->variables.length);
    out->failed = out->failed || plot->variables.failed;
    add_mark(plot, out);
    add_body(plot, body, out);
    buf_add_text(out, "unset output\n");
}

static enum err_code file_path(const char *folder, const char *name, const char *extension,
                               char out[PATH_BYTES], struct err *e)
{
    if (snprintf(out, PATH_BYTES, "%s/%s.%s", folder, name, extension) >= PATH_BYTES) {
        return err_set(e, ERR_LIMIT, "path of %s.%s is too long", name, extension);
    }
    return ERR_OK;
}

static enum err_code write_buf(const char *folder, const char *name, const char *extension,
                               const struct buf *content, struct err *e)
{
    char path[PATH_BYTES];

    if (buf_check(content, name, e) != ERR_OK ||
        file_path(folder, name, extension, path, e) != ERR_OK) {
        return e ? e->code : ERR_LIMIT;
    }
    return fs_write_derived(path, content->bytes, content->length, e);
}

static const char *const picture_formats[] = {"svg", "pdf", "png"};

/* An earlier picture would pass for this session's, and a link would be written through. */
static enum err_code remove_pictures(const struct plot *plot, const char *folder, struct err *e)
{
    char picture[PATH_BYTES];

    for (size_t i = 0; i < (plot->is_paper ? ARRAY_COUNT(picture_formats) : 1); i++) {
        enum err_code code = file_path(folder, plot->name, picture_formats[i], picture, e);

        if (code != ERR_OK) {
            return code;
        }
        if (unlink(picture) != 0 && errno != ENOENT) {
            return err_set_sys(e, "%s", picture);
        }
    }
    return ERR_OK;
}

static enum err_code write_inputs(const struct plot *plot, const char *folder, struct err *e)
{
    struct buf script;
    enum err_code code = remove_pictures(plot, folder, e);

    if (code != ERR_OK) {
        return code;
    }
    buf_init(&script, SCRIPT_BYTES_MAX);
    add_script(plot, &script);
    code = write_buf(folder, plot->name, "gp", &script, e);
    if (code == ERR_OK) {
        code = write_buf(folder, plot->name, "tsv", &plot->data, e);
    }
    buf_release(&script);
    return code;
}

/* A picture for paper has its size in millimetres; its coordinates stay. */
static void set_paper_size(const struct plot *plot, const struct buf *finished, struct buf *out)
{
    char size[80];

    snprintf(size, sizeof(size), "width=\"%u\" height=\"%u\"", plot->width_px, plot->height_px);
    const char *at = finished->failed ? NULL : strstr(finished->bytes, size);
    if (!at) {
        buf_add(out, finished->bytes, finished->length);
        return;
    }
    buf_add(out, finished->bytes, (size_t)(at - finished->bytes));
    buf_addf(out, "width=\"%.1fmm\" height=\"%.1fmm\"", plot->width_px * PLOT_PAPER_MM_PER_PX,
             plot->height_px * PLOT_PAPER_MM_PER_PX);
    buf_add_text(out, at + strlen(size));
}

/* What gnuplot drew. */
static enum err_code read_picture(const struct plot *plot, const char *folder, const char *format,
                                  struct buf *out, char path_out[PATH_BYTES], struct err *e)
{
    enum err_code code = file_path(folder, plot->name, format, path_out, e);

    if (code == ERR_OK && !fs_exists(path_out)) {
        return err_set(e, ERR_FORMAT, "gnuplot ended with 0 and drew no %s.%s", plot->name, format);
    }
    return code == ERR_OK ? fs_read_file(path_out, out, e) : code;
}

/* gnuplot's picture, checked and without the version of gnuplot in it. */
static enum err_code take_picture(struct plot *plot, const char *folder, struct err *e)
{
    char path[PATH_BYTES];
    struct buf raw;

    buf_init(&raw, SVG_BYTES_MAX);
    enum err_code code = read_picture(plot, folder, "svg", &raw, path, e);
    if (code == ERR_OK) {
        struct buf *finished = &plot->svg;

        code = plot_svg_finish(raw.bytes, raw.length, plot->name, finished, e);
        if (code == ERR_OK && plot->is_paper) {
            buf_clear(&raw);
            set_paper_size(plot, finished, &raw);
            buf_clear(finished);
            buf_add(finished, raw.bytes, raw.length);
            code = buf_check(finished, plot->name, e);
        }
    }
    if (code == ERR_OK) {
        code = fs_write_derived(path, plot->svg.bytes, plot->svg.length, e);
    }
    buf_release(&raw);
    return code;
}

/* cairo writes when a PDF was made: the one thing that differs from run to run. */
static enum err_code take_document(const struct plot *plot, const char *folder, struct err *e)
{
    static const char key[] = "/CreationDate (D:", zero[] = "19700101000000";
    char path[PATH_BYTES];
    struct buf raw;

    buf_init(&raw, SVG_BYTES_MAX);
    enum err_code code = read_picture(plot, folder, "pdf", &raw, path, e);
    char *at = code == ERR_OK ? memmem(raw.bytes, raw.length, key, sizeof(key) - 1) : NULL;
    if (at && (size_t)(raw.bytes + raw.length - at) > sizeof(key) + sizeof(zero)) {
        for (size_t i = 0; i < sizeof(zero) - 1; i++) {
            at[sizeof(key) - 1 + i] = zero[i];
        }
        code = fs_write_derived(path, raw.bytes, raw.length, e);
    } else if (code == ERR_OK) {
        code = err_set(e, ERR_FORMAT, "gnuplot's %s.pdf does not say when it was made", plot->name);
    }
    buf_release(&raw);
    return code;
}

static enum err_code check_points(const struct plot *plot, const char *folder, struct err *e)
{
    char path[PATH_BYTES];
    struct buf raw;

    buf_init(&raw, SVG_BYTES_MAX);
    enum err_code code = read_picture(plot, folder, "png", &raw, path, e);
    buf_release(&raw);
    return code;
}

/* The script that has all of them drawn, each in every format. */
static enum err_code write_driver(const char *name, const struct plot *plots, size_t plot_count,
                                  const char *folder, struct err *e)
{
    struct buf script;

    buf_init(&script, SCRIPT_BYTES_MAX);
    buf_addf(&script, "# gnuplot -d %s.gp, run in this folder, draws its pictures.\n", name);
    for (size_t i = 0; i < plot_count; i++) {
        for (size_t k = 0; k < ARRAY_COUNT(picture_formats); k++) {
            buf_addf(&script, "call '%s.gp' '%s'\n", plots[i].name, picture_formats[k]);
        }
    }
    enum err_code code = write_buf(folder, name, "gp", &script, e);
    buf_release(&script);
    return code;
}

static enum err_code draw_paper(struct plot *plots, size_t plot_count, const char *folder,
                                const char *program, unsigned quiet_ms, bool *available_out,
                                struct err *e)
{
    const char *width = strrchr(plots[0].name, '-');
    char driver[80];
    const char *const names[] = {driver};

    snprintf(driver, sizeof(driver), DRAW_ALL "%s", width ? width : "");
    enum err_code code = write_driver(driver, plots, plot_count, folder, e);

    if (code == ERR_OK) {
        code = gnuplot_run(program, folder, names, 1, quiet_ms, available_out, e);
    }
    for (size_t i = 0; i < plot_count && code == ERR_OK && *available_out; i++) {
        code = take_picture(&plots[i], folder, e);
        if (code == ERR_OK) {
            code = take_document(&plots[i], folder, e);
        }
        if (code == ERR_OK) {
            code = check_points(&plots[i], folder, e);
        }
    }
    return code;
}

static enum err_code draw_all(struct plot *plots, size_t plot_count, const char *folder,
                              const char *program, unsigned quiet_ms, bool *available_out,
                              struct err *e)
{
    const char **names = calloc(plot_count + 1, sizeof(*names));
    enum err_code code;

    if (!names) {
        return err_set(e, ERR_LIMIT, "no memory for the figures");
    }
    for (size_t i = 0; i < plot_count; i++) {
        names[i] = plots[i].name;
    }
    code = gnuplot_run(program, folder, names, plot_count, quiet_ms, available_out, e);
    free(names);
    for (size_t i = 0; i < plot_count && code == ERR_OK && *available_out; i++) {
        code = take_picture(&plots[i], folder, e);
    }
    return code;
}

enum err_code plot_draw(struct plot *plots, size_t plot_count, const char *folder,
                        const char *program, unsigned quiet_ms, bool *available_out, struct err *e)
{
    struct err own;
    bool available = false;

    e = e ? e : &own;
    if (fs_make_directories(folder, e) != ERR_OK) {
        return e->code;
    }
    for (size_t i = 0; i < plot_count; i++) {
        if (write_inputs(&plots[i], folder, e) != ERR_OK) {
            return e->code;
        }
    }
    enum err_code code = ERR_OK;
    if (plot_count > 0) {
        code = (plots[0].is_paper ? draw_paper : draw_all)(plots, plot_count, folder, program,
                                                           quiet_ms, &available, e);
    }
    for (size_t i = 0; i < plot_count && code == ERR_FORMAT; i++) {
        buf_clear(&plots[i].svg);
        if (remove_pictures(&plots[i], folder, NULL) != ERR_OK) {
            break; /* what went wrong first is what is told */
        }
    }
    if (code == ERR_OK) {
        *available_out = available || plot_count == 0;
    }
    return code;
}
