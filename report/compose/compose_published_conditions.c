// SPDX-License-Identifier: Apache-2.0
// Where and how published numbers were made: conditions, workloads, engines, and what the source
// does not say.
#include <math.h>
#include <string.h>

#include "report/compose/compose_published.h"

static const struct document_column list_columns[] = {
    {"name", NULL, "", .views = 1},
    {"value", NULL, "", .views = 1, .precision = 80},
};

enum load_column {
    NAME,
    CONNECTIONS,
    PIPELINE,
    PER_CONNECTION,
    RATE,
    THREADS,
    DURATION,
    RUNS,
    REQUEST,
    NOTE,
    LOAD_COUNT
};
static const struct document_column load_columns[LOAD_COUNT] = {
    [NAME] = {"workload", NULL, "workload", .views = 1, .precision = 32},
    [CONNECTIONS] = {"connection_count", "1", "connections", .number = DOCUMENT_INTEGER,
                     .views = 1},
    [PIPELINE] = {"pipeline_count", "1", "on the way on each", .number = DOCUMENT_INTEGER},
    [PER_CONNECTION] = {"requests_per_connection", "1", "requests on each",
                        .number = DOCUMENT_INTEGER, .views = 1},
    [RATE] = {"rate_per_s", "1/s", "due per second", .number = DOCUMENT_GIVEN, .precision = 12},
    [THREADS] = {"driver_thread_count", "1", "driver threads", .number = DOCUMENT_INTEGER,
                 .views = 1},
    [DURATION] = {"duration_s", "s", "duration (s)", .number = DOCUMENT_GIVEN, .precision = 12,
                  .views = 1},
    [RUNS] = {"run_count", "1", "runs", .number = DOCUMENT_INTEGER, .views = 1},
    [REQUEST] = {"request", NULL, "request", .views = 1, .precision = 80},
    [NOTE] = {"note", NULL, "note", .precision = 80},
};

enum engine_column { ENGINE, ABOUT, STAND_IN, ENGINE_COUNT };
static const struct document_column engine_columns[ENGINE_COUNT] = {
    [ENGINE] = {"engine", NULL, "engine", .views = 1, .precision = 32},
    [ABOUT] = {"about", NULL, "what it is", .views = 1, .precision = 160},
    [STAND_IN] = {"stand_in", NULL, "its stand-in in a plan", .views = 1, .precision = 32},
};

static void add_fact(struct document_table *table, const char *title, const char *value)
{
    struct document_cell *row = document_add_row(table);

    document_set_sentence(row, 0, title);
    document_set_sentence(row, 1, document_long_name(table->document, value));
}

/* What a reader would need and the source does not say. */
static const char *list_missing(struct document *document, const struct published *published)
{
    static const char *const words[] = {[PUBLISHED_MACHINE] = "the machine",
                                        [PUBLISHED_OS] = "the operating system",
                                        [PUBLISHED_TOOL] = "the load generator"};
    const char *text = document_tr(document, "how the values of single runs spread");
    bool has_connections = true, has_duration = true;

    for (size_t i = 0; i < published->workload_count; i++) {
        has_connections = has_connections && published->workloads[i].connection_count > 0;
        has_duration = has_duration && !isnan(published->workloads[i].duration_s);
    }
    for (size_t i = 0; i <= PUBLISHED_TOOL; i++) {
        if (!published->conditions[i]) {
            text = document_format(document, "%s; %s", text, document_tr(document, words[i]));
        }
    }
    return document_format(
        document, "%s%s%s", text,
        has_connections ? "" : document_tr(document, "; the connections of every workload"),
        has_duration ? "" : document_tr(document, "; how long every workload was loaded"));
}

static void add_conditions(struct document *document, const struct published *published,
                           const char *digest, struct document_section *section)
{
    const struct {
        double value;
        const char *title, *unit;
    } numbers[] = {{(double)published->nofile, "limit of open files", ""},
                   {published->settle_s, "wait after the start", " s"},
                   {published->warmup_s, "warm-up", " s"},
                   {published->cooldown_s, "wait after the load", " s"}};
    struct document_table *table =
        document_new_table(document, "conditions", NULL, list_columns, 2);

    table->is_list = true;
    add_fact(table, "source", published->source);
    for (int i = 0; i < PUBLISHED_CONDITION_COUNT; i++) {
        if (published->conditions[i]) {
            add_fact(table, published_condition_names[i], published->conditions[i]);
        }
    }
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (numbers[i].value > 0) {
            struct document_cell *row = document_add_row(table);

            document_set_sentence(row, 0, numbers[i].title);
            document_set_sentence(
                row, 1,
                document_format(document, "%s%s",
                                compose_published_number(document, numbers[i].value),
                                numbers[i].unit));
        }
    }
    add_fact(table, "not said", list_missing(document, published));
    add_fact(table, "file SHA-256", digest);
    document_show_table(section, table, DOCUMENT_VIEW_ALL);
}

/* 0: not said. */
static void set_count(struct document_cell *row, size_t column_index, int64_t count)
{
    if (count > 0) {
        document_set_integer(row, column_index, count);
    }
}

static void add_workloads(struct document *document, const struct published *published,
                          struct document_section *section)
{
    struct document_table *table =
        document_new_table(document, "workloads", "Workloads", load_columns, LOAD_COUNT);

    for (size_t i = 0; i < published->workload_count; i++) {
        const struct published_workload *workload = &published->workloads[i];
        struct document_cell *row = document_add_row(table);

        document_set_text(row, NAME, workload->name);
        set_count(row, CONNECTIONS, workload->connection_count);
        set_count(row, PIPELINE, workload->pipeline_count);
        set_count(row, PER_CONNECTION, workload->requests_per_connection);
        document_set_number(row, RATE, workload->rate_per_s);
        set_count(row, THREADS, workload->thread_count);
        document_set_number(row, DURATION, workload->duration_s);
        set_count(row, RUNS, workload->run_count);
        const char *request = workload->request ? workload->request : workload->note;
        document_set_text(row, REQUEST, request ? request : "");
        document_set_text(row, NOTE, workload->note ? workload->note : "");
    }
    document_show_table(section, table, 1);
}

static void add_engines(struct document *document, const struct published *published,
                        struct document_section *section)
{
    struct document_table *table =
        document_new_table(document, "engines", "Engines", engine_columns, ENGINE_COUNT);

    for (size_t i = 0; i < published->engine_count; i++) {
        const struct published_engine *engine = &published->engines[i];
        struct document_cell *row = document_add_row(table);

        document_set_text(row, ENGINE, engine->name);
        document_set_text(row, ABOUT, engine->about ? engine->about : "");
        document_set_text(row, STAND_IN,
                          strcmp(engine->stand_in, engine->name) == 0 ? "" : engine->stand_in);
    }
    document_show_table(section, table, 1);
}

void compose_published_conditions(struct document *document, const struct published *published,
                                  const char *digest)
{
    struct document_section *section =
        document_add_section(document, "conditions", "Where and how they were made");

    add_conditions(document, published, digest, section);
    add_workloads(document, published, section);
    add_engines(document, published, section);
    for (size_t i = 0; i < published->note_count; i++) {
        document_add(document, section, DOCUMENT_ITEM,
                     document_long_name(document, published->notes[i]));
    }
}
