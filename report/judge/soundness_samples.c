// SPDX-License-Identifier: Apache-2.0
// The checks of each sample: its histograms against its counts and sums, its CPU times against
// time.
#include "report/judge/soundness_samples.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/driver/histogram.h"
#include "collector/driver/histogram_bucket.h"
#include "engines/base/clock.h"
#include "report/judge/soundness_load.h"
#include "report/judge/soundness_times.h"

/* Ticks of /proc/stat, read while the sample is, and not all at once. */
#define CPU_SLACK_NS        (40.0 * CLOCK_NS_PER_MS)
#define CPU_SLACK_PER_CENT  10
#define USED_SLACK_PER_CENT 25

struct soundness_samples {
    struct histogram_decoder *decoder;
    struct histogram histogram; /* empty between samples */
    bool has_some, lacks_some;  /* histograms, in the trials so far */
    bool was_told;
    int64_t *folded_ids; /* of the session's trials, ascending */
    size_t folded_count;
    bool is_read; /* what comes from the session's rows is there */
};

/* One sample and what was found in it. */
struct look {
    const struct sample *sample;
    const struct histogram *histogram;
    uint32_t bucket_count; /* buckets from there on are empty */
    char text[SOUNDNESS_TEXT_BYTES];
};

struct soundness_samples *soundness_samples_new(void)
{
    struct soundness_samples *shared = calloc(1, sizeof(*shared));

    if (shared) {
        shared->decoder = histogram_decoder_new();
        if (!shared->decoder) {
            free(shared);
            return NULL;
        }
    }
    return shared;
}

void soundness_samples_free(struct soundness_samples *shared)
{
    if (shared) {
        histogram_decoder_free(shared->decoder);
        free(shared->folded_ids);
        free(shared);
    }
}

/* --- latencies --- */

static int64_t known_or(int64_t value, int64_t other)
{
    return value == METRIC_UNKNOWN ? other : value;
}

/* The largest value lies in the last bucket that is used, or beyond the range. */
static bool max_agrees(struct look *look, const char *name, int64_t max_ns, int64_t overflow_count)
{
    const struct histogram *histogram = look->histogram;
    int64_t lowest_ns = HISTOGRAM_HIGHEST_NS + 1, highest_ns = INT64_MAX;

    if (overflow_count == 0) {
        lowest_ns = bucket_lowest_ns(look->bucket_count - 1);
        highest_ns = bucket_highest_ns(look->bucket_count - 1);
    }
    if (histogram->total_count == 0 || (max_ns >= lowest_ns && max_ns <= highest_ns)) {
        return true;
    }
    snprintf(look->text, sizeof(look->text),
             "%s is %" PRId64 " ns, by its histogram from %" PRId64 " to %" PRId64 " ns", name,
             max_ns, lowest_ns, highest_ns);
    return false;
}

/* Each value lies somewhere in its bucket; those beyond the range are longer than it. */
static bool sum_agrees(struct look *look, int64_t sum_ns, int64_t overflow_count)
{
    double lowest_ns = (double)overflow_count * (double)HISTOGRAM_HIGHEST_NS;
    double width_ns = 0;

    for (uint32_t i = 0; i < look->bucket_count; i++) {
        if (look->histogram->counts[i]) {
            double count = look->histogram->counts[i];

            lowest_ns += count * (double)bucket_lowest_ns(i);
            width_ns += count * (double)(bucket_width_ns(i) - 1);
        }
    }
    /* A sum that is saturated is not looked at; doubles are exact to 2^53 only. */
    double rounding_ns = lowest_ns * 1e-12;
    if (sum_ns == INT64_MAX ||
        ((double)sum_ns >= lowest_ns - rounding_ns &&
         (overflow_count > 0 || (double)sum_ns <= lowest_ns + width_ns + rounding_ns))) {
        return true;
    }
    snprintf(look->text, sizeof(look->text),
             "latency_sum_ns is %" PRId64 ", by its histogram from %.0f to %.0f", sum_ns, lowest_ns,
             lowest_ns + width_ns);
    return false;
}

static bool blob_read(struct soundness_samples *shared, const struct sample_blob *blob,
                      const char *name, struct look *look)
{
    struct err e = {0};

    histogram_empty(&shared->histogram);
    if (histogram_decoder_add(shared->decoder, blob->bytes, blob->length, &shared->histogram, &e) !=
        ERR_OK) {
        snprintf(look->text, sizeof(look->text), "%s: %.150s", name, e.text);
        return false;
    }
    look->bucket_count = histogram_bucket_end(&shared->histogram);
    return true;
}

