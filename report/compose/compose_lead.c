// SPDX-License-Identifier: Apache-2.0
// The first screen: what was found and how sure it is.
#include <math.h>
#include <string.h>

#include "report/compose/compose_parts.h"
#include "report/judge/comparisons.h"
#include "report/render/number.h"
#include "report/render/recorded_text.h"
#include "report/render/text_safe.h"

#define SHORT_COUNT_MAX    4 /* so many comparisons are seen at first, */
#define OPEN_COUNT_MAX     2 /* of more only so many */
#define FOLDED_COUNT_MAX   40
#define LEVEL_COUNT_MAX    6 /* the same of throughputs, where nothing is compared */
#define VERDICT_WORD_COUNT (VERDICT_INCONCLUSIVE + 1)

const char *compose_place(struct compose *compose, size_t cell_index)
{
    return document_format(
        compose->document, "at %lld %s (%s)",
        (long long)compose_cell(compose, cell_index)->connection_count,
        document_tr(compose->document, compose_cell(compose, cell_index)->connection_count == 1
                                           ? "connection"
                                           : "connections"),
        document_name(compose->document, compose_load_name(compose, cell_index)));
}

/* "DIFFERENT", with what a reader needs where there is no decision. */
static const char *verdict_words(struct compose *compose, const struct analysis_row *row)
{
    char text[NUMBER_TEXT_BYTES];

    if (compose->analysis->is_quick) {
        return document_tr(compose->document, "descriptive only, no verdict");
    }
    if (row->verdict == VERDICT_NONE) {
        return document_tr(compose->document, "no verdict");
    }
    if (row->verdict == VERDICT_TOO_FEW) {
        return document_tr(compose->document, "too few blocks for a verdict (6 are needed)");
    }
    if (row->verdict == VERDICT_INCONCLUSIVE && isfinite(row->blocks_needed)) {
        return document_format(compose->document, "%s (about %s blocks would decide)",
                               document_tr(compose->document, verdict_names[row->verdict]),
                               number_format_fixed(ceil(row->blocks_needed), 0, 1, text));
    }
    return document_tr(compose->document, verdict_names[row->verdict]);
}

const char *compose_comparison(struct compose *compose, const struct analysis_row *row)
{
    struct document *document = compose->document;
    size_t baseline_index = compose->analysis->baseline_index;

    return document_format(
        document, "%s serves %s the requests of %s %s, n\xc2\xa0=\xc2\xa0%zu %s: %s.",
        document_name(document, compose_engine(compose, row->engine_index)->name),
        compose_ratio(compose, &row->ratio),
        document_name(document, compose_engine(compose, baseline_index)->name),
        compose_place(compose, row->cell_index), row->ratio.count,
        document_tr(document, row->ratio.count == 1 ? "block" : "blocks"),
        verdict_words(compose, row));
}

static void add_comparison(struct compose *compose, const struct analysis_row *row,
                           const char *folded)
{
    struct document *document = compose->document;
    bool is_open = row->verdict == VERDICT_INCONCLUSIVE || row->verdict == VERDICT_TOO_FEW;

    struct document_block *block =
        document_add(document, &document->lead, DOCUMENT_ITEM, compose_comparison(compose, row));

    block->tone = is_open ? DOCUMENT_CAUTION : DOCUMENT_GOOD;
    block->folded = folded;
}

/* Without a comparison the level is what can be said. */
static void add_level(struct compose *compose, const struct analysis_row *row, const char *folded)
{
    struct document *document = compose->document;
    char text[NUMBER_TEXT_BYTES];

    number_format_estimate(row->ok_per_s.value, row->ok_per_s.low, row->ok_per_s.high, "", text);
    struct document_block *block = document_add(
        document, &document->lead, DOCUMENT_ITEM,
        document_format(document, "%s serves %s requests/s %s, n\xc2\xa0=\xc2\xa0%zu %s.",
                        document_name(document, compose_engine(compose, row->engine_index)->name),
                        text, compose_place(compose, row->cell_index), row->ok_per_s.count,
                        document_tr(document, row->ok_per_s.count == 1 ? "trial" : "trials")));
    block->folded = folded;
}

static bool row_is_comparison(const struct compose *compose, const struct analysis_row *row)
{
    return compose->analysis->baseline_index != SIZE_MAX && isfinite(row->ratio.value) &&
           row->verdict != VERDICT_NONE && compose_engine_is(compose, row->engine_index, "subject");
}

