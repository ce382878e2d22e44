// SPDX-License-Identifier: Apache-2.0
// The rows of an analysis as programs name them. Only for report/forms.
#ifndef REPORT_FORMS_FORM_ROWS_H
#define REPORT_FORMS_FORM_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/driver/histogram.h"
#include "report/compose/compose.h"

struct form_row {
    const struct analysis_row *row;
    const char *engine, *workload; /* clean UTF-8, else as they came */
    const char *name;              /* "ping/125/epoll": no two rows have the same */
    long long connection_count;
};

struct form_rows {
    struct form_row *items; /* in the document's memory, in the report's order */
    size_t count;
};

/* No rows when memory ran out; then the document has failed. */
struct form_rows form_rows_make(struct compose *compose);

/* The latencies of the row's counted trials in one histogram; NULL: there is none. They pool
 * requests: for looking at, not for intervals. */
const struct histogram *form_row_histogram(const struct compose *compose,
                                           const struct analysis_row *row);

/* False where no number may be carried away without its warning: an unfit session, or nothing. */
bool form_is_quotable(const struct compose *compose);

#endif
