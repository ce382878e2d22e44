// SPDX-License-Identifier: Apache-2.0
// Rules that hold of the numbers of any benchmark, measured here or published elsewhere.
#ifndef REPORT_JUDGE_PLAUSIBLE_H
#define REPORT_JUDGE_PLAUSIBLE_H

#define PLAUSIBLE_LITTLE_MAX 0.03  /* |X·R/C − 1| */
#define PLAUSIBLE_PEAK_MAX   1.5   /* highest interval over the mean */
#define PLAUSIBLE_ERRORS_MAX 0.001 /* share of the requests */

/*
 * Little's law of a closed loop: requests on the way = rate × mean time of each, X·R = C. How far
 * off the numbers are, X·R/C − 1: −0.05 when 5 % of the requests on the way are missing.
 *
 * in_flight   connections × requests that each may have on the way
 * returns     NaN where something is unknown or nothing was on the way
 */
double plausible_little(double rate_per_s, double mean_ns, double in_flight);

/* The largest standard deviation that values between `low` and `high` with this mean can have:
 * √((high − mean)(mean − low)), Bhatia and Davis 2000. */
double plausible_stdev_max(double mean, double low, double high);

/* The least and the largest mean of values not below 0 whose quantile `share` is `quantile` and
 * whose maximum is `high`. */
double plausible_mean_min(double share, double quantile);
double plausible_mean_max(double share, double quantile, double high);

#endif
