// SPDX-License-Identifier: Apache-2.0
// One request by libcurl: a client that shares no code with the driver asks a server whether it is
// ready and whether its answer is the right one. The only module that calls libcurl.
#ifndef COLLECTOR_RUN_CHECK_H
#define COLLECTOR_RUN_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/digest.h"
#include "collector/driver/tls.h"
#include "collector/plan/plan.h"
#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"

#define CHECK_BODY_BYTES_MAX ((size_t)64 << 20)

struct check_answer {
    int status;
    uint64_t body_bytes;
    uint64_t body_xxh64; /* XXH64, seed 0 */
    char body_sha256[DIGEST_HEX_BYTES];
};

/* libcurl's own; once, from the main thread. errors ERR_SYS. */
enum err_code check_init(struct err *e) ATTR_MUST_USE;

/* Who is asked. */
struct check_server {
    uint16_t port;                  /* of 127.0.0.1 */
    const char *host;               /* of the Host field; with TLS also that of the certificate */
    const struct tls_settings *tls; /* NULL: plain HTTP */
};

/* Asked at least once a second while an answer is waited for: true ends the waiting. */
struct check_cancel {
    void *self;
    bool (*is_wanted)(void *self);
};

/*
 * Sends the request on a new connection.
 *
 * cancel   NULL: nobody can end it before timeout_ns
 *
 * errors   ERR_SYS: nobody answers (try again), or cancelled; ERR_FORMAT: what came is no HTTP
 * response; ERR_LIMIT: memory, or a body above CHECK_BODY_BYTES_MAX; ERR_MISMATCH: its certificate
 * is not the one that is wanted, which trying again does not mend
 */
enum err_code check_fetch(const struct plan_request *request, const struct check_server *server,
                          int64_t timeout_ns, const struct check_cancel *cancel,
                          struct check_answer *answer_out, struct err *e) ATTR_MUST_USE;

/* Is it what the plan expects? errors ERR_MISMATCH: "status 404, the plan expects 200". */
enum err_code check_compare(const struct plan_request *request, const struct check_answer *answer,
                            struct err *e) ATTR_MUST_USE;

#endif
