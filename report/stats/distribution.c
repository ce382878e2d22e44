// SPDX-License-Identifier: Apache-2.0
// Distribution functions by series and continued fractions; quantiles by bisection of them.
#include "report/stats/distribution.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#define FRACTION_TERMS_MAX 10000
#define SERIES_TERMS_MAX   10000
#define BISECTIONS         200  /* more than a double has bits: ends earlier at equal midpoints */
#define BETA_BISECTIONS    1100 /* a quantile near 0 has small exponents to pass */
#define TINY               1e-300

/* One even or odd coefficient of the fraction for I_x(a, b), counted from 1. */
static double fraction_coefficient(int k, double x, double a, double b)
{
    int half = k / 2;
    double m = half;

    if (k % 2 == 0) {
        return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    }
    return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
}

static double away_from_zero(double value)
{
    return fabs(value) < TINY ? TINY : value;
}

/* 1/(1 + d1/(1 + d2/(1 + …))) by Lentz's method: only ratios of neighbouring convergents are
 * carried, so nothing overflows. */
static double beta_fraction(double x, double a, double b)
{
    double value = 1;
    double numerators = 1;
    double denominators = 0;

    for (int k = 1; k < FRACTION_TERMS_MAX; k++) {
        double coefficient = fraction_coefficient(k, x, a, b);

        denominators = 1 / away_from_zero(1 + coefficient * denominators);
        numerators = away_from_zero(1 + coefficient / numerators);
        double change = numerators * denominators;

        value *= change;
        if (fabs(change - 1) < 1e-16) {
            break;
        }
    }
    return 1 / value;
}

double distribution_beta_cdf(double x, double a, double b)
{
    assert(a > 0 && b > 0);
    if (x <= 0) {
        return 0;
    }
    if (x >= 1) {
        return 1;
    }
    /* The fraction converges fast left of the mean; right of it the mirror image does. */
    if (x > (a + 1) / (a + b + 2)) {
        return 1 - distribution_beta_cdf(1 - x, b, a);
    }
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));

    return front * beta_fraction(x, a, b) / a;
}

