// SPDX-License-Identifier: Apache-2.0
// Inside the driver: the kinds of requests that it sends.
#ifndef COLLECTOR_DRIVER_DRIVER_KIND_H
#define COLLECTOR_DRIVER_DRIVER_KIND_H

#include "collector/driver/driver_request.h"
#include "collector/driver/response.h"

/* What is sent, and what its answers are held to. */
struct driver_kind {
    struct response_rules rules;
    struct driver_expect expect;
    const char *bytes; /* as many copies of the request as may be on the way at once */
    size_t byte_count; /* of one */
};

/* Of one kind of a mix, in the window. */
struct driver_tally {
    struct driver_request_total total;
    struct histogram latency;
};

#endif
