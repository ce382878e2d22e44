// SPDX-License-Identifier: Apache-2.0
// Every table of the pages as a LaTeX file, and latex/all.tex, which shows them.
#include <stdio.h>
#include <string.h>

#include "report/forms/form.h"
#include "report/render/render.h"
#include "report/render/walk.h"

#define NAME_BYTES 160

struct latex {
    const struct form_folder *folder;
    struct buf all, names; /* all.tex; the names of the tables so far, each between two '/' */
    enum err_code code;
    struct err *e;
};

/* "comparisons"; its second view is "comparisons-2". */
static void take_name(struct latex *latex, const char *name, char out[NAME_BYTES])
{
    char marked[NAME_BYTES + 2];

    snprintf(out, NAME_BYTES, "%s", name);
    snprintf(marked, sizeof(marked), "/%s/", out);
    for (int copy = 2; strstr(latex->names.bytes, marked); copy++) {
        snprintf(out, NAME_BYTES, "%s-%d", name, copy);
        snprintf(marked, sizeof(marked), "/%s/", out);
    }
    buf_add_text(&latex->names, marked);
}

static void on_table(struct walk *walk, const struct document_table *table, unsigned view)
{
    struct latex *latex = walk->context;
    char name[NAME_BYTES], path[NAME_BYTES + 16];

    if (latex->code != ERR_OK || table->row_count == 0) {
        return;
    }
    take_name(latex, table->name, name);
    snprintf(path, sizeof(path), "latex/%s.tex", name);
    buf_clear(walk->out);
    render_latex_table(table, view, name, walk->out);
    latex->code = form_write(latex->folder, path, walk->out, latex->e);
    buf_addf(&latex->all, "\\input{%s}\\clearpage\n", name);
}

enum err_code form_latex(struct compose *compose, struct form_folder *folder, struct err *e)
{
    static const struct walk_form form = {.table = on_table};
    struct latex latex = {.folder = folder, .code = ERR_OK, .e = e};
    struct buf out;

    buf_init(&out, FORM_BYTES_MAX);
    buf_init(&latex.all, FORM_BYTES_MAX);
    buf_init(&latex.names, FORM_BYTES_MAX);
    buf_add_text(&latex.all, "\\documentclass{article}\n\\usepackage[T1]{fontenc}\n"
                             "\\usepackage[utf8]{inputenc}\n\\usepackage{textcomp}\n"
                             "\\usepackage{array,booktabs,longtable,graphicx,lscape}\n"
                             "\\usepackage[margin=2cm]{geometry}\n\\begin{document}\n");
    walk_document(&(struct walk){
        .form = &form, .document = compose->document, .out = &out, .context = &latex});
    buf_add_text(&latex.all, "\\end{document}\n");
    if (latex.code == ERR_OK) {
        latex.code = form_write(folder, "latex/all.tex", &latex.all, e);
    }
    buf_release(&latex.names);
    buf_release(&latex.all);
    buf_release(&out);
    return latex.code;
}
