// SPDX-License-Identifier: Apache-2.0
// Published numbers as a document: what they are, what a careful reader notices, what was claimed,
// under which conditions.
#include "report/compose/compose_published.h"

#include <math.h>
#include <string.h>

#include "report/render/number.h"

#define LEAD_LITTLE_MAX 8

/* What the sections share. */
struct composing {
    struct document *document;
    const struct published_analysis *analysis;
    const struct published *published;
};

static struct document_section *add_section(const struct composing *c, const char *id,
                                            const char *title)
{
    return document_add_section(c->document, id, title);
}

static void add(const struct composing *c, struct document_section *section,
                enum document_kind kind, const char *text)
{
    document_add(c->document, section, kind, text);
}

static const char *name(const struct composing *c, const char *text)
{
    return document_name(c->document, text);
}

/* --- the first screen --- */

static enum document_tone word_tone(const struct composing *c)
{
    const char *word = published_word(c->analysis);

    return strcmp(word, "PLAUSIBLE") == 0       ? DOCUMENT_GOOD
           : strcmp(word, "CONTRADICTORY") == 0 ? DOCUMENT_BAD
                                                : DOCUMENT_CAUTION;
}

static void add_claim_items(const struct composing *c)
{
    for (size_t i = 0; i < c->published->claim_count; i++) {
        const struct published_claim *claim = &c->published->claims[i];
        enum published_claim_word word = c->analysis->claims[i].word;

        document_add(c->document, &c->document->lead, DOCUMENT_ITEM,
                     document_format(c->document, "Claim %s: %s By its own numbers: %s: %s.",
                                     name(c, claim->id),
                                     document_long_name(c->document, claim->text),
                                     compose_published_claim(c->document, c->analysis, i),
                                     document_tr(c->document, published_claim_words[word])))
            ->tone = published_claim_is_doubtful(c->analysis, i) ? DOCUMENT_CAUTION
                     : word == PUBLISHED_CLAIM_AGREES            ? DOCUMENT_GOOD
                     : word == PUBLISHED_CLAIM_NO_NUMBERS        ? DOCUMENT_PLAIN
                                                                 : DOCUMENT_CAUTION;
    }
}

/* One item for all workloads. */
static void add_runs(const struct composing *c)
{
    double least = (double)INFINITY, most = 0;

    for (size_t i = 0; i < c->published->workload_count; i++) {
        double runs = (double)c->published->workloads[i].run_count;

        least = runs < least ? runs : least;
        most = runs > most ? runs : most;
    }
    document_add(c->document, &c->document->lead, DOCUMENT_ITEM,
                 document_format(c->document, "Repetition: %s.",
                                 compose_published_runs(c->document, least, most)))
        ->tone = DOCUMENT_CAUTION;
}

static void add_check_item(const struct composing *c, const struct published_check *check)
{
    document_add(c->document, &c->document->lead, DOCUMENT_ITEM,
                 compose_published_check(c->document, c->analysis, check))
        ->tone = compose_published_tone(check->outcome);
}

/* Where Little's law holds: each by itself, or how many. Returns how many. */
static size_t add_little(const struct composing *c)
{
    size_t count = 0;

    for (size_t i = 0; i < c->analysis->check_count; i++) {
        const struct published_check *check = &c->analysis->checks[i];

        if (check->kind == PUBLISHED_CHECK_LITTLE && check->outcome <= PUBLISHED_NOTED) {
            count++;
            if (count <= LEAD_LITTLE_MAX) {
                add_check_item(c, check);
            }
        }
    }
    if (count > LEAD_LITTLE_MAX) {
        add(c, &c->document->lead, DOCUMENT_ITEM,
            document_format(c->document, "Little's law was tried on %zu more.",
                            count - LEAD_LITTLE_MAX));
    }
    return count;
}

static void add_lead(const struct composing *c)
{
    struct document *document = c->document;
    size_t told = c->published->workload_count;

    document_add(document, &document->lead, DOCUMENT_NOTICE,
                 "These numbers were published by somebody else and not measured here. What "
                 "follows holds them against each other and against what their own source claims.")
        ->tone = DOCUMENT_CAUTION;
    for (size_t i = 0; i < c->analysis->check_count; i++) {
        if (c->analysis->checks[i].outcome >= PUBLISHED_SUSPECT) {
            add_check_item(c, &c->analysis->checks[i]);
            told++;
        }
    }
    add_runs(c);
    told += add_little(c);
    if (told < c->analysis->check_count) {
        size_t rest = c->analysis->check_count - told;

        add(c, &document->lead, DOCUMENT_ITEM,
            document_format(document,
                            "More checks, with the arithmetic, under \xe2\x80\x9cWhat a careful "
                            "reader notices\xe2\x80\x9d: %zu.",
                            rest));
    }
    add_claim_items(c);
}

