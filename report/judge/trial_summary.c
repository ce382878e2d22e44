// SPDX-License-Identifier: Apache-2.0
// Sums of a trial's window and what follows from them.
#include "report/judge/trial_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collector/foreign_cpu.h"
#include "collector/plan/plan_cpus.h"
#include "collector/probe/machine.h"

#define SATURATED_SHARE 0.9   /* of its CPUs: nothing left to give */
#define TAIL_COUNT_MIN  100.0 /* requests beyond a quantile that is shown */
#define FULL_SAMPLE     0.99  /* of the longest sample's length: its rate may be a peak */
#define NS_PER_S        1e9

const double analysis_quantiles[ANALYSIS_QUANTILE_COUNT] = {0.5, 0.9, 0.99, 0.999};

int64_t trial_add_counts(int64_t left, int64_t right)
{
    int64_t sum;

    if (left == METRIC_UNKNOWN || right == METRIC_UNKNOWN) {
        return METRIC_UNKNOWN;
    }
    return __builtin_add_overflow(left, right, &sum) ? INT64_MAX : sum;
}

static double number_or_nan(int64_t value)
{
    return value == METRIC_UNKNOWN ? (double)NAN : (double)value;
}

/* The service times of no request are no unknown. */
static int64_t sample_metric(const struct sample *sample, enum metric metric)
{
    int64_t value = sample->metrics[metric];

    if (value == METRIC_UNKNOWN && metric == METRIC_latency_sum_ns &&
        sample->outcomes[OUTCOME_OK] == 0) {
        return 0;
    }
    return value;
}

static void add_metrics(struct trial_window *window, const struct sample *sample)
{
    for (int i = 0; i < METRIC_COUNT; i++) {
        int64_t value = sample_metric(sample, (enum metric)i);

        if (metric_infos[i].kind == METRIC_KIND_DELTA) {
            window->metrics[i] =
                window->sample_count == 0 ? value : trial_add_counts(window->metrics[i], value);
        } else if (value > window->metrics[i]) { /* METRIC_UNKNOWN is the smallest */
            window->metrics[i] = value;
        }
    }
}

static void sum_window(const struct results_trial *trial, struct trial_window *window,
                       uint64_t outcomes[OUTCOME_COUNT])
{
    *window = (struct trial_window){0};
    for (int i = 0; i < METRIC_COUNT; i++) {
        window->metrics[i] = METRIC_UNKNOWN;
    }
    for (size_t i = 0; i < trial->sample_count; i++) {
        const struct sample *sample = &trial->samples[i];
        int64_t length_ns = sample->end_ns - sample->start_ns;

        if (sample->phase != SAMPLE_PHASE_WINDOW) {
            continue;
        }
        add_metrics(window, sample);
        window->length_ns = trial_add_counts(window->length_ns, length_ns);
        window->longest_ns = length_ns > window->longest_ns ? length_ns : window->longest_ns;
        window->sample_count++;
        for (int kind = 0; kind < OUTCOME_COUNT; kind++) {
            outcomes[kind] += sample->outcomes[kind];
        }
    }
}

static uint64_t count_completed(const uint64_t outcomes[OUTCOME_COUNT])
{
    uint64_t sum = 0;

    for (int kind = 0; kind < OUTCOME_COUNT; kind++) {
        if (outcome_infos[kind].class == OUTCOME_CLASS_OK ||
            outcome_infos[kind].class == OUTCOME_CLASS_HTTP) {
            sum += outcomes[kind];
        }
    }
    return sum;
}

static double find_peak(const struct results_trial *trial, const struct trial_window *window)
{
    double peak = (double)NAN;

    for (size_t i = 0; i < trial->sample_count; i++) {
        const struct sample *sample = &trial->samples[i];
        double length_ns = (double)(sample->end_ns - sample->start_ns);

        if (sample->phase != SAMPLE_PHASE_WINDOW || length_ns <= 0 ||
            length_ns < FULL_SAMPLE * (double)window->longest_ns) {
            continue;
        }
        double rate = (double)sample->outcomes[OUTCOME_OK] * NS_PER_S / length_ns;

        peak = isnan(peak) || rate > peak ? rate : peak;
    }
    return peak;
}

/* Which histogram of a sample. */
enum histogram_choice { HISTOGRAM_LATENCY, HISTOGRAM_LAG };

/* That of all samples of the window together. */
static enum err_code merge_histograms(const struct results_trial *trial,
                                      enum histogram_choice choice, struct trial_scratch *scratch,
                                      struct err *e)
{
    bool is_lag = choice == HISTOGRAM_LAG, has_any = false;
    struct histogram *merged = is_lag ? &scratch->lag : &scratch->latency;

