// SPDX-License-Identifier: Apache-2.0
// Two sittings: what moved, what cannot be compared and why, and that they are two.
#include "report/compose/compose_sittings.h"

#include <math.h>
#include <string.h>

#include "engines/base/clock.h"
#include "report/compose/compose_metrics.h"
#include "report/compose/compose_parts.h"
#include "report/render/document_language.h"
#include "report/render/number.h"

enum row_column {
    ENGINE,
    WORKLOAD,
    CONNECTIONS,
    METRIC,
    UNIT,
    A_VALUE,
    B_VALUE,
    RATIO,
    P,
    VERDICT_WORD,
    ROW_COLUMN_COUNT
};
static const struct document_column row_columns[ROW_COLUMN_COUNT] = {
    [ENGINE] = COMPOSE_PLACE_COLUMNS,
    [METRIC] = {"metric", NULL, "metric", .views = 1},
    [UNIT] = {"metric_unit", NULL, "unit", .views = 1},
    [A_VALUE] = {"a", NULL, "A", .number = DOCUMENT_SIGNIFICANT, .views = 1, .has_interval = true},
    [B_VALUE] = {"b", NULL, "B", .number = DOCUMENT_SIGNIFICANT, .views = 1, .has_interval = true},
    [RATIO] = {"ratio_b_over_a", "1", "B/A", .number = DOCUMENT_SIGNIFICANT, .views = 1,
               .has_interval = true},
    [P] = {"p_adjusted", "1", "p", .number = DOCUMENT_SIGNIFICANT, .precision = 2, .views = 1},
    [VERDICT_WORD] = {"verdict", NULL, "verdict", .views = 1},
};

enum obstacle_column { KIND, NAME, IN_A, IN_B, OBSTACLE_COLUMN_COUNT };
static const struct document_column obstacle_columns[OBSTACLE_COLUMN_COUNT] = {
    [KIND] = {"kind", NULL, "what differs", .views = 1},
    [NAME] = {"name", NULL, "name", .views = 1, .precision = 40},
    [IN_A] = {"a", NULL, "A", .views = 1, .precision = 80},
    [IN_B] = {"b", NULL, "B", .views = 1, .precision = 80},
};

static const char notes[] =
    "Two sittings, compared as independent samples: Welch's t on the logarithms of the trials' "
    "values. p: Holm over the throughputs, Benjamini and Hochberg over all other metrics, which "
    "are exploratory and get no verdict. What moved may be the engine, the machine or the hour: "
    "only engines within one session are compared with each other.";

static const struct results_engine *engine_of(const struct sittings *sittings,
                                              const struct sitting_row *row)
{
    return &sittings->a->results->engines[row->a->engine_index];
}

static void add_row(const struct sittings *sittings, const struct sitting_row *row,
                    struct document_table *table)
{
    const struct results *results = sittings->a->results;
    const struct results_cell *cell = &results->cells[row->a->cell_index];
    double scale = compose_metric_scale(row->metric);
    struct document_cell *cells = document_add_row(table);

    document_set_text(cells, ENGINE, engine_of(sittings, row)->name);
    document_set_text(cells, WORKLOAD, results->workloads[cell->workload_index].name);
    document_set_integer(cells, CONNECTIONS, cell->connection_count);
    document_set_sentence(cells, METRIC, compose_metric_name(row->metric));
    document_set_sentence(cells, UNIT, compose_metric_unit(row->metric));
    document_set_estimate(cells, A_VALUE,
                          (const double[3]){row->a_value.value * scale, row->a_value.low * scale,
                                            row->a_value.high * scale},
                          row->a_value.count);
    document_set_estimate(cells, B_VALUE,
                          (const double[3]){row->b_value.value * scale, row->b_value.low * scale,
                                            row->b_value.high * scale},
                          row->b_value.count);
    document_set_estimate(cells, RATIO,
                          (const double[3]){row->ratio.value, row->ratio.low, row->ratio.high},
                          row->ratio.count);
    document_set_number(cells, P, row->p);
    document_set_sentence(cells, VERDICT_WORD,
                          row->verdict == VERDICT_NONE      ? "exploratory"
                          : row->verdict == VERDICT_TOO_FEW ? "too few trials"
                                                            : verdict_names[row->verdict]);
}