/* --- the numbers --- */

enum fixed_column { ENGINE, WORKLOAD, CONNECTIONS, FIXED_COUNT };
static const struct document_column fixed_columns[FIXED_COUNT] = {
    [ENGINE] = {"engine", NULL, "engine", .views = 3, .precision = 32},
    [WORKLOAD] = {"workload", NULL, "workload", .views = 3, .precision = 32},
    [CONNECTIONS] = {"connection_count", "1", "connections", .number = DOCUMENT_INTEGER,
                     .views = 1},
};
#define NUMBER_COLUMNS (FIXED_COUNT + PUBLISHED_METRIC_COUNT + 2)

/* A bound or a note of any figure: what the last column is for. */
static bool has_remark(const struct published *published)
{
    for (size_t i = 0; i < published->figure_count; i++) {
        for (int metric = 0; metric < PUBLISHED_METRIC_COUNT; metric++) {
            if (published->figures[i].note ||
                published->figures[i].values[metric].bound != PUBLISHED_IS) {
                return true;
            }
        }
    }
    return false;
}

static bool is_given(const struct published *published, int metric)
{
    for (size_t i = 0; i < published->figure_count; i++) {
        if (!isnan(published->figures[i].values[metric].value)) {
            return true;
        }
    }
    return false;
}

/* Rates, latencies and resources first; totals and what is of the driver in a second view. */
static unsigned view_of(enum published_metric metric)
{
    switch (metric) {
    case PUBLISHED_REQUESTS:
    case PUBLISHED_DURATION:
    case PUBLISHED_BYTES:
    case PUBLISHED_BYTE_RATE:
    case PUBLISHED_THREAD_RATE_MEAN:
    case PUBLISHED_THREAD_RATE_STDEV:
    case PUBLISHED_THREAD_RATE_MAX:
        return 2;
    default:
        return 1;
    }
}

/* Pages show the metrics that the source gives; files have a column for each. */
static const struct document_column *make_columns(const struct composing *c, unsigned *views_out)
{
    struct document_column *columns =
        document_allocate(c->document, NUMBER_COLUMNS * sizeof(*columns));

    *views_out = 1;
    if (!columns) {
        return NULL;
    }
    memcpy(columns, fixed_columns, sizeof(fixed_columns));
    for (int metric = 0; metric < PUBLISHED_METRIC_COUNT; metric++) {
        const struct published_metric_info *info = &published_metrics[metric];
        unsigned view = is_given(c->published, metric) ? view_of((enum published_metric)metric) : 0;

        columns[FIXED_COUNT + metric] = (struct document_column){
            info->column,   info->unit,
            info->heading,  info->page_scale,
            DOCUMENT_GIVEN, .precision = compose_published_digits((enum published_metric)metric),
            .views = view};
        *views_out |= view;
    }
    columns[NUMBER_COLUMNS - 2] = (struct document_column){
        "response_bytes", "B",       "a response (bytes)", .number = DOCUMENT_SIGNIFICANT,
        .precision = 4,   .views = 2};
    columns[NUMBER_COLUMNS - 1] = (struct document_column){
        "remark", NULL, "remark", .views = has_remark(c->published) ? 1 : 0, .precision = 80};
    return columns;
}

/* "max (ms): over"; what the source says of these figures. */
static const char *make_remark(const struct composing *c, const struct published_figure *figure)
{
    const char *text = "";

    for (int metric = 0; metric < PUBLISHED_METRIC_COUNT; metric++) {
        const struct published_value *value = &figure->values[metric];

        if (!isnan(value->value) && value->bound != PUBLISHED_IS) {
            text = document_format(c->document, "%s%s%s: %s", text, *text ? "; " : "",
                                   document_tr(c->document, published_metrics[metric].heading),
                                   document_tr(c->document, published_bound_words[value->bound]));
        }
    }
    if (figure->note) {
        text = document_format(c->document, "%s%s%s", text, *text ? "; " : "",
                               document_long_name(c->document, figure->note));
    }
    return text;
}

