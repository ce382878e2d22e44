// SPDX-License-Identifier: Apache-2.0
// tacho run: measures a plan. Progress on standard error: one redrawn line on a terminal, plain
// lines elsewhere.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collector/run/session.h"
#include "report/cmd.h"
#include "report/cmd_terminal.h"

static const char results_default[] = "results.db";

struct run_values {
    const char *output;
    bool resume, quick, force;
    struct option_texts only, set;
};

static const struct option_row run_rows[] = {
    {"output", 'o', OPTION_TEXT, offsetof(struct run_values, output), "RESULTS.db",
     "results file; one that exists gets one more session (default results.db)", 0, 0},
    {"resume", 'r', OPTION_FLAG, offsetof(struct run_values, resume), NULL,
     "go on with the newest session of this plan in the file: run what is not done", 0, 0},
    {"only", 0, OPTION_TEXTS, offsetof(struct run_values, only), "ENGINE[:WORKLOAD]",
     "run only this engine (in this workload); may be given several times", 0, 0},
    {"set", 's', OPTION_TEXTS, offsetof(struct run_values, set), "KEY=VALUE",
     "change the plan: window=5s, engines.NAME.threads=2; may be given several times", 0, 0},
    {"quick", 'q', OPTION_FLAG, offsetof(struct run_values, quick), NULL,
     "at most 3 blocks of 2 s, to see whether a plan works; describes, decides nothing", 0, 0},
    {"force", 0, OPTION_FLAG, offsetof(struct run_values, force), NULL,
     "go on where the machine is unfit; the session is stamped", 0, 0},
};

const struct option_table cmd_run_options = {
    .program = "tacho run",
    .arguments = "[PLAN]",
    .summary = "measure a plan and store every sample; with no PLAN, the built-in one",
    .details =
        "Runs every trial of the plan with a fresh server, stores what each 500 ms brought,\n"
        "and ends with VERDICT=MEASURED, INVALID, INTERRUPTED or UNFIT on standard output.",
    .rows = run_rows,
    .row_count = ARRAY_COUNT(run_rows),
    .positional_minimum = 0,
    .positional_maximum = 1,
};

/* --- progress --- */

struct display {
    bool is_terminal;
    size_t trial_count;
    char label[160]; /* "trial 3/16 epoll, ping, 125 connections" */
};

static void left_format(int64_t left_ns, char out[32])
{
    long long seconds = (long long)((left_ns + 999999999) / 1000000000);

    if (seconds >= 3600) {
        snprintf(out, 32, "%lld:%02lld:%02lld", seconds / 3600, seconds / 60 % 60, seconds % 60);
    } else {
        snprintf(out, 32, "%lld:%02lld", seconds / 60, seconds % 60);
    }
}

static void on_session_begins(void *self, const struct plan *plan, size_t trial_count,
                              int64_t expected_ns)
{
    struct display *display = self;
    char left[32], title[160];

    display->trial_count = trial_count;
    left_format(expected_ns, left);
    snprintf(title, sizeof(title), "%s", plan->title);
    cmd_text_clean(title);
    fprintf(stderr, "tacho: %s: %zu trials, about %s\n", title, trial_count, left);
}

static void on_trial_begins(void *self, size_t trial_index, const char *engine,
                            const char *workload, uint32_t connection_count)
{
    struct display *display = self;

    snprintf(display->label, sizeof(display->label), "trial %zu/%zu  %.40s, %.40s, %u connection%s",
             trial_index + 1, display->trial_count, engine, workload, connection_count,
             connection_count == 1 ? "" : "s");
    cmd_text_clean(display->label);
    if (display->is_terminal) {
        cmd_line_draw(display->label);
    }
}

static void on_sample_taken(void *self, const struct progress_sample *seen)
{
    struct display *display = self;
    char left[32], p99[32] = "n/a", text[320];

    if (!display->is_terminal) {
        return;
    }
    if (seen->p99_ns >= 0) {
        snprintf(p99, sizeof(p99), "%.2f ms", (double)seen->p99_ns / 1e6);
    }
    left_format(seen->left_ns, left);
    snprintf(text, sizeof(text), "%s  %.0f req/s  p99 %s  left %s", display->label,
             seen->rate_per_s, p99, left);
    cmd_line_draw(text);
}

