// SPDX-License-Identifier: Apache-2.0
// Whether to trust the numbers: the noise floor, what was left out and why, disturbances.
#include <math.h>
#include <string.h>

#include "report/compose/compose_parts.h"
#include "report/judge/comparisons.h"
#include "report/render/number.h"
#include "report/render/recorded_text.h"
#include "report/stats/paired.h"

#define PREFLIGHT_OPEN_MAX 2 /* so many of its notes stand open */
#define RUN_SHOWN_MAX      8 /* runs of neighbouring trials that a line names */
#define EVENT_SHOWN_MAX    20

static const struct document_column list_columns[] = {
    {.name = "name", .heading = "What", .views = DOCUMENT_VIEW_ALL},
    {.name = "value", .heading = "Value", .views = DOCUMENT_VIEW_ALL},
};

static void add_fact(struct document_table *table, const char *name, const char *sentence,
                     bool is_fine)
{
    struct document_cell *row = document_add_row(table);

    document_set_sentence(row, 0, name);
    document_set_sentence(row, 1, sentence);
    if (row && !is_fine) {
        row[1].tone = DOCUMENT_CAUTION;
    }
}

/* A/A arms with a ratio, and those of them whose interval misses 1. */
struct arm_counts {
    size_t all, missing_one;
};

static struct arm_counts count_arms(const struct compose *compose)
{
    struct arm_counts counts = {0};

    for (size_t i = 0; i < compose->analysis->row_count; i++) {
        const struct analysis_row *row = &compose->analysis->rows[i];

        if (compose_engine_is(compose, row->engine_index, "aa") && isfinite(row->ratio.value)) {
            counts.all++;
            counts.missing_one += comparisons_side(row->ratio.low, row->ratio.high) != 0;
        }
    }
    return counts;
}

/* The arm that made the session unfit, else the one farthest from 1: it is shown with its place
 * when there are others. */
static void add_noise_floor(struct compose *compose, struct document_table *table)
{
    const struct analysis *analysis = compose->analysis;
    const struct arm_counts counts = count_arms(compose);
    size_t index =
        analysis->unfit_row_index != SIZE_MAX ? analysis->unfit_row_index : analysis->aa_row_index;

    if (index == SIZE_MAX) {
        add_fact(table, "A/A ratio",
                 compose_has_arm(compose)
                     ? "n/a: too few trials of the baseline and its second arm are counted"
                     : "n/a: the plan does not measure the baseline twice",
                 false);
        return;
    }
    const struct analysis_row *row = &analysis->rows[index];
    const char *text = document_format(compose->document, "%s: the same program twice",
                                       compose_ratio(compose, &row->ratio));

    if (counts.all > 1) {
        text = document_format(compose->document, "%s %s, the worst of %zu", text,
                               compose_place(compose, row->cell_index), counts.all);
    }
    if (counts.missing_one > 0) {
        text = counts.all > 1
                   ? document_format(compose->document, "%s; %zu of %zu intervals miss 1", text,
                                     counts.missing_one, counts.all)
                   : document_format(compose->document, "%s, and the interval misses 1", text);
    }
    add_fact(table, "A/A ratio", text, counts.missing_one == 0);
}

/* The minimal effect is the t test's at 80 % power. The exact test, which decides, has fewer levels
 * to choose from when there are few blocks: what is left of the 80 % is ci/run simulate's. */
static const char *how_often(const struct compose *compose, size_t block_count)
{
    double levels = paired_family_max(block_count, COMPARISON_ALPHA) /
                    (double)compose->analysis->comparison_count;

    if (levels >= paired_family_max(10, COMPARISON_ALPHA)) {
        return "4 sessions of 5";
    }
    if (levels >= paired_family_max(8, COMPARISON_ALPHA)) {
        return "3 sessions of 4";
    }
    return levels >= 2 || compose->analysis->comparison_count == 1 ? "3 sessions of 5"
                                                                   : "1 session of 2";
}

const char *compose_undecidable(struct compose *compose)
{
    const struct analysis *analysis = compose->analysis;

    return document_format(
        compose->document,
        "with %zu blocks and %zu comparisons no difference can reach the level (Holm, 0.05); %zu "
        "blocks could",
        analysis->block_count_most, analysis->comparison_count,
        comparisons_blocks_least(analysis->comparison_count));
}

