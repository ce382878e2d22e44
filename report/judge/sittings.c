// SPDX-License-Identifier: Apache-2.0
// Which parts of two sessions can be compared, and their comparison.
#include "report/judge/sittings.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/probe/fingerprint.h"
#include "report/judge/comparison_rows.h"
#include "report/judge/comparisons.h"
#include "report/stats/distribution.h"
#include "report/stats/two_samples.h"

#define EQUIVALENCE_CONFIDENCE 0.9 /* two one-sided tests at 5 % */

const char *const sitting_obstacle_names[] = {
    [SITTING_SAME] = "same session",      [SITTING_PLAN] = "plan",
    [SITTING_FACT] = "machine",           [SITTING_UNFIT] = "session",
    [SITTING_PROGRAM] = "program",        [SITTING_MISSING] = "missing",
    [SITTING_TOO_FEW] = "too few trials",
};

/* --- what the machine is --- */

bool sittings_is_stable_fact(const char *name)
{
    return fingerprint_has_fact(name) || strcmp(name, "cpu.allowed") == 0 ||
           strncmp(name, "driver.", strlen("driver.")) == 0 ||
           (strncmp(name, "server.", strlen("server.")) == 0 &&
            strcmp(name, "server.padding_bytes") != 0);
}

static bool is_of_machine(const struct results_fact *fact)
{
    return strcmp(fact->moment, "start") == 0 && sittings_is_stable_fact(fact->name);
}

enum err_code sittings_find_fingerprint(const struct results *results, char hex_out[65],
                                        struct err *e)
{
    struct fingerprint *fingerprint;
    enum err_code code = fingerprint_new(&fingerprint, e);

    if (code != ERR_OK) {
        return code;
    }
    for (size_t i = 0; i < results->fact_count; i++) {
        if (strcmp(results->facts[i].moment, "start") == 0) {
            fingerprint_add(fingerprint, results->facts[i].name, results->facts[i].value);
        }
    }
    code = fingerprint_finish(fingerprint, hex_out, e);
    fingerprint_free(fingerprint);
    return code;
}

static bool is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static void add_obstacle(struct sittings *sittings, enum sitting_obstacle_kind kind,
                         const char *name, const char *a, const char *b)
{
    sittings->obstacles[sittings->obstacle_count++] =
        (struct sitting_obstacle){.kind = kind, .name = name, .a = a, .b = b};
}

