// SPDX-License-Identifier: Apache-2.0
// Checks and claims of published numbers as sentences that carry their arithmetic.
#include <math.h>

#include "report/compose/compose_published.h"
#include "report/render/number.h"

#define DIGITS       4
#define DIGITS_GIVEN 12 /* what was published has fewer */
#define DIGITS_SIZE  6  /* KiB become MiB */

enum document_tone compose_published_tone(enum published_outcome outcome)
{
    switch (outcome) {
    case PUBLISHED_CONSISTENT:
        return DOCUMENT_GOOD;
    case PUBLISHED_NOTED:
    case PUBLISHED_SUSPECT:
        return DOCUMENT_CAUTION;
    case PUBLISHED_IMPOSSIBLE:
        break;
    }
    return DOCUMENT_BAD;
}

const char *compose_published_number(struct document *document, double number)
{
    char text[NUMBER_TEXT_BYTES];

    return document_format(document, "%s", number_format_given(number, DIGITS_GIVEN, text));
}

int compose_published_digits(enum published_metric metric)
{
    switch (metric) {
    case PUBLISHED_BYTES:
    case PUBLISHED_BYTE_RATE:
    case PUBLISHED_RSS:
        return DIGITS_SIZE;
    default:
        return DIGITS_GIVEN;
    }
}

static const char *given(struct document *document, double number)
{
    return compose_published_number(document, number);
}

/* What was computed, not published. */
static const char *computed(struct document *document, double number)
{
    char text[NUMBER_TEXT_BYTES];

    return document_format(document, "%s", number_format_significant(number, DIGITS, text));
}

/* Below 2 a third decimal matters: 1.265, 3.50. */
static const char *ratio(struct document *document, double number)
{
    char text[NUMBER_TEXT_BYTES];

    return document_format(document, "%s",
                           number_format_fixed(number, number < 2 ? 3 : 2, 1, text));
}

/* The unit of a heading, which stands in its brackets: "mean (ms)". */
static const char *unit_of(enum published_metric metric)
{
    switch (metric) {
    case PUBLISHED_RATE:
    case PUBLISHED_RATE_MAX:
    case PUBLISHED_THREAD_RATE_MEAN:
    case PUBLISHED_THREAD_RATE_STDEV:
    case PUBLISHED_THREAD_RATE_MAX:
        return "/s";
    case PUBLISHED_DURATION:
        return " s";
    case PUBLISHED_BYTES:
    case PUBLISHED_RSS:
        return " MiB";
    case PUBLISHED_BYTE_RATE:
        return " MiB/s";
    case PUBLISHED_LATENCY_WITHIN:
        return " %";
    case PUBLISHED_REQUESTS:
    case PUBLISHED_ERRORS:
    case PUBLISHED_CONNECT_ERRORS:
    case PUBLISHED_THREADS:
        return "";
    default:
        return " ms";
    }
}

static const char *amount(struct document *document, enum published_metric metric, double stored)
{
    char text[NUMBER_TEXT_BYTES];

    number_format_given(stored * published_metrics[metric].page_scale,
                        compose_published_digits(metric), text);
    return document_format(document, "%s%s", text, unit_of(metric));
}

const char *compose_published_value(struct document *document, enum published_metric metric,
                                    const struct published_value *value)
{
    const char *word = published_bound_words[value->bound];

    if (isnan(value->value)) {
        return NUMBER_NONE;
    }
    return document_format(document, "%s%s%s", document_tr(document, word), *word ? " " : "",
                           amount(document, metric, value->value));
}

/* What the sentences of one check share. */
struct telling {
    struct document *document;
    const struct published_workload *workload;
    const struct published_figure *figure; /* NULL: of a workload */
    const struct published_check *check;
    const char *engine;
};

static const char *published(const struct telling *t, enum published_metric metric)
{
    return amount(t->document, metric, t->figure->values[metric].value);
}

