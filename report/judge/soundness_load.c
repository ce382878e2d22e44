// SPDX-License-Identifier: Apache-2.0
// The checks of what is stored of a trial's load beside its samples.
#include "report/judge/soundness_load.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/driver/histogram.h"
#include "collector/driver/mix.h"
#include "report/judge/findings.h"

struct load_check {
    const struct results *results;
    const struct results_trial *trial;
    const struct results_workload *workload;
    struct soundness *soundness;
};

static bool is_finished(const struct results_trial *trial)
{
    return strcmp(trial->state, "finished") == 0;
}

/* --- requests of a mix --- */

/* The counts of a trial's window, or of all requests of its mix. */
struct mix_sums {
    int64_t started_count, ok_count, http_count, fault_count, overflow_count;
    int64_t sent_bytes, received_bytes;
    bool has_histograms; /* each that has ok requests */
};

static void sum_add(int64_t *sum, int64_t value)
{
    if (value != METRIC_UNKNOWN && __builtin_add_overflow(*sum, value, sum)) {
        *sum = INT64_MAX;
    }
}

static void mix_tell(const struct load_check *check, const char *text)
{
    soundness_add(check->soundness, "mix", check->trial->order_index, text);
}

static void sample_outcomes_add(const struct sample *sample, struct mix_sums *sums)
{
    int64_t *const counts[] = {[OUTCOME_CLASS_OK] = &sums->ok_count,
                               [OUTCOME_CLASS_HTTP] = &sums->http_count,
                               [OUTCOME_CLASS_FAULT] = &sums->fault_count};

    for (int i = 0; i < OUTCOME_COUNT; i++) {
        if (outcome_infos[i].class != OUTCOME_CLASS_OPEN) {
            sum_add(counts[outcome_infos[i].class],
                    sample->outcomes[i] > INT64_MAX ? INT64_MAX : (int64_t)sample->outcomes[i]);
        }
    }
}

/* False: a histogram cannot be read, which is told elsewhere. */
static bool samples_sum(const struct results_trial *trial, struct mix_sums *sums,
                        struct histogram *latency)
{
    *sums = (struct mix_sums){.has_histograms = true};
    for (size_t i = 0; i < trial->sample_count; i++) {
        const struct sample *sample = &trial->samples[i];
        const struct sample_blob *blob = &sample->histogram;

        if (sample->phase != SAMPLE_PHASE_WINDOW) {
            continue;
        }
        sum_add(&sums->started_count, sample->metrics[METRIC_started_count]);
        sum_add(&sums->sent_bytes, sample->metrics[METRIC_sent_bytes]);
        sum_add(&sums->received_bytes, sample->metrics[METRIC_received_bytes]);
        sum_add(&sums->overflow_count, sample->metrics[METRIC_latency_overflow_count]);
        sample_outcomes_add(sample, sums);
        if (!blob->bytes) {
            sums->has_histograms = sums->has_histograms && sample->metrics[METRIC_ok_count] <= 0;
        } else if (histogram_decode(blob->bytes, blob->length, latency, NULL) != ERR_OK) {
            return false;
        }
    }
    return true;
}

/* False: what was found is told. */
static bool totals_sum(const struct load_check *check, struct mix_sums *sums,
                       struct histogram *latency)
{
    char text[SOUNDNESS_TEXT_BYTES];

    *sums = (struct mix_sums){.has_histograms = true};
    for (size_t i = 0; i < check->trial->total_count; i++) {
        const struct results_request_total *total = &check->trial->totals[i];
        const struct sample_blob *blob = &total->histogram;
        uint64_t before_count = latency->total_count;
        struct err e = {0};

        sum_add(&sums->started_count, total->started_count);
        sum_add(&sums->ok_count, total->ok_count);
        sum_add(&sums->http_count, total->http_error_count);
        sum_add(&sums->fault_count, total->fault_count);
        sum_add(&sums->sent_bytes, total->sent_bytes);
        sum_add(&sums->received_bytes, total->received_bytes);
        if (!blob->bytes) {
            sums->has_histograms = sums->has_histograms && total->ok_count == 0;
            continue;
        }
        if (histogram_decode(blob->bytes, blob->length, latency, &e) != ERR_OK) {
            snprintf(text, sizeof(text), "request %zu: its histogram: %.120s", i + 1, e.text);
            mix_tell(check, text);
            return false;
        }
        uint64_t count = latency->total_count - before_count;
        if (count > (uint64_t)total->ok_count) {
            snprintf(text, sizeof(text),
                     "request %zu: its histogram holds %" PRIu64 " requests, ok_count is %" PRId64,
                     i + 1, count, total->ok_count);
            mix_tell(check, text);
            return false;
        }
        sums->overflow_count += total->ok_count - (int64_t)count;
    }
    return true;
}

/* An attempt to connect that failed is a request of the window and a fault, but of no request of
 * the mix; all else is of one. */
