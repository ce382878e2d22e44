// SPDX-License-Identifier: Apache-2.0
// The report in Portuguese: every text of ours is in the catalogue, whichever session it is of, and
// what the catalogue reader takes and refuses.
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/probe/preflight_rules.h"
#include "collector/sample.h"
#include "engines/base/attr.h"
#include "engines/base/fs.h"
#include "report/compose/compose.h"
#include "report/compose/compose_baseline.h"
#include "report/compose/compose_beside.h"
#include "report/compose/compose_published.h"
#include "report/compose/compose_reproduction.h"
#include "report/compose/compose_sittings.h"
#include "report/render/catalogue.h"
#include "report/render/recorded_text.h"
#include "report/render/render.h"
#include "tests/support/edge_buf.h"
#include "tests/support/results_builder.h"

/* --- the reader ---------------------------------------------------------------------------------
 */

static enum err_code parse(const char *text, struct catalogue **catalogue_out)
{
    struct edge_buf edge;
    struct err e;

    edge_buf_init(&edge, text, strlen(text));
    enum err_code code = catalogue_parse(edge.bytes, edge.length, catalogue_out, &e);
    edge_buf_release(&edge);
    return code;
}

Test(language, reads_what_gettext_writes)
{
    struct catalogue *catalogue = NULL;

    cr_assert_eq(parse("# a comment\nmsgid \"\"\nmsgstr \"\"\n\"Language: pt_BR\\n\"\n\n"
                       "msgid \"one\"\nmsgstr \"um\"\n\n#: a.c:1\n#, c-format\nmsgid \"\"\n"
                       "\"%zu of \"\n\"%s\\t\\\"\\\\\"\nmsgstr \"%2$s: %1$zu\"\n\n"
                       "msgid \"not translated\"\nmsgstr \"\"",
                       &catalogue),
                 ERR_OK);
    cr_expect_eq(catalogue_count(catalogue), 2);
    cr_expect_str_eq(catalogue_find(catalogue, "one", false), "um");
    cr_expect_null(catalogue_find(catalogue, "one", true), "it is no format");
    cr_expect_str_eq(catalogue_find(catalogue, "%zu of %s\t\"\\", true), "%2$s: %1$zu");
    cr_expect_null(catalogue_find(catalogue, "not translated", false));
    catalogue_free(catalogue);
}

Test(language, refuses_what_would_break_a_format_or_is_no_catalogue)
{
    static const char *const rows[] = {
        "#, c-format\nmsgid \"%s\"\nmsgstr \"%d\"\n",
        "#, c-format\nmsgid \"%zu of %s\"\nmsgstr \"%s de %zu\"\n",
        "#, c-format\nmsgid \"%s\"\nmsgstr \"nada\"\n",
        "#, c-format\nmsgid \"%s\"\nmsgstr \"%s %s\"\n",
        "#, c-format\nmsgid \"%s\"\nmsgstr \"%n\"\n",
        "#, c-format\nmsgid \"%s\"\nmsgstr \"%99$s\"\n",
        "#, c-format\nmsgid \"%s\"\nmsgstr \"%s 95 %\"\n",
        "msgid \"a\"\nmsgstr \"b\"\nmsgid \"a\"\nmsgstr \"c\"\n",
        "msgid \"a\nmsgstr \"b\"\n",
        "msgid \"a\\q\"\nmsgstr \"b\"\n",
        "msgid \"a\"b\"\nmsgstr \"b\"\n",
        "msgstr \"b\"\n",
        "nonsense\n",
        "\"floating\"\n",
        "msgid \"a\"\nmsgstr \"\xff\"\n",
        "msgid \"",
        "msgid ",
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct catalogue *catalogue = NULL;

        cr_expect_eq(parse(rows[i], &catalogue), ERR_FORMAT, "row %zu: %s", i, rows[i]);
        cr_expect_null(catalogue, "row %zu", i);
    }
}

/* --- the catalogue ------------------------------------------------------------------------------
 */

/* A literal with its neighbours joined, from its first quote; NULL at the end. Comments and
 * #include are stepped over. */