/* The latencies of the ok requests. False: look->text says what does not agree. */
static bool latency_agrees(struct soundness_samples *shared, struct look *look)
{
    const int64_t *metrics = look->sample->metrics;
    int64_t ok_count = known_or(metrics[METRIC_ok_count], 0);
    int64_t overflow_count = known_or(metrics[METRIC_latency_overflow_count], 0);

    if (!look->sample->histogram.bytes) {
        shared->lacks_some = shared->lacks_some || ok_count > 0;
        return true;
    }
    shared->has_some = true;
    if (!blob_read(shared, &look->sample->histogram, "histogram", look)) {
        return false;
    }
    if ((uint64_t)ok_count != shared->histogram.total_count + (uint64_t)overflow_count) {
        snprintf(look->text, sizeof(look->text),
                 "its histogram holds %" PRIu64 " requests and %" PRId64
                 " were beyond it, ok_count is %" PRId64,
                 shared->histogram.total_count, overflow_count, ok_count);
        return false;
    }
    return max_agrees(look, "latency_max_ns", metrics[METRIC_latency_max_ns], overflow_count) &&
           sum_agrees(look, metrics[METRIC_latency_sum_ns], overflow_count);
}

/* Open loop: service times are of the same requests as the latencies. */
static bool open_loop_agrees(struct soundness_samples *shared, struct look *look)
{
    const struct sample *sample = look->sample;
    int64_t ok_count = known_or(sample->metrics[METRIC_ok_count], 0);

    if (sample->service_histogram.bytes) {
        if (!blob_read(shared, &sample->service_histogram, "service_histogram", look)) {
            return false;
        }
        if (shared->histogram.total_count > (uint64_t)ok_count) {
            snprintf(look->text, sizeof(look->text),
                     "its service_histogram holds %" PRIu64 " requests, ok_count is %" PRId64,
                     shared->histogram.total_count, ok_count);
            return false;
        }
    }
    return !sample->lag_histogram.bytes ||
           blob_read(shared, &sample->lag_histogram, "lag_histogram", look);
}

/* --- CPU time --- */

static int64_t cpus_count(const struct results *results)
{
    const char *start = results_find_fact(results, "start", "cpu.count");
    const char *end = results_find_fact(results, "end", "cpu.count");
    int64_t counts[] = {start ? strtol(start, NULL, 10) : 0, end ? strtol(end, NULL, 10) : 0};

    return counts[0] > counts[1] ? counts[0] : counts[1];
}

/* No machine is busy for longer than its CPUs were there. The machine was read `lateness_ns` after
 * the grid, at both ends. */
static bool busy_fits(struct look *look, const struct sample *before, int64_t cpu_count)
{
    const struct sample *sample = look->sample;
    int64_t busy_ns = sample->metrics[METRIC_machine_busy_ns];
    double late_ns = fabs((double)sample->metrics[METRIC_lateness_ns]) +
                     fabs((double)before->metrics[METRIC_lateness_ns]);
    double span_ns = (double)sample->end_ns - (double)sample->start_ns;
    double most_ns =
        (span_ns * (100 + CPU_SLACK_PER_CENT) / 100 + late_ns + CPU_SLACK_NS) * (double)cpu_count;

    if (cpu_count <= 0 || (double)busy_ns <= most_ns) {
        return true;
    }
    snprintf(look->text, sizeof(look->text),
             "machine_busy_ns is %" PRId64 ", its %" PRId64 " CPUs had at most %.0f ns", busy_ns,
             cpu_count, most_ns);
    return false;
}

/* What server and driver used is part of what the machine was busy, or was stolen from it. The
 * machine's time is counted in ticks: with some kernels by what runs when the clock ticks. */
static bool busy_covers(struct look *look, const struct sample *before, int64_t cpu_count,
                        bool has_driver)
{
    const int64_t *metrics = look->sample->metrics;
    static const enum metric parts[] = {METRIC_server_user_ns, METRIC_server_system_ns,
                                        METRIC_driver_user_ns, METRIC_driver_system_ns};
    double used_ns = 0;

    for (size_t i = 0; i < (has_driver ? 4 : 2); i++) {
        used_ns += (double)known_or(metrics[parts[i]], 0);
    }
    double late_ns = fabs((double)metrics[METRIC_lateness_ns]) +
                     fabs((double)before->metrics[METRIC_lateness_ns]);
    double counted_ns = (double)metrics[METRIC_machine_busy_ns] +
                        (double)known_or(metrics[METRIC_machine_steal_ns], 0);
    double slack_ns = used_ns * USED_SLACK_PER_CENT / 100 +
                      (late_ns + CPU_SLACK_NS) * (double)(cpu_count > 0 ? cpu_count : 1);

    if (used_ns <= counted_ns + slack_ns) {
        return true;
    }
    snprintf(look->text, sizeof(look->text),
             "machine_busy_ns is %" PRId64 ", less than the %.0f ns of server and driver",
             metrics[METRIC_machine_busy_ns], used_ns);
    return false;
}

/* The first and the last reading are not on the grid. */
static bool cpu_agrees(struct look *look, const struct sample *before, int64_t cpu_count,
                       bool has_driver)
{
    const int64_t *metrics = look->sample->metrics;

    if (!before || metrics[METRIC_machine_busy_ns] == METRIC_UNKNOWN ||
        metrics[METRIC_lateness_ns] == METRIC_UNKNOWN ||
        before->metrics[METRIC_lateness_ns] == METRIC_UNKNOWN) {
        return true;
    }
    return busy_fits(look, before, cpu_count) && busy_covers(look, before, cpu_count, has_driver);
}

