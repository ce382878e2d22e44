// SPDX-License-Identifier: Apache-2.0
// Outcomes by name become counts by class.
#include "collector/run/request_total.h"

struct store_request_total request_total_make(const struct driver_request_total *total,
                                              const struct sample_blob *latency)
{
    struct store_request_total row = {.started_count = total->started_count,
                                      .sent_bytes = total->sent_bytes,
                                      .received_bytes = total->received_bytes,
                                      .histogram = *latency};
    uint64_t *const counts[] = {[OUTCOME_CLASS_OK] = &row.ok_count,
                                [OUTCOME_CLASS_HTTP] = &row.http_error_count,
                                [OUTCOME_CLASS_FAULT] = &row.fault_count};

    for (int i = 0; i < OUTCOME_COUNT; i++) {
        if (outcome_infos[i].class != OUTCOME_CLASS_OPEN) {
            *counts[outcome_infos[i].class] += total->outcomes[i];
        }
    }
    return row;
}