/* Why nothing can be told apart. */
static const char *not_detectable(struct compose *compose)
{
    const struct analysis *analysis = compose->analysis;

    if (analysis->is_quick) {
        return "n/a: a quick session gives no verdict";
    }
    if (analysis->trust == TRUST_UNFIT) {
        return "n/a: an unfit session gives no verdict";
    }
    return analysis->comparison_count > 0 && comparisons_are_undecidable(analysis)
               ? document_format(compose->document, "n/a: too few blocks for %zu comparisons",
                                 analysis->comparison_count)
               : "n/a: too few blocks (6 are needed)";
}

static void add_detectable(struct compose *compose, struct document_table *table)
{
    double largest = (double)NAN;
    size_t block_count = 0;

    for (size_t i = 0; i < compose->analysis->row_count; i++) {
        const struct analysis_row *row = &compose->analysis->rows[i];

        if (compose_engine_is(compose, row->engine_index, "subject") &&
            isfinite(row->minimal_effect) && !(row->minimal_effect <= largest)) {
            largest = row->minimal_effect;
            block_count = row->ratio.count;
        }
    }
    add_fact(table, "detectable",
             isfinite(largest)
                 ? document_format(compose->document,
                                   "a true difference of %s would be found in %s",
                                   compose_percent(compose, largest),
                                   document_tr(compose->document, how_often(compose, block_count)))
                 : not_detectable(compose),
             isfinite(largest));
}

/* What is worth a look once the box above is not enough; open when one of it is not fine. */
static void add_more(struct compose *compose, struct document_section *section)
{
    const struct analysis *analysis = compose->analysis;
    struct document_table *table = document_new_table(compose->document, "trust_more", NULL,
                                                      list_columns, ARRAY_COUNT(list_columns));
    bool is_sampled = analysis->sample_missing_count == 0 && !(analysis->lateness_ns_p99 > 1e7);
    bool is_level = !analysis_has_drifted(analysis);
    char p99[NUMBER_TEXT_BYTES], max[NUMBER_TEXT_BYTES];

    table->is_list = true;
    add_fact(table, "margin",
             document_format(compose->document,
                             "differences below %s count as none (2 %% or the A/A half-width)",
                             compose_percent(compose, compose->analysis->margin)),
             true);
    number_format_significant(analysis->lateness_ns_p99 / 1e6, 2, p99);
    number_format_significant(analysis->lateness_ns_max / 1e6, 2, max);
    add_fact(table, "sampling",
             document_format(compose->document,
                             "%s samples, %s missing; late by %s ms (p99), %s ms (max)",
                             compose_count(compose, analysis->sample_count),
                             compose_count(compose, analysis->sample_missing_count), p99, max),
             is_sampled);
    add_fact(table, "drift",
             isfinite(analysis->limit_drift)
                 ? compose_drift(compose)
                 : "n/a: fewer than two trials of the limit engine are counted",
             is_level && isfinite(analysis->limit_drift));
    document_show_table(section, table, DOCUMENT_VIEW_ALL)->folded =
        is_sampled ? "Margin, sampling, drift" : NULL; /* a drift is told in the lead */
}

static const struct finding *find_finding(const struct trial_summary *summary,
                                          enum finding_kind kind, bool invalidates)
{
    for (size_t i = 0; i < summary->finding_count; i++) {
        if (summary->findings[i].kind == kind && summary->findings[i].invalidates == invalidates) {
            return &summary->findings[i];
        }
    }
    return NULL;
}

/* The trials that have one kind of finding. */
struct finding_group {
    const struct finding *lowest, *highest; /* by value */
    size_t count, engine_index;             /* SIZE_MAX: of several engines */
    int64_t first, last;                    /* of the run of neighbours that is open */
    size_t run_count;
    const char *what;
    const char *numbers; /* "2, 5\xe2\x80\x937": the runs before it, as a person counts trials */
};