/* Comparisons in the order of the report; how many there are of each verdict. */
struct comparison_list {
    const struct analysis_row **rows;
    size_t count, counts[VERDICT_WORD_COUNT];
};

/* Intervals that lie on one side of 1. */
static size_t count_one_sided(const struct comparison_list *list)
{
    size_t count = 0;

    for (size_t i = 0; i < list->count; i++) {
        count += comparisons_side(list->rows[i]->ratio.low, list->rows[i]->ratio.high) != 0;
    }
    return count;
}

/* An interval far from 1 beside "neither a difference" would be absurd: say what it lacks. */
static const char *explain_undecidable(struct compose *compose, const struct comparison_list *list)
{
    return document_format(
        compose->document,
        " INCONCLUSIVE: for want of blocks, whatever the ratio. Each interval is made for its "
        "comparison alone: %zu of the %zu exclude 1. But with %zu blocks none of so many "
        "comparisons can pass a test that allows for their number. Take the ratios as what was "
        "seen, not as findings.",
        count_one_sided(list), list->count, compose->analysis->block_count_most);
}

static const char *explain_verdict(struct compose *compose, enum verdict verdict)
{
    struct document *document = compose->document;
    const char *margin = compose_percent(compose, compose->analysis->margin);

    switch (verdict) {
    case VERDICT_DIFFERENT:
        return document_format(document, " DIFFERENT: beyond chance, and by more than %s.", margin);
    case VERDICT_SMALL:
        return document_format(document, " SMALL: beyond chance, but perhaps by less than %s.",
                               margin);
    case VERDICT_EQUIVALENT:
        return document_format(document, " EQUIVALENT: any difference is below %s.", margin);
    case VERDICT_INCONCLUSIVE:
        return document_tr(document,
                           " INCONCLUSIVE: these blocks show neither a difference nor that "
                           "there is none.");
    case VERDICT_NONE:
    case VERDICT_TOO_FEW:
        break;
    }
    return "";
}

static struct comparison_list list_comparisons(struct compose *compose)
{
    struct comparison_list list = {.rows = compose_rows(compose)};

    for (size_t i = 0; list.rows && i < compose->analysis->row_count; i++) {
        if (row_is_comparison(compose, list.rows[i])) {
            list.counts[list.rows[i]->verdict]++;
            list.rows[list.count++] = list.rows[i];
        }
    }
    return list;
}

/* "32 INCONCLUSIVE", "3 too few blocks": other languages have a plural. */
static const char *count_text(struct document *document, enum verdict verdict, size_t count)
{
    if (count != 1) {
        switch (verdict) {
        case VERDICT_DIFFERENT:
            return document_format(document, "%zu DIFFERENT", count);
        case VERDICT_SMALL:
            return document_format(document, "%zu SMALL", count);
        case VERDICT_EQUIVALENT:
            return document_format(document, "%zu EQUIVALENT", count);
        case VERDICT_INCONCLUSIVE:
            return document_format(document, "%zu INCONCLUSIVE", count);
        case VERDICT_NONE:
        case VERDICT_TOO_FEW:
            break;
        }
    }
    return document_format(document, "%zu %s", count,
                           document_tr(document, verdict == VERDICT_TOO_FEW
                                                     ? "too few blocks"
                                                     : verdict_names[verdict]));
}

/* "152 comparisons with blocking: 120 DIFFERENT, 32 INCONCLUSIVE.": the first also when it is none.
 */
static void add_verdict_counts(struct compose *compose, const struct comparison_list *list)
{
    struct document *document = compose->document;
    const char *text = "";

    for (int verdict = 0; verdict < VERDICT_WORD_COUNT; verdict++) {
        if (list->counts[verdict] > 0 || verdict == VERDICT_DIFFERENT) {
            text =
                document_format(document, "%s%s%s", text, *text ? ", " : "",
                                count_text(document, (enum verdict)verdict, list->counts[verdict]));
        }
    }
    const struct results_engine *baseline =
        compose_engine(compose, compose->analysis->baseline_index);

    document_add(document, &document->lead, DOCUMENT_ITEM,
                 document_format(document, "%zu comparisons with %s: %s.", list->count,
                                 document_name(document, baseline->name), text));
}

