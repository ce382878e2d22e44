// SPDX-License-Identifier: Apache-2.0
// The result of a load by hand as JSON for programs.
#ifndef REPORT_DRIVE_DRIVE_JSON_H
#define REPORT_DRIVE_DRIVE_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"
#include "report/drive/drive_result.h"

/* Raised when a key is taken away or changes its meaning; more keys do not raise it. */
#define DRIVE_JSON_VERSION 1

/* Appends one object with its keys in a fixed order and a newline; what is not known is null.
 * Times are integers in ns. errors ERR_LIMIT. */
enum err_code drive_json_render(const struct drive_result *result, struct buf *out,
                                struct err *e) ATTR_MUST_USE;

/*
 * Appends one document of tacho drive and a newline.
 *
 * root       is taken over; NULL: there was no memory for it
 * is_whole   false: there was none for a part of it
 * errors     ERR_LIMIT
 */
enum err_code drive_json_write(json_t *root, bool is_whole, struct buf *out,
                               struct err *e) ATTR_MUST_USE;

#endif