static void group_end_run(struct compose *compose, struct finding_group *group)
{
    struct document *document = compose->document;

    if (group->run_count == RUN_SHOWN_MAX) {
        group->numbers = document_format(document, "%s, \xe2\x80\xa6", group->numbers); /* … */
    }
    if (group->run_count++ >= RUN_SHOWN_MAX) {
        return;
    }
    const char *comma = *group->numbers ? ", " : "";
    group->numbers =
        group->first == group->last
            ? document_format(document, "%s%s%lld", group->numbers, comma, (long long)group->first)
            : document_format(document, "%s%s%lld\xe2\x80\x93%lld", group->numbers, comma,
                              (long long)group->first, (long long)group->last);
}

static void group_take(struct compose *compose, struct finding_group *group,
                       const struct results_trial *trial, const struct finding *finding)
{
    int64_t number = trial->order_index + 1;
    bool is_first = group->count++ == 0;

    if (is_first || finding->value < group->lowest->value) {
        group->lowest = finding;
    }
    if (is_first || finding->value > group->highest->value) {
        group->highest = finding;
    }
    if (!is_first && number > group->last + 1) {
        group_end_run(compose, group);
    }
    if (is_first || number > group->last + 1) {
        group->first = number;
    }
    group->last = number;
    group->engine_index =
        is_first || group->engine_index == trial->engine_index ? trial->engine_index : SIZE_MAX;
}

static const char *group_sentence(struct compose *compose, const struct finding_group *group,
                                  bool invalidates)
{
    struct document *document = compose->document;
    const char *engine =
        group->engine_index == SIZE_MAX
            ? NULL
            : document_name(document, compose_engine(compose, group->engine_index)->name);

    if (group->count == 1) {
        return document_format(document,
                               invalidates ? "Trial %s (%s) is not counted: %s."
                                           : "Trial %s (%s) has a warning: %s.",
                               group->numbers, engine, group->what);
    }
    return document_format(document,
                           invalidates ? "%zu trials%s are not counted (numbers %s): %s."
                                       : "%zu trials%s have a warning (numbers %s): %s.",
                           group->count, engine ? document_format(document, " of %s", engine) : "",
                           group->numbers, group->what);
}

static void group_fill(struct compose *compose, struct finding_group *group, enum finding_kind kind,
                       bool invalidates)
{
    size_t last_index = 0;

    for (size_t i = 0; i < compose->results->trial_count; i++) {
        const struct finding *finding =
            find_finding(&compose->analysis->trials[i], kind, invalidates);

        if (finding) {
            last_index = i;
            group_take(compose, group, &compose->results->trials[i], finding);
        }
    }
    if (group->count > 0) {
        const char *reason =
            group->count == 1 ? compose_trial_reason(compose, last_index, kind) : NULL;

        group_end_run(compose, group);
        group->what =
            reason ? reason : compose_findings_between(compose, group->lowest, group->highest);
    }
}

/* Joins a group to one of the same trials, where all of them are named. */
static bool group_join(struct compose *compose, struct finding_group *groups, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (groups[i].count == groups[at].count && groups[at].run_count <= RUN_SHOWN_MAX &&
            strcmp(groups[i].numbers, groups[at].numbers) == 0) {
            groups[i].what =
                document_format(compose->document, "%s; %s", groups[i].what, groups[at].what);
            return true;
        }
    }
    return false;
}

/* One line for each kind of finding that invalidates trials, or only warns; what the same trials
 * have stands together. The table of trials has them one by one. */
static void add_kinds(struct compose *compose, struct document_section *section, bool invalidates)
{
    struct finding_group groups[FINDING_KIND_COUNT];
    size_t count = 0;

    for (int kind = 0; kind < FINDING_KIND_COUNT; kind++) {
        groups[count] = (struct finding_group){.numbers = ""};
        group_fill(compose, &groups[count], (enum finding_kind)kind, invalidates);
        if (groups[count].count > 0 && !group_join(compose, groups, count)) {
            count++;
        }
    }
    for (size_t i = 0; i < count; i++) {
        document_add(compose->document, section, DOCUMENT_ITEM,
                     group_sentence(compose, &groups[i], invalidates))
            ->tone = invalidates ? DOCUMENT_BAD : DOCUMENT_CAUTION;
    }
}

/* What a trial that is not counted says is told with it. */
static bool is_of_excluded(const struct compose *compose, const struct results_event *event)
{
    for (size_t i = 0; i < compose->results->trial_count; i++) {
        if (compose->results->trials[i].trial_id == event->trial_id) {
            return !compose->analysis->trials[i].valid;
        }
    }
    return false;
}

