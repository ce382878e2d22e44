// SPDX-License-Identifier: Apache-2.0
// Shows a running session.
#include "report/cmd_run_display.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engines/base/attr.h"
#include "engines/base/clock.h"
#include "engines/base/units.h"
#include "report/cmd_terminal.h"
#include "report/render/text_safe.h"
#include "report/run_line.h"

#define COLUMNS_USUAL 80

/* --- events --- */

/* Names are foreign: bytes that are not UTF-8 become '?'. */
static json_t *text_make(const char *text)
{
    char clean[600];

    if (!text) {
        return json_null();
    }
    snprintf(clean, sizeof(clean), "%s", text);
    text_mark_unsafe(clean);
    return json_string(clean);
}

static json_t *event_make(const char *name)
{
    const struct clock *clock = clock_system();

    return json_pack("{s:s, s:I}", "event", name, "at_utc_ns",
                     (json_int_t)clock->wall_ns(clock->self));
}

/* Events without memory for them are left out. */
static void event_put(json_t *event)
{
    char *line = event ? json_dumps(event, JSON_COMPACT | JSON_REAL_PRECISION(12)) : NULL;

    if (line) {
        puts(line);
        fflush(stdout);
    }
    free(line);
    json_decref(event);
}

static void set_real(json_t *event, const char *key, double value)
{
    json_object_set_new(event, key,
                        isfinite(value) ? json_real(round(value * 1e6) / 1e6) : json_null());
}

static json_t *trial_event(const struct run_display *display, const char *name)
{
    json_t *event = event_make(name);

    json_object_set_new(event, "trial", json_integer((json_int_t)display->trial_index + 1));
    return event;
}

/* --- callbacks --- */

static void line_draw(const struct run_display *display, const struct progress_sample *seen)
{
    const struct run_line line = {display->trial_index, display->trial_count, display->label, seen};
    char text[RUN_LINE_BYTES];

    /* The last column stays free: some terminals wrap when it is written. The width is asked each
     * time, so that one that was made narrower meanwhile has the next line right. */
    cmd_line_draw(
        run_line_format(&line, cmd_terminal_columns(STDERR_FILENO, COLUMNS_USUAL) - 1, text));
}

static void on_session_begins(void *self, const struct plan *plan, size_t trial_count,
                              int64_t expected_ns)
{
    struct run_display *display = self;
    char left[32], title[160];

    display->trial_count = trial_count;
    if (display->is_json) {
        json_t *event = event_make("session_begins");

        json_object_set_new(event, "title", text_make(plan->title));
        json_object_set_new(event, "trials", json_integer((json_int_t)trial_count));
        json_object_set_new(event, "expected_ns", json_integer(expected_ns));
        event_put(event);
        return;
    }
    run_line_format_left(expected_ns, left);
    snprintf(title, sizeof(title), "%s", plan->title);
    text_mark_unsafe(title);
    fprintf(stderr, "tacho: %s: %zu trials, about %s\n", title, trial_count, left);
}

static void on_trial_begins(void *self, size_t trial_index, const char *engine,
                            const char *workload, uint32_t connection_count)
{
    struct run_display *display = self;

    display->trial_index = trial_index;
    snprintf(display->label, sizeof(display->label), "%.40s, %.40s, %u connection%s", engine,
             workload, connection_count, units_word(connection_count, "", "s"));
    text_mark_unsafe(display->label);
    if (display->is_json) {
        json_t *event = trial_event(display, "trial_begins");

        json_object_set_new(event, "engine", text_make(engine));
        json_object_set_new(event, "workload", text_make(workload));
        json_object_set_new(event, "connections", json_integer(connection_count));
        event_put(event);
    } else if (display->is_terminal) {
        line_draw(display, NULL);
    }
}

/* On a terminal each second, elsewhere once. */
static void on_waits(void *self, const char *why, int64_t left_ns)
{
    struct run_display *display = self;
    char left[32], text[600];
    bool is_first = !display->has_waited;

    display->has_waited = true;
    if (display->is_json && is_first) {
        json_t *event = event_make("waits");

        json_object_set_new(event, "text", text_make(why));
        json_object_set_new(event, "left_ns", json_integer(left_ns));
        event_put(event);
    }
    if (display->is_json || !(display->is_terminal || is_first)) {
        return;
    }
    run_line_format_left(left_ns, left);
    snprintf(text, sizeof(text), "tacho: waits for other programs to end, at most %s (--wait): %s",
             left, why);
    text_mark_unsafe(text);
    if (display->is_terminal) {
        cmd_line_draw(text);
    } else {
        fprintf(stderr, "%s\n", text);
    }
}