    for (size_t i = 0; i < trial->sample_count; i++) {
        const struct sample *sample = &trial->samples[i];
        const struct sample_blob *blob = is_lag ? &sample->lag_histogram : &sample->histogram;

        if (sample->phase != SAMPLE_PHASE_WINDOW || !blob->bytes) {
            continue;
        }
        if (!has_any) {
            histogram_empty(merged);
            has_any = true;
        }
        if (histogram_decoder_add(scratch->decoder, blob->bytes, blob->length, merged, e) !=
            ERR_OK) {
            return err_wrap(e, "trial %lld, sample %u: histogram", (long long)trial->trial_id,
                            sample->index);
        }
    }
    *(is_lag ? &scratch->has_lag : &scratch->has_latency) = has_any;
    return ERR_OK;
}

/* Quantiles of the merged histogram, when it holds every ok request: those above its range lie
 * beyond all others and are counted apart. */
static void fill_quantiles(struct trial_summary *summary, const struct trial_window *window,
                           const struct histogram *histogram)
{
    int64_t overflow = window->metrics[METRIC_latency_overflow_count];
    double ok = (double)summary->outcomes[OUTCOME_OK];
    double shares[ANALYSIS_QUANTILE_COUNT];
    int64_t ns[ANALYSIS_QUANTILE_COUNT];
    size_t count = 0;

    if (!histogram || overflow == METRIC_UNKNOWN ||
        (double)histogram->total_count + (double)overflow != ok) {
        return;
    }
    /* Fewer requests lie beyond each than beyond the one before it. */
    for (; count < ANALYSIS_QUANTILE_COUNT; count++) {
        shares[count] = analysis_quantiles[count] * ok / (double)histogram->total_count;
        if (ok * (1 - analysis_quantiles[count]) < TAIL_COUNT_MIN - 1e-6 || !(shares[count] <= 1)) {
            break;
        }
    }
    histogram_quantiles(histogram, shares, count, ns);
    for (size_t i = 0; i < count; i++) {
        /* A bucket's upper end may lie above the largest value, which is kept exactly. */
        if (summary->latency_max_ns != METRIC_UNKNOWN && ns[i] > summary->latency_max_ns) {
            ns[i] = summary->latency_max_ns;
        }
        summary->latency_ns[i] = (double)ns[i];
    }
}

double trial_metric(const struct trial_summary *summary, enum plan_claim_metric metric)
{
    switch (metric) {
    case PLAN_METRIC_THROUGHPUT:
        return summary->ok_per_s;
    case PLAN_METRIC_P50:
        return summary->latency_ns[0];
    case PLAN_METRIC_P90:
        return summary->latency_ns[1];
    case PLAN_METRIC_P99:
        return summary->latency_ns[2];
    case PLAN_METRIC_P999:
        return summary->latency_ns[3];
    case PLAN_METRIC_SERVER_CPU:
        return summary->server_cpu_us_per_request * 1e3;
    case PLAN_METRIC_RSS:
        return number_or_nan(summary->rss_kib_peak) * 1024;
    case PLAN_METRIC_COUNT:
        break;
    }
    return (double)NAN;
}

static double list_count(const char *list)
{
    cpu_set_t cpus;

    if (!list || plan_cpus_parse(list, &cpus, NULL) != ERR_OK) {
        return (double)NAN;
    }
    return CPU_COUNT(&cpus);
}

/* The smaller known one. */
static double smaller(double left, double right)
{
    return fmin(left, right); /* fmin takes the number when the other is NaN */
}

double trial_driver_cpus(const struct results *results)
{
    const char *threads = results_find_fact(results, "start", "driver.threads");
    double count = threads ? strtod(threads, NULL) : (double)NAN;

    return smaller(count > 0 ? count : (double)NAN,
                   list_count(results_find_fact(results, "start", "driver.cpus")));
}

double trial_server_cpus(const struct results *results, const struct trial_window *window)
{
    double machine_ns = number_or_nan(trial_add_counts(window->metrics[METRIC_machine_busy_ns],
                                                       window->metrics[METRIC_machine_idle_ns]));
    double machine =
        window->length_ns > 0 ? round(machine_ns / (double)window->length_ns) : (double)NAN;
    double pinned = list_count(results_find_fact(results, "start", "server.cpus"));
    double available = isnan(pinned) ? machine : pinned;
    double threads = number_or_nan(window->metrics[METRIC_server_thread_count]);

    return threads > 0 ? smaller(available, threads) : available;
}

