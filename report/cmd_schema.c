// SPDX-License-Identifier: Apache-2.0
// tacho schema: the tables of a results file, as SQL or as documentation, for those who query it
// themselves.
#include <stdio.h>
#include <string.h>

#include "collector/asset.h"
#include "collector/sample.h"
#include "report/cmd.h"

#define SCHEMA_ASSET   "collector/store/sql/0001_init.sql"
#define LINE_BYTES     512
#define COMMENT_INDENT 3 /* "-- " */

struct schema_options {
    bool docs;
};

static const struct option_row rows[] = {
    {"docs", 0, OPTION_FLAG, offsetof(struct schema_options, docs), NULL,
     "print each table with its columns, their units and their meaning (Markdown)", 0, 0},
};

const struct option_table cmd_schema_options = {
    .program = "tacho schema",
    .arguments = "",
    .summary = "the tables of a results file: SQL, or documentation",
    .details = "The SQL is what a new results file is made from, with its comments.",
    .rows = rows,
    .row_count = ARRAY_COUNT(rows),
};

struct reader {
    const char *at;
    char line[LINE_BYTES];
    char comment[2 * LINE_BYTES]; /* the lines of comment before this line */
    bool is_sample;               /* inside of table sample: columns may be metrics */
};

static bool line_read(struct reader *reader)
{
    size_t length = strcspn(reader->at, "\n");

    if (!*reader->at) {
        return false;
    }
    snprintf(reader->line, sizeof(reader->line), "%.*s", (int)length, reader->at);
    reader->at += length + (reader->at[length] == '\n');
    return true;
}

static void comment_keep(struct reader *reader)
{
    size_t used = strlen(reader->comment);

    snprintf(reader->comment + used, sizeof(reader->comment) - used, "%s%s", used ? " " : "",
             reader->line + COMMENT_INDENT);
}

static const struct metric_info *metric_find(const char *name)
{
    for (int i = 0; i < METRIC_COUNT; i++) {
        if (strcmp(metric_infos[i].name, name) == 0) {
            return &metric_infos[i];
        }
    }
    return NULL;
}

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), end_length = strlen(end);

    return length >= end_length && strcmp(name + length - end_length, end) == 0;
}

/* By the end of the name, as datasets/README.md says. */
static const char *unit_of(const char *name)
{
    static const struct {
        const char *end, *unit;
    } units[] = {{"_utc_ns", "ns since 1970"},
                 {"_ns", "ns"},
                 {"_bytes", "B"},
                 {"_kib", "KiB"},
                 {"_per_s", "1/s"}};

    for (size_t i = 0; i < ARRAY_COUNT(units); i++) {
        if (ends_with(name, units[i].end)) {
            return units[i].unit;
        }
    }
    return "";
}

static void metric_print(const struct metric_info *info)
{
    static const char *const kinds[] = {[METRIC_KIND_DELTA] = "in the interval",
                                        [METRIC_KIND_GAUGE] = "at its end",
                                        [METRIC_KIND_MAXIMUM] = "largest in it"};

    printf("| `%s` | INTEGER | %s | %s (%s) |\n", info->name,
           strcmp(info->unit, "1") == 0 ? "" : info->unit, info->help, kinds[info->kind]);
}

/* What a column without a comment says of itself: what it points at, or its values. */
static void meaning_print(const struct reader *reader)
{
    static const char values[] = " IN (", reference[] = " REFERENCES ";
    const char *comment = strstr(reader->line, " -- ");
    const char *list = strstr(reader->line, values);
    const char *table = strstr(reader->line, reference);

    if (comment) {
        printf("%s |\n", comment + 1 + COMMENT_INDENT);
    } else if (table) {
        table += sizeof(reference) - 1;
        printf("row of %.*s |\n", (int)strcspn(table, " ,"), table);
    } else if (list) {
        list += sizeof(values) - 1;
        printf("one of %.*s |\n", (int)strcspn(list, ")"), list);
    } else {
        puts(strstr(reader->line, "PRIMARY KEY") ? "key |" : "|");
    }
}

/* "    name TYPE …, -- meaning"; what begins with a capital is a constraint. */
static void column_print(const struct reader *reader)
{
    char name[64], type[16];

    if (sscanf(reader->line, " %63[a-z0-9_] %15[A-Z]", name, type) != 2) {
        return;
    }
    const struct metric_info *info = reader->is_sample ? metric_find(name) : NULL;
    if (info) {
        metric_print(info);
        return;
    }
    bool is_required = strstr(reader->line, "NOT NULL") || strstr(reader->line, "PRIMARY KEY");
    printf("| `%s` | %s%s | %s | ", name, type, is_required ? "" : ", may be NULL", unit_of(name));
    meaning_print(reader);
}

static void table_begin(struct reader *reader)
{
    char name[64];

    if (sscanf(reader->line, "CREATE TABLE %63[a-z_]", name) != 1) {
        if (reader->comment[0]) {
            printf("\n%s\n", reader->comment); /* of the whole file */
        }
        reader->comment[0] = '\0';
        return;
    }
    reader->is_sample = strcmp(name, "sample") == 0;
    printf("\n## %s\n\n", name);
    if (reader->comment[0]) {
        printf("%s\n\n", reader->comment);
    }
    puts("| column | type | unit | meaning |\n| --- | --- | --- | --- |");
    reader->comment[0] = '\0';
}

static void outcomes_print(void)
{
    static const char *const classes[] = {[OUTCOME_CLASS_OK] = "right answer",
                                          [OUTCOME_CLASS_HTTP] = "another answer",
                                          [OUTCOME_CLASS_FAULT] = "no whole answer",
                                          [OUTCOME_CLASS_OPEN] = "not ended"};

    puts("\n## kinds of outcome\n\nEvery request has exactly one.\n\n| kind | class | meaning |\n"
         "| --- | --- | --- |");
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        printf("| `%s` | %s | %s |\n", outcome_infos[i].name, classes[outcome_infos[i].class],
               outcome_infos[i].help);
    }
}

static void docs_print(const char *sql)
{
    struct reader reader = {.at = sql};

    puts("# The tables of a results file\n\nSQLite. A metric of a sample may always be NULL: not "
         "known.");
    while (line_read(&reader)) {
        if (strncmp(reader.line, "-- ", COMMENT_INDENT) == 0) {
            comment_keep(&reader);
        } else if (reader.line[0] == ' ') {
            column_print(&reader);
        } else {
            table_begin(&reader);
        }
    }
    outcomes_print();
}

int cmd_schema(int argc, char **argv)
{
    struct schema_options options = {0};
    const char *positional[1] = {NULL};
    int positional_count = 0;
    bool help = false;
    struct err e = {0};
    const struct asset *sql = asset_find(SCHEMA_ASSET);

    if (options_parse(&cmd_schema_options, argc, argv, &options, positional, &positional_count,
                      &help, &e) != ERR_OK) {
        return cmd_fail(&e);
    }
    if (help) {
        options_print_help(&cmd_schema_options, stdout);
    } else if (!sql) {
        err_set(&e, ERR_LIMIT, "the schema is not in this program");
        return cmd_fail(&e);
    } else if (options.docs) {
        docs_print(sql->bytes);
    } else {
        fwrite(sql->bytes, 1, sql->length, stdout);
    }
    return EXIT_STATUS_OK;
}
