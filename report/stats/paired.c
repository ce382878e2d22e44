// SPDX-License-Identifier: Apache-2.0
// Statistics of paired differences.
#include "report/stats/paired.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "engines/base/rng.h"
#include "report/stats/distribution.h"

#define RANDOM_SEED 20 /* any: fixed, so that the same file gives the same p */
/* Sums that differ by rounding only are equal: far above 2^20 roundings, far below any effect. */
#define TIE_SHARE 1e-9

struct stats_interval paired_ratio(const double *d, size_t count, double confidence)
{
    struct stats_interval result = {(double)NAN, (double)NAN, (double)NAN};

    if (!count) {
        return result;
    }
    double mean = stats_mean(d, count);

    result.value = exp(mean);
    if (count >= 2) {
        double half = distribution_t_quantile(0.5 + confidence / 2, (double)(count - 1)) *
                      stats_sd(d, count) / sqrt((double)count);

        result.low = exp(mean - half);
        result.high = exp(mean + half);
    }
    return result;
}

/* All signs but the first one's: the mirrored half has the same |sums|. */
static double exact_p(const double *d, size_t count, double threshold, double sum)
{
    uint32_t total = UINT32_C(1) << (count - 1);
    uint32_t hits = fabs(sum) >= threshold;
    uint32_t negative = 0;

    for (uint32_t k = 1; k < total; k++) {
        uint32_t bit = (uint32_t)__builtin_ctz(k); /* the one sign that changes in step k */

        negative ^= UINT32_C(1) << bit;
        sum += (negative >> bit & 1) ? -2 * d[bit + 1] : 2 * d[bit + 1];
        hits += fabs(sum) >= threshold;
    }
    return (double)hits / (double)total;
}

#define GROUP            8 /* differences whose signs are looked up at once */
#define GROUP_SIGN_COUNT 256

/* The sums of differences with random signs. */
struct flips {
    size_t group_count, word_count;
    double (*sums)[GROUP_SIGN_COUNT]; /* of each group, for every choice of its signs */
    double *rest;                     /* what the groups after it add at most */
    uint64_t *words;                  /* the signs of one draw */
};

static void flips_release(struct flips *flips)
{
    free(flips->sums);
    free(flips->rest);
    free(flips->words);
}

static bool flips_make(const double *d, size_t count, struct flips *flips)
{
    size_t groups = (count + GROUP - 1) / GROUP, words = (groups + GROUP - 1) / GROUP;

    *flips = (struct flips){.group_count = groups,
                            .word_count = words,
                            .sums = calloc(groups, sizeof(*flips->sums)),
                            .rest = calloc(groups, sizeof(*flips->rest)),
                            .words = calloc(words, sizeof(*flips->words))};
    if (!flips->sums || !flips->rest || !flips->words) {
        flips_release(flips);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t signs = 0; signs < GROUP_SIGN_COUNT; signs++) {
            flips->sums[i / GROUP][signs] += signs >> i % GROUP & 1 ? d[i] : -d[i];
        }
        for (size_t before = 0; before < i / GROUP; before++) {
            flips->rest[before] += fabs(d[i]);
        }
    }
    return true;
}

/* Most sums of an effect that is plain are too small whatever their last signs are. */
static bool reaches(const struct flips *flips, double threshold)
{
    double sum = 0;

    for (size_t i = 0; i < flips->group_count; i++) {
        sum += flips->sums[i][flips->words[i / GROUP] >> i % GROUP * GROUP & 0xff];
        if (!(fabs(sum) + flips->rest[i] >= threshold)) { /* of NaN */
            return false;
        }
    }
    return true;
}

static double random_p(const double *d, size_t count, double threshold)
{
    struct flips flips;
    struct rng rng;
    uint32_t hits = 0;

    if (!flips_make(d, count, &flips)) {
        return (double)NAN;
    }
    rng_init(&rng, RANDOM_SEED);
    for (uint32_t draw = 0; draw < PAIRED_RANDOM_COUNT; draw++) {
        for (size_t i = 0; i < flips.word_count; i++) {
            flips.words[i] = rng_next(&rng);
        }
        hits += reaches(&flips, threshold);
    }
    flips_release(&flips);
    return (hits + 1.0) / (PAIRED_RANDOM_COUNT + 1.0);
}