static void on_phase_begins(void *self, size_t trial_index, const char *phase, int64_t ago_ns)
{
    const struct run_display *display = self;
    const struct clock *clock = clock_system();

    (void)trial_index;
    if (display->is_json) {
        json_t *event = trial_event(display, "phase_begins");

        json_object_set_new(event, "at_utc_ns", json_integer(clock->wall_ns(clock->self) - ago_ns));
        json_object_set_new(event, "phase", text_make(phase));
        event_put(event);
    }
}

static void on_sample_taken(void *self, const struct progress_sample *seen)
{
    const struct run_display *display = self;

    if (display->is_json) {
        json_t *event = trial_event(display, "sample");

        json_object_set_new(event, "phase", text_make(seen->phase));
        set_real(event, "ok_per_s", seen->rate_per_s);
        json_object_set_new(event, "p99_ns",
                            seen->p99_ns < 0 ? json_null() : json_integer(seen->p99_ns));
        json_object_set_new(event, "errors", json_integer(seen->error_count));
        set_real(event, "foreign_cpu_share", seen->foreign_cpu_share);
        json_object_set_new(event, "left_ns", json_integer(seen->left_ns));
        event_put(event);
    } else if (display->is_terminal) {
        line_draw(display, seen);
    }
}

static void on_trial_ended(void *self, size_t trial_index, const char *state, const char *reason,
                           double rate_per_s)
{
    const struct run_display *display = self;
    char text[600];

    if (display->is_json) {
        json_t *event = trial_event(display, "trial_ended");

        json_object_set_new(event, "state", text_make(state));
        json_object_set_new(event, "reason", text_make(reason));
        set_real(event, "ok_per_s", rate_per_s);
        event_put(event);
        return;
    }
    cmd_line_clear(display->is_terminal);
    if (reason) {
        snprintf(text, sizeof(text), "trial %zu/%zu  %s  %s: %s", trial_index + 1,
                 display->trial_count, display->label, state, reason);
    } else {
        snprintf(text, sizeof(text), "trial %zu/%zu  %s  %.0f req/s", trial_index + 1,
                 display->trial_count, display->label, rate_per_s);
    }
    text_mark_unsafe(text);
    fprintf(stderr, "%s\n", text);
}

static void on_notice(void *self, const char *text)
{
    const struct run_display *display = self;

    if (display->is_json) {
        json_t *event = event_make("notice");

        json_object_set_new(event, "text", text_make(text));
        event_put(event);
        return;
    }
    cmd_line_clear(display->is_terminal);
    fprintf(stderr, "tacho: %s\n", text);
}

void cmd_run_display_init(struct run_display *display, bool is_json)
{
    const char *term = getenv("TERM");

    *display = (struct run_display){.is_json = is_json,
                                    .is_terminal = !is_json && isatty(STDERR_FILENO) == 1 && term &&
                                                   strcmp(term, "dumb") != 0};
}

struct progress cmd_run_display_progress(struct run_display *display)
{
    return (struct progress){.self = display,
                             .session_begins = on_session_begins,
                             .trial_begins = on_trial_begins,
                             .waits = on_waits,
                             .phase_begins = on_phase_begins,
                             .sample_taken = on_sample_taken,
                             .trial_ended = on_trial_ended,
                             .notice = on_notice};
}

void cmd_run_display_end(const struct run_display *display, const char *verdict, int status,
                         const char *reason, const char *results_path)
{
    if (!display->is_json) {
        printf("VERDICT=%s\n", verdict);
        return;
    }
    json_t *event = event_make("session_ended");

    json_object_set_new(event, "verdict", text_make(verdict));
    json_object_set_new(event, "status", json_integer(status));
    json_object_set_new(event, "reason", text_make(reason));
    json_object_set_new(event, "results", text_make(results_path));
    event_put(event);
}
