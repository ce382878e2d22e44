// SPDX-License-Identifier: Apache-2.0
// Latency, CPU time and memory against the baseline.
#include "report/judge/secondary.h"

#include <stdlib.h>
#include <string.h>

#include "report/judge/analysis.h"
#include "report/judge/comparison_rows.h"
#include "report/judge/comparisons.h"
#include "report/stats/paired.h"

static const enum plan_claim_metric metrics[] = {PLAN_METRIC_P50, PLAN_METRIC_P99,
                                                 PLAN_METRIC_SERVER_CPU, PLAN_METRIC_RSS};

/* Nothing is added with fewer than 6 blocks. The raw p goes into q. */
static enum err_code add(struct analysis *analysis, const struct analysis_row *row,
                         enum plan_claim_metric metric, struct err *e)
{
    struct comparison_sides sides = comparison_sides_of(analysis, row);
    struct comparison_pairs pairs;

    sides.metric = metric;
    enum err_code code = comparison_pairs_make(analysis, &sides, &pairs, e);

    if (code != ERR_OK) {
        return code;
    }
    if (pairs.count >= COMPARISON_PAIRS_MIN) {
        struct stats_interval ratio = paired_ratio(pairs.d, pairs.count, COMPARISON_CONFIDENCE);

        analysis->secondaries[analysis->secondary_count++] =
            (struct secondary){.cell_index = row->cell_index,
                               .engine_index = row->engine_index,
                               .metric = metric,
                               .ratio = {ratio.value, ratio.low, ratio.high, pairs.count},
                               .q = paired_sign_flip_p(pairs.d, pairs.count)};
    }
    free(pairs.d);
    return ERR_OK;
}

static enum err_code adjust(struct analysis *analysis, struct err *e)
{
    size_t count = analysis->secondary_count;
    double *p = calloc(2 * count + 1, sizeof(*p));
    size_t *order = calloc(count + 1, sizeof(*order));

    if (!p || !order) {
        free(p);
        free(order);
        return err_set(e, ERR_LIMIT, "no memory for %zu comparisons", count);
    }
    for (size_t i = 0; i < count; i++) {
        p[i] = analysis->secondaries[i].q;
    }
    stats_benjamini_hochberg(p, count, p + count, order);
    for (size_t i = 0; i < count; i++) {
        analysis->secondaries[i].q = p[count + i];
        analysis->secondaries[i].is_found = p[count + i] < SECONDARY_Q;
    }
    free(p);
    free(order);
    return ERR_OK;
}

enum err_code secondary_make(struct analysis *analysis, struct err *e)
{
    enum err_code code = ERR_OK;

    analysis->secondaries =
        calloc(analysis->row_count * ARRAY_COUNT(metrics) + 1, sizeof(*analysis->secondaries));
    if (!analysis->secondaries) {
        return err_set(e, ERR_LIMIT, "no memory for the comparisons");
    }
    for (size_t i = 0; i < analysis->row_count; i++) {
        const struct analysis_row *row = &analysis->rows[i];
        const char *role = analysis->results->engines[row->engine_index].role;

        for (size_t k = 0; k < ARRAY_COUNT(metrics) && code == ERR_OK; k++) {
            if (comparison_is_made(analysis, row) && strcmp(role, "subject") == 0) {
                code = add(analysis, row, metrics[k], e);
            }
        }
    }
    return code == ERR_OK ? adjust(analysis, e) : code;
}
