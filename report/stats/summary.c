// SPDX-License-Identifier: Apache-2.0
// Statistics of one array.
#include "report/stats/summary.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "report/stats/distribution.h"

#define SELECT_LEAST      32 /* fewer values are sorted */
#define SELECT_ROUNDS_MAX 64 /* a million values take about 30 */

double stats_mean(const double *values, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        sum += values[i];
    }
    if (!count) {
        return (double)NAN;
    }
    /* A second pass over the residuals takes back what rounding lost in the first. */
    double mean = sum / (double)count;
    double rest = 0;

    for (size_t i = 0; i < count; i++) {
        rest += values[i] - mean;
    }
    return mean + rest / (double)count;
}

double stats_sd(const double *values, size_t count)
{
    double mean = stats_mean(values, count);
    double squares = 0;
    double rest = 0;

    if (count < 2) {
        return (double)NAN;
    }
    for (size_t i = 0; i < count; i++) {
        double residual = values[i] - mean;

        squares += residual * residual;
        rest += residual;
    }
    double variance = (squares - rest * rest / (double)count) / (double)(count - 1);

    return variance > 0 ? sqrt(variance) : 0;
}

double stats_quantile(const double *sorted, size_t count, double q)
{
    assert(q >= 0 && q <= 1);
    if (!count) {
        return (double)NAN;
    }
    double place = (double)(count - 1) * q;
    size_t below = (size_t)place;
    size_t above = below + 1 < count ? below + 1 : below;

    return sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
}

/* Of the value that stats_quantile_nearest returns, among `count` > 0 sorted ones. */
static size_t nearest_index(size_t count, double q)
{
    assert(q >= 0 && q <= 1);
    /* 0.95 · 20 is 19 and not 19.000000000000004: products within rounding of a whole are whole. */
    double place = ceil((double)count * q - 1e-9);
    size_t rank = place < 1 ? 1 : (size_t)place;

    return (rank > count ? count : rank) - 1;
}

double stats_quantile_nearest(const double *sorted, size_t count, double q)
{
    return count ? sorted[nearest_index(count, q)] : (double)NAN;
}

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;

    return (a > b) - (a < b);
}

void stats_sort(double *values, size_t count)
{
    if (count) {
        qsort(values, count, sizeof(*values), compare_numbers);
    }
}

/* The part of values[low … high − 1] that the value at `index` lies in, after smaller ones were
 * brought before larger ones. */
struct part {
    size_t low, high;
};

static struct part part_of(double *values, struct part whole, size_t index)
{
    double pivot = values[whole.low + (whole.high - whole.low) / 2];
    size_t left = whole.low,
           right = whole.high; /* none before and none from there on is in doubt */

    do {
        while (values[left] < pivot) {
            left++;
        }
        while (pivot < values[right - 1]) {
            right--;
        }
        if (left < right) {
            double value = values[left];

            values[left++] = values[--right];
            values[right] = value;
        }
    } while (left < right);
    if (index < right) {
        return (struct part){whole.low, right};
    }
    return index < left ? (struct part){index, index + 1} : (struct part){left, whole.high};
}

double stats_select_nearest(double *values, size_t count, double q)
{
    struct part part = {0, count};

    if (!count) {
        return (double)NAN;
    }
    size_t index = nearest_index(count, q);

    /* Hoare's selection; where its pivots are bad, the rest is sorted. */
    for (int round = 0; round < SELECT_ROUNDS_MAX && part.high - part.low > SELECT_LEAST; round++) {
        part = part_of(values, part, index);
    }
    stats_sort(values + part.low, part.high - part.low);
    return values[index];
}

double stats_median(const double *sorted, size_t count)
{
    return stats_quantile(sorted, count, 0.5);
}

double stats_mad(const double *sorted, size_t count, double *scratch)
{
    double median = stats_median(sorted, count);

    for (size_t i = 0; i < count; i++) {
        scratch[i] = fabs(sorted[i] - median);
    }
    stats_sort(scratch, count);
    return 1.4826 * stats_median(scratch, count);
}

/* log of the values: mean and SD, in two passes as stats_mean and stats_sd, without memory. */
static double log_mean(const double *values, size_t count)
{
    double sum = 0;
    double rest = 0;

    for (size_t i = 0; i < count; i++) {
        sum += log(values[i]);
    }
    double mean = sum / (double)count;

    for (size_t i = 0; i < count; i++) {
        rest += log(values[i]) - mean;
    }
    return mean + rest / (double)count;
}

static double log_sd(const double *values, size_t count, double mean)
{
    double squares = 0;

    for (size_t i = 0; i < count; i++) {
        double residual = log(values[i]) - mean;

        squares += residual * residual;
    }
    return sqrt(squares / (double)(count - 1));
}

struct stats_interval stats_geometric_mean(const double *values, size_t count, double confidence)
{
    struct stats_interval result = {(double)NAN, (double)NAN, (double)NAN};

    if (!count) {
        return result;
    }
    double mean = log_mean(values, count);

    result.value = exp(mean);
    if (count >= 2) {
        double half = distribution_t_quantile(0.5 + confidence / 2, (double)(count - 1)) *
                      log_sd(values, count, mean) / sqrt((double)count);

        result.low = exp(mean - half);
        result.high = exp(mean + half);
    }
    return result;
}

struct stats_interval stats_median_interval(const double *sorted, size_t count, double confidence,
                                            double *confidence_out)
{
    struct stats_interval result = {stats_median(sorted, count), (double)NAN, (double)NAN};
    double actual = (double)NAN;
    size_t k = 0;

    while (k + 1 <= count / 2 &&
           1 - 2 * distribution_fair_binomial_cdf((long)k, count) >= confidence) {
        k++;
    }
    if (k > 0) {
        result.low = sorted[k - 1];
        result.high = sorted[count - k];
        actual = 1 - 2 * distribution_fair_binomial_cdf((long)k - 1, count);
    }
    if (confidence_out) {
        *confidence_out = actual;
    }
    return result;
}

/* Indices by ascending p. */
static void order_by_p(const double *p, size_t count, size_t *order)
{
    for (size_t i = 0; i < count; i++) { /* insertion sort: families are small, and it is stable */
        size_t at = i;

        while (at > 0 && p[order[at - 1]] > p[i]) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = i;
    }
}

void stats_holm(const double *p, size_t count, double *adjusted_out, size_t *order)
{
    double largest = 0;

    order_by_p(p, count, order);
    for (size_t i = 0; i < count; i++) {
        double adjusted = p[order[i]] * (double)(count - i);

        adjusted = adjusted > 1 ? 1 : adjusted;
        largest = adjusted > largest ? adjusted : largest;
        adjusted_out[order[i]] = largest;
    }
}

void stats_benjamini_hochberg(const double *p, size_t count, double *adjusted_out, size_t *order)
{
    double smallest = 1;

    order_by_p(p, count, order);
    for (size_t i = count; i-- > 0;) {
        double adjusted = p[order[i]] * ((double)count / (double)(i + 1));

        smallest = adjusted < smallest ? adjusted : smallest;
        adjusted_out[order[i]] = smallest;
    }
}