static void add_numbers(const struct composing *c)
{
    struct document_section *section = add_section(c, "numbers", "The numbers as published");
    unsigned views = 1;
    const struct document_column *columns = make_columns(c, &views);
    struct document_table *table = document_new_table(c->document, "published", "Published figures",
                                                      columns, columns ? NUMBER_COLUMNS : 0);

    for (size_t i = 0; columns && i < c->published->figure_count; i++) {
        const struct published_figure *figure = &c->published->figures[i];
        const struct published_workload *workload =
            &c->published->workloads[figure->workload_index];
        struct document_cell *row = document_add_row(table);

        document_set_text(row, ENGINE, c->published->engines[figure->engine_index].name);
        document_set_text(row, WORKLOAD, workload->name);
        if (workload->connection_count > 0) {
            document_set_integer(row, CONNECTIONS, workload->connection_count);
        }
        for (size_t metric = 0; metric < PUBLISHED_METRIC_COUNT; metric++) {
            document_set_number(row, FIXED_COUNT + metric, figure->values[metric].value);
        }
        document_set_number(row, NUMBER_COLUMNS - 2, published_response_bytes(figure));
        document_set_sentence(row, NUMBER_COLUMNS - 1, make_remark(c, figure));
    }
    table->note = "n/a: the source does not give it. MiB and KiB are 1024-based. A latency is what "
                  "the source's tool takes for one.";
    document_show_table(section, table, 1);
    if (views & 2) {
        /* The same rows with other columns: JSON takes a table by its name, once. */
        struct document_table *totals = document_new_table(
            c->document, "published", "Totals, and what the tool says of its threads", columns,
            columns ? NUMBER_COLUMNS : 0);

        totals->rows = table->rows;
        totals->row_count = table->row_count;
        document_show_table(section, totals, 2);
    }
}

/* --- checks and claims --- */

enum check_column { CHECK_WORKLOAD, CHECK_ENGINE, CHECK, OUTCOME, VALUE, LIMIT, TEXT, CHECK_COUNT };
static const struct document_column check_columns[CHECK_COUNT] = {
    [CHECK_WORKLOAD] = {"workload", NULL, "workload", .views = 0},
    [CHECK_ENGINE] = {"engine", NULL, "engine", .views = 0},
    [CHECK] = {"check", NULL, "check", .views = 0},
    [OUTCOME] = {"outcome", NULL, "outcome", .views = 1},
    [VALUE] = {"value", NULL, "value", .number = DOCUMENT_SIGNIFICANT},
    [LIMIT] = {"held_against", NULL, "held against", .number = DOCUMENT_SIGNIFICANT},
    [TEXT] = {"text", NULL, "what it says", .views = 1, .precision = 80},
};

static void add_checks(const struct composing *c)
{
    const struct published *published = c->published;
    struct document_section *section = add_section(c, "checks", "What a careful reader notices");
    struct document_table *table = document_new_table(
        c->document, "checks", "Numbers held against each other", check_columns, CHECK_COUNT);

    for (size_t i = 0; i < c->analysis->check_count; i++) {
        const struct published_check *check = &c->analysis->checks[i];
        struct document_cell *row = document_add_row(table);

        document_set_text(row, CHECK_WORKLOAD, published->workloads[check->workload_index].name);
        if (check->figure_index != SIZE_MAX) {
            size_t engine_index = published->figures[check->figure_index].engine_index;

            document_set_text(row, CHECK_ENGINE, published->engines[engine_index].name);
        }
        document_set_sentence(row, CHECK, published_check_names[check->kind]);
        document_set_sentence(row, OUTCOME, published_outcome_names[check->outcome]);
        document_set_number(row, VALUE, check->value);
        document_set_number(row, LIMIT, check->want);
        document_set_sentence(row, TEXT, compose_published_check(c->document, c->analysis, check));
        if (row) {
            row[OUTCOME].tone = compose_published_tone(check->outcome);
        }
    }
    table->note = "CONSISTENT: the numbers fit together. NOTED: to be known when reading them. "
                  "SUSPECT: they do not mean what they seem to. IMPOSSIBLE: they cannot all be "
                  "right. Each limit allows for the digits that were published.";
    document_show_table(section, table, 1);
}