static const char *tell_little(const struct telling *t)
{
    const struct published_check *check = t->check;
    bool is_deep = t->workload->pipeline_count > 1;
    const char *what =
        document_tr(t->document, is_deep ? "requests that may be on the way" : "connections");
    const char *sum =
        document_format(t->document, "%s \xc3\x97 %s = %s", published(t, PUBLISHED_RATE),
                        published(t, PUBLISHED_LATENCY_MEAN), computed(t->document, check->value));

    if (check->outcome == PUBLISHED_CONSISTENT) {
        return document_format(t->document,
                               "%s: rate and mean latency are consistent with Little's law, %s of "
                               "%.0f %s.",
                               t->engine, sum, check->want, what);
    }
    if (check->outcome == PUBLISHED_NOTED) {
        return document_format(
            t->document,
            "%s: more requests on the way than can be, %s of %.0f %s: the mean holds "
            "waiting that the tool added, or belongs to other requests than the rate.",
            t->engine, sum, check->want, what);
    }
    return document_format(
        t->document,
        "%s served about %.0f of %.0f %s: by Little's law no more are on the way at a time, %s. "
        "The other %s %% waited, or were never served, where the mean latency does not show it: "
        "with all of them on the way this rate has a mean of %s ms.",
        t->engine, floor(check->value), check->want, what, sum,
        given(t->document, round(1000 * (1 - check->value / check->want)) / 10),
        computed(t->document, check->want / t->figure->values[PUBLISHED_RATE].value * 1e3));
}

static const char *tell_loaded(const struct telling *t)
{
    bool is_suspect = t->check->outcome == PUBLISHED_SUSPECT;

    return document_format(
        t->document,
        "%s: %s over %lld connections imply a mean latency of %s ms; the quantiles allow "
        "%s ms at most%s.",
        t->engine, published(t, PUBLISHED_RATE), (long long)t->workload->connection_count,
        computed(t->document, t->check->value / 1e6), computed(t->document, t->check->want / 1e6),
        is_suspect
            ? document_tr(t->document, ": the load generator did not keep all connections busy")
            : "");
}

static const char *tell_peak(const struct telling *t)
{
    const char *times = computed(t->document, t->check->value);
    const char *needs = "";

    if (t->check->outcome == PUBLISHED_CONSISTENT) {
        return document_format(t->document, "%s: the peak is %s times the mean.", t->engine, times);
    }
    if (t->workload->connection_count > 0 && isnan(t->workload->rate_per_s)) {
        needs = document_format(
            t->document, "; %lld connections reach it with a mean latency of %s ms",
            (long long)t->workload->connection_count,
            computed(t->document, (double)t->workload->connection_count /
                                      t->figure->values[PUBLISHED_RATE_MAX].value * 1e3));
    }
    return document_format(t->document,
                           "%s: the peak of %s is %s times the mean of %s (limit %s)%s: the peak "
                           "is a sampling artefact, not throughput.",
                           t->engine, published(t, PUBLISHED_RATE_MAX), times,
                           published(t, PUBLISHED_RATE), given(t->document, t->check->want), needs);
}

/* Two ways to one number. */
static const char *tell_equal(const struct telling *t)
{
    const struct published_check *check = t->check;
    const char *ways = "";
    const char *end =
        check->outcome == PUBLISHED_CONSISTENT ? "which agrees" : "which does not agree";

    switch (check->kind) {
    case PUBLISHED_CHECK_TOTAL:
        ways = document_format(t->document, "%s requests in %s are %s/s; published: %s",
                               published(t, PUBLISHED_REQUESTS), published(t, PUBLISHED_DURATION),
                               given(t->document, round(check->value * 100) / 100),
                               published(t, PUBLISHED_RATE));
        break;
    case PUBLISHED_CHECK_TRANSFER:
        ways = document_format(t->document, "%s in %s are %s MiB/s; published: %s",
                               published(t, PUBLISHED_BYTES), published(t, PUBLISHED_DURATION),
                               computed(t->document, check->value / 1048576),
                               published(t, PUBLISHED_BYTE_RATE));
        break;
    case PUBLISHED_CHECK_THREADS:
        ways = document_format(
            t->document, "%lld driver threads at a mean of %s make %s/s; published: %s",
            (long long)t->workload->thread_count, published(t, PUBLISHED_THREAD_RATE_MEAN),
            computed(t->document, check->value), published(t, PUBLISHED_RATE));
        end = check->outcome == PUBLISHED_CONSISTENT || check->value < check->want
                  ? end
                  : "so the mean of a thread leaves out the intervals in which it got no answer";
        break;
    default:
        ways = document_format(t->document, "the load took %s of %s s",
                               published(t, PUBLISHED_DURATION), given(t->document, check->want));
        end = check->outcome == PUBLISHED_CONSISTENT
                  ? "as asked for"
                  : "so the run is not the one that was asked for";
        break;
    }
    return document_format(t->document, "%s: %s, %s.", t->engine, ways,
                           document_tr(t->document, end));
}

