// SPDX-License-Identifier: Apache-2.0
// Welch's t and the rank sum.
#include "report/stats/two_samples.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "report/stats/distribution.h"

struct two_samples_t two_samples_welch_moments(const struct sample_moments *a,
                                               const struct sample_moments *b, double confidence)
{
    double nan = (double)NAN;
    struct two_samples_t result = {nan, nan, nan, {nan, nan, nan}};
    double m = (double)a->count;
    double n = (double)b->count;

    if (a->count < 2 || b->count < 2) {
        return result;
    }
    double a_error = a->sd * a->sd / m;
    double b_error = b->sd * b->sd / n;
    double error = sqrt(a_error + b_error);

    if (!(error > 0)) {
        return result;
    }
    double difference = a->mean - b->mean;

    result.df = (a_error + b_error) * (a_error + b_error) /
                (a_error * a_error / (m - 1) + b_error * b_error / (n - 1));
    result.t = difference / error;
    result.p = 2 * distribution_t_cdf(-fabs(result.t), result.df);
    double half = distribution_t_quantile(0.5 + confidence / 2, result.df) * error;

    result.difference = (struct stats_interval){difference, difference - half, difference + half};
    return result;
}

static struct sample_moments moments_of(const double *values, size_t count)
{
    return (struct sample_moments){.mean = count ? stats_mean(values, count) : (double)NAN,
                                   .sd = count >= 2 ? stats_sd(values, count) : (double)NAN,
                                   .count = count};
}

struct two_samples_t two_samples_welch(const struct two_samples *samples, double confidence)
{
    const struct sample_moments a = moments_of(samples->a, samples->a_count);
    const struct sample_moments b = moments_of(samples->b, samples->b_count);

    return two_samples_welch_moments(&a, &b, confidence);
}

/* Σ (t³ − t) over groups of t equal values of both samples together; 0: no ties. */
static double tie_sum(const double *all, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count;) {
        size_t end = i + 1;

        while (end < count && all[end] == all[i]) {
            end++;
        }
        double t = (double)(end - i);

        sum += t * t * t - t;
        i = end;
    }
    return sum;
}

static double exact_p(double w, size_t m, size_t n)
{
    double pairs = (double)m * (double)n;
    double smaller = w < pairs - w ? w : pairs - w;
    double p = 2 * distribution_rank_sum_cdf((long)smaller, m, n);

    return p > 1 ? 1 : p;
}

static double normal_sd(size_t m, size_t n, double ties)
{
    double total = (double)(m + n);

    return sqrt((double)m * (double)n / 12 * (total + 1 - ties / (total * (total - 1))));
}

static double normal_p(double w, size_t m, size_t n, double ties)
{
    double distance = fabs(w - (double)m * (double)n / 2) - 0.5;
    double sd = normal_sd(m, n, ties);

    return distance <= 0 || !(sd > 0) ? 1 : 2 * distribution_normal_cdf(-distance / sd);
}

/* Rank from below of the interval's lower end among the differences; 0: there is none. */
static size_t interval_rank(size_t m, size_t n, double confidence, bool is_exact)
{
    double tail = (1 - confidence) / 2;

    if (is_exact) {
        return (size_t)distribution_rank_sum_quantile(tail, m, n);
    }
    double place =
        (double)m * (double)n / 2 + distribution_normal_quantile(tail) * normal_sd(m, n, 0);

    return place < 0 ? 0 : (size_t)place;
}

static void fill_differences(const struct two_samples *samples, double *differences, double *all,
                             double *w_out)
{
    double w = 0;
    size_t at = 0;

    for (size_t i = 0; i < samples->a_count; i++) {
        all[i] = samples->a[i];
        for (size_t k = 0; k < samples->b_count; k++) {
            differences[at++] = samples->a[i] - samples->b[k];
            w += samples->a[i] > samples->b[k] ? 1 : samples->a[i] == samples->b[k] ? 0.5 : 0;
        }
    }
    for (size_t k = 0; k < samples->b_count; k++) {
        all[samples->a_count + k] = samples->b[k];
    }
    stats_sort(differences, at);
    stats_sort(all, samples->a_count + samples->b_count);
    *w_out = w;
}

enum err_code two_samples_mann_whitney(const struct two_samples *samples, double confidence,
                                       struct two_samples_ranks *ranks_out, struct err *e)
{
    size_t m = samples->a_count;
    size_t n = samples->b_count;
    struct two_samples_ranks ranks = {.shift = {(double)NAN, (double)NAN, (double)NAN}};

    if (m == 0 || n == 0) {
        return err_set(e, ERR_USAGE, "an empty sample");
    }
    bool fits = m <= UINT16_MAX && n <= UINT16_MAX;
    double *differences = fits ? malloc((m * n + m + n) * sizeof(*differences)) : NULL;

    if (!differences) {
        return err_set(e, ERR_LIMIT, "no memory for the differences of %zu and %zu values", m, n);
    }
    double *all = differences + m * n;

    fill_differences(samples, differences, all, &ranks.w);
    double ties = tie_sum(all, m + n);
    bool is_exact =
        ties == 0 && m <= DISTRIBUTION_RANK_SUM_COUNT_MAX && n <= DISTRIBUTION_RANK_SUM_COUNT_MAX;
    size_t rank = interval_rank(m, n, confidence, is_exact);

    ranks.p = is_exact ? exact_p(ranks.w, m, n) : normal_p(ranks.w, m, n, ties);
    ranks.superiority = ranks.w / ((double)m * (double)n);
    ranks.shift.value = stats_median(differences, m * n);
    if (rank > 0) {
        ranks.shift.low = differences[rank - 1];
        ranks.shift.high = differences[m * n - rank];
    }
    free(differences);
    *ranks_out = ranks;
    return ERR_OK;
}
