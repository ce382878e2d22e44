// SPDX-License-Identifier: Apache-2.0
// The form that is figures: their numbers, scripts and data, and gnuplot's pictures.
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

#include "report/bundle/work_guard.h"
#include "report/compose/compose_parts.h"
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

/* Into plots/, or figures/ of an article, which writes the numbers of both its widths itself. */
static enum err_code draw(struct drawing *drawing)
{
    static const char *const programs[] = {[FORM_FIGURES_DRAWN] = NULL,
                                           [FORM_FIGURES_NONE] = NO_PROGRAM,
                                           [FORM_FIGURES_BLANK] = NO_PROGRAM};
    const struct form_folder *folder = &drawing->folder;
    struct compose *compose = drawing->compose;
    const char *program = folder->missing ? NO_PROGRAM : programs[folder->figures];
    struct err *e = &drawing->e;
    enum err_code code = ERR_OK;
    char path[PATH_MAX];

    if (snprintf(path, sizeof(path), "%s/%s", folder->path, compose_plot_folder(compose)) >=
        (int)sizeof(path)) {
        return err_set(e, ERR_LIMIT, "the path of figures is too long");
    }
    if (!compose->is_article) {
        code = write_numbers(compose, folder, e);
    }
    if (code == ERR_OK) {
        code = plot_draw(compose->plots, compose->plot_count, path, program, GNUPLOT_QUIET_MS,
                         &drawing->is_available, e);
    }
    if (code == ERR_OK && folder->figures == FORM_FIGURES_BLANK) {
        drawing->is_available = true;
        code = write_blanks(compose, folder, e);
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
    sigset_t before;

    *drawing = (struct drawing){.compose = compose, .folder = *folder};
    /* A signal's handler has the folder removed: it shall stop the thread that writes most. */
    work_guard_hold_signals(&before);
    drawing->has_thread = pthread_create(&drawing->thread, NULL, run, drawing) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!drawing->has_thread) {
        run(drawing);
    }
}

void form_take_pictures(struct compose *compose, const struct form_folder *folder)
{
    compose_take_pictures(compose, *folder->fault
                                       ? document_long_name(compose->document, folder->fault)
                                       : folder->missing);
}

static void miss_pictures(const struct drawing *drawing, struct form_folder *folder,
                          const char *missing, const char *fault, const char *remedy)
{
    folder->missing = missing;
    snprintf(folder->fault, sizeof(folder->fault), "%s", fault);
    snprintf(folder->notice, sizeof(folder->notice),
             "%s: the %s has no pictures, only their scripts and data; %s",
             *fault ? fault : missing, drawing->compose->is_article ? "article" : "report", remedy);
}

/* Figures are worth having, not worth losing the report for: what goes wrong in gnuplot is said in
 * the report. */
enum err_code drawing_end(struct drawing *drawing, struct form_folder *folder, struct err *e)
{
    if (drawing->has_thread) {
        pthread_join(drawing->thread, NULL);
    }
    if (drawing->code == ERR_FORMAT) {
        miss_pictures(drawing, folder, "gnuplot failed", drawing->e.text,
                      "mend or replace gnuplot and run this again");
    } else if (drawing->code != ERR_OK) {
        if (e) {
            *e = drawing->e;
        }
        return drawing->code;
    } else if (!drawing->is_available && !folder->missing) {
        miss_pictures(drawing, folder, "gnuplot is not installed", "",
                      "install it (Debian: gnuplot-nox) and run this again");
    }
    form_take_pictures(drawing->compose, folder);
    return ERR_OK;
}

enum err_code form_plots(struct compose *compose, struct form_folder *folder, struct err *e)
{
    struct drawing drawing;

    drawing_begin(&drawing, compose, folder);
    return drawing_end(&drawing, folder, e);
}
