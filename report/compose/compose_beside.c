// SPDX-License-Identifier: Apache-2.0
// Published numbers beside the measured ones: values, ratios, and the conditions that differ.
#include "report/compose/compose_beside.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "collector/plan/plan.h"
#include "engines/base/clock.h"
#include "engines/base/units.h"
#include "report/compose/compose_parts.h"
#include "report/compose/compose_published.h"
#include "report/judge/beside.h"
#include "report/render/number.h"

static const char notice[] =
    "Two sittings that have nothing in common but the question: other programs, another machine, "
    "another day. What differs stands below. Nothing here says that one of the two is wrong, and "
    "there is no verdict between them: only engines within one sitting are compared.";

/* --- the tables --- */

enum value_column {
    SOURCE,
    ENGINE,
    STAND_IN,
    WORKLOAD,
    METRIC,
    BOUND,
    PUBLISHED,
    MEASURED,
    VALUE_COUNT
};
static const struct document_column value_columns[VALUE_COUNT] = {
    [SOURCE] = {"source", NULL, "source", .views = 2, .precision = 24},
    [ENGINE] = {"engine", NULL, "published of", .views = 1, .precision = 32},
    [STAND_IN] = {"stand_in", NULL, "measured of", .views = 1, .precision = 32},
    [WORKLOAD] = {"workload", NULL, "workload", .views = 1, .precision = 32},
    [METRIC] = {"metric", NULL, "metric", .views = 1},
    [BOUND] = {"bound", NULL, "given as", .views = 1},
    [PUBLISHED] = {"published", NULL, "published", .number = DOCUMENT_GIVEN, .precision = 12,
                   .views = 1},
    [MEASURED] = {"measured", NULL, "measured here", .number = DOCUMENT_SIGNIFICANT, .views = 1,
                  .has_interval = true},
};

enum ratio_column {
    RATIO_SOURCE,
    OF,
    OVER,
    RATIO_WORKLOAD,
    RATIO_METRIC,
    RATIO_PUBLISHED,
    RATIO_MEASURED,
    PLACE,
    RATIO_COUNT
};
static const struct document_column ratio_columns[RATIO_COUNT] = {
    [RATIO_SOURCE] = {"source", NULL, "source", .views = 2, .precision = 24},
    [OF] = {"of", NULL, "ratio of", .views = 1, .precision = 32},
    [OVER] = {"over", NULL, "over that of", .views = 1, .precision = 32},
    [RATIO_WORKLOAD] = {"workload", NULL, "workload", .views = 1, .precision = 32},
    [RATIO_METRIC] = {"metric", NULL, "metric", .views = 1},
    [RATIO_PUBLISHED] = {"published", "1", "published ratio", .number = DOCUMENT_SIGNIFICANT,
                         .precision = 4, .views = 1},
    [RATIO_MEASURED] = {"measured", "1", "ratio measured here", .number = DOCUMENT_SIGNIFICANT,
                        .views = 1, .has_interval = true},
    [PLACE] = {"published_ratio_is", NULL, "the published ratio lies", .views = 1},
};

enum condition_column { CONDITION_SOURCE, CONDITION, THERE, HERE, DIFFERS, CONDITION_COUNT };
static const struct document_column condition_columns[CONDITION_COUNT] = {
    [CONDITION_SOURCE] = {"source", NULL, "source", .views = 2, .precision = 24},
    [CONDITION] = {"condition", NULL, "condition", .views = 1},
    [THERE] = {"published", NULL, "published", .views = 1, .precision = 200},
    [HERE] = {"here", NULL, "here", .views = 1, .precision = 200},
    [DIFFERS] = {"differs", NULL, "differs", .views = 1},
};

/* What the rows of one source share. */
struct placing {
    struct compose *compose;
    const struct beside *beside;
    struct document_table *values, *ratios, *conditions;
};

static const struct published_engine *engine_of(const struct placing *p,
                                                const struct published_figure *figure)
{
    return &p->beside->published->engines[figure->engine_index];
}

static const struct published_workload *workload_of(const struct placing *p,
                                                    const struct published_figure *figure)
{
    return &p->beside->published->workloads[figure->workload_index];
}

