// SPDX-License-Identifier: Apache-2.0
// What differs between the machines of two sessions, and whether it can be expected to matter.
#ifndef REPORT_JUDGE_SURROUNDINGS_H
#define REPORT_JUDGE_SURROUNDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/query/results.h"

struct surrounding {
    const char *name;             /* of the fact */
    const char *published, *here; /* NULL: not known */
    bool is_known;                /* on both sides; else nothing can be said */
    bool matters;                 /* it can be expected to move the numbers */
};

struct surroundings {
    struct surrounding *rows; /* facts that differ, in the order of their names */
    size_t count;
    bool same_class; /* the same model of CPU and as many: values in absolute units compare */
};

/* Facts of the moment (load, free memory, boot) are left out. errors ERR_LIMIT: memory */
enum err_code surroundings_make(const struct results *published, const struct results *here,
                                struct surroundings *surroundings_out, struct err *e) ATTR_MUST_USE;
void surroundings_release(struct surroundings *surroundings);

/* The same of differences that were recorded, when the other session is not there. */
bool surroundings_are_same_class(const struct surroundings *surroundings,
                                 const struct results *here);

/* Whether a fact of this name can be expected to move the numbers. */
bool surroundings_matter(const char *name);

#endif
