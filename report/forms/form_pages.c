// SPDX-License-Identifier: Apache-2.0
// The forms that show the whole document: figures, page, Markdown; and all of it as JSON.
#include <assert.h>
#include <limits.h>
#include <stdio.h>

#include "collector/asset.h"
#include "report/forms/form.h"
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

void form_take_pictures(struct compose *compose, const struct form_folder *folder)
{
    compose_take_pictures(compose, *folder->fault
                                       ? document_long_name(compose->document, folder->fault)
                                       : folder->missing);
}

static void miss_pictures(struct form_folder *folder, const char *what, const char *missing,
                          const char *fault, const char *remedy)
{
    folder->missing = missing;
    snprintf(folder->fault, sizeof(folder->fault), "%s", fault);
    snprintf(folder->notice, sizeof(folder->notice),
             "%s: the %s has no pictures, only their scripts and data; %s",
             *fault ? fault : missing, what, remedy);
}

enum err_code form_draw(struct compose *compose, struct form_folder *folder, const char *path,
                        const char *what, struct err *e)
{
    static const char *const programs[] = {[FORM_FIGURES_DRAWN] = NULL,
                                           [FORM_FIGURES_NONE] = NO_PROGRAM,
                                           [FORM_FIGURES_BLANK] = NO_PROGRAM};
    const char *program = folder->missing ? NO_PROGRAM : programs[folder->figures];
    bool available = false;
    enum err_code code = plot_draw(compose->plots, compose->plot_count, path, program,
                                   GNUPLOT_QUIET_MS, &available, e);

    if (code == ERR_OK && folder->figures == FORM_FIGURES_BLANK) {
        available = true;
        code = write_blanks(compose, folder, e);
    }
    if (code == ERR_FORMAT) {
        miss_pictures(folder, what, "gnuplot failed", e->text,
                      "mend or replace gnuplot and run this again");
        code = ERR_OK;
    } else if (code == ERR_OK && !available && !folder->missing) {
        miss_pictures(folder, what, "gnuplot is not installed", "",
                      "install it (Debian: gnuplot-nox) and run this again");
    }
    if (code == ERR_OK) {
        form_take_pictures(compose, folder);
    }
    return code;
}

enum err_code form_plots(struct compose *compose, struct form_folder *folder, struct err *e)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof(path), "%s/plots", folder->path) >= (int)sizeof(path)) {
        return err_set(e, ERR_LIMIT, "the path of plots is too long");
    }
    enum err_code code = write_numbers(compose, folder, e);
    return code == ERR_OK ? form_draw(compose, folder, path, "report", e) : code;
}

static enum err_code write_page(void (*render)(const struct document *, struct buf *),
                                const char *name, const struct compose *compose,
                                const struct form_folder *folder, struct err *e)
{
    struct buf out;

    buf_init(&out, FORM_BYTES_MAX);
    render(compose->document, &out);
    enum err_code code = form_write(folder, name, &out, e);
    buf_release(&out);
    return code;
}

enum err_code form_html(struct compose *compose, struct form_folder *folder, struct err *e)
{
    return write_page(render_html, "report.html", compose, folder, e);
}

enum err_code form_md(struct compose *compose, struct form_folder *folder, struct err *e)
{
    return write_page(render_markdown, "report.md", compose, folder, e);
}

static void render_wide(const struct document *document, struct buf *out)
{
    render_text(document, RENDER_TEXT_COLUMNS, out);
}

enum err_code form_text(struct compose *compose, struct form_folder *folder, struct err *e)
{
    return write_page(render_wide, "report.txt", compose, folder, e);
}

enum err_code form_json(struct compose *compose, struct form_folder *folder, struct err *e)
{
    struct buf out;

    buf_init(&out, FORM_BYTES_MAX);
    enum err_code code = render_json(compose->document, &out, e);
    if (code == ERR_OK) {
        code = form_write(folder, "report.json", &out, e);
    }
    if (code == ERR_OK) {
        const struct asset *schema = asset_find("report/render/templates/report.schema.json");

        assert(schema);
        buf_clear(&out);
        buf_add(&out, schema->bytes, schema->length);
        code = form_write(folder, "report.schema.json", &out, e);
    }
    buf_release(&out);
    return code;
}
