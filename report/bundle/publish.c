// SPDX-License-Identifier: Apache-2.0
// What an article shows of a bundle: as text for Markdown, as HTML, as JSON.
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/bundle/bundle.h"
#include "report/bundle/signature.h"

/* The language's own word; `text` itself without a catalogue. */
static const char *word(const struct catalogue *words, const char *text)
{
    const char *own = words ? catalogue_find(words, text, false) : NULL;

    return own ? own : text;
}

/* 3184640 → "3,184,640", in Portuguese "3.184.640" */
static void grouped_add(struct buf *out, uint64_t value, const struct catalogue *words)
{
    char digits[24];
    size_t length = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, value);

    for (size_t i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) {
            buf_add_char(out, words ? '.' : ',');
        }
        buf_add_char(out, digits[i]);
    }
}

static void contents_add(const struct bundle_result *result, const struct catalogue *words,
                         struct buf *out)
{
    buf_addf(out, "%s%s (", *result->sources_words ? word(words, result->sources_words) : "",
             word(words, "plan, machine facts, raw measurements"));
    grouped_add(out, result->sample_count, words);
    buf_addf(out, " %s), %s.", word(words, "rows"), word(words, "report"));
}

void bundle_format_snippet(const struct bundle_result *result, const struct catalogue *words,
                           struct buf *out)
{
    buf_addf(out, "%s: %s.tar (", word(words, "Download"), result->name);
    grouped_add(out, result->archive_bytes, words);
    buf_addf(out, " bytes)\nSHA-256: %s\n%s: ", result->archive_sha256, word(words, "Contains"));
    contents_add(result, words, out);
    buf_addf(out, "\n%s: sha256sum -c %s.tar.sha256\n", word(words, "Check"), result->name);
    buf_addf(out, "%s: tacho verify --sha256 %s %s.tar\n", word(words, "Verify"),
             result->archive_sha256, result->name);
    buf_addf(out, "%s: %s\n", word(words, "Bundle id"), result->id);
    buf_addf(out, "%s: %s\n", word(words, "Samples digest"), result->samples_digest);
    if (*result->signer_key) {
        buf_addf(out, "%s: %s (%s.tar" SIGNATURE_ENDING ")\n", word(words, "Signed by"),
                 result->signer_key, result->name);
    }
}

static void escaped_add(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '&' || *text == '<' || *text == '>' || *text == '"' || *text == '\'') {
            buf_addf(out, "&#%u;", (unsigned)(unsigned char)*text);
        } else {
            buf_add_char(out, *text);
        }
    }
}

/* Never cut, whole when it is selected, broken anywhere when the column is narrow. */
static void code_add(struct buf *out, const char *term, const char *text)
{
    buf_addf(out, "  <dt>%s</dt>\n  <dd><code style=\"word-break: break-all\">", term);
    escaped_add(out, text);
    buf_add_text(out, "</code></dd>\n");
}

void bundle_format_html(const struct bundle_result *result, const struct catalogue *words,
                        struct buf *out)
{
    char command[BUNDLE_NAME_BYTES + DIGEST_HEX_BYTES + 40];

    buf_addf(out, "<dl>\n  <dt>%s</dt>\n  <dd><a href=\"%s.tar\">%s.tar</a> (",
             word(words, "Download"), result->name, result->name);
    grouped_add(out, result->archive_bytes, words);
    buf_add_text(out, " bytes)</dd>\n");
    code_add(out, "SHA-256", result->archive_sha256);
    buf_addf(out, "  <dt>%s</dt>\n  <dd>", word(words, "Contains"));
    contents_add(result, words, out);
    buf_add_text(out, "</dd>\n");
    snprintf(command, sizeof(command), "sha256sum -c %s.tar.sha256", result->name);
    code_add(out, word(words, "Check"), command);
    snprintf(command, sizeof(command), "tacho verify --sha256 %s %s.tar", result->archive_sha256,
             result->name);
    code_add(out, word(words, "Verify"), command);
    code_add(out, word(words, "Bundle id"), result->id);
    code_add(out, word(words, "Samples digest"), result->samples_digest);
    if (*result->signer_key) {
        code_add(out, word(words, "Signed by"), result->signer_key);
    }
    buf_add_text(out, "</dl>\n");
}

enum err_code bundle_format_json(const struct bundle_result *result, struct buf *out, struct err *e)
{
    char archive[BUNDLE_NAME_BYTES + 8];

    snprintf(archive, sizeof(archive), "%s.tar", result->name);
    json_t *document = json_pack(
        "{s:s, s:s, s:I, s:s, s:s, s:s, s:I, s:b, s:s?}", "format", "tacho-publish-1", "archive",
        archive, "bytes", (json_int_t)result->archive_bytes, "sha256", result->archive_sha256,
        "bundle_id", result->id, "samples_digest", result->samples_digest, "samples",
        (json_int_t)result->sample_count, "has_sources", result->has_sources, "signer_key",
        *result->signer_key ? result->signer_key : NULL);
    char *text = document ? json_dumps(document, JSON_INDENT(2)) : NULL;

    json_decref(document);
    if (!text) {
        return err_set(e, ERR_LIMIT, "no memory for what an article shows");
    }
    buf_addf(out, "%s\n", text);
    free(text);
    return buf_check(out, "what an article shows", e);
}