/* The first of those that are DIFFERENT stand open, then the first of the others. */
static void choose_open(const struct comparison_list *list, size_t room, bool *is_open)
{

    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < list->count && room > 0; i++) {
            if (!is_open[i] && (pass == 1 || list->rows[i]->verdict == VERDICT_DIFFERENT)) {
                is_open[i] = true;
                room--;
            }
        }
    }
}

static void add_comparisons(struct compose *compose, const struct comparison_list *list)
{
    struct document *document = compose->document;
    bool *is_open = document_allocate(document, list->count + 1);
    size_t open_count = list->count > SHORT_COUNT_MAX ? OPEN_COUNT_MAX : list->count;
    size_t rest = list->count - open_count;

    if (!is_open) {
        return;
    }
    choose_open(list, open_count, is_open);
    for (size_t i = 0; i < list->count; i++) {
        if (is_open[i]) {
            add_comparison(compose, list->rows[i], NULL);
        }
    }
    const char *folded = document_format(document, "The other comparisons (%zu)", rest);
    size_t shown = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (!is_open[i] && shown++ < FOLDED_COUNT_MAX) {
            add_comparison(compose, list->rows[i], folded);
        }
    }
    if (rest > FOLDED_COUNT_MAX) {
        document_add(document, &document->lead, DOCUMENT_ITEM,
                     document_format(document, "%zu more comparisons are in the table of results.",
                                     rest - FOLDED_COUNT_MAX))
            ->folded = folded;
    }
}

static bool row_has_level(const struct compose *compose, const struct analysis_row *row)
{
    return (compose_engine_is(compose, row->engine_index, "subject") ||
            compose_engine_is(compose, row->engine_index, "baseline")) &&
           isfinite(row->ok_per_s.value);
}

static void add_levels(struct compose *compose)
{
    const struct analysis_row **rows = compose_rows(compose);
    size_t count = 0, shown = 0;

    for (size_t i = 0; rows && i < compose->analysis->row_count; i++) {
        count += row_has_level(compose, rows[i]);
    }
    const char *folded = document_format(compose->document, "The other throughputs (%zu)",
                                         count > LEVEL_COUNT_MAX ? count - LEVEL_COUNT_MAX : 0);
    for (size_t i = 0; rows && i < compose->analysis->row_count; i++) {
        if (row_has_level(compose, rows[i]) && shown < LEVEL_COUNT_MAX + FOLDED_COUNT_MAX) {
            add_level(compose, rows[i], shown++ < LEVEL_COUNT_MAX ? NULL : folded);
        }
    }
}

/* An interval beyond 1 that alone would be called different. */
static bool has_lone_interval(const struct comparison_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct analysis_row *row = list->rows[i];

        if (row->verdict == VERDICT_INCONCLUSIVE &&
            comparisons_side(row->ratio.low, row->ratio.high) != 0) {
            return true;
        }
    }
    return false;
}

/* What the words and the brackets above mean; only those that occur. */
static void add_legend(struct compose *compose, const struct comparison_list *list)
{
    static const enum verdict order[] = {VERDICT_DIFFERENT, VERDICT_SMALL, VERDICT_EQUIVALENT,
                                         VERDICT_INCONCLUSIVE};
    bool is_undecidable = comparisons_are_undecidable(compose->analysis);
    const char *words = "";

    for (size_t i = 0; i < ARRAY_COUNT(order); i++) {
        if (list->counts[order[i]] > 0) {
            words = document_format(compose->document, "%s%s", words,
                                    is_undecidable && order[i] == VERDICT_INCONCLUSIVE
                                        ? explain_undecidable(compose, list)
                                        : explain_verdict(compose, order[i]));
        }
    }
    if (has_lone_interval(list) && !is_undecidable) {
        words = document_format(
            compose->document,
            "%s Some of these intervals exclude 1 all the same: among %zu comparisons that is "
            "expected by chance now and then, and adjusted for their number p is not below 0.05.",
            words, list->count);
    }
    if (*words) {
        document_add(compose->document, &compose->document->lead, DOCUMENT_PARAGRAPH,
                     document_format(compose->document,
                                     "In brackets: the 95\xc2\xa0%% interval of the ratio.%s",
                                     words));
    }
}

