// SPDX-License-Identifier: Apache-2.0
// Where the evidence is: the lines of an article that a reader needs to get it and to check it.
#include "report/article/article_parts.h"
#include "report/render/number.h"

static const struct document_column columns[] = {
    {.name = "name", .heading = "What", .views = DOCUMENT_VIEW_ALL, .precision = 60},
    {.name = "value", .heading = "Value", .views = DOCUMENT_VIEW_ALL, .precision = 400},
};

static void add_fact(struct document_table *table, const char *name, const char *sentence)
{
    struct document_cell *row = document_add_row(table);

    document_set_sentence(row, 0, name);
    document_set_sentence(row, 1, sentence);
}

void article_add_evidence(const struct article_evidence *evidence, struct compose *compose)
{
    struct document *document = compose->document;
    struct document_section *section = document_add_section(document, "evidence", "Evidence");
    struct document_table *table =
        document_new_table(document, "evidence", NULL, columns, ARRAY_COUNT(columns));
    const char *sources = evidence->sources_words ? evidence->sources_words : "";
    char bytes[NUMBER_TEXT_BYTES], rows[NUMBER_TEXT_BYTES];

    number_format_fixed((double)evidence->archive_bytes, 0, 1, bytes);
    number_format_fixed((double)compose->analysis->sample_count, 0, 1, rows);
    table->is_list = true;
    add_fact(table, "download",
             document_format(document, "%s.tar (%s bytes)", evidence->name, bytes));
    add_fact(table, "SHA-256", document_format(document, "%s", evidence->archive_sha256));
    add_fact(table, "contains",
             document_format(document, "%splan, machine facts, raw measurements (%s rows), report",
                             *sources ? document_tr(document, sources) : "", rows));
    add_fact(table, "check",
             document_format(document, "sha256sum -c %s.tar.sha256", evidence->name));
    add_fact(table, "verify",
             document_format(document, "tacho verify --sha256 %s %s.tar", evidence->archive_sha256,
                             evidence->name));
    add_fact(table, "samples SHA-256", document_format(document, "%s", compose->samples_digest));
    document_show_table(section, table, DOCUMENT_VIEW_ALL);
    document_add(document, section, DOCUMENT_PARAGRAPH,
                 evidence->has_sources
                     ? "Whoever has the archive can verify it, make this report again to the same "
                       "bytes and, where its README says so, measure anew: tacho reproduce."
                     : "Whoever has the archive can verify it and make this report again to the "
                       "same bytes.");
}
