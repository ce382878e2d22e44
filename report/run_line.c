// SPDX-License-Identifier: Apache-2.0
// Composes the line of a running session.
#include "report/run_line.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "collector/plan/plan_utf8.h"
#include "engines/base/attr.h"
#include "engines/base/units.h"

#define BAR_WIDTH  12
#define PART_BYTES 200

enum part {
    PART_BAR,
    PART_COUNT,
    PART_LABEL,
    PART_RATE,
    PART_P99,
    PART_ERRORS,
    PART_FOREIGN,
    PART_LEFT,
    PARTS
};

/* What is given up first. */
static const enum part dispensable[] = {PART_BAR, PART_FOREIGN, PART_P99, PART_ERRORS, PART_LEFT};

void run_line_format_left(int64_t left_ns, char out[32])
{
    long long seconds = (long long)((left_ns + 999999999) / 1000000000);

    if (seconds >= 3600) {
        snprintf(out, 32, "%lld:%02lld:%02lld", seconds / 3600, seconds / 60 % 60, seconds % 60);
    } else {
        snprintf(out, 32, "%lld:%02lld", seconds / 60, seconds % 60);
    }
}

/* Characters, each one column: names of two columns are cut a little late, never in the middle. */
static size_t column_count(const char *text)
{
    size_t count = 0;

    for (; *text; text++) {
        count += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return count;
}

static void text_cut(char *text, size_t columns)
{
    size_t count = 0;

    for (char *at = text; *at; at++) {
        count += ((unsigned char)*at & 0xc0) != 0x80;
        if (count > columns) {
            *at = '\0';
            return;
        }
    }
}

static void bar_make(const struct run_line *line, char out[PART_BYTES])
{
    size_t done = line->trial_count ? line->trial_index * BAR_WIDTH / line->trial_count : 0;
    char bar[BAR_WIDTH];

    memset(bar, '-', BAR_WIDTH);
    memset(bar, '#', done < BAR_WIDTH ? done : BAR_WIDTH);
    snprintf(out, PART_BYTES, "[%.*s] ", BAR_WIDTH, bar);
}

static void seen_make(const struct progress_sample *seen, char parts[PARTS][PART_BYTES])
{
    char left[32];

    snprintf(parts[PART_RATE], PART_BYTES, "  %.0f req/s", seen->rate_per_s);
    if (seen->p99_ns >= 0) {
        snprintf(parts[PART_P99], PART_BYTES, "  p99 %.2f ms", (double)seen->p99_ns / 1e6);
    }
    snprintf(parts[PART_ERRORS], PART_BYTES, "  %" PRId64 " error%s", seen->error_count,
             units_word(seen->error_count, "", "s"));
    if (!isnan(seen->foreign_cpu_share)) {
        snprintf(parts[PART_FOREIGN], PART_BYTES, "  foreign CPU %.0f %%",
                 100 * seen->foreign_cpu_share);
    }
    run_line_format_left(seen->left_ns, left);
    snprintf(parts[PART_LEFT], PART_BYTES, "  left %s", left);
}

static size_t width_of(char parts[PARTS][PART_BYTES])
{
    size_t width = 0;

    for (int i = 0; i < PARTS; i++) {
        width += column_count(parts[i]);
    }
    return width;
}

const char *run_line_format(const struct run_line *line, size_t columns, char out[RUN_LINE_BYTES])
{
    char parts[PARTS][PART_BYTES] = {{0}};
    size_t used = 0;

    bar_make(line, parts[PART_BAR]);
    snprintf(parts[PART_COUNT], PART_BYTES, "%zu/%zu ", line->trial_index + 1, line->trial_count);
    snprintf(parts[PART_LABEL], PART_BYTES, "%s", line->label);
    plan_utf8_repair(parts[PART_LABEL]);
    if (line->seen) {
        seen_make(line->seen, parts);
    }
    for (size_t i = 0; i < ARRAY_COUNT(dispensable) && width_of(parts) > columns; i++) {
        parts[dispensable[i]][0] = '\0';
    }
    size_t width = width_of(parts);
    size_t label = column_count(parts[PART_LABEL]);
    if (width > columns) {
        text_cut(parts[PART_LABEL], label > width - columns ? label - (width - columns) : 0);
    }
    out[0] = '\0';
    for (int i = 0; i < PARTS; i++) {
        used += (size_t)snprintf(out + used, RUN_LINE_BYTES - used, "%s", parts[i]);
    }
    text_cut(out, columns);
    return out;
}