double paired_sign_flip_p(const double *d, size_t count)
{
    double sum = 0;
    double size = 0;

    if (!count) {
        return (double)NAN;
    }
    for (size_t i = 0; i < count; i++) {
        sum += d[i];
        size += fabs(d[i]);
    }
    double threshold = fabs(sum) - TIE_SHARE * size;

    return count <= PAIRED_EXACT_COUNT_MAX ? exact_p(d, count, threshold, sum)
                                           : random_p(d, count, threshold);
}

/* Rank from below of the interval's lower end; 0: there is none. */
static size_t interval_rank(size_t count, double confidence)
{
    double tail = (1 - confidence) / 2;

    if (count <= DISTRIBUTION_SIGNED_RANK_COUNT_MAX) {
        return (size_t)distribution_signed_rank_quantile(tail, count);
    }
    double n = (double)count;
    double place =
        n * (n + 1) / 4 + distribution_normal_quantile(tail) * sqrt(n * (n + 1) * (2 * n + 1) / 24);

    return place < 0 ? 0 : (size_t)place;
}

enum err_code paired_hodges_lehmann(const double *d, size_t count, double confidence,
                                    struct stats_interval *ratio_out, struct err *e)
{
    struct stats_interval result = {(double)NAN, (double)NAN, (double)NAN};
    size_t average_count = count * (count + 1) / 2;

    if (!count) {
        *ratio_out = result;
        return ERR_OK;
    }
    double *averages = count > UINT16_MAX ? NULL : malloc(average_count * sizeof(*averages));
    size_t at = 0;

    if (!averages) {
        return err_set(e, ERR_LIMIT, "no memory for the averages of %zu pairs", count);
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i; k < count; k++) {
            averages[at++] = (d[i] + d[k]) / 2;
        }
    }
    stats_sort(averages, average_count);
    result.value = exp(stats_median(averages, average_count));
    size_t rank = interval_rank(count, confidence);

    if (rank > 0) {
        result.low = exp(averages[rank - 1]);
        result.high = exp(averages[average_count - rank]);
    }
    free(averages);
    *ratio_out = result;
    return ERR_OK;
}

double paired_tost_p(const double *d, size_t count, double margin)
{
    assert(margin > 0);
    if (count < 2) {
        return (double)NAN;
    }
    double mean = stats_mean(d, count);
    double error = stats_sd(d, count) / sqrt((double)count);
    double df = (double)(count - 1);

    if (error <= 0) {
        return fabs(mean) < margin ? 0 : 1;
    }
    double above_lower = distribution_t_cdf(-(mean + margin) / error, df);
    double below_upper = distribution_t_cdf((mean - margin) / error, df);

    return above_lower > below_upper ? above_lower : below_upper;
}

static double test_power(double effect_over_sd, size_t count, double critical)
{
    double df = (double)(count - 1);
    double shift = effect_over_sd * sqrt((double)count);

    return 1 - distribution_noncentral_t_cdf(critical, df, shift) +
           distribution_noncentral_t_cdf(-critical, df, shift);
}

double paired_minimal_effect(double sd, size_t count, double alpha, double power)
{
    if (count < 2 || isnan(sd)) {
        return (double)NAN;
    }
    double critical = distribution_t_quantile(1 - alpha / 2, (double)(count - 1));
    double low = 0;
    double high = 30 / sqrt((double)count); /* a shift of 30; enough for two pairs: about 20 */

    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;

        if (test_power(middle, count, critical) < power) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high * sd;
}

double paired_blocks_needed(double sd, size_t count, double margin, double alpha, double power)
{
    if (count < 2 || isnan(sd)) {
        return (double)NAN;
    }
    double df = (double)(count - 1);
    double root =
        (distribution_t_quantile(1 - alpha / 2, df) + distribution_t_quantile(power, df)) * sd /
        margin;

    return ceil(root * root);
}

double paired_family_max(size_t count, double alpha)
{
    return count > 0 ? fmax(ceil(ldexp(alpha, (int)count - 1)) - 1, 0) : 0;
}