static const char *next_literal(const char *at, struct buf *out)
{
    buf_clear(out);
    for (; *at; at++) {
        if (at[0] == '/' && at[1] == '*') {
            at = strstr(at + 2, "*/") + 1;
        } else if ((at[0] == '/' && at[1] == '/') || strncmp(at, "#include", 8) == 0) {
            at += strcspn(at, "\n");
        } else if (at[0] == '\'') {
            at += at[1] == '\\' ? 3 : 2;
        } else if (at[0] == '"') {
            break;
        }
    }
    while (*at == '"') {
        for (at++; *at != '"'; at++) {
            if (*at == '\\' && at[1] == 'x') {
                buf_add_char(out, (char)strtoul((const char[]){at[2], at[3], 0}, NULL, 16));
                at += 3;
            } else if (*at == '\\') {
                buf_add_char(out, at[1] == 'n' ? '\n' : at[1]);
                at++;
            } else {
                buf_add_char(out, *at);
            }
        }
        at++;
        at += strspn(at, " \t\n\\");
    }
    return *at ? at : NULL;
}

/* Words with a space between them. */
static bool is_sentence(const char *text)
{
    for (const char *at = text; *at; at++) {
        if (at[0] == ' ' && at > text && at[1] >= 'a' && at[1] <= 'z' && at[2] >= 'a' &&
            at[2] <= 'z') {
            return true;
        }
    }
    return false;
}

static void expect_literals_of(const struct catalogue *catalogue, const char *path)
{
    struct buf source, literal;
    struct err e;

    buf_init(&source, 1 << 20);
    buf_init(&literal, 1 << 16);
    cr_assert_eq(fs_read_file(path, &source, &e), ERR_OK, "%s", e.text);
    for (const char *at = source.bytes; (at = next_literal(at, &literal)) != NULL;) {
        if (is_sentence(literal.bytes) && !strstr(literal.bytes, "sqlite3 -readonly") &&
            !strstr(literal.bytes, "tacho run PLAN") && !strstr(literal.bytes, "no memory")) {
            cr_expect(catalogue_find(catalogue, literal.bytes, true) ||
                          catalogue_find(catalogue, literal.bytes, false),
                      "%s: not in pt-BR.po: \"%s\"", path, literal.bytes);
        }
    }
    buf_release(&source);
    buf_release(&literal);
}

static void expect_key(const struct catalogue *catalogue, const char *key)
{
    cr_expect_not_null(catalogue_find(catalogue, key, false), "not in pt-BR.po: \"%s\"", key);
}

/* The heading of samples.csv is for programs. */
static bool is_translated(const char *name)
{
    return strstr(name, ".c") && !strstr(name, "samples");
}

/* The labels of figures: "{{seconds}}" in scripts. */
static void expect_labels(const struct catalogue *catalogue)
{
    DIR *folder = opendir("report/plot");

    cr_assert_not_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[400], label[120];
        struct buf script;
        struct err e;

        if (!strstr(entry->d_name, ".gp")) {
            continue;
        }
        snprintf(path, sizeof(path), "report/plot/%.250s", entry->d_name);
        buf_init(&script, 1 << 20);
        cr_assert_eq(fs_read_file(path, &script, &e), ERR_OK, "%s", e.text);
        for (const char *at = script.bytes; (at = strstr(at, "{{")) != NULL; at += 2) {
            snprintf(label, sizeof(label), "%.*s", (int)(strstr(at, "}}") - at - 2), at + 2);
            expect_key(catalogue, label);
        }
        buf_release(&script);
    }
    closedir(folder);
}

/* What is written into results files while it is measured. */
static void expect_recorded(const struct catalogue *catalogue)
{
    for (size_t i = 0; recorded_patterns[i].english; i++) {
        expect_key(catalogue, recorded_patterns[i].english);
    }
    for (size_t i = 0; i < preflight_plan_rule_count; i++) {
        expect_key(catalogue, preflight_plan_rules[i].title);
    }
    for (size_t i = 0; i < preflight_machine_rule_count; i++) {
        expect_key(catalogue, preflight_machine_rules[i].title);
    }
    for (size_t i = 0; i < preflight_fact_rule_count; i++) {
        if (preflight_fact_rules[i].test != PREFLIGHT_TEST_NONE) {
            expect_key(catalogue, preflight_fact_rules[i].title);
        }
    }
}

