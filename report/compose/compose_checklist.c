// SPDX-License-Identifier: Apache-2.0
// The rules of Hoefler and Belli, "Scientific benchmarking of parallel computing systems" (2015),
// each with what this session did about it.
#include <math.h>
#include <string.h>

#include "report/compose/compose_parts.h"
#include "report/judge/comparisons.h"

enum column { RULE, ASKS, KEPT, HERE, COLUMN_COUNT };
static const struct document_column columns[COLUMN_COUNT] = {
    [RULE] = {"rule", "1", "rule", .number = DOCUMENT_INTEGER, .views = 1},
    [ASKS] = {"asks", NULL, "asks for", .views = 1, .precision = 120},
    [KEPT] = {"kept", NULL, "kept", .views = 1},
    [HERE] = {"here", NULL, "here", .views = 1, .precision = 200},
};

struct checking {
    struct compose *compose;
    struct document_table *table;
    int64_t rule_number;
};

static void check(struct checking *checking, const char *asks, bool is_kept, const char *here)
{
    struct document_cell *row = document_add_row(checking->table);

    document_set_integer(row, RULE, ++checking->rule_number);
    document_set_sentence(row, ASKS, asks);
    document_set_sentence(row, KEPT, is_kept ? "pass" : "fail");
    document_set_sentence(row, HERE, here);
    if (row) {
        row[KEPT].tone = is_kept ? DOCUMENT_GOOD : DOCUMENT_CAUTION;
    }
}

/* What the rows of the session have. */
struct tally {
    size_t compared, compared_enough, disagreeing; /* comparisons; with 6 blocks and more */
    size_t measured, with_interval, with_tail;     /* rows with a counted trial */
    size_t rows;
    bool has_limit;
};

static struct tally tally(const struct compose *compose)
{
    struct tally sums = {0};

    for (size_t i = 0; i < compose->analysis->row_count; i++) {
        const struct analysis_row *row = &compose->analysis->rows[i];
        bool is_limit = compose_engine_is(compose, row->engine_index, "limit");

        sums.has_limit = sums.has_limit || (is_limit && row->valid_count > 0);
        if (is_limit) {
            continue;
        }
        sums.rows++;
        sums.measured += row->valid_count > 0;
        sums.with_interval += isfinite(row->ok_per_s.low) != 0;
        sums.with_tail += isfinite(row->latency_ns[2].value) != 0;
        sums.compared += row->ratio.count > 0;
        sums.compared_enough += row->ratio.count >= COMPARISON_PAIRS_MIN;
        sums.disagreeing += row->intervals_disagree;
    }
    return sums;
}

/* Those that the section of the machine counts. */
struct fact_counts {
    size_t all, unknown;
};

static struct fact_counts count_facts(const struct compose *compose)
{
    struct fact_counts counts = {0};

    for (size_t i = 0; i < compose->results->fact_count; i++) {
        const struct results_fact *fact = &compose->results->facts[i];
        bool is_at_start = strcmp(fact->moment, "start") == 0;

        counts.all += is_at_start;
        counts.unknown += is_at_start && fact->value == NULL;
    }
    return counts;
}

static void check_data(struct checking *checking, const struct tally *sums)
{
    struct document *document = checking->compose->document;

    check(checking, "the base case of every ratio",
          checking->compose->analysis->baseline_index != SIZE_MAX,
          "the baseline, in the same block; the limit engine where that is said");
    check(checking, "a reason for every subset that is shown", sums->measured == sums->rows,
          document_format(document, "%zu of %zu engines at a load point have a counted trial",
                          sums->measured, sums->rows));
    /* The rule names the harmonic mean. The geometric one lies between it and the arithmetic one,
     * and is the one whose quotient is the mean ratio that is given beside it. */
    check(checking, "no arithmetic means of rates", sums->measured > 0,
          document_format(document,
                          "geometric means, not the harmonic ones that the rule names: rates are "
                          "analysed as logarithms; every rate is in %s",
                          document_tr(document, checking->compose->is_article
                                                    ? "tables/trials.csv in the archive"
                                                    : "tables/trials.csv")));
    check(checking, "no summary of ratios where their terms can be summarised", sums->rows > 0,
          "rates and ratios are both given; ratios are of the same block and never averaged over "
          "workloads");
    check(checking, "intervals for what varies",
          sums->rows > 0 && sums->with_interval == sums->rows,
          document_format(document, "%zu of %zu rates have a 95 %% interval over trials",
                          sums->with_interval, sums->rows));
}

static void check_inference(struct checking *checking, const struct tally *sums)
{
    struct document *document = checking->compose->document;

    check(checking, "no normality that was not checked", sums->disagreeing == 0,
          sums->disagreeing == 0
              ? "the exact sign-flip test decides; the t and the Hodges\xe2\x80\x93Lehmann "
                "interval disagree in no comparison"
              : document_format(document,
                                "the exact sign-flip test decides; the t and the "
                                "Hodges\xe2\x80\x93Lehmann interval disagree in %zu of %zu "
                                "comparisons, which are INCONCLUSIVE",
                                sums->disagreeing, sums->compared));
    check(checking, "comparisons by a sound test",
          sums->compared > 0 && sums->compared_enough == sums->compared,
          document_format(document, "%zu of %zu comparisons rest on 6 blocks or more, by Holm",
                          sums->compared_enough, sums->compared));
    check(checking, "more than the centre where the tail matters",
          sums->rows > 0 && sums->with_tail == sums->rows,
          document_format(document, "%zu of %zu engines at a load point have a p99",
                          sums->with_tail, sums->rows));
}

static void check_record(struct checking *checking, const struct tally *sums)
{
    struct document *document = checking->compose->document;
    const struct fact_counts facts = count_facts(checking->compose);

    check(checking, "all factors and the whole set-up", checking->compose->results->fact_count > 0,
          document_format(document, "%zu facts, %zu of them unknown; plan and seed are stored",
                          facts.all, facts.unknown));
    check(checking, "how it was measured and summarised", true, "the paragraphs above");
    check(checking, "upper bounds of performance", sums->has_limit,
          sums->has_limit ? "the limit engine, first and last, at each number of connections"
                          : "no counted trial of the limit engine");
    check(checking, "plots that show the data", checking->compose->plot_count > 0,
          "every trial is a dot; lines connect only what is ordered in time");
}

void compose_checklist(struct compose *compose, struct document_section *section)
{
    struct document_table *table =
        document_new_table(compose->document, "checklist",
                           "The twelve rules of Hoefler and Belli (2015)", columns, COLUMN_COUNT);
    struct checking checking = {.compose = compose, .table = table};
    const struct tally sums = tally(compose);

    check_data(&checking, &sums);
    check_inference(&checking, &sums);
    check_record(&checking, &sums);
    document_show_table(section, table, DOCUMENT_VIEW_ALL);
}