static int compare_ids(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

/* Trials of which the driver's records of several intervals came into one sample: its CPU time is
 * no part of that sample's. */
static enum err_code folded_read(struct soundness_samples *shared, const struct results *results,
                                 struct err *e)
{
    if (shared->is_read) {
        return ERR_OK;
    }
    shared->folded_ids = calloc(results->event_count + 1, sizeof(*shared->folded_ids));
    if (!shared->folded_ids) {
        return err_set(e, ERR_LIMIT, "no memory for %zu events", results->event_count);
    }
    for (size_t i = 0; i < results->event_count; i++) {
        if (strcmp(results->events[i].kind, "samples_folded") == 0) {
            shared->folded_ids[shared->folded_count++] = results->events[i].trial_id;
        }
    }
    qsort(shared->folded_ids, shared->folded_count, sizeof(*shared->folded_ids), compare_ids);
    shared->is_read = true;
    return ERR_OK;
}

static bool trial_is_folded(const struct soundness_samples *shared,
                            const struct results_trial *trial)
{
    return bsearch(&trial->trial_id, shared->folded_ids, shared->folded_count,
                   sizeof(*shared->folded_ids), compare_ids) != NULL;
}

/* --- trial --- */

static void tell(struct soundness *soundness, const char *code, const struct results_trial *trial,
                 const struct look *look)
{
    char text[SOUNDNESS_TEXT_BYTES + 32];

    snprintf(text, sizeof(text), "sample %" PRIu32 ": %s", look->sample->index, look->text);
    soundness_add(soundness, code, trial->order_index, text);
}

static void trial_check_order(const struct results *results, const struct results_trial *trial,
                              struct soundness *soundness)
{
    const char *planned = results_find_fact(results, "start", "session.trials");

    if (planned && trial->order_index >= strtol(planned, NULL, 10)) {
        char text[SOUNDNESS_TEXT_BYTES];

        snprintf(text, sizeof(text), "the session has %.20s places, this is number %" PRIu64,
                 planned, (uint64_t)trial->order_index + 1);
        soundness_add(soundness, "place", trial->order_index, text);
    }
}

/* A connection has as many requests on the way as the workload lets it have. */
static bool flight_agrees(struct look *look, const struct results *results,
                          const struct results_trial *trial)
{
    const struct results_cell *cell = &results->cells[trial->cell_index];
    int64_t in_flight = look->sample->metrics[METRIC_in_flight_count], most = 0;

    if (__builtin_mul_overflow(cell->connection_count,
                               results->workloads[cell->workload_index].pipeline_count, &most) ||
        in_flight == METRIC_UNKNOWN || (in_flight >= 0 && in_flight <= most)) {
        return true;
    }
    snprintf(look->text, sizeof(look->text),
             "%" PRId64 " requests are in flight, its connections can have %" PRId64, in_flight,
             most);
    return false;
}

/* Of each kind the first sample that does not agree. */
static void samples_check(struct soundness_samples *shared, const struct results *results,
                          const struct results_trial *trial, struct soundness *soundness)
{
    int64_t cpu_count = cpus_count(results);
    bool has_driver = !trial_is_folded(shared, trial);
    bool latency_is_right = true, cpu_is_right = true, flight_is_right = true;

    for (size_t i = 0; i < trial->sample_count; i++) {
        struct look look = {.sample = &trial->samples[i], .histogram = &shared->histogram};

        if (latency_is_right &&
            !(latency_agrees(shared, &look) && open_loop_agrees(shared, &look))) {
            latency_is_right = false;
            tell(soundness, "latency", trial, &look);
        }
        if (cpu_is_right && !cpu_agrees(&look, i ? look.sample - 1 : NULL, cpu_count, has_driver)) {
            cpu_is_right = false;
            tell(soundness, "cpu_time", trial, &look);
        }
        if (flight_is_right && !flight_agrees(&look, results, trial)) {
            flight_is_right = false;
            tell(soundness, "requests", trial, &look);
        }
    }
}

/* Some other way to make such a file may store no latencies; this program stores all. */
static void histograms_check(struct soundness_samples *shared, const struct results *results,
                             const struct results_trial *trial, struct soundness *soundness)
{
    bool is_own = soundness_is_own(soundness, results);

    if (!shared->lacks_some || shared->was_told || !(shared->has_some || is_own)) {
        return;
    }
    shared->was_told = true;
    soundness_add(soundness, "latency", trial->order_index,
                  is_own ? "samples with right answers have no histogram of their latencies"
                         : "some samples of the session have a histogram of their latencies, "
                           "others with ok requests have none");
}

enum err_code soundness_check_samples(struct soundness_samples *shared,
                                      const struct results *results, size_t trial_index,
                                      struct soundness *soundness, struct err *e)
{
    const struct results_trial *trial = &results->trials[trial_index];
    enum err_code code = folded_read(shared, results, e);

    if (code != ERR_OK) {
        return code;
    }
    soundness_check_span(trial, soundness);
    trial_check_order(results, trial, soundness);
    samples_check(shared, results, trial, soundness);
    histograms_check(shared, results, trial, soundness);
    return soundness_check_load(results, trial, soundness, e);
}
