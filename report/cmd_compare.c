// SPDX-License-Identifier: Apache-2.0
// tacho compare: two results files side by side.
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "engines/base/buf.h"
#include "report/cmd.h"
#include "report/compose/compose_sittings.h"
#include "report/judge/analysis_load.h"
#include "report/render/catalogue.h"
#include "report/render/render.h"

#define TEXT_BYTES_MAX ((size_t)64 << 20)

struct compare_options {
    const char *language;
    bool json;
};

static const struct option_row rows[] = {
    {.long_name = "json",
     .short_name = 'j',
     .type = OPTION_FLAG,
     .offset = offsetof(struct compare_options, json),
     .help = "print JSON instead, with every number; the verdict is in it"},
    {.long_name = "lang",
     .short_name = 0,
     .type = OPTION_TEXT,
     .offset = offsetof(struct compare_options, language),
     .argument = "LANGUAGE",
     .help = "of the text: en (default) or pt-BR; JSON stays the same"},
};

const struct option_table cmd_compare_options = {
    .program = "tacho compare",
    .arguments = "A.db|BUNDLE B.db|BUNDLE",
    .summary = "two results files as two sittings; refuses what is not comparable",
    .details = "Comparable are sessions of the same plan on the same machine (its lasting facts) "
               "that are fit.\nThe ratio is B over A. Exit status 0: VERDICT=COMPARED; "
               "3: VERDICT=NOT_COMPARABLE,\nwith what differs. A bundle is verified first (V0 … V9 "
               "of tacho verify; exit status 5).",
    .rows = rows,
    .row_count = ARRAY_COUNT(rows),
    .positional_minimum = 2,
    .positional_maximum = 2,
};

struct sitting {
    struct results *results;
    struct analysis *analysis;
    bool immutable; /* out of a bundle */
};

/* As verify_config's `use`. */
static enum err_code sitting_load(const char *results_path, void *context, struct err *e)
{
    struct sitting *sitting = context;

    return analysis_load(results_path, sitting->immutable, NULL, &sitting->results,
                         &sitting->analysis, e);
}

static void sitting_release(struct sitting *sitting)
{
    analysis_free(sitting->analysis);
    results_free(sitting->results);
}

static enum err_code document_print(const struct document *document, bool json, struct err *e)
{
    struct buf out;
    enum err_code code = ERR_OK;

    buf_init(&out, TEXT_BYTES_MAX);
    if (json) {
        code = render_json(document, &out, e);
    } else {
        render_markdown(document, &out);
    }
    code = code == ERR_OK ? buf_check(&out, "the comparison", e) : code;
    if (code == ERR_OK) {
        fwrite(out.bytes, 1, out.length, stdout);
    }
    buf_release(&out);
    return code;
}

static enum err_code sittings_print(const struct sitting *a, const struct sitting *b,
                                    const struct compare_options *options, bool *comparable_out,
                                    struct err *e)
{
    const char *language =
        options->language && !options->json ? options->language : CATALOGUE_ENGLISH;
    struct sittings sittings;
    struct document *document = NULL;
    enum err_code code = sittings_make(a->analysis, b->analysis, &sittings, e);

    if (code != ERR_OK) {
        return code;
    }
    code = compose_sittings(&sittings, language, &document, e);
    if (code == ERR_OK) {
        code = document_print(document, options->json, e);
        document_free(document);
    }
    *comparable_out = sittings.is_comparable;
    sittings_release(&sittings);
    return code;
}

int cmd_compare(int argc, char **argv)
{
    struct compare_options options = {0};
    const char *paths[2] = {NULL, NULL};
    struct sitting sittings[2] = {{0}};
    int positional_count = 0, status = EXIT_STATUS_OK;
    bool help = false;
    bool comparable = false;
    struct err e;

    if (options_parse(&cmd_compare_options, argc, argv, &options, paths, &positional_count, &help,
                      &e) != ERR_OK) {
        return cmd_fail(&e);
    }
    if (help) {
        options_print_help(&cmd_compare_options, stdout);
        return EXIT_STATUS_OK;
    }
    if (cmd_check_language(&options.language, &e) != ERR_OK) {
        return cmd_fail(&e);
    }
    for (size_t i = 0; i < ARRAY_COUNT(sittings) && status == EXIT_STATUS_OK; i++) {
        status = cmd_use_results(paths[i], &sittings[i].immutable, sitting_load, &sittings[i]);
    }
    if (status == EXIT_STATUS_OK &&
        sittings_print(&sittings[0], &sittings[1], &options, &comparable, &e) != ERR_OK) {
        status = cmd_fail_path(&e);
    }
    sitting_release(&sittings[0]);
    sitting_release(&sittings[1]);
    if (status != EXIT_STATUS_OK) {
        return status;
    }
    if (!options.json) {
        printf("VERDICT=%s\n", comparable ? "COMPARED" : "NOT_COMPARABLE");
    }
    return comparable ? EXIT_STATUS_OK : EXIT_STATUS_UNFIT;
}