/* The plan asked for more than its blocks can tell: nothing above is evidence of no difference. */
static void add_undecidable(struct compose *compose)
{
    if (compose->analysis->comparison_count > 0 && comparisons_are_undecidable(compose->analysis) &&
        !compose->analysis->is_quick && compose->analysis->trust != TRUST_UNFIT) {
        document_add(
            compose->document, &compose->document->lead, DOCUMENT_NOTICE,
            document_format(compose->document, "Too few blocks: %s.", compose_undecidable(compose)))
            ->tone = DOCUMENT_CAUTION;
    }
}

static void add_findings(struct compose *compose, const struct comparison_list *list)
{
    if (list->count == 0) {
        add_levels(compose);
        return;
    }
    add_undecidable(compose);
    if (list->count > SHORT_COUNT_MAX && !compose->analysis->is_quick) {
        add_verdict_counts(compose, list);
    }
    add_comparisons(compose, list);
    add_legend(compose, list);
}

static void add_reason(struct compose *compose, const char *sentence)
{
    document_add(compose->document, &compose->document->lead, DOCUMENT_ITEM, sentence)->tone =
        DOCUMENT_BAD;
}

/* "blocking (A/A) serves 1.31× [1.10, 1.56] the requests of blocking at 16 connections (ping)" */
static const char *arm_sentence(struct compose *compose, const struct analysis_row *row)
{
    struct document *document = compose->document;
    size_t baseline_index = compose->analysis->baseline_index;

    return document_format(
        document, "%s serves %s the requests of %s %s",
        document_name(document, compose_engine(compose, row->engine_index)->name),
        compose_ratio(compose, &row->ratio),
        document_name(document, compose_engine(compose, baseline_index)->name),
        compose_place(compose, row->cell_index));
}

static void add_noise_reason(struct compose *compose, const struct analysis_row *row)
{
    if (compose->analysis->unfit_causes & UNFIT_AA_DIFFERS) {
        add_reason(compose,
                   document_format(compose->document,
                                   "The baseline was measured twice, as two arms of one and the "
                                   "same program, and the two differ: %s.",
                                   arm_sentence(compose, row)));
    }
    if (compose->analysis->unfit_causes & UNFIT_AA_WIDE) {
        add_reason(compose,
                   document_format(compose->document,
                                   "The baseline was measured twice, and the ratio of the two is "
                                   "known to \xc2\xb1%s only (limit 20 %%): %s.",
                                   compose_percent(compose, comparisons_half_width(row)),
                                   arm_sentence(compose, row)));
    }
}

/* Why no verdict is given, with the numbers that decided it. */
static void add_unfit_reasons(struct compose *compose)
{
    const struct analysis *analysis = compose->analysis;
    size_t trial_count = compose->results->trial_count;

    if (analysis->unfit_causes & UNFIT_FOREIGN_CPU) {
        add_reason(compose, document_format(
                                compose->document,
                                "In %zu of %zu trials other programs took more than 5 %% of the "
                                "machine's CPU, %s at worst: of a session that is fit they do so "
                                "in no more than a third.",
                                analysis->disturbed_count, trial_count,
                                compose_cpu_share(compose, analysis->foreign_cpu_share_max)));
    }
    if (analysis->unfit_row_index != SIZE_MAX) {
        add_noise_reason(compose, &analysis->rows[analysis->unfit_row_index]);
    }
    if (analysis->unfit_causes & UNFIT_NONE_COUNTED) {
        add_reason(compose,
                   document_format(compose->document,
                                   "No trial of an engine under test is counted (%zu of %zu in "
                                   "all); the reasons are below.",
                                   compose_counted(compose), trial_count));
    }
}

/* How most requests ended, where none ended well. */
static void add_nothing_reason(struct compose *compose)
{
    uint64_t counts[OUTCOME_COUNT] = {0};
    int most = OUTCOME_OK;
    char text[NUMBER_TEXT_BYTES];

    for (size_t i = 0; i < compose->results->trial_count; i++) {
        for (int kind = 0; kind < OUTCOME_COUNT; kind++) {
            counts[kind] += compose->analysis->trials[i].outcomes[kind];
        }
    }
    for (int kind = 0; kind < OUTCOME_COUNT; kind++) {
        most = counts[kind] > counts[most] ? kind : most;
    }
    if (counts[most] > 0) {
        number_format_fixed((double)counts[most], 0, 1, text);
        add_reason(compose,
                   document_format(compose->document, "Most often (%s times): %s.", text,
                                   document_tr(compose->document, outcome_infos[most].help)));
    }
}