bool compose_event_is_told(const struct compose *compose, const struct results_event *event)
{
    return strcmp(event->severity, "info") != 0 && !is_of_excluded(compose, event);
}

/* What was found before the run is folded where it would push the results off the first screen. */
static const char *preflight_fold(struct compose *compose)
{
    size_t count = 0;

    for (size_t i = 0; i < compose->results->event_count; i++) {
        const struct results_event *event = &compose->results->events[i];

        count += compose_event_is_told(compose, event) && strcmp(event->kind, "preflight") == 0;
    }
    return count > PREFLIGHT_OPEN_MAX
               ? document_format(compose->document, "Notes of the preflight (%zu)", count)
               : NULL;
}

static void add_events(struct compose *compose, struct document_section *section)
{
    const char *fold = preflight_fold(compose);
    size_t count = 0;

    for (size_t i = 0; i < compose->results->event_count; i++) {
        const struct results_event *event = &compose->results->events[i];

        if (!compose_event_is_told(compose, event) || count++ >= EVENT_SHOWN_MAX) {
            continue;
        }
        struct document_block *block =
            document_add(compose->document, section, DOCUMENT_ITEM,
                         document_format(compose->document, "%s: %s",
                                         document_word(compose->document, event->kind),
                                         recorded_text(compose->document, event->text)));
        block->tone = strcmp(event->severity, "error") == 0 ? DOCUMENT_BAD : DOCUMENT_CAUTION;
        block->folded = strcmp(event->kind, "preflight") == 0 ? fold : NULL;
    }
    if (count > EVENT_SHOWN_MAX) {
        document_add(compose->document, section, DOCUMENT_ITEM,
                     document_format(compose->document,
                                     "%zu more notes are in the table \xe2\x80\x9c"
                                     "event\xe2\x80\x9d of the results file.",
                                     count - EVENT_SHOWN_MAX));
    }
}

/* For who has not met them: those of the box above and of the section. */
static void add_words(struct compose *compose, struct document_section *section)
{
    static const char *const words[] = {
        "A/A ratio: the baseline measured twice, as if it were two engines. What its interval "
        "spans is noise of this machine and hour.",
        "detectable: how large a true difference must be for a session like this one to call it "
        "DIFFERENT so often. A smaller one can be there unseen.",
        "foreign CPU: what programs other than the server and tacho took of the machine in the "
        "trial that had most of it.",
        "margin: below it a difference is of no account, since the A/A pair differs as much.",
        "limit: a built-in server that answers without parsing. It runs first and last, so that "
        "drift, by which it became faster or slower, is the machine's.",
    };

    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        document_add(compose->document, section, DOCUMENT_ITEM, words[i])->folded =
            "What these words mean";
    }
}

void compose_trust(struct compose *compose)
{
    struct document *document = compose->document;
    struct document_section *section =
        document_add_section(document, "trust", "Can it be trusted?");
    struct document_table *table =
        document_new_table(document, "trust", NULL, list_columns, ARRAY_COUNT(list_columns));
    size_t counted = compose_counted(compose);

    table->is_list = true;
    add_noise_floor(compose, table);
    add_detectable(compose, table);
    add_fact(table, "trials",
             document_format(document,
                             compose_is_replay(compose) ? "none measured: %zu of %zu replayed"
                                                        : "%zu of %zu counted",
                             counted, compose->results->trial_count),
             counted == compose->results->trial_count);
    double foreign_share = compose->analysis->foreign_cpu_share_max;
    add_fact(table, "foreign CPU",
             isfinite(foreign_share)
                 ? document_format(document, "%s of the machine's CPU at worst (limit 5 %%)",
                                   compose_cpu_share(compose, foreign_share))
                 : "n/a: what other programs took of the CPUs is not known",
             foreign_share <= 0.02);
    document_show_table(section, table, DOCUMENT_VIEW_ALL);
    add_kinds(compose, section, true);
    add_kinds(compose, section, false);
    compose_findings(compose, section);
    compose_remarks(compose, section);
    add_events(compose, section);
    add_more(compose, section);
    add_words(compose, section);
}
