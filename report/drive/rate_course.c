// SPDX-License-Identifier: Apache-2.0
// Rates of an open loop, one or several.
#include "report/drive/rate_course.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engines/base/units.h"

#define RATE_TEXT_BYTES 24
#define RAMP            ".."
#define STEP            ","

/* One rate of `length` bytes. */
static enum err_code rate_add(const char *text, size_t length, struct arrivals_course *course,
                              struct err *e)
{
    char one[RATE_TEXT_BYTES];
    int64_t rate = 0;

    if (course->count == ARRIVALS_RATE_COUNT_MAX) {
        return err_set(e, ERR_USAGE, "--rate: at most %d rates", ARRIVALS_RATE_COUNT_MAX);
    }
    snprintf(one, sizeof(one), "%.*s", (int)(length < sizeof(one) ? length : sizeof(one)), text);
    enum err_code code = units_parse_count(one, 1, UINT32_MAX, &rate, e);
    if (code != ERR_OK) {
        return err_wrap(e, "--rate");
    }
    course->rates_per_s[course->count++] = (uint32_t)rate;
    return ERR_OK;
}

enum err_code rate_course_parse(const char *text, struct arrivals_course *course_out, struct err *e)
{
    bool is_ramp = strstr(text, RAMP) != NULL;
    struct arrivals_course course = {.is_ramp = is_ramp};
    const char *between = is_ramp ? RAMP : STEP;
    enum err_code code = ERR_OK;

    if (is_ramp && strstr(text, STEP)) {
        return err_set(e, ERR_USAGE,
                       "--rate: \"%.40s\" has steps and a ramp; write 1000,2000 or 1000..5000",
                       text);
    }
    for (const char *at = text; code == ERR_OK && at;) {
        const char *end = strstr(at, between);

        code = rate_add(at, end ? (size_t)(end - at) : strlen(at), &course, e);
        at = end ? end + strlen(between) : NULL;
    }
    if (code == ERR_OK) {
        *course_out = course;
    }
    return code;
}

void rate_course_format(const struct arrivals_config *arrivals, struct buf *out)
{
    const struct arrivals_course *course = &arrivals->course;

    if (course->count <= 1) {
        buf_addf(out, "%" PRIu32, arrivals->rate_per_s);
        return;
    }
    for (uint32_t i = 0; i < course->count; i++) {
        const char *word = course->is_ramp ? (i ? " to " : "from ") : (i ? ", then " : "");

        buf_addf(out, "%s%" PRIu32, word, course->rates_per_s[i]);
    }
}
