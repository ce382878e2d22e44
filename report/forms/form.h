// SPDX-License-Identifier: Apache-2.0
// The table of the forms that a report can take: --format lists it, a bundle has all of them.
#ifndef REPORT_FORMS_FORM_H
#define REPORT_FORMS_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"
#include "report/compose/compose.h"

enum form_id {
#define FORM(name, ...) FORM_##name,
#include "report/forms/forms.def"
#undef FORM
    FORM_COUNT
};

/* A set of forms: a bit each. */
#define FORM_BIT(name)    (UINT64_C(1) << FORM_##name)
#define FORM_ALL          ((UINT64_C(1) << FORM_COUNT) - 1)
#define FORM_BYTES_MAX    ((size_t)256 << 20)
#define FORM_NOTICE_BYTES (ERR_TEXT_BYTES + 160)

/* What becomes of the pictures. */
enum form_figures {
    FORM_FIGURES_DRAWN, /* by gnuplot, if there is one */
    FORM_FIGURES_NONE,  /* as if there were no gnuplot */
    FORM_FIGURES_BLANK, /* empty ones, for comparing all else with a report that has pictures */
};

/* Where a form writes its files. */
struct form_folder {
    const char *path;
    enum form_figures figures;
    const struct compose *english;  /* whose numbers of figures are written; NULL: the reader's */
    char notice[FORM_NOTICE_BYTES]; /* a line for the person who asked; "": all is well */
    const char *missing;            /* static: why there are no pictures; NULL: there are */
    char fault[ERR_TEXT_BYTES];     /* the same in gnuplot's words; "": it said none */
};

/* As compose_take_pictures, with what the folder says of them. */
void form_take_pictures(struct compose *compose, const struct form_folder *folder);

struct form {
    const char *name, *first_file;
    bool is_for_reader; /* in the language asked for; else the document is the English one */
    const char *help;
    /* compose   pictures of `plots` are put into it */
    enum err_code (*write)(struct compose *compose, struct form_folder *folder, struct err *e);
};
extern const struct form forms[FORM_COUNT];

/* "html,md" becomes a set. errors ERR_USAGE: an unknown name, with those that are known */
enum err_code form_parse(const char *list, uint64_t *set_out, struct err *e) ATTR_MUST_USE;

/* Writes a file below the folder, which is made when missing; "tables/trials.csv" makes tables/. */
enum err_code form_write(const struct form_folder *folder, const char *name,
                         const struct buf *content, struct err *e) ATTR_MUST_USE;

#define FORM(name, ...)                                                                            \
    enum err_code form_##name(struct compose *compose, struct form_folder *folder, struct err *e);
#include "report/forms/forms.def"
#undef FORM

#endif
