// SPDX-License-Identifier: Apache-2.0
// The form `plots` in two steps, for who writes other forms while gnuplot draws.
#ifndef REPORT_FORMS_DRAWING_H
#define REPORT_FORMS_DRAWING_H

#include <pthread.h>
#include <stdbool.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/forms/form.h"

/* Storage is the caller's. */
struct drawing {
    struct compose *compose;
    struct form_folder folder;
    pthread_t thread;
    bool has_thread;
    bool is_available; /* there is a gnuplot */
    enum err_code code;
    struct err e;
};

/*
 * A thread of its own writes and draws the figures; without one to be had that is done before this
 * returns. Until drawing_end nobody else touches the plots of `compose`, and its document only who
 * translates nothing.
 */
void drawing_begin(struct drawing *drawing, struct compose *compose,
                   const struct form_folder *folder);

/* Waits, and puts the pictures into `compose`, or why there are none; sets notice and missing of
 * `folder`. errors: of the files */
enum err_code drawing_end(struct drawing *drawing, struct form_folder *folder,
                          struct err *e) ATTR_MUST_USE;

#endif
