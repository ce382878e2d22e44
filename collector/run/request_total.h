// SPDX-License-Identifier: Apache-2.0
// The row of what became of one request of a mix.
#ifndef COLLECTOR_RUN_REQUEST_TOTAL_H
#define COLLECTOR_RUN_REQUEST_TOTAL_H

#include "collector/driver/driver_request.h"
#include "collector/store/store_request.h"

/* latency   kept by reference */
struct store_request_total request_total_make(const struct driver_request_total *total,
                                              const struct sample_blob *latency);

#endif
