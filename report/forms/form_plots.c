// SPDX-License-Identifier: Apache-2.0
// The form that is figures: their numbers, scripts and data, and gnuplot's pictures.
#include <limits.h>
#include <stdio.h>

#include "report/forms/drawing.h"
#include "report/plot/gnuplot.h"
#include "report/render/render.h"

#define NO_PROGRAM "/dev/null/gnuplot" /* nobody can put one there */

/* plots/NAME.csv: the numbers of each figure, tidy, for programs and so in English. */
static enum err_code write_numbers(const struct compose *reader, const struct form_folder *folder,
                                   struct err *e)
{
    const struct compose *compose = folder->english ? folder->english : reader;
    enum err_code code = ERR_OK;
    struct buf out;

    buf_init(&out, FORM_BYTES_MAX);
    for (size_t i = 0; i < compose->plot_count && code == ERR_OK; i++) {
        char name[128];

        if (!compose->figures[i]->table) {
            continue;
        }
        snprintf(name, sizeof(name), "plots/%s.csv", compose->plots[i].name);
        buf_clear(&out);
        render_csv(compose->figures[i]->table, &out);
        code = form_write(folder, name, &out, e);
    }
    buf_release(&out);
    return code;
}

/* plots/NAME.svg of each figure, an empty picture. */
static enum err_code write_blanks(struct compose *compose, const struct form_folder *folder,
                                  struct err *e)
{
    enum err_code code = ERR_OK;

    for (size_t i = 0; i < compose->plot_count && code == ERR_OK; i++) {
        struct plot *plot = &compose->plots[i];
        char name[128];

        snprintf(name, sizeof(name), "plots/%s.svg", plot->name);
        buf_add_text(&plot->svg, "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n");
        code = form_write(folder, name, &plot->svg, e);
    }
    return code;
}

static enum err_code draw(struct drawing *drawing)
{
    static const char *const programs[] = {[FORM_FIGURES_DRAWN] = NULL,
                                           [FORM_FIGURES_NONE] = NO_PROGRAM,
                                           [FORM_FIGURES_BLANK] = NO_PROGRAM};
    struct compose *compose = drawing->compose;
    struct err *e = &drawing->e;
    char path[PATH_MAX];

    if (snprintf(path, sizeof(path), "%s/plots", drawing->folder.path) >= (int)sizeof(path)) {
        return err_set(e, ERR_LIMIT, "the path of plots is too long");
    }
    enum err_code code = write_numbers(compose, &drawing->folder, e);

    if (code == ERR_OK) {
        code =
            plot_draw(compose->plots, compose->plot_count, path, programs[drawing->folder.figures],
                      GNUPLOT_QUIET_MS, &drawing->is_available, e);
    }
    if (code == ERR_OK && drawing->folder.figures == FORM_FIGURES_BLANK) {
        drawing->is_available = true;
        code = write_blanks(compose, &drawing->folder, e);
    }
    return code;
}

static void *run(void *self)
{
    struct drawing *drawing = self;

    drawing->code = draw(drawing);
    return NULL;
}

void drawing_begin(struct drawing *drawing, struct compose *compose,
                   const struct form_folder *folder)
{
    *drawing = (struct drawing){.compose = compose, .folder = *folder};
    drawing->has_thread = pthread_create(&drawing->thread, NULL, run, drawing) == 0;
    if (!drawing->has_thread) {
        run(drawing);
    }
}

/* Figures are worth having, not worth losing the report for: what goes wrong in gnuplot is said in
 * the report. */
enum err_code drawing_end(struct drawing *drawing, struct form_folder *folder, struct err *e)
{
    if (drawing->has_thread) {
        pthread_join(drawing->thread, NULL);
    }
    if (drawing->code == ERR_FORMAT) {
        folder->notice = "gnuplot failed: the report has no figures and says why";
        folder->missing = document_name(drawing->compose->document, drawing->e.text);
    } else if (drawing->code != ERR_OK) {
        if (e) {
            *e = drawing->e;
        }
        return drawing->code;
    } else if (!drawing->is_available) {
        folder->notice = "gnuplot is not installed: the report has no figures";
        folder->missing = "gnuplot is not installed";
    }
    compose_take_pictures(drawing->compose, folder->missing);
    return ERR_OK;
}

enum err_code form_plots(struct compose *compose, struct form_folder *folder, struct err *e)
{
    struct drawing drawing;

    drawing_begin(&drawing, compose, folder);
    return drawing_end(&drawing, folder, e);
}