double distribution_beta_quantile(double p, double a, double b)
{
    assert(p > 0 && p < 1);
    double low = 0;
    double high = 1;

    for (int i = 0; i < BETA_BISECTIONS; i++) {
        double middle = low + (high - low) / 2;

        if (middle <= low || middle >= high) {
            break;
        }
        if (distribution_beta_cdf(middle, a, b) < p) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

/* P(a, x) of the regularised incomplete gamma function, for x < a + 1. */
static double gamma_series(double x, double a)
{
    double term = 1 / a;
    double sum = term;

    for (int k = 1; k < SERIES_TERMS_MAX && term > sum * 1e-17; k++) {
        term *= x / (a + k);
        sum += term;
    }
    return sum * exp(a * log(x) - x - lgamma(a));
}

/* Q(a, x) = 1 − P(a, x), for x >= a + 1; Lentz's method as in beta_fraction. */
static double gamma_fraction(double x, double a)
{
    double b = x + 1 - a;
    double numerators = 1 / TINY;
    double denominators = 1 / b;
    double value = denominators;

    for (int k = 1; k < FRACTION_TERMS_MAX; k++) {
        double coefficient = -k * (k - a);

        b += 2;
        denominators = 1 / away_from_zero(coefficient * denominators + b);
        numerators = away_from_zero(b + coefficient / numerators);
        double change = numerators * denominators;

        value *= change;
        if (fabs(change - 1) < 1e-16) {
            break;
        }
    }
    return value * exp(a * log(x) - x - lgamma(a));
}

double distribution_chi_square_tail(double x, double df)
{
    assert(df > 0);
    if (x <= 0) {
        return 1;
    }
    return x / 2 < df / 2 + 1 ? 1 - gamma_series(x / 2, df / 2) : gamma_fraction(x / 2, df / 2);
}

/* P(T > t) for t >= 0: small values keep their digits. */
static double t_tail(double t, double df)
{
    double square = t * t;

    if (square < df) { /* near the middle 1 − x would lose digits */
        return 0.5 - 0.5 * distribution_beta_cdf(square / (df + square), 0.5, df / 2);
    }
    return 0.5 * distribution_beta_cdf(df / (df + square), df / 2, 0.5);
}

double distribution_t_cdf(double t, double df)
{
    double tail = t_tail(fabs(t), df);

    return t > 0 ? 1 - tail : tail;
}

double distribution_t_quantile(double p, double df)
{
    assert(p > 0 && p < 1 && df > 0);
    if (p == 0.5) {
        return 0;
    }
    double want = p < 0.5 ? p : 1 - p;
    double low = 0;
    double high = 1;

    while (t_tail(high, df) > want && high < 1e100) {
        high *= 2;
    }
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = low + (high - low) / 2;

        if (middle <= low || middle >= high) {
            break;
        }
        if (t_tail(middle, df) > want) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return p < 0.5 ? -high : high;
}

/* For t >= 0 and any shift: Φ(−shift) + ½ Σ (p_i I_x(i + ½, df/2) + q_i I_x(i + 1, df/2)). */
static double noncentral_right(double t, double df, double shift)
{
    double x = t * t / (df + t * t);
    double half = shift * shift / 2;
    double poisson = exp(-half);
    double other = shift / sqrt(2) * exp(-half - lgamma(1.5));
    double sum = 0;
    double mass = 0;

    for (int i = 0; i < SERIES_TERMS_MAX; i++) {
        double even = poisson * distribution_beta_cdf(x, i + 0.5, df / 2);
        double odd = other * distribution_beta_cdf(x, i + 1, df / 2);

        sum += even + odd;
        mass += poisson;
        if (1 - mass < 1e-15 && fabs(even) + fabs(odd) < 1e-16) {
            break;
        }
        poisson *= half / (i + 1);
        other *= half / (i + 1.5);
    }
    return distribution_normal_cdf(-shift) + sum / 2;
}

double distribution_noncentral_t_cdf(double t, double df, double shift)
{
    double value = t < 0 ? 1 - noncentral_right(-t, df, -shift) : noncentral_right(t, df, shift);

    return value < 0 ? 0 : (value > 1 ? 1 : value);
}

double distribution_normal_cdf(double z)
{
    return 0.5 * erfc(-z / sqrt(2));
}

double distribution_normal_quantile(double p)
{
    assert(p > 0 && p < 1);
    bool left = p < 0.5;
    double want = left ? p : 1 - p;
    double low = 0;
    double high = 40;

    for (int i = 0; i < BISECTIONS; i++) {
        double middle = low + (high - low) / 2;

        if (middle <= low || middle >= high) {
            break;
        }
        if (distribution_normal_cdf(-middle) > want) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return left ? -high : high;
}

#define RANK_SUM_COUNT                                                                             \
    (DISTRIBUTION_SIGNED_RANK_COUNT_MAX * (DISTRIBUTION_SIGNED_RANK_COUNT_MAX + 1) / 2 + 1)

/* Probabilities of each rank sum: rank after rank is in or out with one half. */
static size_t fill_rank_sums(double masses[RANK_SUM_COUNT], size_t n)
{
    size_t top = 0;

    assert(n >= 1 && n <= DISTRIBUTION_SIGNED_RANK_COUNT_MAX);
    masses[0] = 1;
    for (size_t rank = 1; rank <= n; rank++) {
        for (size_t sum = top + 1; sum <= top + rank; sum++) {
            masses[sum] = 0;
        }
        top += rank;
        for (size_t sum = top + 1; sum-- > 0;) {
            masses[sum] = 0.5 * masses[sum] + (sum >= rank ? 0.5 * masses[sum - rank] : 0);
        }
    }
    return top;
}

double distribution_signed_rank_cdf(long v, size_t n)
{
    double masses[RANK_SUM_COUNT];
    size_t top = fill_rank_sums(masses, n);
    double sum = 0;

    for (size_t i = 0; i <= top && (long)i <= v; i++) {
        sum += masses[i];
    }
    return sum;
}

long distribution_signed_rank_quantile(double p, size_t n)
{
    double masses[RANK_SUM_COUNT];
    size_t top = fill_rank_sums(masses, n);
    double sum = masses[0];
    size_t v = 0;

    while (sum < p && v < top) {
        sum += masses[++v];
    }
    return (long)v;
}

#define COUNT_MAX DISTRIBUTION_RANK_SUM_COUNT_MAX
#define WINS_MAX  (COUNT_MAX * COUNT_MAX + 1)

/*
 * masses[w]: the arrangements with W = w. They are the coefficients of the Gaussian binomial
 * Π (1 − x^(n + i)) / (1 − x^i), i = 1 … m: multiplied and divided in turn, from m·n + 1 on cut
 * off. Whole numbers up to 1e29: rounding stays far below what a probability shows.
 */
static size_t fill_wins(double masses[WINS_MAX], size_t m, size_t n)
{
    size_t top = m * n;
    double total = 0;

    assert(m >= 1 && m <= COUNT_MAX && n >= 1 && n <= COUNT_MAX);
    for (size_t w = 0; w <= top; w++) {
        masses[w] = w == 0;
    }
    for (size_t i = 1; i <= m; i++) {
        for (size_t w = top; w + 1 > n + i; w--) {
            masses[w] -= masses[w - n - i];
        }
        for (size_t w = i; w <= top; w++) {
            masses[w] += masses[w - i];
        }
    }
    for (size_t w = 0; w <= top; w++) {
        total += masses[w];
    }
    for (size_t w = 0; w <= top; w++) {
        masses[w] /= total;
    }
    return top;
}

double distribution_rank_sum_cdf(long w, size_t m, size_t n)
{
    double masses[WINS_MAX];
    size_t top = fill_wins(masses, m, n);
    double sum = 0;

    for (size_t i = 0; i <= top && (long)i <= w; i++) {
        sum += masses[i];
    }
    return sum;
}

long distribution_rank_sum_quantile(double p, size_t m, size_t n)
{
    double masses[WINS_MAX];
    size_t top = fill_wins(masses, m, n);
    double sum = masses[0];
    size_t w = 0;

    while (sum < p && w < top) {
        sum += masses[++w];
    }
    return (long)w;
}

double distribution_fair_binomial_cdf(long k, size_t n)
{
    if (k < 0) {
        return 0;
    }
    if ((size_t)k >= n) {
        return 1;
    }
    /* P(X <= k) = I_½(n − k, k + 1) */
    return distribution_beta_cdf(0.5, (double)n - (double)k, (double)k + 1);
}
