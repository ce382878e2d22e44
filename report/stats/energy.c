// SPDX-License-Identifier: Apache-2.0
// E-divisive with sums that are carried from one split to the next.
#include "report/stats/energy.h"

#include <math.h>
#include <stdlib.h>

#include "report/stats/two_samples.h"

/* Sum of the distances of one value to a range of others. */
static double sum_distances(const double *values, size_t begin, size_t end, double value)
{
    double sum = 0;

    for (size_t i = begin; i < end; i++) {
        sum += fabs(values[i] - value);
    }
    return sum;
}

struct energy_split energy_find_split(const double *values, size_t count)
{
    struct energy_split best = {0, (double)NAN};
    double within_left = 0, within_right = 0, between = 0;

    for (size_t i = 0; i < count; i++) {
        within_right += sum_distances(values, i + 1, count, values[i]);
    }
    for (size_t i = 0; i + 2 < count; i++) { /* the i-th value goes over to the left */
        double to_left = sum_distances(values, 0, i, values[i]);
        double to_right = sum_distances(values, i + 1, count, values[i]);
        double n = (double)i + 1;
        double m = (double)(count - i) - 1;

        within_left += to_left;
        within_right -= to_right;
        between += to_right - to_left;
        if (n < 2) {
            continue;
        }
        double q = n * m / (n + m) *
                   (2 * between / (n * m) - 2 * within_left / (n * (n - 1)) -
                    2 * within_right / (m * (m - 1)));

        if (isnan(best.q) || q > best.q) {
            best = (struct energy_split){i + 1, q};
        }
    }
    return best;
}

/* The segment whose best split is the largest of those that are still open; its split is counted
 * from the beginning of the series. */
static struct energy_split find_largest(const double *values, const size_t *bounds, size_t segments,
                                        size_t *segment_out)
{
    struct energy_split largest = {0, (double)NAN};

    for (size_t i = 0; i < segments; i++) {
        struct energy_split split =
            energy_find_split(values + bounds[i], bounds[i + 1] - bounds[i]);

        if (split.index > 0 && (isnan(largest.q) || split.q > largest.q)) {
            largest = (struct energy_split){bounds[i] + split.index, split.q};
            *segment_out = i;
        }
    }
    return largest;
}

enum err_code energy_find_changes(const double *values, size_t count, double alpha,
                                  size_t *changes_out, size_t *change_count_out, struct err *e)
{
    size_t *bounds = calloc(count + 2, sizeof(*bounds));
    size_t segments = 1;
    size_t segment = 0;

    if (!bounds) {
        return err_set(e, ERR_LIMIT, "no memory for %zu values", count);
    }
    bounds[1] = count;
    for (;;) {
        struct energy_split split = find_largest(values, bounds, segments, &segment);
        const struct two_samples sides = {values + bounds[segment], values + split.index,
                                          split.index - bounds[segment],
                                          bounds[segment + 1] - split.index};

        if (split.index == 0 || !(two_samples_welch(&sides, 0.95).p < alpha)) {
            break;
        }
        for (size_t i = segments + 1; i > segment + 1; i--) {
            bounds[i] = bounds[i - 1];
        }
        bounds[segment + 1] = split.index;
        segments++;
    }
    for (size_t i = 1; i < segments; i++) {
        changes_out[i - 1] = bounds[i];
    }
    *change_count_out = segments - 1;
    free(bounds);
    return ERR_OK;
}