static const char *tell_order(const struct telling *t)
{
    if (t->check->outcome == PUBLISHED_CONSISTENT) {
        return document_format(t->document, "%s: mean, quantiles and maximum are in order.",
                               t->engine);
    }
    return document_format(t->document, "%s: %s of %s is above %s of %s, which cannot be.",
                           t->engine, published_metrics[t->check->metric].key,
                           published(t, t->check->metric), published_metrics[t->check->other].key,
                           published(t, t->check->other));
}

static const char *tell_spread(const struct telling *t)
{
    bool is_wrong = t->check->outcome == PUBLISHED_IMPOSSIBLE;

    if (t->check->kind == PUBLISHED_CHECK_WITHIN) {
        return document_format(
            t->document, "%s: %s of the latencies within one standard deviation%s.", t->engine,
            published(t, PUBLISHED_LATENCY_WITHIN),
            is_wrong ? document_tr(t->document, ", which cannot be: it is above 100 %, or "
                                                "the maximum lies outside")
                     : "");
    }
    return document_format(
        t->document, "%s: a standard deviation of %s; mean and maximum allow %s ms at most%s.",
        t->engine, published(t, PUBLISHED_LATENCY_STDEV),
        computed(t->document, t->check->want / 1e6),
        is_wrong ? document_tr(t->document, ", so they cannot all be right") : "");
}

static const char *tell_tail(const struct telling *t)
{
    const struct published_check *check = t->check;

    if (check->outcome == PUBLISHED_CONSISTENT) {
        return document_format(t->document, "%s: the quantiles allow the mean of %s.", t->engine,
                               published(t, PUBLISHED_LATENCY_MEAN));
    }
    return document_format(
        t->document,
        check->value < check->want
            ? "%s: with %s of %s the mean must be %s ms at least, and is given as %s."
            : "%s: with %s of %s the mean must be %s ms at most, and is given as %s.",
        t->engine, published_metrics[check->metric].key, published(t, check->metric),
        computed(t->document, check->want / 1e6), published(t, PUBLISHED_LATENCY_MEAN));
}

static const char *tell_errors(const struct telling *t)
{
    return document_format(
        t->document, "%s: %s failed and %s answered requests, %s %% (limit %s %%)%s.", t->engine,
        published(t, PUBLISHED_ERRORS), published(t, PUBLISHED_REQUESTS),
        computed(t->document, 100 * t->check->value), computed(t->document, 100 * t->check->want),
        t->check->outcome == PUBLISHED_SUSPECT
            ? document_tr(t->document, ": its rate is not one of right answers")
            : "");
}

static const char *tell_connects(const struct telling *t)
{
    if (t->check->outcome == PUBLISHED_CONSISTENT) {
        return document_format(t->document, "%s: every connection could be opened.", t->engine);
    }
    if (isnan(t->check->want)) {
        return document_format(t->document,
                               "%s: connections failed to open %s times: its numbers are not of "
                               "the load that was asked for.",
                               t->engine, published(t, PUBLISHED_CONNECT_ERRORS));
    }
    return document_format(t->document,
                           "%s: connections failed to open %s times, with %.0f asked for: its "
                           "numbers are not of that load.",
                           t->engine, published(t, PUBLISHED_CONNECT_ERRORS), t->check->want);
}

static const char *tell_nothing(const struct telling *t)
{
    return document_format(
        t->document, "%s: no request was answered, so no number of it says anything.", t->engine);
}

static const char *tell_workload(const struct telling *t)
{
    const struct published_check *check = t->check;
    const char *name = document_name(t->document, t->workload->name);

    if (check->kind == PUBLISHED_CHECK_SIZE) {
        return document_format(
            t->document, "%s: the responses are %s to %s bytes long%s.", name,
            computed(t->document, check->value), computed(t->document, check->want),
            check->outcome == PUBLISHED_CONSISTENT
                ? ""
                : document_tr(t->document, ": the engines do not send the same"));
    }
    if (check->kind == PUBLISHED_CHECK_CLUSTER) {
        return document_format(t->document,
                               "%s: %.0f engines lie within %s %% of the best: what was measured "
                               "there is the load generator or the machine, not the servers.",
                               name, check->value, given(t->document, 100 * PUBLISHED_CLUSTER_MAX));
    }
    return document_format(t->document, "%s: %s.", name,
                           compose_published_runs(t->document, check->value, check->value));
}