static void add_value(const struct placing *p, const struct beside_value *value)
{
    const struct published_value *given = &value->figure->values[value->metric];
    double scale = published_metrics[value->metric].page_scale;
    struct document_cell *row = document_add_row(p->values);

    document_set_text(row, SOURCE, p->beside->published->title);
    document_set_text(row, ENGINE, engine_of(p, value->figure)->name);
    document_set_text(row, STAND_IN, engine_of(p, value->figure)->stand_in);
    document_set_text(row, WORKLOAD, workload_of(p, value->figure)->name);
    document_set_sentence(row, METRIC, published_metrics[value->metric].heading);
    document_set_sentence(row, BOUND, published_bound_words[given->bound]);
    document_set_number(row, PUBLISHED, given->value * scale);
    document_set_estimate(row, MEASURED,
                          (const double[3]){value->measured.value * scale,
                                            value->measured.low * scale,
                                            value->measured.high * scale},
                          value->measured.count);
}

static void add_ratio(const struct placing *p, const struct beside_ratio *ratio)
{
    struct document_cell *row = document_add_row(p->ratios);

    document_set_text(row, RATIO_SOURCE, p->beside->published->title);
    document_set_text(row, OF, engine_of(p, ratio->of)->name);
    document_set_text(row, OVER, engine_of(p, ratio->over)->name);
    document_set_text(row, RATIO_WORKLOAD, workload_of(p, ratio->of)->name);
    document_set_sentence(row, RATIO_METRIC, published_metrics[ratio->metric].heading);
    document_set_number(row, RATIO_PUBLISHED, ratio->published);
    compose_set_estimate(row, RATIO_MEASURED, &ratio->measured);
    document_set_sentence(row, PLACE, beside_place_words[ratio->place]);
}

/* --- conditions --- */

/* `there` NULL: the source does not say. `is_same` < 0: by comparing the texts. Returns the row,
 * NULL where neither says anything. */
static struct document_cell *add_condition(const struct placing *p, const char *name,
                                           const char *there, const char *here, int is_same)
{
    if (!there && !here) {
        return NULL;
    }
    struct document_cell *row = document_add_row(p->conditions);
    bool equal = is_same < 0 ? there && here && strcasecmp(there, here) == 0 : is_same != 0;

    document_set_text(row, CONDITION_SOURCE, p->beside->published->title);
    document_set_sentence(row, CONDITION, name);
    document_set_text(row, THERE, there ? there : "");
    document_set_text(row, HERE, here ? here : "");
    document_set_sentence(row, DIFFERS, !there || !here ? "not said" : equal ? "no" : "yes");
    return row;
}

/* 0 and NaN: not said. */
static void add_number(const struct placing *p, const char *name, double there, double here)
{
    struct document *document = p->compose->document;
    const char *texts[2] = {there > 0 ? compose_published_number(document, there) : NULL,
                            here >= 0 ? compose_published_number(document, here) : NULL};
    struct document_cell *row =
        add_condition(p, name, texts[0], texts[1], fabs(there - here) <= 1e-9 * fabs(here));

    for (size_t i = 0; row && i < ARRAY_COUNT(texts); i++) {
        if (texts[i]) { /* numbers of ours: the language has its decimal sign */
            document_set_sentence(row, i == 0 ? THERE : HERE, texts[i]);
        }
    }
}

/* A duration of the plan's canonical text, in which each key has a line of its own; NaN. */
static double plan_seconds(const struct results *results, const char *key)
{
    size_t length = strlen(key);

    for (const char *line = results->plan_text; line && *line;) {
        const char *end = strchrnul(line, '\n');
        char text[UNITS_TEXT_BYTES] = "";
        int64_t ns = 0;

        if (strncmp(line, key, length) == 0 && (size_t)(end - line) < length + sizeof(text)) {
            memcpy(text, line + length, (size_t)(end - line) - length);
            return units_parse_duration(text, &ns, NULL) == ERR_OK ? (double)ns / 1e9 : (double)NAN;
        }
        line = *end ? end + 1 : end;
    }
    return (double)NAN;
}

static double fact_number(const struct results *results, const char *name)
{
    const char *text = results_find_fact(results, "start", name);
    int64_t number = 0;

    return text && units_parse_count(text, 0, INT64_MAX, &number, NULL) == ERR_OK ? (double)number
                                                                                  : (double)NAN;
}

