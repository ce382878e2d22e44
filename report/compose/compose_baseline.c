// SPDX-License-Identifier: Apache-2.0
// What differs between the machine of this session and that of an earlier one.
#include "report/compose/compose_baseline.h"

#include <string.h>

#include "engines/base/clock.h"
#include "report/compose/compose_parts.h"
#include "report/judge/surroundings.h"

enum column { NAME, THERE, HERE, MATTERS, COLUMN_COUNT };

static const struct document_column columns[COLUMN_COUNT] = {
    [NAME] = {"name", NULL, "fact", .views = 1, .precision = 48},
    [THERE] = {"baseline", NULL, "baseline", .views = 1, .precision = 80},
    [HERE] = {"here", NULL, "here", .views = 1, .precision = 80},
    [MATTERS] = {"matters", NULL, "may move the numbers", .views = 1},
};

static void add_value(struct document_cell *cells, size_t column, const char *value)
{
    if (value) {
        document_set_text(cells, column, value);
    } else {
        document_set_sentence(cells, column, "unknown");
    }
}

/* First what matters, then what may, then the rest. */
static int rank(const struct surrounding *row)
{
    return !row->is_known ? 1 : (row->matters ? 0 : 2);
}

/* Counts the rows of each answer. */
static void add_rows(const struct surroundings *surroundings, struct document_table *table,
                     size_t counts_out[3])
{
    static const char *const words[] = {"yes", "cannot be said", "no"};
    for (int wanted = 0; wanted < 3; wanted++) {
        for (size_t i = 0; i < surroundings->count; i++) {
            const struct surrounding *row = &surroundings->rows[i];

            if (rank(row) != wanted) {
                continue;
            }
            struct document_cell *cells = document_add_row(table);
            document_set_text(cells, NAME, row->name);
            add_value(cells, THERE, row->published);
            add_value(cells, HERE, row->here);
            document_set_sentence(cells, MATTERS, words[wanted]);
            if (cells && wanted == 0) {
                cells[MATTERS].tone = DOCUMENT_CAUTION;
            }
            counts_out[wanted]++;
        }
    }
}

static void add_notice(struct document *document, struct document_section *section,
                       const char *text)
{
    document_add(document, section, DOCUMENT_NOTICE, text)->tone = DOCUMENT_CAUTION;
}

/* What makes the baseline a poor one. */
static enum err_code add_doubts(struct compose *compose, struct document_section *section,
                                const struct results *baseline, struct err *e)
{
    struct document *document = compose->document;
    struct analysis *analysis = NULL;
    enum err_code code = analysis_make(baseline, &analysis, e);

    if (code != ERR_OK) {
        return code;
    }
    if (strcmp(baseline->session_uid, compose->results->session_uid) == 0) {
        add_notice(document, section,
                   "The baseline session is this session itself: nothing can differ between the "
                   "two but what was changed in a file.");
    }
    if (analysis->trust == TRUST_UNFIT || analysis->trust == TRUST_NOTHING) {
        add_notice(document, section,
                   document_format(document,
                                   "The baseline session itself is %s: its numbers are not for "
                                   "quoting.",
                                   document_tr(document, trust_names[analysis->trust])));
    }
    if (strcmp(baseline->plan_digest, compose->results->plan_digest) != 0) {
        add_notice(document, section,
                   "The baseline session measured another plan: its numbers are not of the same "
                   "experiment.");
    }
    analysis_free(analysis);
    return ERR_OK;
}

enum err_code compose_baseline(struct compose *compose, const struct results *baseline,
                               struct err *e)
{
    struct document *document = compose->document;
    struct surroundings surroundings;
    char started[CLOCK_TEXT_BYTES];

    if (!baseline) {
        return ERR_OK;
    }
    if (surroundings_make(baseline, compose->results, &surroundings, e) != ERR_OK) {
        return ERR_LIMIT;
    }
    struct document_section *section = document_insert_section(
        document, "environment", "baseline", "What differs from the baseline session");
    struct document_table *table =
        document_new_table(document, "baseline_differences",
                           "Facts of the machines and programs that differ", columns, COLUMN_COUNT);
    size_t counts[3] = {0};

    add_rows(&surroundings, table, counts);

    clock_format_utc(baseline->started_utc_ns, started);
    document_add(document, section, counts[0] > 0 ? DOCUMENT_NOTICE : DOCUMENT_PARAGRAPH,
                 document_format(document,
                                 "The baseline is session %s of %s. Facts that differ: %zu; that "
                                 "may move the numbers: %zu; of which it cannot be said: %zu. "
                                 "Facts of the moment, such as load and "
                                 "free memory, are left out.",
                                 document_name(document, baseline->session_uid), started,
                                 surroundings.count, counts[0], counts[1]))
        ->tone = counts[0] > 0 ? DOCUMENT_CAUTION : DOCUMENT_PLAIN;
    if (table->row_count > 0) {
        document_show_table(section, table, 1);
    }
    surroundings_release(&surroundings);
    if (add_doubts(compose, section, baseline, e) != ERR_OK) {
        return e->code;
    }
    return document_check(document, e);
}
