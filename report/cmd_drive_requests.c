// SPDX-License-Identifier: Apache-2.0
// What tacho drive sends: one request from -m, -b and the URL, or a mix.
#include <stdio.h>
#include <string.h>

#include "collector/driver/request.h"
#include "engines/base/fs.h"
#include "report/cmd_drive.h"

/* Methods whose requests carry the body of -b. */
static bool takes_body(const char *method)
{
    return strcmp(method, "POST") == 0 || strcmp(method, "PUT") == 0 ||
           strcmp(method, "PATCH") == 0;
}

/* Without a mix the one request, which has its body whatever the method is. */
static enum err_code names_make(struct drive *drive, struct err *e)
{
    const struct drive_values *values = drive->values;
    const struct option_texts *texts = &values->requests_mixed;
    const char *method = values->method ? values->method : values->body ? "POST" : "GET";
    enum err_code code = ERR_OK;

    drive->setup.requests = drive->names;
    if (texts->count == 0) {
        drive->names[0] = (struct drive_request){.weight = 1, .path = drive->target.path};
        if (strlen(method) >= DRIVE_METHOD_BYTES) {
            return err_set(e, ERR_USAGE, "\"%.60s\" is no method", method);
        }
        snprintf(drive->names[0].method, sizeof(drive->names[0].method), "%s", method);
        drive->setup.request_count = 1;
        return ERR_OK;
    }
    if (texts->count < 2 || texts->count > MIX_REQUEST_COUNT_MAX || values->method) {
        return err_set(e, ERR_USAGE,
                       "--request: a mix has 2 to %d of them, without -m: give another one, or "
                       "write one request as URL and -m",
                       MIX_REQUEST_COUNT_MAX);
    }
    for (size_t i = 0; code == ERR_OK && i < texts->count; i++) {
        code = drive_request_parse(texts->values[i], &drive->names[i], e);
    }
    drive->setup.request_count = texts->count;
    return code;
}

static enum err_code request_add(struct drive *drive, size_t index, struct err *e)
{
    const struct drive_values *values = drive->values;
    const struct drive_request *name = &drive->names[index];
    bool has_body = values->body && (values->requests_mixed.count == 0 || takes_body(name->method));
    const struct request_parts parts = {.method = name->method,
                                        .path = name->path,
                                        .host = drive->target.host,
                                        .headers = values->headers.values,
                                        .header_count = values->headers.count,
                                        .body = has_body ? drive->body.bytes : NULL,
                                        .body_bytes = has_body ? drive->body.length : 0};
    size_t start = drive->request.length;
    enum err_code code = request_format(&parts, &drive->request, e);

    drive->requests[index] =
        (struct driver_request){.byte_count = drive->request.length - start,
                                .is_head = strcmp(name->method, "HEAD") == 0,
                                .expect = {.status = (int)values->expect_status, .body_bytes = -1},
                                .weight = name->weight};
    return code;
}

enum err_code drive_requests_make(struct drive *drive, struct err *e)
{
    enum err_code code = ERR_OK;
    size_t start = 0;

    if (drive->values->body) {
        code = fs_read_file(drive->values->body, &drive->body, e);
    }
    if (code == ERR_OK) {
        code = names_make(drive, e);
    }
    for (size_t i = 0; code == ERR_OK && i < drive->setup.request_count; i++) {
        code = request_add(drive, i, e);
    }
    for (size_t i = 0; code == ERR_OK && i < drive->setup.request_count; i++) {
        drive->requests[i].bytes = drive->request.bytes + start; /* it moves no more */
        start += drive->requests[i].byte_count;
    }
    return code;
}