static enum saturation find_saturation(double server, double driver)
{
    if (isnan(server) || isnan(driver)) {
        return SATURATION_UNKNOWN;
    }
    if (server > SATURATED_SHARE) {
        return driver > SATURATED_SHARE ? SATURATION_BOTH : SATURATION_SERVER;
    }
    return driver > SATURATED_SHARE ? SATURATION_DRIVER : SATURATION_NEITHER;
}

static double foreign_share(const struct results *results, const struct trial_window *window)
{
    const char *whose = results_find_fact(results, "start", MACHINE_SOFTIRQ_FACT);

    return foreign_cpu_share(window->metrics, whose && strcmp(whose, MACHINE_SOFTIRQ_CHARGED) == 0);
}

/* CPU time of the driver's threads without what they spent polling for nothing, which is on the
 * wall clock. */
static double driver_work_ns(const struct trial_window *window)
{
    double cpu = number_or_nan(trial_add_counts(window->metrics[METRIC_driver_user_ns],
                                                window->metrics[METRIC_driver_system_ns]));
    double work = cpu - number_or_nan(window->metrics[METRIC_driver_spin_ns]);

    return work < 0 ? 0 : work;
}

static void fill_cpu(const struct results *results, const struct trial_window *window,
                     struct trial_summary *summary)
{
    double server = number_or_nan(trial_add_counts(window->metrics[METRIC_server_user_ns],
                                                   window->metrics[METRIC_server_system_ns]));
    size_t cell_index = results->trials[summary->trial_index].cell_index;
    bool is_foreign = results->workloads[results->cells[cell_index].workload_index].is_foreign;
    double driver = driver_work_ns(window);
    double ok = (double)summary->outcomes[OUTCOME_OK];
    double length_ns = (double)window->length_ns;

    summary->server_cpu_us_per_request = ok > 0 ? server / 1e3 / ok : (double)NAN;
    summary->driver_cpu_us_per_request = ok > 0 ? driver / 1e3 / ok : (double)NAN;
    summary->server_cpu_share = length_ns > 0 ? server / length_ns : (double)NAN;
    summary->driver_cpu_share = length_ns > 0 ? driver / length_ns : (double)NAN;
    summary->saturation =
        find_saturation(summary->server_cpu_share / trial_server_cpus(results, window),
                        summary->driver_cpu_share / trial_driver_cpus(results));
    /* Another driver is a foreign program as well, and cannot be told from the others. */
    summary->foreign_cpu_share = is_foreign ? (double)NAN : foreign_share(results, window);
}

static void fill_rates(const struct results_trial *trial, const struct trial_window *window,
                       struct trial_summary *summary)
{
    double ok = (double)summary->outcomes[OUTCOME_OK];
    double sum_ns = number_or_nan(window->metrics[METRIC_latency_sum_ns]);

    summary->window_s = (double)window->length_ns / NS_PER_S;
    summary->peak_per_s = find_peak(trial, window);
    if (summary->window_s > 0) {
        summary->ok_per_s = ok / summary->window_s;
        summary->completed_per_s = (double)count_completed(summary->outcomes) / summary->window_s;
    }
    summary->latency_mean_ns = ok > 0 ? sum_ns / ok : (double)NAN;
}

enum err_code trial_summary_make(const struct results *results, size_t trial_index,
                                 struct trial_scratch *scratch, struct trial_summary *summary_out,
                                 struct trial_window *window_out, struct err *e)
{
    const struct results_trial *trial = &results->trials[trial_index];
    struct trial_summary summary = {
        .trial_index = trial_index, .ok_per_s = (double)NAN, .completed_per_s = (double)NAN};
    enum err_code code = merge_histograms(trial, HISTOGRAM_LAG, scratch, e);

    if (code == ERR_OK) {
        code = merge_histograms(trial, HISTOGRAM_LATENCY, scratch, e);
    }
    if (code != ERR_OK) {
        return code;
    }
    /* How late the driver was for the latest hundredth of its requests. */
    summary.lag_p99_ns = scratch->has_lag && scratch->lag.total_count > 0
                             ? (double)histogram_quantile(&scratch->lag, 0.99)
                             : (double)NAN;
    sum_window(trial, window_out, summary.outcomes);
    for (int i = 0; i < ANALYSIS_QUANTILE_COUNT; i++) {
        summary.latency_ns[i] = (double)NAN;
    }
    summary.latency_max_ns = window_out->metrics[METRIC_latency_max_ns];
    summary.rss_kib_peak = window_out->metrics[METRIC_server_rss_kib];
    summary.thread_count_peak = window_out->metrics[METRIC_server_thread_count];
    fill_rates(trial, window_out, &summary);
    fill_cpu(results, window_out, &summary);
    fill_quantiles(&summary, window_out, scratch->has_latency ? &scratch->latency : NULL);
    *summary_out = summary;
    return ERR_OK;
}
