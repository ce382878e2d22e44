// SPDX-License-Identifier: Apache-2.0
// A request of a mix out of its text.
#include "report/drive/drive_mix.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "collector/driver/mix.h"
#include "collector/driver/request.h"
#include "engines/base/units.h"

/* The path goes into the request line as it is. */
static bool is_path(const char *path)
{
    for (const char *p = path; *p; p++) {
        if (*p <= ' ' || *p > '~' || *p == '#') {
            return false;
        }
    }
    return *path == '/';
}

enum err_code drive_request_parse(const char *text, struct drive_request *request_out,
                                  struct err *e)
{
    struct drive_request request = {0};
    char number[UNITS_TEXT_BYTES];
    size_t number_length = strcspn(text, " ");
    const char *method = text + number_length + (text[number_length] == ' ');
    size_t method_length = strcspn(method, " ");
    const char *path = method + method_length + (method[method_length] == ' ');
    int64_t weight = 0;
    bool fits = number_length < sizeof(number) && method_length < sizeof(request.method);

    if (fits) {
        snprintf(number, sizeof(number), "%.*s", (int)number_length, text);
        snprintf(request.method, sizeof(request.method), "%.*s", (int)method_length, method);
    }
    if (!fits || !request_is_token(method, method_length) || !is_path(path) ||
        units_parse_count(number, 1, MIX_WEIGHT_MAX, &weight, NULL) != ERR_OK) {
        return err_set(
            e, ERR_USAGE,
            "--request: \"%.60s\" is not \"WEIGHT METHOD /PATH\" with a weight from 1 to "
            "%d, as in \"9 GET /ping\"",
            text, MIX_WEIGHT_MAX);
    }
    request.weight = (uint32_t)weight;
    request.path = path;
    *request_out = request;
    return ERR_OK;
}
