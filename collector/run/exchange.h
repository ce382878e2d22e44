// SPDX-License-Identifier: Apache-2.0
// What the driver sends and expects for a request of a plan.
#ifndef COLLECTOR_RUN_EXCHANGE_H
#define COLLECTOR_RUN_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/driver/driver.h"
#include "collector/plan/plan.h"
#include "collector/run/check.h"
#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"

bool exchange_is_head(const struct plan_request *request);

/* Appends the bytes of the request to host:port. */
enum err_code exchange_format_request(const struct plan_request *request, const char *host,
                                      uint16_t port, struct buf *out, struct err *e) ATTR_MUST_USE;

/* What the plan says of the body decides how much of it every response is compared with: a body or
 * a hash in the plan: length and hash, those of the checked answer; a length alone: the length;
 * nothing: neither. */
struct driver_expect exchange_make_expect(const struct plan_request *request,
                                          const struct check_answer *answer);

#endif
