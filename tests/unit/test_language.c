// SPDX-License-Identifier: Apache-2.0
// The report in Portuguese: every text of ours is in the catalogue, whichever session it is of, and
// what the catalogue reader takes and refuses.
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/sample.h"
#include "engines/base/attr.h"
#include "engines/base/fs.h"
#include "report/compose/compose.h"
#include "report/render/catalogue.h"
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
            !strstr(literal.bytes, "no memory")) {
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

/* Published numbers, two sittings and reproductions are told in English only. */
static bool is_translated(const char *name)
{
    return strstr(name, ".c") && !strstr(name, "published") && !strstr(name, "repro") &&
           !strstr(name, "sittings") && !strstr(name, "samples") && !strstr(name, "beside");
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
    catalogue_free(catalogue);
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
    for (char *key = strtok(compose.document->missing.bytes, "\n"); key; key = strtok(NULL, "\n")) {
        cr_expect_fail("%s: not in pt-BR.po: \"%s\"", what, key);
    }
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
