// SPDX-License-Identifier: Apache-2.0
// What a workload asks, what became of each request of a mix, what else was said; part of a results
// file in memory.
#ifndef REPORT_QUERY_RESULTS_REQUEST_H
#define REPORT_QUERY_RESULTS_REQUEST_H

#include <stddef.h>
#include <stdint.h>

#include "collector/sample.h"

/* What is asked, and what a right answer is. */
struct results_request {
    const char *method, *path, *body_sha256, *expect_body_sha256;
    const uint8_t *body; /* NULL: none, or too long to be kept */
    size_t body_kept_bytes;
    int64_t body_bytes, expect_status, expect_body_bytes;
    int64_t workload_id, weight; /* of a mix */
};

/* What became of one request of a mix in a trial's window. */
struct results_request_total {
    int64_t trial_id, started_count, ok_count, http_error_count, fault_count;
    int64_t sent_bytes, received_bytes;
    struct sample_blob histogram; /* of the ok ones; `bytes` NULL: none */
};

/* What a trial's connections spoke; counts are METRIC_UNKNOWN without. */
struct results_tls {
    const char *version, *cipher; /* NULL: no handshake */
    int64_t full_count, resumed_count, handshake_ns;
};

/* What another driver said of a trial's window. */
struct results_foreign_load {
    int64_t trial_id;
    const char *version; /* NULL: not known */
    const char *command_json, *output;
};

#endif
