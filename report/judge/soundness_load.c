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
#include "collector/plan/plan.h"
#include "engines/base/clock.h"
#include "report/judge/findings.h"
#include "report/judge/soundness_foreign.h"
#include "report/query/results_plan.h"

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

/* --- the answer after a flood --- */

#define ANSWER_LEAST_NS INT64_C(10000) /* a connection, a request and its answer take longer */
#define ANSWER_LATE_NS  CLOCK_NS_PER_S /* the watching ends with the answer that it waits for */

/* From the flood's end to the end of the window each sample has right answers, all of them to
 * connections of their own, and nothing else. */
static bool was_answering(const struct load_check *check, int64_t *slowest_ns_out)
{
    const struct results_trial *trial = check->trial;
    int64_t flood_end_ns = INT64_MAX;
    size_t count = 0;

    *slowest_ns_out = 0;
    for (size_t i = 0; i < trial->sample_count; i++) {
        const struct sample *sample = &trial->samples[i];

        if (sample->phase == SAMPLE_PHASE_WINDOW && flood_end_ns == INT64_MAX) {
            flood_end_ns = sample->start_ns + check->workload->flood_ns;
        }
        if (sample->phase != SAMPLE_PHASE_WINDOW || sample->start_ns < flood_end_ns) {
            continue;
        }
        if (sample->metrics[METRIC_ok_count] <= 0 || sample->metrics[METRIC_fault_count] != 0 ||
            sample->metrics[METRIC_http_error_count] != 0) {
            return false;
        }
        if (sample->metrics[METRIC_latency_max_ns] > *slowest_ns_out) {
            *slowest_ns_out = sample->metrics[METRIC_latency_max_ns];
        }
        count++;
    }
    return count > 0;
}

/* Who watches asks again and again, each time for at most the plan's timeout. The first may have
 * been lost in the flood: there must have been time for another one. */
static enum err_code silence_check(const struct load_check *check, struct err *e)
{
    const struct results_trial *trial = check->trial;
    struct plan *plan = NULL;
    struct err unread;
    int64_t slowest_ns = 0;

    if (!is_finished(trial) || findings_count_missing(trial) > 0 ||
        !was_answering(check, &slowest_ns)) {
        return ERR_OK;
    }
    enum err_code code = results_parse_plan(check->results, "plan", false, &plan, &unread);
    if (code != ERR_OK) {
        return code == ERR_LIMIT ? err_set(e, code, "%s", unread.text) : ERR_OK;
    }
    for (size_t i = 0; i < plan->workload_count; i++) {
        const struct plan_workload *workload = &plan->workloads[i];
        int64_t timeout_ns = plan_times(plan, workload).timeout_ns;

        if (strcmp(workload->name, check->workload->name) == 0 && slowest_ns < timeout_ns / 4 &&
            timeout_ns < check->workload->recover_within_ns / 4) {
            soundness_add(check->soundness, "recovery", trial->order_index,
                          "it has no time of the first right answer after the flood, though all of "
                          "its samples after it hold right answers and nothing else");
        }
    }
    plan_free(plan);
    return ERR_OK;
}

static enum err_code recovery_check(const struct load_check *check, struct err *e)
{
    int64_t recover_ns = check->trial->recover_ns;
    int64_t within_ns = check->workload->recover_within_ns;
    char text[SOUNDNESS_TEXT_BYTES];

    if (check->workload->flood_ns == METRIC_UNKNOWN) {
        if (recover_ns != METRIC_UNKNOWN) {
            soundness_add(check->soundness, "recovery", check->trial->order_index,
                          "it has a time of recovery, its workload is no flood");
        }
        return ERR_OK;
    }
    if (recover_ns == METRIC_UNKNOWN) {
        return silence_check(check, e);
    }
    if (recover_ns < ANSWER_LEAST_NS || recover_ns - ANSWER_LATE_NS > within_ns) {
        snprintf(text, sizeof(text),
                 "the first right answer after the flood came after %" PRId64
                 " ns: no answer is so quick, or the server was not watched for so long",
                 recover_ns);
        soundness_add(check->soundness, "recovery", check->trial->order_index, text);
    }
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

    enum err_code code = mix_check(&check, e);

    if (code == ERR_OK) {
        code = recovery_check(&check, e);
    }
    return code == ERR_OK ? soundness_check_foreign(results, trial, soundness, e) : code;
}
