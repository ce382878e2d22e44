// SPDX-License-Identifier: Apache-2.0
// Measures what this machine can tell apart.
#include "report/doctor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/run/session_rows.h"
#include "engines/base/clock.h"
#include "engines/base/fs.h"
#include "report/judge/analysis.h"
#include "report/stats/distribution.h"
#include "report/stats/summary.h"

#define ENGINE_NAME "doctor" /* "limit" is the name of the calibration's own row */

struct doctor_outlook doctor_make_outlook(const struct doctor_noise *noise, uint32_t round_count)
{
    struct doctor_outlook outlook = {(double)NAN, (double)NAN};

    if (round_count < 2 || isnan(noise->sd)) {
        return outlook;
    }
    double df = (double)round_count - 1;
    double error = noise->sd / sqrt((double)round_count);
    double interval = distribution_t_quantile(0.975, df);
    outlook.half_width = expm1(interval * error);
    outlook.detectable = expm1((interval + distribution_t_quantile(0.8, df)) * error);
    return outlook;
}

/* Logarithm of the rate of ok requests in the window; NaN when there is none. */
static double rate_log(const struct results_trial *trial)
{
    uint64_t ok_count = 0;
    int64_t length_ns = 0;

    for (size_t i = 0; i < trial->sample_count; i++) {
        const struct sample *sample = &trial->samples[i];

        if (sample->phase == SAMPLE_PHASE_WINDOW) {
            ok_count += sample->outcomes[OUTCOME_OK];
            length_ns += sample->end_ns - sample->start_ns;
        }
    }
    bool has_rate = strcmp(trial->state, "finished") == 0 && ok_count && length_ns > 0;
    return has_rate ? log((double)ok_count / (double)length_ns) : (double)NAN;
}

static double round_rate_log(const struct results *results, int64_t block_index, const char *role)
{
    double found = (double)NAN;

    for (size_t i = 0; i < results->trial_count; i++) {
        const struct results_trial *trial = &results->trials[i];

        if (trial->block_index == block_index &&
            strcmp(results->engines[trial->engine_index].role, role) == 0) {
            found = rate_log(trial);
        }
    }
    return found;
}

struct doctor_noise doctor_read_noise(const struct results *results)
{
    double differences[DOCTOR_ROUND_COUNT];
    struct doctor_noise noise = {.sd = (double)NAN, .foreign_share_max = (double)NAN};

    for (int64_t block = 0; block < DOCTOR_ROUND_COUNT; block++) {
        double difference =
            round_rate_log(results, block, "aa") - round_rate_log(results, block, "baseline");

        if (!isnan(difference)) {
            differences[noise.round_count++] = difference;
        }
    }
    noise.sd = stats_sd(differences, noise.round_count);
    return noise;
}

static void plan_make(const struct plan *of, struct plan *plan_out)
{
    uint32_t connection_count = of->workloads[0].connection_counts[0];

    *plan_out = (struct plan){.title = "tacho doctor",
                              .baseline = ENGINE_NAME,
                              .block_count = DOCTOR_ROUND_COUNT,
                              .aa_arm = true,
                              .warmup_ns = CLOCK_NS_PER_S / 2,
                              .window_ns = CLOCK_NS_PER_S,
                              .sample_ns = CLOCK_NS_PER_S / 2,
                              .timeout_ns = 2 * CLOCK_NS_PER_S,
                              .ready_within_ns = 10 * CLOCK_NS_PER_S,
                              .seed = 1,
                              .machine = of->machine,
                              .engines = {{.name = ENGINE_NAME, .builtin = "limit"}},
                              .engine_count = 1,
                              .workloads = {session_calibration},
                              .workload_count = 1};
    plan_out->workloads[0].name = ENGINE_NAME;
    plan_out->workloads[0].connection_counts[0] = connection_count;
    plan_out->workloads[0].load_point_count = 1;
}

static enum err_code noise_load(const char *path, struct doctor_noise *noise_out, struct err *e)
{
    struct results *results = NULL;
    struct analysis *analysis = NULL;
    enum err_code code = results_load(path, false, &results, e);

    if (code != ERR_OK) {
        return code;
    }
    code = analysis_make(results, &analysis, e);
    if (code == ERR_OK) {
        *noise_out = doctor_read_noise(results);
        noise_out->foreign_share_max = analysis->foreign_cpu_share_max;
        noise_out->is_disturbed = (analysis->unfit_causes & UNFIT_FOREIGN_CPU) != 0;
        analysis_free(analysis);
    }
    results_free(results);
    return code;
}

enum err_code doctor_measure_noise(const struct session_config *session, const char *folder,
                                   struct doctor_noise *noise_out, struct err *e)
{
    char own[4096], path[4128];
    struct session_config config = *session;
    struct plan *plan = calloc(1, sizeof(*plan));
    enum err_code code = ERR_OK;

    if (!plan) {
        return err_set(e, ERR_LIMIT, "no memory for a plan");
    }
    snprintf(own, sizeof(own), "%.4000s/tacho-doctor-XXXXXX", folder);
    if (!mkdtemp(own)) {
        free(plan);
        return err_set_sys(e, "%.200s: no folder can be made there", folder);
    }
    snprintf(path, sizeof(path), "%s/results.db", own);
    plan_make(session->plan, plan);
    config.plan = plan;
    config.results_path = path;
    config.progress = NULL;
    if (session_run(&config, e) != SESSION_FINISHED) {
        code = e->code == ERR_OK ? ERR_MISMATCH : e->code;
    } else {
        code = noise_load(path, noise_out, e);
    }
    enum err_code removed = fs_remove_tree(own, code == ERR_OK ? e : NULL);
    free(plan);
    return code == ERR_OK ? removed : code;
}
