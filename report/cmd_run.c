// SPDX-License-Identifier: Apache-2.0
// tacho run: measures a plan. Progress on standard error: one redrawn line on a terminal, plain
// lines elsewhere.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/run/session.h"
#include "report/cmd.h"
#include "report/cmd_run_display.h"
#include "report/cmd_terminal.h"
#include "report/run_outcome.h"

static const char results_default[] = "results.db";

struct run_values {
    const char *output;
    bool resume, quick, force, json;
    int64_t wait_ns;
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
    {"wait", 0, OPTION_DURATION, offsetof(struct run_values, wait_ns), "TIME",
     "for other programs to end (default 60s); 0s: measure at once, whatever else runs", 0, 0},
    {"json", 'j', OPTION_FLAG, offsetof(struct run_values, json), NULL,
     "events on standard output, one JSON object a line; the last one has the verdict", 0, 0},
};

const struct option_table cmd_run_options = {
    .program = "tacho run",
    .arguments = "[PLAN]",
    .summary = "measure a plan and store every sample; with no PLAN, the built-in one",
    .details =
        "Runs every trial of the plan with a fresh server, stores what each 500 ms brought,\n"
        "and ends with VERDICT=MEASURED, REPLAYED (nothing was measured), INVALID, INTERRUPTED or\n"
        "UNFIT on standard output: INVALID (exit status 4) as well when the report counts no "
        "trial\n"
        "of an engine, UNFIT (3) when other programs or the machine were the reason; with\n"
        "--force it is then MEASURED (0) and says that no trial is counted.",
    .rows = run_rows,
    .row_count = ARRAY_COUNT(run_rows),
    .positional_minimum = 0,
    .positional_maximum = 1,
};

/* A word and a status for how it ended; NULL: an error that is told as such. */
static const char *verdict_of(enum session_result result, const struct err *e, int *status_out)
{
    switch (result) {
    case SESSION_FINISHED:
        *status_out = EXIT_STATUS_OK;
        return "MEASURED";
    case SESSION_REPLAYED:
        *status_out = EXIT_STATUS_OK;
        return "REPLAYED";
    case SESSION_UNFIT:
        *status_out = EXIT_STATUS_UNFIT;
        return "UNFIT";
    case SESSION_INVALID:
        *status_out = EXIT_STATUS_INVALID;
        return "INVALID";
    case SESSION_INTERRUPTED:
        *status_out = 128 + (int)cmd_stop_signal;
        return "INTERRUPTED";
    case SESSION_FAILED:
        break;
    }
    *status_out = EXIT_STATUS_INVALID;
    return err_is_no_space(e) ? "INVALID" : NULL;
}

/* A session that went to its end, and of which no trial is counted: by the rules of the report. */
static enum session_result outcome_find(const struct session_config *config,
                                        enum session_result result, struct err *e)
{
    enum run_outcome outcome = RUN_OUTCOME_MEASURED;
    char text[RUN_OUTCOME_TEXT_BYTES];

    if (result == SESSION_FINISHED || result == SESSION_REPLAYED) {
        *e = (struct err){0};
    }
    if (result != SESSION_FINISHED) {
        return result;
    }
    if (run_outcome_load(config->results_path, config->plan, &outcome, text, e) != ERR_OK) {
        return SESSION_FAILED;
    }
    if (outcome == RUN_OUTCOME_MEASURED) {
        return SESSION_FINISHED;
    }
    err_set(e, ERR_MISMATCH, "%s%s", text,
            outcome == RUN_OUTCOME_NOTHING ? ""
            : config->is_forced            ? "; measured all the same (--force)"
                                           : "; measure when nothing else runs here");
    if (outcome == RUN_OUTCOME_DISTURBED) {
        return config->is_forced ? SESSION_FINISHED : SESSION_UNFIT;
    }
    return SESSION_INVALID;
}

/* The results file by the name that who reads this has for it: a sandbox shows another one. */
static const char *results_name(const char *results_path)
{
    const char *given = getenv("TACHO_RESULTS_NAME");

    return given && *given ? given : results_path;
}

static int session_tell(const struct run_display *display, enum session_result result,
                        bool has_results, const struct err *e, const char *results_path)
{
    int status = EXIT_STATUS_OK;
    const char *verdict = verdict_of(result, e, &status);

    if (!verdict) {
        return cmd_fail_path(e);
    }
    if (e->code != ERR_OK) {
        cmd_print_error(e);
    }
    if (has_results && !display->is_json) {
        fprintf(stderr, "tacho: results are in %s\n", results_name(results_path));
    }
    cmd_run_display_end(display, verdict, status, e->code == ERR_OK ? NULL : e->text, results_path);
    return status;
}

static int plan_run(const char *plan_path, const struct run_values *values)
{
    struct err e = {0};
    struct plan *plan = NULL;
    char engine_program[4096];
    struct run_display display;
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
    cmd_run_display_init(&display, values->json);
    const struct progress progress = cmd_run_display_progress(&display);
    const struct session_config config = {.plan = plan,
                                          .results_path = values->output,
                                          .is_quick = values->quick,
                                          .quiet_limit_ns = values->quick ? 0 : values->wait_ns,
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
    bool has_results = result != SESSION_UNFIT && result != SESSION_FAILED;
    result = outcome_find(&config, result, &e);
    int status = session_tell(&display, result, has_results, &e, values->output);
    plan_free(plan);
    return status;
}

int cmd_run(int argc, char **argv)
{
    struct run_values values = {.output = results_default, .wait_ns = 60 * CLOCK_NS_PER_S};
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