static size_t count_remarks(const struct compose *compose)
{
    size_t count = 0;

    for (size_t i = 0; i < compose->results->trial_count; i++) {
        const struct trial_summary *summary = &compose->analysis->trials[i];

        count += summary->valid && summary->finding_count > 0;
    }
    return count;
}

static size_t count_events(const struct compose *compose)
{
    size_t count = 0;

    for (size_t i = 0; i < compose->results->event_count; i++) {
        count += compose_event_is_told(compose, &compose->results->events[i]);
    }
    return count;
}

/* What the word "warnings" stands for; the section on trust, which is next, has them one by one. */
static void add_warning_counts(struct compose *compose)
{
    struct document *document = compose->document;
    size_t trial_count = compose->results->trial_count;
    size_t excluded = trial_count - compose_counted(compose);
    size_t remarks = count_remarks(compose);
    size_t events = count_events(compose);
    const char *text = "";

    if (excluded > 0) {
        text = document_format(document, "%zu of %zu trials not counted", excluded, trial_count);
    }
    if (remarks > 0) {
        text = document_format(document, "%s%s%zu of %zu trials counted with a remark", text,
                               *text ? ", " : "", remarks, trial_count);
    }
    if (events > 0) {
        text = document_format(document, "%s%s%zu %s on the machine or the run", text,
                               *text ? ", " : "", events,
                               document_tr(document, events == 1 ? "note" : "notes"));
    }
    if (analysis_has_drifted(compose->analysis)) {
        text = document_format(document, "%s%s%s", text, *text ? ", " : "", compose_drift(compose));
    }
    if (*text) {
        document_add(document, &document->lead, DOCUMENT_ITEM,
                     document_format(document, "Warnings: %s.", text))
            ->tone = DOCUMENT_CAUTION;
    }
}

static void add_state(struct compose *compose)
{
    const struct results *results = compose->results;
    struct document *document = compose->document;
    const char *text = NULL;

    bool is_replay = compose_is_replay(compose);

    if (compose->analysis->trust == TRUST_NOTHING && is_replay) {
        text = "Every workload is a replay of recorded trials: nothing was measured in this "
               "session.";
    } else if (compose->analysis->trust == TRUST_NOTHING) {
        text = "No request was answered as expected inside a measured window, so there is nothing "
               "to compare. The trials below say why.";
    } else if (compose->analysis->trust == TRUST_UNFIT) {
        text = "The session was not fit to measure, so no verdict is given. The numbers below are "
               "for finding the cause, not for quoting.";
    }
    if (text) {
        document_add(document, &document->lead, DOCUMENT_NOTICE, text)->tone = DOCUMENT_BAD;
    }
    if (compose->analysis->trust == TRUST_NOTHING && !is_replay) {
        add_nothing_reason(compose);
    } else if (compose->analysis->trust == TRUST_UNFIT) {
        add_unfit_reasons(compose);
    }
    compose_origin(compose);
    if (compose->analysis->is_quick) {
        document_add(document, &document->lead, DOCUMENT_NOTICE,
                     "A quick session: its numbers are descriptive only. No verdict is given, and "
                     "no claim is judged.")
            ->tone = DOCUMENT_CAUTION;
    }
    if (strcmp(results->state, "finished") != 0) {
        text = document_format(document, "The session is not whole: %s%s%s.",
                               document_word(document, results->state), results->reason ? ", " : "",
                               results->reason ? recorded_text(document, results->reason) : "");
        document_add(document, &document->lead, DOCUMENT_NOTICE, text)->tone = DOCUMENT_CAUTION;
    }
}

void compose_lead(struct compose *compose)
{
    struct document *document = compose->document;
    const struct comparison_list list = list_comparisons(compose);

    document->title = text_is_blank(compose->results->title)
                          ? document_tr(document, "untitled")
                          : document_format(document, "%s", compose->results->title);
    document->program = document_format(document, "%s", compose->results->program_version);
    compose_headline(compose, list.counts[VERDICT_INCONCLUSIVE] + list.counts[VERDICT_TOO_FEW],
                     list.count);
    add_state(compose);
    if (compose->analysis->trust != TRUST_NOTHING) {
        add_findings(compose, &list);
        compose_history_lead(compose);
    }
    compose_claims(compose);
    if (compose->analysis->trust == TRUST_WARNINGS) {
        add_warning_counts(compose);
    }
    compose_measured(compose);
}
