// SPDX-License-Identifier: Apache-2.0
// The banner: the word of the session's trust, and what a reader may not miss beside it.
#include <math.h>
#include <string.h>

#include "report/compose/compose_parts.h"
#include "report/judge/history.h"

static enum document_tone trust_tone(enum trust trust)
{
    switch (trust) {
    case TRUST_VALID:
        return DOCUMENT_GOOD;
    case TRUST_WARNINGS:
        return DOCUMENT_CAUTION;
    case TRUST_UNFIT:
    case TRUST_NOTHING:
        break;
    }
    return DOCUMENT_BAD;
}

static void add_remark(struct compose *compose, const char *text, enum document_tone tone)
{
    struct document *document = compose->document;

    document->remark =
        document->remark ? document_format(document, "%s; %s", document->remark, text) : text;
    if (document->tone != DOCUMENT_BAD) {
        document->tone = tone;
    }
}

/* Without it a page would look better than the last line of tacho report. */
static void add_claims(struct compose *compose)
{
    const struct analysis *analysis = compose->analysis;
    enum claim_word word = claims_word(analysis);
    size_t count = 0;

    for (size_t i = 0; i < analysis->claim_count; i++) {
        count += analysis->claims[i].word == word;
    }
    if (count == 0 || word == CLAIM_SUPPORTED) {
        return;
    }
    add_remark(compose,
               document_format(compose->document,
                               word == CLAIM_REFUTED ? "claims REFUTED: %zu of %zu"
                                                     : "claims INCONCLUSIVE: %zu of %zu",
                               count, analysis->claim_count),
               word == CLAIM_REFUTED ? DOCUMENT_BAD : DOCUMENT_CAUTION);
}

static void add_crashes(struct compose *compose)
{
    size_t count = 0;

    for (size_t i = 0; i < compose->results->trial_count; i++) {
        count += strcmp(compose->results->trials[i].state, "crashed") == 0;
    }
    if (count > 0) {
        add_remark(compose,
                   count == 1
                       ? document_tr(compose->document, "a server crashed in 1 trial")
                       : document_format(compose->document, "servers crashed in %zu trials", count),
                   DOCUMENT_CAUTION);
    }
}

const char *compose_drift(struct compose *compose)
{
    double drift = compose->analysis->limit_drift;

    return document_format(compose->document,
                           drift < 0 ? "the limit engine's last trial was %s slower than its first"
                                     : "the limit engine's last trial was %s faster than its first",
                           compose_percent(compose, fabs(drift)));
}

static void add_drift(struct compose *compose)
{
    if (analysis_has_drifted(compose->analysis)) {
        add_remark(compose, compose_drift(compose), DOCUMENT_CAUTION);
    }
}

/* A sound session that decided little: its banner may not look like a result. */
static void add_undecided(struct compose *compose, size_t open_count, size_t count)
{
    if (count > 0 && open_count == count) {
        add_remark(compose,
                   document_tr(compose->document, count == 1 ? "the comparison is not decided"
                                                             : "no comparison is decided"),
                   DOCUMENT_CAUTION);
    } else if (2 * open_count > count) {
        add_remark(compose,
                   document_format(compose->document, "%zu of %zu comparisons are not decided",
                                   open_count, count),
                   DOCUMENT_CAUTION);
    }
}

static void add_moved(struct compose *compose)
{
    const struct history *history = compose->history;
    size_t count = 0;

    for (size_t i = 0; history && i < history->series_count; i++) {
        count += history->series[i].is_outside;
    }
    if (count > 0) {
        add_remark(compose,
                   document_format(compose->document,
                                   count == 1 ? "%zu ratio has left the band of earlier sessions"
                                              : "%zu ratios have left the band of earlier sessions",
                                   count),
                   DOCUMENT_CAUTION);
    }
}

void compose_headline(struct compose *compose, size_t open_count, size_t comparison_count)
{
    enum trust trust = compose->analysis->trust;

    compose->document->word = trust_names[trust];
    compose->document->tone = trust_tone(trust);
    if (trust != TRUST_VALID && trust != TRUST_WARNINGS) {
        return; /* nothing is judged, and the reasons follow */
    }
    add_claims(compose);
    add_crashes(compose);
    add_drift(compose);
    add_undecided(compose, open_count, comparison_count);
    add_moved(compose);
}
