// SPDX-License-Identifier: Apache-2.0
// One request of a mix as a user writes it: "9 GET /ping".
#ifndef REPORT_DRIVE_DRIVE_MIX_H
#define REPORT_DRIVE_DRIVE_MIX_H

#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

#define DRIVE_METHOD_BYTES 32

struct drive_request {
    uint32_t weight;
    char method[DRIVE_METHOD_BYTES];
    const char *path; /* points into the text */
};

/* errors   ERR_USAGE: no "WEIGHT METHOD PATH" of single spaces; weight 1 … MIX_WEIGHT_MAX, method a
 * token, path begins with '/' and is what may stand in a request line */
enum err_code drive_request_parse(const char *text, struct drive_request *request_out,
                                  struct err *e) ATTR_MUST_USE;

#endif
