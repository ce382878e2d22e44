// SPDX-License-Identifier: Apache-2.0
// What tacho doctor found, as text for people and as JSON.
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/diagnosis.h"

#define TITLE_WIDTH 46

enum row_state { ROW_REFUSED, ROW_WARNING, ROW_OK, ROW_UNKNOWN, ROW_RECORDED };

static enum row_state row_state(const struct preflight_row *row)
{
    if (row->is_violated) {
        return row->consequence == PREFLIGHT_REFUSE ? ROW_REFUSED : ROW_WARNING;
    }
    if (!row->is_known) {
        return ROW_UNKNOWN;
    }
    return row->consequence == PREFLIGHT_RECORD ? ROW_RECORDED : ROW_OK;
}

static size_t rows_of(const struct diagnosis *diagnosis, enum row_state state)
{
    size_t count = 0;

    for (size_t i = 0; i < diagnosis->row_count; i++) {
        count += row_state(&diagnosis->rows[i]) == state;
    }
    return count;
}

/* --- text --- */

/* What is violated: value, what would be right, why it matters, what mends it. */
static void violations_add(const struct diagnosis *diagnosis, enum row_state state,
                           const char *heading, struct buf *out)
{
    size_t count = rows_of(diagnosis, state);

    if (!count) {
        return;
    }
    buf_addf(out, "\n%s (%zu):\n", heading, count);
    for (size_t i = 0; i < diagnosis->row_count; i++) {
        const struct preflight_row *row = &diagnosis->rows[i];

        if (row_state(row) != state) {
            continue;
        }
        buf_addf(out, "  %s: %s\n", row->title, row->value);
        buf_addf(out, "    should be  %s\n", row->threshold);
        if (row->why) {
            buf_addf(out, "    because    %s\n", row->why);
        }
        if (row->fix) {
            buf_addf(out, "    to mend    %s\n", row->fix);
        }
    }
}

static void values_add(const struct diagnosis *diagnosis, enum row_state state, const char *heading,
                       struct buf *out)
{
    size_t count = rows_of(diagnosis, state);

    if (!count) {
        return;
    }
    buf_addf(out, "\n%s (%zu):\n", heading, count);
    for (size_t i = 0; i < diagnosis->row_count; i++) {
        const struct preflight_row *row = &diagnosis->rows[i];

        if (row_state(row) == state) {
            buf_addf(out, "  %-*s %s\n", TITLE_WIDTH, row->title, row->value);
        }
    }
}

static void unknown_add(const struct diagnosis *diagnosis, struct buf *out)
{
    size_t count = rows_of(diagnosis, ROW_UNKNOWN), told = 0;

    if (!count) {
        return;
    }
    buf_addf(out, "\nThis machine does not tell (%zu), which is no fault:\n", count);
    for (size_t i = 0; i < diagnosis->row_count; i++) {
        if (row_state(&diagnosis->rows[i]) == ROW_UNKNOWN) {
            buf_addf(out, "%s%s", told ? "; " : "  ", diagnosis->rows[i].title);
            told++;
        }
    }
    buf_add_text(out, "\n");
}

static void outlook_add(const struct diagnosis *diagnosis, struct buf *out)
{
    uint32_t rounds = diagnosis->plan->block_count;

    if (isnan(diagnosis->outlook.half_width)) {
        buf_addf(out, "\nWhat this machine can tell apart is not known%s.\n",
                 rounds < 2 ? ": the plan has a single trial of each engine" : "");
        return;
    }
    buf_addf(out,
             "\nWhat this machine can tell apart. The server \"limit\" was compared with itself in "
             "%zu rounds of one\nsecond; a difference there is noise. It moved by %.2f %% from "
             "round to round (standard deviation).\nWith the %" PRIu32 " trials of the plan:\n",
             diagnosis->noise.round_count, diagnosis->noise.sd * 100, rounds);
    buf_addf(out,
             "  noise floor  +-%.2f %%: so wide is the 95 %% interval between two equal servers\n"
             "  told apart   %.2f %% and more: 4 of 5 sessions would show such a difference\n",
             diagnosis->outlook.half_width * 100, diagnosis->outlook.detectable * 100);
    buf_add_text(out, "It is an estimate: longer windows are mostly quieter, other servers may be "
                      "noisier. A session measures\nits own noise with the A/A arm.\n");
}

void diagnosis_format_text(const struct diagnosis *diagnosis, struct buf *out)
{
    buf_addf(out, "Is this machine fit to measure \"%s\"?%s\n", diagnosis->plan->title,
             diagnosis->is_strict ? " (strictly)" : "");
    violations_add(diagnosis, ROW_REFUSED, "REFUSED: to be mended before tacho run measures here",
                   out);
    violations_add(diagnosis, ROW_WARNING,
                   "Warnings: they stop nothing, but the numbers may be noisier", out);
    values_add(diagnosis, ROW_OK, "In order", out);
    values_add(diagnosis, ROW_RECORDED, "Recorded with every session, and judged by nobody", out);
    unknown_add(diagnosis, out);
    outlook_add(diagnosis, out);
}

/* --- JSON --- */

static json_t *row_json(const struct preflight_row *row)
{
    static const char *const states[] = {"REFUSED", "warning", "ok", "unknown", "recorded"};
    static const char *const consequences[] = {"record", "warn", "refuse"};

    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s?, s:s?}", "name", row->name, "title",
                     row->title, "state", states[row_state(row)], "consequence",
                     consequences[row->consequence], "value", row->value, "threshold",
                     row->threshold, "why", row->why, "fix", row->fix);
}

/* JSON knows no NaN. */
static json_t *number_json(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

enum err_code diagnosis_format_json(const struct diagnosis *diagnosis, struct buf *out,
                                    struct err *e)
{
    json_t *checks = json_array();

    for (size_t i = 0; i < diagnosis->row_count; i++) {
        json_array_append_new(checks, row_json(&diagnosis->rows[i]));
    }
    json_t *whole = json_pack(
        "{s:s, s:s, s:b, s:o, s:{s:f, s:I, s:I}, s:{s:I, s:o, s:o}, s:{s:I, s:o, s:I, s:o, s:o}}",
        "verdict", diagnosis_verdict(diagnosis), "plan", diagnosis->plan->title, "strict",
        diagnosis->is_strict, "checks", checks, "clock", "cost_ns", diagnosis->clock.cost_ns,
        "resolution_ns", (json_int_t)diagnosis->clock.resolution_ns, "backward_count",
        (json_int_t)diagnosis->clock.backward_count, "burn_in", "piece_count",
        (json_int_t)diagnosis->pieces.count, "variation", number_json(diagnosis->pieces.variation),
        "slowest_ratio", number_json(diagnosis->pieces.slowest_ratio), "noise", "round_count",
        (json_int_t)diagnosis->noise.round_count, "sd", number_json(diagnosis->noise.sd),
        "plan_round_count", (json_int_t)diagnosis->plan->block_count, "half_width",
        number_json(diagnosis->outlook.half_width), "detectable",
        number_json(diagnosis->outlook.detectable));
    char *text = whole ? json_dumps(whole, JSON_INDENT(2)) : NULL;

    json_decref(whole);
    if (!text) {
        return err_set(e, ERR_LIMIT, "no memory for the diagnosis as JSON");
    }
    buf_add_text(out, text);
    buf_add_text(out, "\n");
    free(text);
    return ERR_OK;
}