const char *compose_published_runs(struct document *document, double least, double most)
{
    const char *none = document_tr(document, "so there is no interval and no verdict");

    if (most == 0) {
        return document_format(document, "the source does not say how often it measured, %s", none);
    }
    if (least == 1 && most == 1) {
        return document_format(document, "one run of each engine and no repetition, %s", none);
    }
    if (least == most) {
        return document_format(document, "%.0f runs of each engine without the value of each, %s",
                               most, none);
    }
    return document_format(document,
                           "%.0f to %.0f runs of each engine (0: not said), without the value of "
                           "each, %s",
                           least, most, none);
}

const char *compose_published_check(struct document *document,
                                    const struct published_analysis *analysis,
                                    const struct published_check *check)
{
    static const char *(*const tellers[PUBLISHED_CHECK_KIND_COUNT])(const struct telling *) = {
        [PUBLISHED_CHECK_LITTLE] = tell_little,     [PUBLISHED_CHECK_LOADED] = tell_loaded,
        [PUBLISHED_CHECK_PEAK] = tell_peak,         [PUBLISHED_CHECK_TOTAL] = tell_equal,
        [PUBLISHED_CHECK_TRANSFER] = tell_equal,    [PUBLISHED_CHECK_THREADS] = tell_equal,
        [PUBLISHED_CHECK_DURATION] = tell_equal,    [PUBLISHED_CHECK_ORDER] = tell_order,
        [PUBLISHED_CHECK_SPREAD] = tell_spread,     [PUBLISHED_CHECK_WITHIN] = tell_spread,
        [PUBLISHED_CHECK_NOTHING] = tell_nothing,   [PUBLISHED_CHECK_TAIL] = tell_tail,
        [PUBLISHED_CHECK_ERRORS] = tell_errors,     [PUBLISHED_CHECK_SIZE] = tell_workload,
        [PUBLISHED_CHECK_CONNECTS] = tell_connects, [PUBLISHED_CHECK_CLUSTER] = tell_workload,
        [PUBLISHED_CHECK_REPEATED] = tell_workload,
    };
    const struct published *source = analysis->published;
    struct telling t = {.document = document,
                        .workload = &source->workloads[check->workload_index],
                        .check = check,
                        .engine = ""};

    if (check->figure_index != SIZE_MAX) {
        t.figure = &source->figures[check->figure_index];
        t.engine = document_name(document, source->engines[t.figure->engine_index].name);
    }
    return tellers[check->kind](&t);
}

/* --- claims --- */

static const char *claim_figure(struct document *document, const struct published *source,
                                const struct published_claim *claim, size_t place)
{
    const struct published_figure *figure =
        published_find(source, claim->engines[place], claim->workload_index);
    const struct published_value none = {.value = (double)NAN};

    return compose_published_value(document, claim->metric,
                                   figure ? &figure->values[claim->metric] : &none);
}

const char *compose_published_claim(struct document *document,
                                    const struct published_analysis *analysis, size_t claim_index)
{
    const struct published *source = analysis->published;
    const struct published_claim *claim = &source->claims[claim_index];
    const struct published_claim_result *result = &analysis->claims[claim_index];
    const char *text = "";

    if (claim->metric == PUBLISHED_METRIC_COUNT) {
        return document_tr(document, "no figure goes with it");
    }
    if (claim->is_ratio) {
        text =
            document_format(document, "%s / %s = %s", claim_figure(document, source, claim, 0),
                            claim_figure(document, source, claim, 1), ratio(document, result->own));
    }
    for (size_t i = 0; !claim->is_ratio && i < claim->engine_count; i++) {
        text = document_format(document, "%s%s%s %s", text, i ? "; " : "",
                               document_name(document, source->engines[claim->engines[i]].name),
                               claim_figure(document, source, claim, i));
    }
    return published_claim_is_doubtful(analysis, claim_index)
               ? document_format(document, "%s (this number is SUSPECT, see the checks)", text)
               : text;
}