Test(language, has_every_sentence_of_the_source)
{
    struct catalogue *catalogue = NULL;
    struct err e;
    DIR *folder = opendir("report/compose");

    cr_assert_eq(catalogue_open("pt-BR", &catalogue, &e), ERR_OK, "%s", e.text);
    cr_assert_not_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (is_translated(entry->d_name)) {
            char path[400];

            snprintf(path, sizeof(path), "report/compose/%.250s", entry->d_name);
            expect_literals_of(catalogue, path);
        }
    }
    closedir(folder);
    for (int i = 0; i < FINDING_KIND_COUNT; i++) {
        char pattern[FINDING_TEXT_BYTES];

        finding_pattern((enum finding_kind)i, pattern);
        expect_key(catalogue, pattern);
        expect_key(catalogue, finding_advice((enum finding_kind)i));
    }
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        expect_key(catalogue, outcome_infos[i].help);
    }
    expect_labels(catalogue);
    expect_recorded(catalogue);
    catalogue_free(catalogue);
}

/* --- documents ----------------------------------------------------------------------------------
 */

/* A text without what is marked as foreign. */
static void add_own(const char *text, struct buf *out)
{
    for (int depth = 0; *text; text++) {
        if (strncmp(text, "\xe2\x81\xa8", 3) == 0 || strncmp(text, "\xe2\x81\xa9", 3) == 0) {
            depth += text[2] == '\xa8' ? 1 : -1;
            text += 2;
        } else if (depth == 0) {
            buf_add_char(out, *text);
        }
    }
}

/* Words that are in nearly every English sentence and in no Portuguese one. */
static void expect_no_english(const char *text, const char *what)
{
    static const char *const words[] = {" the ", "The ",  " of ",   " and ", " with ", " which ",
                                        " is ",  " are ", " from ", " not ", " they ", " than "};
    struct buf own;

    buf_init(&own, 1 << 20);
    buf_add_text(&own, "");
    add_own(text ? text : "", &own);
    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        cr_expect_null(strstr(own.bytes, words[i]), "%s: English is left: %s", what, own.bytes);
    }
    buf_release(&own);
}

static void expect_table(const struct document_table *table, const char *what)
{
    expect_no_english(table->caption, what);
    expect_no_english(table->note, what);
    for (size_t i = 0; i < table->column_count && !table->is_files; i++) {
        for (size_t k = 0; table->columns[i].views && k < table->row_count; k++) {
            const struct document_cell *cell = &table->rows[k][i];

            if (cell->kind == DOCUMENT_CELL_TEXT && cell->is_sentence) {
                expect_no_english(cell->text, what);
            }
        }
        if (table->columns[i].views) {
            expect_no_english(table->columns[i].heading, what);
        }
    }
}

static void expect_section(const struct document_section *section, const char *what)
{
    expect_no_english(section->title, what);
    for (const struct document_block *block = section->first; block; block = block->next) {
        expect_no_english(block->kind == DOCUMENT_CODE ? NULL : block->text, what);
        expect_no_english(block->folded, what);
        if (block->table) {
            expect_table(block->table, what);
        }
        if (block->figure) {
            expect_no_english(block->figure->caption, what);
            expect_no_english(block->figure->alternative, what);
            expect_table(block->figure->table, what);
        }
    }
}

/* Nothing was looked for in vain, and nothing was forgotten to be looked for. */
static void expect_portuguese(struct document *document, const char *what)
{
    for (char *key = strtok(document->missing.bytes, "\n"); key; key = strtok(NULL, "\n")) {
        cr_expect_fail("%s: not in pt-BR.po: \"%s\"", what, key);
    }
    cr_expect_str_eq(document->language, "pt-BR");
    expect_section(&document->lead, what);
    for (const struct document_section *section = document->first; section;
         section = section->next) {
        expect_section(section, what);
    }
}

