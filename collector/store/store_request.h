// SPDX-License-Identifier: Apache-2.0
// Rows of the results file for what is asked, of every workload and of each request of a mix, and
// for what others said: another driver, a server.
#ifndef COLLECTOR_STORE_STORE_REQUEST_H
#define COLLECTOR_STORE_STORE_REQUEST_H

#include <stdint.h>

#include "collector/driver/tls.h"
#include "collector/sample.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"

struct store;

#define STORE_BODY_BYTES_MAX 900000
struct store_request {
    const char *method, *path, *body_sha256, *expect_body_sha256;
    const char *body; /* body_bytes long; kept up to STORE_BODY_BYTES_MAX; NULL: none */
    int64_t body_bytes;
    int expect_status;
    int64_t expect_body_bytes; /* METRIC_UNKNOWN: any */
};

/* One of the requests that a workload mixes. */
enum err_code store_add_request(struct store *store, int64_t workload_id, uint32_t index,
                                uint32_t weight, const struct store_request *row,
                                struct err *e) ATTR_MUST_USE;

struct store_request_total {
    uint64_t started_count, ok_count, http_error_count, fault_count;
    uint64_t sent_bytes, received_bytes;
    struct sample_blob histogram; /* `bytes` NULL: none was ok */
};
/* What became of one request of a mix in the trial's window; once a trial. */
enum err_code store_add_request_total(struct store *store, int64_t trial_id, uint32_t index,
                                      const struct store_request_total *row,
                                      struct err *e) ATTR_MUST_USE;

struct store_foreign_load {
    const char *version; /* NULL: not known */
    const char *command_json, *output;
};
/* What another driver said of the trial's window; once a trial. */
enum err_code store_add_foreign_load(struct store *store, int64_t trial_id,
                                     const struct store_foreign_load *row,
                                     struct err *e) ATTR_MUST_USE;

struct store_log {
    uint64_t written_bytes; /* in all, > 0 */
    const char *head, *tail;
    size_t head_bytes, tail_bytes;
};
/* What a trial's server wrote; once a trial. */
enum err_code store_add_log(struct store *store, int64_t trial_id, const struct store_log *row,
                            struct err *e) ATTR_MUST_USE;

#endif