static void add_sitting(struct document *document, const char *name,
                        const struct analysis *analysis, const char *fingerprint)
{
    char started[CLOCK_TEXT_BYTES];

    clock_format_utc(analysis->results->started_utc_ns, started);
    document_add(document, &document->lead, DOCUMENT_ITEM,
                 document_format(document, "%s: session %s of %s, %s; plan %.16s…, machine %.16s….",
                                 name, document_name(document, analysis->results->session_uid),
                                 started, document_tr(document, trust_names[analysis->trust]),
                                 analysis->results->plan_digest, fingerprint));
}

/* The calibration engine does the same in both: its ratio is the machine's own. */
static void add_shift(const struct sittings *sittings, struct document *document)
{
    for (size_t i = 0; i < sittings->row_count; i++) {
        const struct sitting_row *row = &sittings->rows[i];
        char text[NUMBER_TEXT_BYTES];

        if (row->metric != PLAN_METRIC_THROUGHPUT ||
            strcmp(engine_of(sittings, row)->role, "limit") != 0) {
            continue;
        }
        number_format_estimate(row->ratio.value, row->ratio.low, row->ratio.high, "\xc3\x97", text);
        document_add(
            document, &document->lead, DOCUMENT_ITEM,
            document_format(
                document,
                "The limit engine at %lld connections went to %s: so much did "
                "the machine itself move.",
                (long long)sittings->a->results->cells[row->a->cell_index].connection_count, text));
    }
}

static void add_lead(const struct sittings *sittings, struct document *document)
{
    document_add(document, &document->lead, DOCUMENT_NOTICE,
                 sittings->is_comparable
                     ? "Two sittings, not one: between them the machine and the hour changed as "
                       "well."
                     : "These two files cannot be compared: see what differs.")
        ->tone = DOCUMENT_CAUTION;
    add_sitting(document, "A", sittings->a, sittings->a_fingerprint);
    add_sitting(document, "B", sittings->b, sittings->b_fingerprint);
    add_shift(sittings, document);
}

/* Words of ours, or what a file says. */
static void set_value(const struct sitting_obstacle *obstacle, size_t column, const char *value,
                      struct document_cell *cells)
{
    bool is_ours = obstacle->kind == SITTING_MISSING || obstacle->kind == SITTING_UNFIT;

    (is_ours ? document_set_sentence : document_set_text)(cells, column, value ? value : "");
}

static void add_tables(const struct sittings *sittings, struct document *document)
{
    struct document_section *section = NULL;
    struct document_table *rows =
        document_new_table(document, "sittings", NULL, row_columns, ROW_COLUMN_COUNT);
    struct document_table *obstacles =
        document_new_table(document, "obstacles", NULL, obstacle_columns, OBSTACLE_COLUMN_COUNT);

    for (size_t i = 0; i < sittings->row_count; i++) {
        add_row(sittings, &sittings->rows[i], rows);
    }
    for (size_t i = 0; i < sittings->obstacle_count; i++) {
        const struct sitting_obstacle *obstacle = &sittings->obstacles[i];
        struct document_cell *cells = document_add_row(obstacles);

        document_set_sentence(cells, KIND, sitting_obstacle_names[obstacle->kind]);
        document_set_text(cells, NAME, obstacle->name ? obstacle->name : "");
        set_value(obstacle, IN_A, obstacle->a, cells);
        set_value(obstacle, IN_B, obstacle->b, cells);
    }
    rows->note = notes;
    if (sittings->is_comparable) {
        section = document_add_section(document, "compared", "Compared");
        document_show_table(section, rows, DOCUMENT_VIEW_ALL);
    }
    section = document_add_section(document, "differs", "What differs or is left out");
    if (sittings->obstacle_count > 0) {
        document_show_table(section, obstacles, DOCUMENT_VIEW_ALL);
    } else {
        document_add(document, section, DOCUMENT_PARAGRAPH, "Nothing.");
    }
}

enum err_code compose_sittings(const struct sittings *sittings, const char *language,
                               struct document **document_out, struct err *e)
{
    struct document *document = document_new();

    if (!document) {
        return err_set(e, ERR_LIMIT, "no memory for the comparison");
    }
    if (document_set_language(document, language, e) != ERR_OK) {
        document_free(document);
        return e->code;
    }
    document->title = document_format(document, "%s", sittings->a->results->title);
    document->program = document_format(document, "%s", sittings->a->results->program_version);
    document->word = sittings->is_comparable ? "COMPARED" : "NOT_COMPARABLE";
    document->tone = DOCUMENT_CAUTION;
    add_lead(sittings, document);
    add_tables(sittings, document);
    document_finish(document);
    if (document_check(document, e) != ERR_OK) {
        document_free(document);
        return ERR_LIMIT;
    }
    *document_out = document;
    return ERR_OK;
}