static void on_trial_ended(void *self, size_t trial_index, const char *state, const char *reason,
                           double rate_per_s)
{
    struct display *display = self;
    char text[320];

    (void)trial_index;
    cmd_line_clear(display->is_terminal);
    if (reason) {
        snprintf(text, sizeof(text), "%s  %s: %s", display->label, state, reason);
        cmd_text_clean(text);
        fprintf(stderr, "%s\n", text);
    } else {
        fprintf(stderr, "%s  %.0f req/s\n", display->label, rate_per_s);
    }
}

static void on_notice(void *self, const char *text)
{
    struct display *display = self;

    cmd_line_clear(display->is_terminal);
    fprintf(stderr, "tacho: %s\n", text);
}

/* --- command --- */

static int session_tell(enum session_result result, const struct err *e, const char *results_path)
{
    bool has_results = result != SESSION_UNFIT && result != SESSION_FAILED;

    if (result != SESSION_FINISHED && result != SESSION_FAILED) {
        fprintf(stderr, "tacho: %s\n", e->text);
    }
    if (has_results) {
        fprintf(stderr, "tacho: results are in %s\n", results_path);
    }
    switch (result) {
    case SESSION_FINISHED:
        puts("VERDICT=MEASURED");
        return EXIT_STATUS_OK;
    case SESSION_UNFIT:
        puts("VERDICT=UNFIT");
        return EXIT_STATUS_UNFIT;
    case SESSION_INVALID:
        puts("VERDICT=INVALID");
        return EXIT_STATUS_INVALID;
    case SESSION_INTERRUPTED:
        puts("VERDICT=INTERRUPTED");
        return 128 + (int)cmd_stop_signal;
    case SESSION_FAILED:
        break;
    }
    if (e->sys_errno == ENOSPC || strstr(e->text, "disk is full")) {
        fprintf(stderr, "tacho: %s\n", e->text);
        puts("VERDICT=INVALID");
        return EXIT_STATUS_INVALID;
    }
    return cmd_fail(e);
}

static int plan_run(const char *plan_path, const struct run_values *values)
{
    struct err e = {0};
    struct plan *plan = NULL;
    char engine_program[4096];
    struct display display = {.is_terminal = isatty(STDERR_FILENO) == 1};
    const struct progress progress = {.self = &display,
                                      .session_begins = on_session_begins,
                                      .trial_begins = on_trial_begins,
                                      .sample_taken = on_sample_taken,
                                      .trial_ended = on_trial_ended,
                                      .notice = on_notice};

    const struct plan_settings settings = {values->set.values, values->set.count};

    if (plan_load_changed(plan_path, &settings, &plan, &e) != ERR_OK) {
        return cmd_fail(&e);
    }
    if (cmd_engine_program(engine_program, sizeof(engine_program), &e) != ERR_OK) {
        plan_free(plan);
        return cmd_fail(&e);
    }
    if (values->quick) {
        plan_make_quick(plan);
    }
    const struct session_config config = {.plan = plan,
                                          .results_path = values->output,
                                          .is_quick = values->quick,
                                          .is_forced = values->force,
                                          .resumes = values->resume,
                                          .only = values->only.values,
                                          .only_count = values->only.count,
                                          .engine_program = engine_program,
                                          .program_version = cmd_version,
                                          .pinning_optional = !plan_path,
                                          .clock = clock_system(),
                                          .progress = &progress,
                                          .stop = &cmd_stop_signal};
    cmd_signals_catch();
    enum session_result result = session_run(&config, &e);
    int status = session_tell(result, &e, values->output);
    plan_free(plan);
    return status;
}

int cmd_run(int argc, char **argv)
{
    struct run_values values = {.output = results_default};
    const char *positional[1] = {NULL};
    int positional_count = 0;
    bool help = false;
    struct err e = {0};

    if (options_parse(&cmd_run_options, argc, argv, &values, positional, &positional_count, &help,
                      &e) != ERR_OK) {
        return cmd_fail(&e);
    }
    if (help) {
        options_print_help(&cmd_run_options, stdout);
        return EXIT_STATUS_OK;
    }
    if (!*values.output) {
        err_set(&e, ERR_USAGE, "--output needs a file name");
        return cmd_fail(&e);
    }
    return plan_run(positional[0], &values);
}
