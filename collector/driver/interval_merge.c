// SPDX-License-Identifier: Apache-2.0
// Adding up the records of the threads.
#include "collector/driver/interval_merge.h"

void interval_merge_begin(struct interval_merge *merge, uint32_t index)
{
    struct driver_interval *interval = merge->interval;

    *interval =
        (struct driver_interval){.index = index, .service = merge->service, .lag = merge->lag};
    for (int i = 0; i < METRIC_COUNT; i++) {
        interval->metrics[i] = metric_infos[i].scope == METRIC_SCOPE_DRIVER ? 0 : METRIC_UNKNOWN;
    }
    histogram_clear(merge->latency);
    if (merge->service) {
        histogram_clear(merge->service);
        histogram_clear(merge->lag);
        return;
    }
    interval->metrics[METRIC_scheduled_count] = METRIC_UNKNOWN;
    interval->metrics[METRIC_backlog_count] = METRIC_UNKNOWN;
    interval->metrics[METRIC_shed_count] = METRIC_UNKNOWN;
    interval->metrics[METRIC_driver_lag_max_ns] = METRIC_UNKNOWN;
}

static void record_add(const struct interval_merge *merge, const struct interval_record *record)
{
    struct driver_interval *interval = merge->interval;
    int64_t *metrics = interval->metrics;

    metrics[METRIC_started_count] += (int64_t)record->started_count;
    metrics[METRIC_reconnect_count] += (int64_t)record->reconnect_count;
    metrics[METRIC_resent_count] += (int64_t)record->resent_count;
    metrics[METRIC_sent_bytes] += (int64_t)record->sent_bytes;
    metrics[METRIC_received_bytes] += (int64_t)record->received_bytes;
    metrics[METRIC_driver_user_ns] += (int64_t)record->user_ns;
    metrics[METRIC_driver_system_ns] += (int64_t)record->system_ns;
    metrics[METRIC_driver_sleep_count] += (int64_t)record->sleep_count;
    metrics[METRIC_driver_spin_ns] += (int64_t)record->spin_ns;
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        interval->outcomes[i] += record->outcomes[i];
    }
    histogram_merge(merge->latency, &record->latency);
    if (merge->service) {
        metrics[METRIC_scheduled_count] += (int64_t)record->scheduled_count;
        metrics[METRIC_shed_count] += (int64_t)record->shed_count;
        histogram_merge(merge->service, record->service);
        histogram_merge(merge->lag, record->lag);
    }
}

void interval_merge_thread(struct interval_merge *merge, struct driver_thread *t, bool takes_all)
{
    struct driver_interval *interval = merge->interval;
    const struct interval_record *record;
    uint32_t in_flight_count = 0;
    uint32_t connection_count = 0;
    uint64_t backlog_count = 0;

    while ((record = interval_ring_front(t->ring)) != NULL) {
        bool is_later = record->index > interval->index;

        in_flight_count = record->in_flight_count;
        connection_count = record->connection_count;
        backlog_count = record->backlog_count;
        interval->is_folded |= record->index != interval->index;
        if (is_later && !takes_all) {
            break;
        }
        record_add(merge, record);
        interval_ring_drop(t->ring);
        if (!takes_all) {
            break;
        }
    }
    interval->metrics[METRIC_in_flight_count] += in_flight_count;
    interval->metrics[METRIC_connection_count] += connection_count;
    if (merge->service) {
        interval->metrics[METRIC_backlog_count] += (int64_t)backlog_count;
    }
}

void interval_merge_finish(struct interval_merge *merge)
{
    const struct driver_interval *interval = merge->interval;
    const struct histogram *histogram = merge->latency;
    int64_t *metrics = merge->interval->metrics;
    int64_t by_class[4] = {0};

    for (int i = 0; i < OUTCOME_COUNT; i++) {
        by_class[outcome_infos[i].class] += (int64_t)interval->outcomes[i];
    }
    metrics[METRIC_ok_count] = by_class[OUTCOME_CLASS_OK];
    metrics[METRIC_http_error_count] = by_class[OUTCOME_CLASS_HTTP];
    metrics[METRIC_fault_count] = by_class[OUTCOME_CLASS_FAULT];
    metrics[METRIC_latency_sum_ns] = histogram->sum_ns;
    metrics[METRIC_latency_overflow_count] = (int64_t)histogram->overflow_count;
    metrics[METRIC_latency_max_ns] =
        by_class[OUTCOME_CLASS_OK] > 0 ? histogram->max_ns : METRIC_UNKNOWN;
    if (merge->lag) {
        bool was_sent = merge->lag->total_count + merge->lag->overflow_count > 0;

        metrics[METRIC_driver_lag_max_ns] = was_sent ? merge->lag->max_ns : METRIC_UNKNOWN;
    }
}
