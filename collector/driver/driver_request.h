// SPDX-License-Identifier: Apache-2.0
// What the driver sends and what it holds the answers to; of a mix, what became of each request.
#ifndef COLLECTOR_DRIVER_DRIVER_REQUEST_H
#define COLLECTOR_DRIVER_DRIVER_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/driver/histogram.h"
#include "collector/sample.h"

struct driver;

/* What a right answer is. The hash is compared on every response whose length is right. */
struct driver_expect {
    int status;             /* 100 … 599; 0: any 2xx or 3xx */
    int64_t body_bytes;     /* -1: any length */
    bool body_hash_checked; /* only with body_bytes >= 0 */
    uint64_t body_xxh64;    /* XXH64, seed 0 */
};

/* One of the requests that are sent. */
struct driver_request {
    const char *bytes; /* of the whole request, head and body; kept by reference until close */
    size_t byte_count;
    bool is_head; /* HEAD: responses have no body whatever they announce */
    struct driver_expect expect;
    uint32_t weight; /* of a mix */
};

/* What became of one request of a mix: started and ended in the window. Attempts to connect are of
 * no request yet. */
struct driver_request_total {
    uint64_t started_count, sent_bytes, received_bytes;
    uint64_t outcomes[OUTCOME_COUNT];
};

/* Valid when driver_finished. latency_out: cleared and filled with those of its ok requests. */
void driver_get_request_total(const struct driver *driver, uint32_t index,
                              struct driver_request_total *total_out,
                              struct histogram *latency_out);

#endif