enum claim_column { CLAIM_ID, CLAIM_TEXT, SAYS, OWN, OWN_VALUE, CLAIM_WORD, CLAIM_COUNT };
static const struct document_column claim_columns[CLAIM_COUNT] = {
    [CLAIM_ID] = {"claim", NULL, "claim", .views = 1},
    [CLAIM_TEXT] = {"text", NULL, "what it says", .views = 1, .precision = 80},
    [SAYS] = {"says", NULL, "number claimed", .number = DOCUMENT_SIGNIFICANT, .precision = 6},
    [OWN] = {"arithmetic", NULL, "by its own numbers", .views = 1, .precision = 80},
    [OWN_VALUE] = {"own", NULL, "by its own numbers", .number = DOCUMENT_SIGNIFICANT},
    [CLAIM_WORD] = {"outcome", NULL, "outcome", .views = 1},
};

static void add_claims(const struct composing *c)
{
    const struct published *published = c->published;

    if (published->claim_count == 0) {
        return;
    }
    struct document_section *section =
        add_section(c, "claims", "Claims, by the source's own numbers");
    struct document_table *table =
        document_new_table(c->document, "claims", "Claims", claim_columns, CLAIM_COUNT);

    for (size_t i = 0; i < published->claim_count; i++) {
        const struct published_claim_result *result = &c->analysis->claims[i];
        struct document_cell *row = document_add_row(table);

        document_set_text(row, CLAIM_ID, published->claims[i].id);
        document_set_text(row, CLAIM_TEXT, published->claims[i].text);
        document_set_number(row, SAYS, published->claims[i].says.value);
        document_set_sentence(row, OWN, compose_published_claim(c->document, c->analysis, i));
        document_set_number(row, OWN_VALUE, result->own);
        document_set_sentence(row, CLAIM_WORD, published_claim_words[result->word]);
        if (row && published_claim_is_doubtful(c->analysis, i)) {
            row[CLAIM_WORD].tone = DOCUMENT_CAUTION;
        }
    }
    table->note =
        "AGREES: the source's own numbers give it, to the digits claimed. MORE, LESS: they "
        "give more, or less. DISAGREES: they give another order. NO NUMBERS: those it "
        "needs are not published. Ratios of single runs: how sure they are nobody can say.";
    document_show_table(section, table, 1);
}

static void add_methods(const struct composing *c)
{
    struct document_section *section = add_section(c, "methods", "How this was checked");

    add(c, section, DOCUMENT_PARAGRAPH,
        "The rules are those that a session of tacho is held to, and know no source by name. "
        "Little's law: in a closed loop without errors rate \xc3\x97 mean latency is the number of "
        "connections (limit 3 %). A peak above 1.5 times the mean is no throughput. Totals divided "
        "by the duration are the rates (1 %), driver threads times the mean of one are the rate "
        "(5 %). The load lasts as long as asked for (20 %). Minimum, quantiles and maximum ascend; "
        "no standard deviation is above \xe2\x88\x9a((max \xe2\x88\x92 mean)(mean \xe2\x88\x92 "
        "min)); a "
        "quantile bounds the mean. Responses of one workload are of one size (2 %). Ten engines "
        "within 1.5 % of the best are one load generator.");
    add(c, section, DOCUMENT_PARAGRAPH,
        "No interval and no verdict can be had from one number. To have both, measure: a plan with "
        "the same conditions, then the published numbers beside the measured ones.");
    document_add(c->document, section, DOCUMENT_CODE,
                 "tacho run PLAN.yaml -o results.db\n"
                 "tacho report results.db --published THIS.json\n");
}

enum err_code compose_published(const struct published_analysis *analysis,
                                const struct compose_published_config *config,
                                struct document **document_out, struct err *e)
{
    struct document *document = document_new();

    if (!document) {
        return err_set(e, ERR_LIMIT, "no memory for the report");
    }
    if (document_set_language(document, config->language ? config->language : CATALOGUE_ENGLISH,
                              e) != ERR_OK) {
        document_free(document);
        return e->code;
    }
    const struct composing c = {document, analysis, analysis->published};

    document->title = document_format(document, "%s", analysis->published->title);
    document->program = document_format(document, "%s", config->version);
    document->word = published_word(analysis);
    document->tone = word_tone(&c);
    add_lead(&c);
    add_numbers(&c);
    add_checks(&c);
    add_claims(&c);
    compose_published_conditions(document, analysis->published, config->digest);
    add_methods(&c);
    document_finish(document);
    if (document_check(document, e) != ERR_OK) {
        document_free(document);
        return ERR_LIMIT;
    }
    *document_out = document;
    return ERR_OK;
}
