// SPDX-License-Identifier: Apache-2.0
// Published numbers as a document of their own.
#ifndef REPORT_COMPOSE_COMPOSE_PUBLISHED_H
#define REPORT_COMPOSE_COMPOSE_PUBLISHED_H

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/judge/published_checks.h"
#include "report/render/document_language.h"

struct compose_published_config {
    const char *digest;   /* SHA-256 of the published file */
    const char *version;  /* of the program whose rules were used */
    const char *language; /* "en", "pt-BR"; NULL: English */
};
/*
 * document_out    document_free; what is composed does not outlive the analysis
 * errors          ERR_LIMIT: memory; those of document_set_language
 */
enum err_code compose_published(const struct published_analysis *analysis,
                                const struct compose_published_config *config,
                                struct document **document_out, struct err *e) ATTR_MUST_USE;

/* The section on where and how they were made, with what the source does not say. */
void compose_published_conditions(struct document *document, const struct published *published,
                                  const char *digest);

/* What a check says, as a sentence with its arithmetic. */
const char *compose_published_check(struct document *document,
                                    const struct published_analysis *analysis,
                                    const struct published_check *check);
/* Of a check of REPEATED, and of all of them: how often it was measured, and what follows. */
const char *compose_published_runs(struct document *document, double least, double most);
enum document_tone compose_published_tone(enum published_outcome outcome);

/* What a claim says and what the source's own numbers give. */
const char *compose_published_claim(struct document *document,
                                    const struct published_analysis *analysis, size_t claim_index);

/* "over 42 ms", "19900/s": a figure as it was published. */
const char *compose_published_value(struct document *document, enum published_metric metric,
                                    const struct published_value *value);
int compose_published_digits(enum published_metric metric); /* at most so many are shown */
/* "19900", all digits that were published. */
const char *compose_published_number(struct document *document, double number);

#endif