static const char *fact(const struct placing *p, const char *name)
{
    const char *text = results_find_fact(p->compose->results, "start", name);

    return text ? text : NUMBER_NONE;
}

/* Of the whole source. */
static void add_surroundings(const struct placing *p)
{
    struct document *document = p->compose->document;
    const struct results *results = p->compose->results;
    const struct published *published = p->beside->published;
    const char *libc = results_find_fact(results, "start", "libc.version");
    const char *here[PUBLISHED_CONDITION_COUNT] = {
        [PUBLISHED_MACHINE] =
            document_format(document, "%s, %s CPUs", fact(p, "cpu.model"), fact(p, "cpu.count")),
        [PUBLISHED_OS] = document_format(document, "Linux %s%s%s", fact(p, "kernel.release"),
                                         libc ? ", " : "", libc ? libc : ""),
        [PUBLISHED_TOOL] = document_format(document,
                                           strcmp(fact(p, "driver.threads"), "1") == 0
                                               ? "tacho %s, %s driver thread"
                                               : "tacho %s, %s driver threads",
                                           results->program_version, fact(p, "driver.threads")),
        [PUBLISHED_NETWORK] = document_tr(document, "loopback, server and driver on one machine"),
        [PUBLISHED_PROTOCOL] =
            document_format(document,
                            "a fresh server process for each trial, engines interleaved in %zu "
                            "blocks, right answers counted",
                            compose_block_count(p->compose)),
    };

    for (int i = 0; i < PUBLISHED_CONDITION_COUNT; i++) {
        add_condition(p, published_condition_names[i], published->conditions[i], here[i], -1);
    }
    add_number(p, "limit of open files", (double)published->nofile,
               fact_number(results, "server.nofile"));
    add_number(p, "wait after the start (s)", published->settle_s,
               plan_seconds(results, "settle: "));
    add_number(p, "warm-up (s)", published->warmup_s, compose_warmup_s(p->compose));
    add_number(p, "wait after the load (s)", published->cooldown_s,
               plan_seconds(results, "cooldown: "));
}

/* Of a workload, by the first of its figures that has a stand-in. */
static void add_load(const struct placing *p, size_t workload_index)
{
    struct document *document = p->compose->document;
    const struct published *published = p->beside->published;
    const struct published_workload *workload = &published->workloads[workload_index];
    const struct analysis_row *row = NULL;

    for (size_t i = 0; i < published->figure_count && !row; i++) {
        if (published->figures[i].workload_index == workload_index) {
            row = beside_find_row(p->compose->analysis, published, &published->figures[i]);
        }
    }
    if (!row) {
        return;
    }
    const struct results_cell *cell = compose_cell(p->compose, row->cell_index);
    const struct results_workload *here = compose_workload(p->compose, row->cell_index);
    const struct {
        const char *what;
        double there, here;
    } rows[] = {
        {"connections", (double)workload->connection_count, (double)cell->connection_count},
        {"seconds of load", workload->duration_s, compose_window_s(p->compose)},
        {"driver threads", (double)workload->thread_count,
         fact_number(p->compose->results, "driver.threads")},
        {"runs of each engine", (double)workload->run_count, (double)row->valid_count},
        {"requests on the way on each connection",
         workload->pipeline_count > 0 ? (double)workload->pipeline_count : 1,
         (double)here->pipeline_count},
        {"requests on each connection (0: kept)", (double)workload->requests_per_connection,
         here->requests_per_connection == METRIC_UNKNOWN ? 0
                                                         : (double)here->requests_per_connection},
    };

    add_condition(
        p, document_format(document, "%s: request", document_name(document, workload->name)),
        workload->request,
        here->mixed_count > 0
            ? document_format(document, "a mix of %zu requests", here->mixed_count)
            : document_format(document, "%s %s", here->request.method, here->request.path),
        -1);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].there > 0 || rows[i].here > 0) {
            add_number(p,
                       document_format(document, "%s: %s", document_name(document, workload->name),
                                       document_tr(document, rows[i].what)),
                       rows[i].there, rows[i].here);
        }
    }
}

/* --- who stands for whom --- */