static void sums_compare(const struct load_check *check, const struct mix_sums *window,
                         const struct mix_sums *totals)
{
    int64_t connect_count = window->started_count - totals->started_count;
    const struct {
        const char *name;
        int64_t window, totals;
        bool agrees;
    } rows[] = {
        {"right answers", window->ok_count, totals->ok_count, window->ok_count == totals->ok_count},
        {"wrong answers", window->http_count, totals->http_count,
         window->http_count == totals->http_count},
        {"requests", window->started_count, totals->started_count, connect_count >= 0},
        {"faults", window->fault_count, totals->fault_count,
         window->fault_count - totals->fault_count == connect_count},
        {"bytes sent", window->sent_bytes, totals->sent_bytes,
         window->sent_bytes >= totals->sent_bytes},
        {"bytes received", window->received_bytes, totals->received_bytes,
         window->received_bytes >= totals->received_bytes},
    };
    char text[SOUNDNESS_TEXT_BYTES];

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        if (!rows[i].agrees) {
            snprintf(text, sizeof(text),
                     "its window has %" PRId64 " %s, the requests of its mix have %" PRId64,
                     rows[i].window, rows[i].name, rows[i].totals);
            mix_tell(check, text);
            return;
        }
    }
}

static int64_t threads_count(const struct load_check *check)
{
    const char *said = results_find_fact(check->results, "start", "driver.threads");
    int64_t most = check->results->cells[check->trial->cell_index].connection_count;
    int64_t count = said ? strtoll(said, NULL, 10) : 0;

    return count > 0 && count < most ? count : most;
}

/* Each thread deals from a deck of its own: between its first and its last card in the window there
 * are whole decks, and at both ends a part of one, which lacks or has too many of a request at most
 * as far as all of its cards lie together. */
static void weights_check(const struct load_check *check, const struct mix_sums *totals)
{
    uint32_t weights[MIX_REQUEST_COUNT_MAX];
    size_t count = check->trial->total_count;
    double weight_sum = 0;
    char text[SOUNDNESS_TEXT_BYTES];

    for (size_t i = 0; i < count; i++) {
        int64_t weight = check->workload->mixed[i].weight;

        if (weight < 1 || weight > MIX_WEIGHT_MAX) {
            return; /* not the plan's, which is told */
        }
        weights[i] = (uint32_t)weight;
        weight_sum += (double)weight;
    }
    double deck_count = mix_deck_count(weights, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        double share = weights[i] / weight_sum;
        double want = share * (double)totals->started_count;
        double most = 2 * share * deck_count * (1 - share) * (double)threads_count(check);

        if (fabs((double)check->trial->totals[i].started_count - want) > most + 0.5) {
            snprintf(text, sizeof(text),
                     "request %zu was sent %" PRId64 " times, by its weight %.0f times within %.0f",
                     i + 1, check->trial->totals[i].started_count, want, ceil(most));
            mix_tell(check, text);
            return;
        }
    }
}

static bool latencies_agree(const struct histogram *window, const struct histogram *totals)
{
    return window->total_count == totals->total_count &&
           memcmp(window->counts, totals->counts, sizeof(window->counts)) == 0;
}

/* window, totals: cleared */
static void mix_compare(const struct load_check *check, struct histogram *window,
                        struct histogram *totals)
{
    struct mix_sums of_window, of_totals;
    size_t before_count = check->soundness->finding_count + check->soundness->left_out_count;

    if (!totals_sum(check, &of_totals, totals) || !is_finished(check->trial) ||
        findings_count_missing(check->trial) > 0 ||
        !samples_sum(check->trial, &of_window, window)) {
        return;
    }
    sums_compare(check, &of_window, &of_totals);
    if (before_count != check->soundness->finding_count + check->soundness->left_out_count) {
        return;
    }
    weights_check(check, &of_totals);
    if (of_window.has_histograms &&
        (!of_totals.has_histograms || of_window.overflow_count != of_totals.overflow_count ||
         !latencies_agree(window, totals))) {
        mix_tell(check, "the latencies of the requests of its mix are not those of its window");
    }
}

static enum err_code mix_check(const struct load_check *check, struct err *e)
{
    size_t mixed_count = check->workload->mixed_count;
    size_t total_count = check->trial->total_count;
    char text[SOUNDNESS_TEXT_BYTES];

    if (total_count != mixed_count && (total_count > 0 || is_finished(check->trial))) {
        snprintf(text, sizeof(text), "%zu requests of a mix are counted, its workload has %zu",
                 total_count, mixed_count);
        mix_tell(check, text);
        return ERR_OK;
    }
    if (total_count == 0 || total_count > MIX_REQUEST_COUNT_MAX) {
        return ERR_OK;
    }
    struct histogram *latencies = calloc(2, sizeof(*latencies));
    if (!latencies) {
        return err_set(e, ERR_LIMIT, "no memory for the latencies of a mix");
    }
    mix_compare(check, &latencies[0], &latencies[1]);
    free(latencies);
    return ERR_OK;
}

enum err_code soundness_check_load(const struct results *results, const struct results_trial *trial,
                                   struct soundness *soundness, struct err *e)
{
    const struct load_check check = {
        .results = results,
        .trial = trial,
        .workload = &results->workloads[results->cells[trial->cell_index].workload_index],
        .soundness = soundness};

    return mix_check(&check, e);
}
