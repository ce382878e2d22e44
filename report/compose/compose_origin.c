// SPDX-License-Identifier: Apache-2.0
// How a session came about, where that takes something away from it: forced, by hand, in part.
#include <string.h>

#include "report/compose/compose_parts.h"
#include "report/query/results.h"

static void add_mode(struct compose *compose)
{
    struct document *document = compose->document;
    const struct results *results = compose->results;
    const char *mode = results_find_fact(results, "start", "session.mode");
    const char *forced = results_find_fact(results, "start", "session.forced");

    forced = forced ? forced : results_find_fact(results, "end", "session.forced");
    if (forced) {
        document_add(document, &document->lead, DOCUMENT_NOTICE,
                     document_format(document,
                                     "Forced: this machine was measured although the preflight "
                                     "refuses it (%s). What is refused is below.",
                                     forced))
            ->tone = DOCUMENT_CAUTION;
    }
    if (mode && strcmp(mode, "drive") == 0) {
        document_add(document, &document->lead, DOCUMENT_NOTICE,
                     "One load of tacho drive, on a server that ran already: a single trial is "
                     "described, and compared with nothing.")
            ->tone = DOCUMENT_CAUTION;
    }
}

static void add_selection(struct compose *compose)
{
    size_t count = compose->analysis->left_out_count;
    const char *only = results_find_fact(compose->results, "start", "session.only");

    if (count) {
        document_add(compose->document, &compose->document->lead, DOCUMENT_NOTICE,
                     document_format(compose->document,
                                     "A part of its plan was run, with --only %s: of the plan's "
                                     "engines, counted in each cell, %zu were left out.",
                                     only ? document_long_name(compose->document, only) : "",
                                     count))
            ->tone = DOCUMENT_CAUTION;
    }
}

void compose_origin(struct compose *compose)
{
    add_mode(compose);
    add_selection(compose);
}
