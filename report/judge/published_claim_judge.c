// SPDX-License-Identifier: Apache-2.0
// A claim of a source held against the source's own numbers.
#include "report/judge/published_claim_judge.h"

#include <math.h>

const char *const published_claim_words[] = {
    [PUBLISHED_CLAIM_AGREES] = "AGREES",
    [PUBLISHED_CLAIM_MORE] = "MORE",
    [PUBLISHED_CLAIM_LESS] = "LESS",
    [PUBLISHED_CLAIM_DISAGREES] = "DISAGREES",
    [PUBLISHED_CLAIM_NO_NUMBERS] = "NO NUMBERS",
};

/* Between what a number lies when its digits and its "over" or "under" are taken at their word. */
struct range {
    double low, high;
};

static struct range range_of(const struct published_value *value)
{
    struct range range = {value->value - value->half_unit, value->value + value->half_unit};

    if (value->bound == PUBLISHED_OVER) {
        range = (struct range){value->value, (double)INFINITY};
    } else if (value->bound == PUBLISHED_UNDER) {
        range = (struct range){0, value->value};
    }
    return range;
}

static struct published_value value_of(const struct published *published,
                                       const struct published_claim *claim, size_t place)
{
    const struct published_figure *figure =
        published_find(published, claim->engines[place], claim->workload_index);

    return figure ? figure->values[claim->metric] : (struct published_value){.value = (double)NAN};
}

bool published_is_gain(enum published_metric metric)
{
    switch (metric) {
    case PUBLISHED_RATE:
    case PUBLISHED_RATE_MAX:
    case PUBLISHED_REQUESTS:
    case PUBLISHED_BYTES:
    case PUBLISHED_BYTE_RATE:
    case PUBLISHED_THREAD_RATE_MEAN:
    case PUBLISHED_THREAD_RATE_MAX:
        return true;
    default:
        return false;
    }
}

/* Each pair of neighbours must be in order for certain; one that is the other way round decides. */
static enum published_claim_word judge_order(const struct published *published,
                                             const struct published_claim *claim)
{
    bool is_open = false;

    for (size_t i = 0; i + 1 < claim->engine_count; i++) {
        const struct published_value values[2] = {value_of(published, claim, i),
                                                  value_of(published, claim, i + 1)};
        struct range better = range_of(&values[0]), worse = range_of(&values[1]);

        if (published_is_gain(claim->metric)) {
            struct range other = better;

            better = worse;
            worse = other;
        }
        if (better.low > worse.high) {
            return PUBLISHED_CLAIM_DISAGREES;
        }
        is_open = is_open || !(better.high < worse.low);
    }
    return is_open ? PUBLISHED_CLAIM_NO_NUMBERS : PUBLISHED_CLAIM_AGREES;
}

struct published_claim_result published_claim_judge(const struct published *published,
                                                    const struct published_claim *claim)
{
    struct published_claim_result result = {PUBLISHED_CLAIM_NO_NUMBERS, (double)NAN};

    if (claim->metric == PUBLISHED_METRIC_COUNT) {
        return result;
    }
    if (isnan(claim->says.value)) {
        result.word = judge_order(published, claim);
        return result;
    }
    struct published_value of = value_of(published, claim, 0);
    struct range own = range_of(&of), says = range_of(&claim->says);

    result.own = of.value;
    if (claim->is_ratio) {
        struct published_value over = value_of(published, claim, 1);
        struct range divisor = range_of(&over);

        result.own = of.value / over.value;
        own = (struct range){own.low / divisor.high, own.high / divisor.low};
    }
    if (!isfinite(result.own)) {
        result.own = (double)NAN;
        return result;
    }
    result.word = own.low > says.high   ? PUBLISHED_CLAIM_MORE
                  : own.high < says.low ? PUBLISHED_CLAIM_LESS
                                        : PUBLISHED_CLAIM_AGREES;
    return result;
}