static void expect_whole(const char *path, const char *what)
{
    struct results *results = NULL;
    struct analysis *analysis = NULL;
    struct compose compose;
    struct err e;

    cr_assert_eq(results_load(path, true, &results, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(analysis_make(results, &analysis, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(
        compose_make_as(&(struct compose_config){.language = "pt-BR"}, analysis, "d", &compose, &e),
        ERR_OK, "%s", e.text);
    compose_take_pictures(&compose, "they were not asked for");
    expect_portuguese(compose.document, what);
    compose_release(&compose);
    analysis_free(analysis);
    results_free(results);
}

/* Each kind of session says something of its own. */
Test(language, has_every_text_of_every_session)
{
    static const struct results_builder rows[] = {
        {.block_count = 6},
        {.block_count = 1},
        {.block_count = 7, .epoll_per_s = 31100},
        {.block_count = 12, .epoll_per_s = 31000, .trial_noise = 0.001},
        {.block_count = 6, .epoll_per_s = 32000, .trial_noise = 0.05},
        {.faults = RESULTS_BUILDER_CRASHED},
        {.faults = RESULTS_BUILDER_FOREIGN_CPU},
        {.faults = RESULTS_BUILDER_NOTHING},
        {.faults = RESULTS_BUILDER_HOSTILE},
        {.faults = RESULTS_BUILDER_INTERRUPTED},
        {.faults = RESULTS_BUILDER_NO_AA},
        {.faults = RESULTS_BUILDER_EMPTY},
        {.faults = RESULTS_BUILDER_NO_HISTOGRAM, .connection_counts = {1, 8}},
        {.trial_noise = 0.4},
    };
    char folder[] = "/tmp/tacho-language-XXXXXX", path[128], what[32];

    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/results.db", folder);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        results_builder_make(&rows[i], path);
        snprintf(what, sizeof(what), "session %zu", i);
        expect_whole(path, what);
    }
    cr_expect_eq(fs_remove_tree(folder, NULL), ERR_OK);
}

/* Published numbers alone: what every kind of check and claim says. */
Test(language, has_every_text_of_published_numbers)
{
    static const char *const paths[] = {"datasets/published/dext.json",
                                        "datasets/published/mooncompiler.json",
                                        "datasets/published/wrk.json"};
    const struct compose_published_config config = {"d", "0", "pt-BR"};

    for (size_t i = 0; i < ARRAY_COUNT(paths); i++) {
        struct published *published = NULL;
        struct published_analysis analysis;
        struct document *document = NULL;
        struct err e;

        cr_assert_eq(published_load(paths[i], &published, &e), ERR_OK, "%s", e.text);
        cr_assert_eq(published_analyse(published, &analysis, &e), ERR_OK, "%s", e.text);
        cr_assert_eq(compose_published(&analysis, &config, &document, &e), ERR_OK, "%s", e.text);
        expect_portuguese(document, paths[i]);
        document_free(document);
        published_analysis_release(&analysis);
        published_free(published);
    }
}

struct loaded {
    struct results *results;
    struct analysis *analysis;
};

static struct loaded load(const struct results_builder *builder, const char *path,
                          const char *change)
{
    struct loaded loaded;
    struct err e;

    results_builder_make(builder, path);
    results_builder_alter(path, change);
    cr_assert_eq(results_load(path, true, &loaded.results, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(analysis_make(loaded.results, &loaded.analysis, &e), ERR_OK, "%s", e.text);
    return loaded;
}

static void release(struct loaded *loaded)
{
    analysis_free(loaded->analysis);
    results_free(loaded->results);
}

static void expect_sittings(const struct loaded *a, const struct loaded *b)
{
    struct sittings sittings;
    struct document *document = NULL;
    struct err e;

    cr_assert_eq(sittings_make(a->analysis, b->analysis, &sittings, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(compose_sittings(&sittings, "pt-BR", &document, &e), ERR_OK, "%s", e.text);
    expect_portuguese(document, "sittings");
    document_free(document);
    sittings_release(&sittings);
}

/* Published numbers and an earlier session beside a session. */
static void expect_beside(const struct loaded *a, const struct loaded *b)
{
    struct published *published = NULL;
    struct compose compose;
    struct err e;

    cr_assert_eq(published_load("datasets/published/mooncompiler.json", &published, &e), ERR_OK,
                 "%s", e.text);
    cr_assert_eq(compose_make_as(&(struct compose_config){.language = "pt-BR"}, a->analysis, "d",
                                 &compose, &e),
                 ERR_OK, "%s", e.text);
    cr_assert_eq(compose_beside(&compose, (const struct published *const[]){published}, 1, &e),
                 ERR_OK, "%s", e.text);
    cr_assert_eq(compose_baseline(&compose, b->results, &e), ERR_OK, "%s", e.text);
    document_finish(compose.document);
    expect_portuguese(compose.document, "beside");
    compose_release(&compose);
    published_free(published);
}

static void expect_reproduction(const struct loaded *a, const struct loaded *b)
{
    static const struct verify_result verified = {.id = "0123"};
    const struct reproduce_config config = {
        .verified = &verified, .program_version = "0", .language = "pt-BR"};
    const struct build_record record = {.tools = {{.name = "compiler", .says = "cc 1"}},
                                        .tool_count = 1};
    struct reproduce_state state = {.config = &config,
                                    .published = a->analysis,
                                    .here = b->analysis,
                                    .record = &record,
                                    .gate_was_asked = true};
    struct err e;

    cr_assert_eq(replication_make(a->analysis, b->analysis, &(struct replication_options){0},
                                  &state.replication, &e),
                 ERR_OK, "%s", e.text);
    cr_assert_eq(surroundings_make(a->results, b->results, &state.surroundings, &e), ERR_OK);
    for (int outcome = 0; outcome <= REBUILD_STOPPED; outcome++) {
        struct document *document = NULL;

        state.rebuilt.outcome = (enum rebuild_outcome)outcome;
        state.gate_passed = outcome == 0;
        cr_assert_eq(compose_reproduction(&state, &document, &e), ERR_OK, "%s", e.text);
        expect_portuguese(document, "reproduction");
        document_free(document);
    }
    surroundings_release(&state.surroundings);
    replication_release(&state.replication);
}

Test(language, has_every_text_of_documents_of_two_sessions)
{
    static const struct results_builder builder = {.faults = RESULTS_BUILDER_WHOLE_PLAN},
                                        unfit = {.faults = RESULTS_BUILDER_FOREIGN_CPU};
    char folder[] = "/tmp/tacho-language-XXXXXX", path[128];

    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/results.db", folder);
    struct loaded a = load(&builder, path, "SELECT 1");
    struct loaded b = load(&builder, path,
                           "UPDATE session SET session_uid = hex(zeroblob(16)); UPDATE fact SET "
                           "value = 'other' WHERE name = 'program.version'");
    struct loaded c = load(&unfit, path,
                           "UPDATE fact SET value = 'other' WHERE name = 'cpu.model'; UPDATE "
                           "engine SET name = 'third' WHERE name = 'epoll'");
    expect_sittings(&a, &b);
    expect_sittings(&a, &c);
    expect_beside(&a, &c);
    expect_reproduction(&a, &b);
    expect_reproduction(&a, &c);
    release(&a);
    release(&b);
    release(&c);
    cr_expect_eq(fs_remove_tree(folder, NULL), ERR_OK);
}

/* A recorded text is found by its wording, its numbers and names stay: by hand. */
Test(language, tells_what_was_recorded)
{
    static const char *const rows[][2] = {
        {"CPU frequency governor: schedutil; should be: performance",
         "governador de frequência da CPU: schedutil; deveria ser: performance"},
        {"longest accept queue (somaxconn): 128; should be: at least 512, one for each connection",
         "maior fila de accept (somaxconn): 128; deveria ser: pelo menos 512, um por conexão"},
        {"the server ended during the trial: signal 11",
         "o servidor terminou durante o ensaio: signal 11"},
        {"interrupted by signal 2", "interrompido pelo sinal 2"},
        {"interrupted by signal 2 before it listened",
         "interrompido pelo sinal 2 antes que escutasse"},
        {"something else", "something else"},
    };
    struct document *document = document_new();
    struct err e;

    cr_assert_eq(document_set_language(document, "pt-BR", &e), ERR_OK, "%s", e.text);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct buf out;

        buf_init(&out, 4096);
        buf_add_text(&out, "");
        for (const char *at = recorded_text(document, rows[i][0]); *at; at++) {
            if (strncmp(at, "\xe2\x81\xa8", 3) == 0 || strncmp(at, "\xe2\x81\xa9", 3) == 0) {
                at += 2;
            } else {
                buf_add_char(&out, *at);
            }
        }
        cr_expect_str_eq(out.bytes, rows[i][1], "row %zu: %s", i, out.bytes);
        buf_release(&out);
    }
    document_free(document);
}
