// SPDX-License-Identifier: Apache-2.0
// The machine and the programs as they were found, at the start and, where it differs, at the end.
#include <string.h>

#include "report/compose/compose_parts.h"

#define CHANGE_NAMED_MAX 6

enum column { NAME, AT_START, AT_END, COLUMN_COUNT };

static const struct document_column columns[COLUMN_COUNT] = {
    [NAME] = {"name", NULL, "fact", .views = 1, .precision = 48},
    [AT_START] = {"at_start", NULL, "at the start", .views = 1, .precision = 160},
    [AT_END] = {"at_end", NULL, "at the end, if it differs", .views = 1, .precision = 160},
};

static const struct document_column engine_columns[] = {
    {"engine", NULL, "engine", .views = 1, .precision = 32},
    {"role", NULL, "role", .views = 1},
    {"kind", NULL, "kind", .views = 1},
    {"runs", NULL, "runs", .views = 1, .precision = 80},
    {"thread_count", "1", "threads (0: its own choice)", .number = DOCUMENT_INTEGER, .views = 1},
    {"command", NULL, "command", .views = 1, .precision = 160},
    {"binary_sha256", NULL, "SHA-256 of the program", .views = 1},
};

static bool texts_differ(const char *left, const char *right)
{
    return (left == NULL) != (right == NULL) || (left && strcmp(left, right) != 0);
}

static bool fact_is_known_at_end(const struct results *results, const char *name)
{
    for (size_t i = 0; i < results->fact_count; i++) {
        if (strcmp(results->facts[i].moment, "end") == 0 &&
            strcmp(results->facts[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* The facts that had another value at the end. */
struct changes {
    size_t count;
    const char *names; /* the first of them */
};

static struct changes add_facts(const struct results *results, struct document_table *table)
{
    struct changes changes = {.names = ""};

    for (size_t i = 0; i < results->fact_count; i++) {
        const struct results_fact *fact = &results->facts[i];
        struct document_cell *cells;

        if (strcmp(fact->moment, "start") != 0) {
            continue;
        }
        cells = document_add_row(table);
        document_set_text(cells, NAME, fact->name);
        if (fact->value) {
            document_set_text(cells, AT_START, fact->value);
        } else {
            document_set_sentence(cells, AT_START, "unknown");
        }
        const char *at_end = results_find_fact(results, "end", fact->name);
        if (fact_is_known_at_end(results, fact->name) && texts_differ(fact->value, at_end)) {
            document_set_text(cells, AT_END, at_end ? at_end : "unknown");
            if (changes.count++ < CHANGE_NAMED_MAX) {
                changes.names = document_format(table->document, "%s%s%s", changes.names,
                                                *changes.names ? ", " : "",
                                                document_name(table->document, fact->name));
            }
        } else {
            document_set_sentence(cells, AT_END, "");
        }
    }
    if (changes.count > CHANGE_NAMED_MAX) {
        changes.names = document_format(table->document, "%s, \xe2\x80\xa6", changes.names);
    }
    return changes;
}

static void add_engines(struct compose *compose, struct document_section *section)
{
    struct document_table *table = document_new_table(compose->document, "engines", "Engines",
                                                      engine_columns, ARRAY_COUNT(engine_columns));

    for (size_t i = 0; i < compose->results->engine_count; i++) {
        const struct results_engine *engine = &compose->results->engines[i];
        struct document_cell *cells = document_add_row(table);

        document_set_text(cells, 0, engine->name);
        document_set_sentence(cells, 1, document_word(compose->document, engine->role));
        document_set_text(cells, 2, engine->kind);
        document_set_text(cells, 3, engine->source);
        document_set_integer(cells, 4, engine->thread_count);
        document_set_text(cells, 5, engine->command_json);
        document_set_text(cells, 6, engine->binary_sha256 ? engine->binary_sha256 : "");
    }
    document_show_table(section, table, 1)->folded = "The engines and their programs";
}

void compose_environment(struct compose *compose)
{
    struct document *document = compose->document;
    struct document_section *section =
        document_add_section(document, "environment", "Machine and programs");
    struct document_table *table = document_new_table(
        document, "environment", "What was found of the machine", columns, COLUMN_COUNT);
    struct changes changes = add_facts(compose->results, table);

    document_add(document, section, DOCUMENT_PARAGRAPH,
                 document_format(document,
                                 "%zu facts were looked for when the session began; %zu of them "
                                 "had another value when it ended%s%s.",
                                 table->row_count, changes.count, changes.count > 0 ? ": " : "",
                                 changes.names));
    document_show_table(section, table, 1)->folded =
        document_format(document, "All %zu facts", table->row_count);
    add_engines(compose, section);
    document_add(document, section, DOCUMENT_CODE,
                 document_format(document, "%s", compose->results->plan_text))
        ->folded = "The plan, with every default written out";
}