/* The first row that stands for a figure of the engine; NULL: none. */
static const struct analysis_row *find_row(const struct placing *p, size_t engine_index)
{
    const struct published *published = p->beside->published;
    const struct analysis_row *row = NULL;

    for (size_t i = 0; i < published->figure_count && !row; i++) {
        if (published->figures[i].engine_index == engine_index) {
            row = beside_find_row(p->compose->analysis, published, &published->figures[i]);
        }
    }
    return row;
}

/* Returns whether anybody does. */
static bool add_stand_ins(const struct placing *p, struct document_section *section)
{
    struct document *document = p->compose->document;
    const struct published *published = p->beside->published;
    bool is_any = false;

    document_add(document, section, DOCUMENT_ITEM,
                 document_format(document, "%s: %s", document_long_name(document, published->title),
                                 document_long_name(document, published->source)));
    for (size_t i = 0; i < published->engine_count; i++) {
        const struct published_engine *engine = &published->engines[i];
        const struct analysis_row *row = find_row(p, i);
        const char *name = document_name(document, engine->name);
        const char *stand_in = document_name(document, engine->stand_in);
        const char *why = engine->stand_in_why
                              ? document_format(document, ": %s",
                                                document_long_name(document, engine->stand_in_why))
                              : "";
        const char *text =
            row ? document_format(document, "%s stands here for %s%s%s.", stand_in, name,
                                  row->valid_count > 0
                                      ? ""
                                      : document_tr(document, "; no trial of it is counted"),
                                  why)
                : document_format(document,
                                  "Nothing here stands for %s: no engine %s was measured with its "
                                  "workload.",
                                  name, stand_in);

        document_add(document, section, DOCUMENT_ITEM, text)->tone =
            row && row->valid_count > 0 ? DOCUMENT_PLAIN : DOCUMENT_CAUTION;
        is_any = is_any || row;
    }
    return is_any;
}

static enum err_code add_source(struct placing *p, const struct published *published,
                                struct document_section *section, struct err *e)
{
    struct beside beside;
    enum err_code code = beside_make(p->compose->analysis, published, &beside, e);

    if (code != ERR_OK) {
        return code;
    }
    p->beside = &beside;
    bool is_any = add_stand_ins(p, section);

    for (size_t i = 0; i < beside.value_count; i++) {
        add_value(p, &beside.values[i]);
    }
    for (size_t i = 0; i < beside.ratio_count; i++) {
        add_ratio(p, &beside.ratios[i]);
    }
    if (is_any) {
        add_surroundings(p);
    }
    for (size_t i = 0; i < published->workload_count; i++) {
        add_load(p, i);
    }
    beside_release(&beside);
    p->beside = NULL;
    return ERR_OK;
}

enum err_code compose_beside(struct compose *compose, const struct published *const *published,
                             size_t count, struct err *e)
{
    struct document *document = compose->document;
    enum err_code code = ERR_OK;

    if (count == 0) {
        return ERR_OK;
    }
    struct document_section *section =
        document_insert_section(document, "summary", "beside", "Published beside measured");
    struct placing p = {
        .compose = compose,
        .values = document_new_table(document, "beside_values", "Published and measured values",
                                     value_columns, VALUE_COUNT),
        .ratios = document_new_table(document, "beside_ratios", "Ratios within each sitting",
                                     ratio_columns, RATIO_COUNT),
        .conditions = document_new_table(document, "beside_conditions",
                                         "Under which conditions, there and here",
                                         condition_columns, CONDITION_COUNT)};

    document_add(document, section, DOCUMENT_NOTICE, notice)->tone = DOCUMENT_CAUTION;
    for (size_t i = 0; i < count && code == ERR_OK; i++) {
        code = add_source(&p, published[i], section, e);
    }
    p.values->note = "In brackets: the 95 % interval over this session's trials. A published value "
                     "has none.";
    p.ratios->note =
        "A ratio leaves out what both engines of a sitting share, so it travels better than a "
        "rate; "
        "whether the published one lies within this session's interval is a remark on two "
        "sittings, not a verdict. not told: fewer than 6 blocks, an unfit session, or no interval.";
    p.conditions->note = "Texts differ unless they are the same to the letter.";
    struct document_table *const tables[] = {p.values, p.ratios, p.conditions};

    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        if (tables[i]->row_count > 0) {
            document_show_table(section, tables[i], count > 1 ? 3 : 1);
        }
    }
    return code == ERR_OK ? document_check(document, e) : code;
}