static bool has_fact(const struct results *results, const char *name)
{
    for (size_t i = 0; i < results->fact_count; i++) {
        if (strcmp(results->facts[i].moment, "start") == 0 &&
            strcmp(results->facts[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Facts of `from` that the other file has not, or has otherwise; with `missing_only` just those
 * that it has not. */
static void compare_facts(struct sittings *sittings, const struct results *from,
                          const struct results *other, bool missing_only)
{
    for (size_t i = 0; i < from->fact_count; i++) {
        const struct results_fact *fact = &from->facts[i];
        const char *value = results_find_fact(other, "start", fact->name);

        if (!is_of_machine(fact) || is_same(fact->value, value) ||
            (missing_only && has_fact(other, fact->name))) {
            continue;
        }
        add_obstacle(sittings, SITTING_FACT, fact->name, missing_only ? value : fact->value,
                     missing_only ? fact->value : value);
    }
}

static bool is_fit(const struct analysis *analysis)
{
    return analysis->trust == TRUST_VALID || analysis->trust == TRUST_WARNINGS;
}

static void compare_sessions(struct sittings *sittings)
{
    const struct results *a = sittings->a->results;
    const struct results *b = sittings->b->results;

    if (is_same(a->session_uid, b->session_uid)) {
        add_obstacle(sittings, SITTING_SAME, NULL, a->session_uid, b->session_uid);
    }
    if (!is_same(a->plan_digest, b->plan_digest)) {
        add_obstacle(sittings, SITTING_PLAN, NULL, a->plan_digest, b->plan_digest);
    }
    compare_facts(sittings, a, b, false);
    compare_facts(sittings, b, a, true);
    if (!is_fit(sittings->a) || !is_fit(sittings->b)) {
        add_obstacle(sittings, SITTING_UNFIT, NULL, trust_names[sittings->a->trust],
                     trust_names[sittings->b->trust]);
    }
    sittings->is_comparable = sittings->obstacle_count == 0;
}

/* --- engines --- */

static const struct results_engine *engine_of(const struct analysis *analysis,
                                              const struct analysis_row *row)
{
    return &analysis->results->engines[row->engine_index];
}

/* The same engine in the same cell of the other session, by names. */
static const struct analysis_row *
find_row(const struct analysis *from, const struct analysis_row *row, const struct analysis *in)
{
    const struct results_cell *cell = &from->results->cells[row->cell_index];
    const char *workload = from->results->workloads[cell->workload_index].name;

    for (size_t i = 0; i < in->row_count; i++) {
        const struct results_cell *other = &in->results->cells[in->rows[i].cell_index];

        if (strcmp(engine_of(in, &in->rows[i])->name, engine_of(from, row)->name) == 0 &&
            strcmp(in->results->workloads[other->workload_index].name, workload) == 0 &&
            results_cells_match(other, cell)) {
            return &in->rows[i];
        }
    }
    return NULL;
}

static size_t list_logs(const struct analysis *analysis, const struct analysis_row *row,
                        enum plan_claim_metric metric, double *logs)
{
    const struct comparison_sides sides = {.cell_index = row->cell_index,
                                           .engine_index = row->engine_index,
                                           .other_index = SIZE_MAX,
                                           .metric = metric};
    size_t count = comparison_list_values(analysis, &sides, logs);

    for (size_t i = 0; i < count; i++) {
        logs[i] = log(logs[i]);
    }
    return count;
}

/* Geometric mean with its t interval, of logarithms. */
static struct estimate mean_of(const double *logs, size_t count)
{
    double mean = stats_mean(logs, count);
    double half = (double)NAN;

    if (count >= 2) {
        half = distribution_t_quantile(0.5 + COMPARISON_CONFIDENCE / 2, (double)(count - 1)) *
               stats_sd(logs, count) / sqrt((double)count);
    }
    return (struct estimate){exp(mean), exp(mean - half), exp(mean + half), count};
}

/* What the counts and the interval allow; the family's adjustment comes later. */
static enum verdict place(const struct two_samples *samples, size_t least, double margin)
{
    struct two_samples_t narrow = two_samples_welch(samples, EQUIVALENCE_CONFIDENCE);

    if (least < COMPARISON_PAIRS_MIN) {
        return VERDICT_TOO_FEW;
    }
    return narrow.difference.low > -margin && narrow.difference.high < margin
               ? VERDICT_EQUIVALENT
               : VERDICT_INCONCLUSIVE;
}

/* `logs`: room for the trials of both files. */
static void add_metric(struct sittings *sittings, const struct analysis_row *a,
                       const struct analysis_row *b, enum plan_claim_metric metric, double *logs)
{
    struct sitting_row row = {.a = a, .b = b, .metric = metric, .verdict = VERDICT_NONE};
    struct two_samples samples = {.a = logs};

    samples.a_count = list_logs(sittings->b, b, metric, logs); /* b over a: b is the first sample */
    samples.b = logs + samples.a_count;
    samples.b_count = list_logs(sittings->a, a, metric, logs + samples.a_count);
    if (samples.a_count == 0 || samples.b_count == 0) {
        return;
    }
    struct two_samples_t t = two_samples_welch(&samples, COMPARISON_CONFIDENCE);
    size_t least = samples.a_count < samples.b_count ? samples.a_count : samples.b_count;

    row.a_value = mean_of(samples.b, samples.b_count);
    row.b_value = mean_of(samples.a, samples.a_count);
    row.ratio = (struct estimate){row.b_value.value / row.a_value.value, exp(t.difference.low),
                                  exp(t.difference.high), least};
    row.p = least < COMPARISON_PAIRS_MIN ? (double)NAN : t.p;
    if (metric == PLAN_METRIC_THROUGHPUT) {
        row.verdict = place(&samples, least, log1p(sittings->margin));
        if (row.verdict == VERDICT_TOO_FEW &&
            strcmp(engine_of(sittings->a, a)->role, "limit") != 0) {
            add_obstacle(sittings, SITTING_TOO_FEW, engine_of(sittings->a, a)->name, NULL, NULL);
        }
    }
    sittings->rows[sittings->row_count++] = row;
}

static void compare_engines(struct sittings *sittings, double *logs)
{
    for (size_t i = 0; i < sittings->a->row_count; i++) {
        const struct analysis_row *a = &sittings->a->rows[i];
        const struct analysis_row *b = find_row(sittings->a, a, sittings->b);
        const struct results_engine *engine = engine_of(sittings->a, a);

        if (!b) {
            add_obstacle(sittings, SITTING_MISSING, engine->name, "yes", "no");
            continue;
        }
        for (int metric = 0; metric < PLAN_METRIC_COUNT; metric++) {
            add_metric(sittings, a, b, (enum plan_claim_metric)metric, logs);
        }
    }
    for (size_t i = 0; i < sittings->b->row_count; i++) {
        if (!find_row(sittings->b, &sittings->b->rows[i], sittings->a)) {
            add_obstacle(sittings, SITTING_MISSING,
                         engine_of(sittings->b, &sittings->b->rows[i])->name, "no", "yes");
        }
    }
}

static void compare_programs(struct sittings *sittings)
{
    static const char *const facts[] = {"program.version", "program.tacho_engine_sha256",
                                        "program.tacho_sha256", "program.compiler"};

    for (size_t i = 0; i < ARRAY_COUNT(facts); i++) {
        const char *a = results_find_fact(sittings->a->results, "start", facts[i]);
        const char *b = results_find_fact(sittings->b->results, "start", facts[i]);

        if (!is_same(a, b)) {
            add_obstacle(sittings, SITTING_PROGRAM, facts[i], a, b);
        }
    }
}

/* --- families --- */

/* Adjusts the known p of throughput, or of all other metrics. */
static enum err_code adjust(struct sittings *sittings, bool is_primary, struct err *e)
{
    double *p = calloc(2 * sittings->row_count + 1, sizeof(*p));
    size_t *order = calloc(sittings->row_count + 1, sizeof(*order));
    size_t count = 0;

    if (!p || !order) {
        free(p);
        free(order);
        return err_set(e, ERR_LIMIT, "no memory for %zu comparisons", sittings->row_count);
    }
    double *adjusted = p + sittings->row_count;

    for (size_t i = 0; i < sittings->row_count; i++) {
        const struct sitting_row *row = &sittings->rows[i];

        if (!isnan(row->p) && (row->metric == PLAN_METRIC_THROUGHPUT) == is_primary) {
            p[count++] = row->p;
        }
    }
    (is_primary ? stats_holm : stats_benjamini_hochberg)(p, count, adjusted, order);
    count = 0;
    for (size_t i = 0; i < sittings->row_count; i++) {
        struct sitting_row *row = &sittings->rows[i];

        if (!isnan(row->p) && (row->metric == PLAN_METRIC_THROUGHPUT) == is_primary) {
            row->p = adjusted[count++];
        }
    }
    free(p);
    free(order);
    return ERR_OK;
}

/* As within a session: beyond chance first, then whether beyond the margin. */
static void decide(struct sittings *sittings)
{
    double margin = log1p(sittings->margin);

    for (size_t i = 0; i < sittings->row_count; i++) {
        struct sitting_row *row = &sittings->rows[i];

        if (row->verdict == VERDICT_NONE || row->verdict == VERDICT_TOO_FEW ||
            !(row->p < COMPARISON_ALPHA)) {
            continue;
        }
        row->verdict = log(row->ratio.low) > margin || log(row->ratio.high) < -margin
                           ? VERDICT_DIFFERENT
                           : VERDICT_SMALL;
    }
}

static enum err_code allocate(struct sittings *sittings, struct err *e)
{
    size_t rows = sittings->a->row_count * PLAN_METRIC_COUNT;
    size_t obstacles = sittings->a->results->fact_count + sittings->b->results->fact_count +
                       2 * (sittings->a->row_count + sittings->b->row_count) + 8;

    sittings->rows = calloc(rows + 1, sizeof(*sittings->rows));
    sittings->obstacles = calloc(obstacles, sizeof(*sittings->obstacles));
    if (!sittings->rows || !sittings->obstacles) {
        return err_set(e, ERR_LIMIT, "no memory for the comparison");
    }
    return ERR_OK;
}

static enum err_code compare(struct sittings *sittings, struct err *e)
{
    size_t trials = sittings->a->results->trial_count + sittings->b->results->trial_count;
    double *logs = calloc(trials + 1, sizeof(*logs));

    if (!logs) {
        return err_set(e, ERR_LIMIT, "no memory for %zu trials", trials);
    }
    compare_programs(sittings);
    compare_engines(sittings, logs);
    free(logs);
    enum err_code code = adjust(sittings, true, e);

    if (code == ERR_OK) {
        code = adjust(sittings, false, e);
    }
    decide(sittings);
    sittings->is_comparable = sittings->row_count > 0;
    return code;
}

enum err_code sittings_make(const struct analysis *a, const struct analysis *b,
                            struct sittings *sittings_out, struct err *e)
{
    struct sittings sittings = {
        .a = a, .b = b, .margin = a->margin > b->margin ? a->margin : b->margin};
    enum err_code code = sittings_find_fingerprint(a->results, sittings.a_fingerprint, e);

    if (code == ERR_OK) {
        code = sittings_find_fingerprint(b->results, sittings.b_fingerprint, e);
    }
    if (code == ERR_OK) {
        code = allocate(&sittings, e);
    }
    if (code == ERR_OK) {
        compare_sessions(&sittings);
    }
    if (code == ERR_OK && sittings.is_comparable) {
        code = compare(&sittings, e);
    }
    if (code != ERR_OK) {
        sittings_release(&sittings);
        return code;
    }
    *sittings_out = sittings;
    return ERR_OK;
}

void sittings_release(struct sittings *sittings)
{
    free(sittings->rows);
    free(sittings->obstacles);
}
