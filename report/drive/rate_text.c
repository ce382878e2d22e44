// SPDX-License-Identifier: Apache-2.0
// What a search for a rate tried and found.
#include "report/drive/rate_text.h"

#include <inttypes.h>
#include <jansson.h>

#include "engines/base/units.h"
#include "report/drive/drive_json.h"
#include "report/drive/drive_text.h"

void rate_text_begin(const struct drive_setup *setup, const struct rate_goal *goal, struct buf *out)
{
    char length[UNITS_TEXT_BYTES];

    units_format_duration(setup->config->grid.window_ns, length);
    drive_result_name(setup, out);
    buf_addf(out,
             "\n  the highest rate with %s, of response times; %" PRIu32
             " connections, %s a step\n\n",
             goal->text, setup->config->connection_count, length);
    buf_addf(out, "  %12s  %-14s %12s  %12s  %12s\n", "rate /s", "", "within", "quantile",
             "driver's lag");
}

void rate_text_step(const struct rate_step *step, struct buf *out)
{
    char quantile[DRIVE_TIME_BYTES], lag[DRIVE_TIME_BYTES];
    double within =
        step->due_count > 0 ? 100 * (double)step->within_count / (double)step->due_count : 0.0;

    buf_addf(out, "  %12" PRIu32 "  %-14s %10.3f %%  %12s  %12s\n", step->rate_per_s,
             step->verdict == RATE_DRIVER_LIMITED ? "driver late"
                                                  : rate_verdict_names[step->verdict],
             within, drive_text_time(step->quantile_ns, quantile),
             drive_text_time(step->lag_p99_ns, lag));
}

void rate_text_end(const struct rate_search *search, const struct rate_goal *goal, struct buf *out)
{
    uint32_t passed = search->passed_per_s;

    buf_add_text(out, "\n  ");
    switch (search->end) {
    case RATE_FOUND:
    case RATE_OUT_OF_STEPS:
        buf_addf(out, "%s up to %" PRIu32 "/s, no more at %" PRIu32 "/s\n", goal->text, passed,
                 search->failed_per_s);
        break;
    case RATE_NONE:
        buf_addf(out, "%s at no rate\n", goal->text);
        break;
    case RATE_ABOVE_DRIVER:
        buf_addf(out,
                 "%s at %" PRIu32 "/s or more: beyond it the driver was late, not the server; free "
                 "a CPU for it, add threads\n",
                 goal->text, passed);
        break;
    case RATE_ABOVE_HIGHEST:
        buf_addf(out, "%s at %" PRIu32 "/s, the highest rate that is tried\n", goal->text, passed);
        break;
    case RATE_INTERRUPTED:
    case RATE_SEARCHING:
        buf_addf(out, "interrupted; %s at %" PRIu32 "/s\n", goal->text, passed);
        break;
    }
}

static json_t *count_or_null(uint32_t count)
{
    return count > 0 ? json_integer(count) : json_null();
}

static json_t *time_or_null(int64_t ns)
{
    return ns == METRIC_UNKNOWN ? json_null() : json_integer(ns);
}

static json_t *step_make(const struct rate_step *step)
{
    return json_pack("{s:I, s:s, s:I, s:I, s:I, s:o, s:o}", "rate_per_s",
                     (json_int_t)step->rate_per_s, "verdict", rate_verdict_names[step->verdict],
                     "ok_count", (json_int_t)step->ok_count, "due_count",
                     (json_int_t)step->due_count, "within_count", (json_int_t)step->within_count,
                     "quantile_ns", time_or_null(step->quantile_ns), "lag_p99_ns",
                     time_or_null(step->lag_p99_ns));
}

enum err_code rate_json_render(const struct drive_setup *setup, const struct rate_goal *goal,
                               const struct rate_search *search, struct buf *out, struct err *e)
{
    json_t *steps = json_array();
    bool has_failed = false;

    for (size_t i = 0; i < search->step_count; i++) {
        has_failed |= json_array_append_new(steps, step_make(&search->steps[i])) != 0;
    }
    json_t *root = json_pack(
        "{s:i, s:s, s:s, s:s?, s:{s:s, s:f, s:I}, s:s, s:o, s:o, s:I, s:I, s:o}", "schema_version",
        DRIVE_JSON_VERSION, "program", setup->program_version, "url", setup->url, "method",
        setup->request_count == 1 ? setup->requests[0].method : NULL, "goal", "text", goal->text,
        "share", goal->share, "limit_ns", (json_int_t)goal->limit_ns, "end",
        rate_end_names[search->end], "passed_per_s", count_or_null(search->passed_per_s),
        "failed_per_s", count_or_null(search->failed_per_s), "connections",
        (json_int_t)setup->config->connection_count, "step_ns",
        (json_int_t)setup->config->grid.window_ns, "steps", steps);
    return drive_json_write(root, !has_failed, out, e);
}
