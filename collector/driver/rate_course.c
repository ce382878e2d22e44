// SPDX-License-Identifier: Apache-2.0
// Rates of an open loop, one or several.
#include "collector/driver/rate_course.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engines/base/units.h"

#define RATE_TEXT_BYTES 24
#define RAMP            ".."
#define STEP            ","

/* One rate of `length` bytes. */
static enum err_code rate_add(const char *text, size_t length, int64_t maximum,
                              struct arrivals_course *course, struct err *e)
{
    char one[RATE_TEXT_BYTES];
    int64_t rate = 0;

    if (course->count == ARRIVALS_RATE_COUNT_MAX) {
        return err_set(e, ERR_USAGE, "at most %d rates", ARRIVALS_RATE_COUNT_MAX);
    }
    snprintf(one, sizeof(one), "%.*s", (int)(length < sizeof(one) ? length : sizeof(one)), text);
    enum err_code code = units_parse_count(one, 1, maximum, &rate, e);
    if (code == ERR_OK) {
        course->rates_per_s[course->count++] = (uint32_t)rate;
    }
    return code;
}

enum err_code rate_course_parse(const char *text, int64_t maximum,
                                struct arrivals_course *course_out, struct err *e)
{
    bool is_ramp = strstr(text, RAMP) != NULL;
    struct arrivals_course course = {.is_ramp = is_ramp};
    const char *between = is_ramp ? RAMP : STEP;
    enum err_code code = ERR_OK;

    if (is_ramp && strstr(text, STEP)) {
        return err_set(e, ERR_USAGE,
                       "\"%.40s\" has steps and a ramp; write 1000,2000 or 1000..5000", text);
    }
    for (const char *at = text; code == ERR_OK && at;) {
        const char *end = strstr(at, between);

        code = rate_add(at, end ? (size_t)(end - at) : strlen(at), maximum, &course, e);
        at = end ? end + strlen(between) : NULL;
    }
    if (code == ERR_OK) {
        *course_out = course;
    }
    return code;
}

void rate_course_write(const struct arrivals_course *course, char out[RATE_COURSE_BYTES])
{
    size_t length = 0;

    *out = '\0';
    for (uint32_t i = 0; course->count > 1 && i < course->count; i++) {
        length += (size_t)snprintf(out + length, RATE_COURSE_BYTES - length, "%s%" PRIu32,
                                   i == 0            ? ""
                                   : course->is_ramp ? RAMP
                                                     : STEP,
                                   course->rates_per_s[i]);
    }
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

/* Of steps each lasts as long; of a ramp the first and the last rate count half. */
uint32_t rate_course_mean(const struct arrivals_course *course)
{
    uint64_t twice = 0;
    uint32_t last = course->count - 1;

    assert(course->count > (course->is_ramp ? 1 : 0));
    for (uint32_t i = 0; i < course->count; i++) {
        bool is_end = course->is_ramp && (i == 0 || i == last);

        twice += (uint64_t)course->rates_per_s[i] * (is_end ? 1 : 2);
    }
    uint64_t pieces = 2 * (uint64_t)(course->is_ramp ? last : course->count);
    return (uint32_t)((twice + pieces / 2) / pieces);
}

uint32_t rate_course_highest(const struct arrivals_course *course)
{
    uint32_t highest = 0;

    for (uint32_t i = 0; i < course->count; i++) {
        highest = course->rates_per_s[i] > highest ? course->rates_per_s[i] : highest;
    }
    return highest;
}
