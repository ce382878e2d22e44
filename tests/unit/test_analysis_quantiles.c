// SPDX-License-Identifier: Apache-2.0
// Quantiles of a session come from merged histograms, and only from enough requests.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collector/driver/histogram.h"
#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "tests/support/results_builder.h"
#include "tests/support/session_fixture.h"

TestSuite(analysis_quantiles, .init = session_folder_make, .fini = session_folder_remove);

/* B02, and the design's 3.6: no quantile with fewer than 100 requests beyond it. */
Test(analysis_quantiles, need_requests_beyond_them)
{
    static const struct {
        double rate;
        bool shown[ANALYSIS_QUANTILE_COUNT];
    } rows[] = {
        {60, {false, false, false, false}}, /* about 180 requests in 3 s */
        {80, {true, false, false, false}},  /* 240 */
        {400, {true, true, false, false}},  /* 1200 */
        {4000, {true, true, true, false}},  /* 12 000 */
        {40000, {true, true, true, true}},  /* 120 000 */
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct results *results =
            session_build(&(struct results_builder){.block_count = 1, .epoll_per_s = rows[i].rate});
        struct analysis *analysis = session_analyse(results);
        const struct analysis_row *epoll = analysis_find_row(analysis, "epoll");

        for (int q = 0; q < ANALYSIS_QUANTILE_COUNT; q++) {
            cr_expect_eq(!isnan(epoll->latency_ns[q].value), rows[i].shown[q], "row %zu q %d", i,
                         q);
        }
        session_discard(analysis, results);
    }
}

/* B04 (c4punks/CWIST#25): two parts with p99 of 10 and 100 ms and 10^6 and 10^3 requests have a p99
 * of about 10 ms together, not 55. */
Test(analysis_quantiles, b04_come_from_merged_histograms)
{
    struct histogram *parts = calloc(2, sizeof(*parts));
    struct buf encoded[2];
    struct results *results = session_build(
        &(struct results_builder){.block_count = 1, .faults = RESULTS_BUILDER_NO_HISTOGRAM});
    struct results_trial *trial = &results->trials[1];

    cr_assert(parts);
    for (size_t i = 0; i < trial->sample_count; i++) {
        trial->samples[i].outcomes[OUTCOME_OK] = 0;
        trial->samples[i].metrics[METRIC_latency_max_ns] = METRIC_UNKNOWN;
    }
    for (int i = 0; i < 2; i++) {
        int count = i ? 1000 : 1000000;

        for (int k = 0; k < count; k++) { /* 98.9 % at a tenth, the rest at the p99 */
            histogram_record(&parts[i],
                             (i ? 10 : 1) * (k < count / 1000 * 989 ? 1000000 : 10000000));
        }
        buf_init(&encoded[i], 1 << 20);
        cr_assert_eq(histogram_encode(&parts[i], &encoded[i], NULL), ERR_OK);
        trial->samples[1 + i].histogram.bytes = (const uint8_t *)encoded[i].bytes;
        trial->samples[1 + i].histogram.length = encoded[i].length;
        trial->samples[1 + i].outcomes[OUTCOME_OK] = (uint64_t)count;
    }
    struct analysis *analysis = session_analyse(results);

    cr_expect_float_eq(analysis->trials[1].latency_ns[2], 10e6, 0.01e6);
    session_discard(analysis, results);
    buf_release(&encoded[0]);
    buf_release(&encoded[1]);
    free(parts);
}

Test(analysis_quantiles, of_a_damaged_histogram_name_it)
{
    struct results *results = session_build(&(struct results_builder){.block_count = 1});
    struct analysis *analysis = NULL;
    struct err e = {0};

    results->trials[1].samples[3].histogram.length -= 4;
    cr_expect_eq(analysis_make(results, &analysis, &e), ERR_FORMAT);
    cr_expect_null(analysis);
    cr_expect(strstr(e.text, "trial 2, sample 3"), "%s", e.text);
    results_free(results);
}
