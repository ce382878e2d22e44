// SPDX-License-Identifier: Apache-2.0
// tacho doctor: tells whether this machine is fit to measure a plan, and what it could tell apart.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "collector/probe/machine.h"
#include "collector/probe/tenants.h"
#include "collector/run/session_findings.h"
#include "collector/run/session_preflight.h"
#include "collector/run/session_quiet.h"
#include "engines/base/units.h"
#include "report/cmd.h"
#include "report/cmd_doctor_tune.h"
#include "report/cmd_run_display.h"
#include "report/cmd_terminal.h"
#include "report/diagnosis.h"

#define TEXT_BYTES_MAX ((size_t)1 << 20)

struct doctor_options {
    bool json, strict, programs, tune, reset;
    int64_t wait_ns;
};

static const struct option_row rows[] = {
    {"json", 0, OPTION_FLAG, offsetof(struct doctor_options, json), NULL,
     "print one JSON object instead of text", 0, 0},
    {"strict", 0, OPTION_FLAG, offsetof(struct doctor_options, strict), NULL,
     "refuse for what is otherwise a warning: governor, memory, uncommitted sources and more", 0,
     0},
    {"wait", 0, OPTION_DURATION, offsetof(struct doctor_options, wait_ns), "TIME",
     "for other programs to end, as tacho run does (default 60s); 0s: not at all", 0, 0},
    {"programs", 0, OPTION_FLAG, offsetof(struct doctor_options, programs), NULL,
     "name the five programs that take most CPU time", 0, 0},
    {"tune", 0, OPTION_FLAG, offsetof(struct doctor_options, tune), NULL,
     "change settings of the machine that a session warns of, until a restart; needs root", 0, 0},
    {"reset", 0, OPTION_FLAG, offsetof(struct doctor_options, reset), NULL,
     "give back what --tune has changed", 0, 0},
};

const struct option_table cmd_doctor_options = {
    .program = "tacho doctor",
    .arguments = "[PLAN]",
    .summary = "is this machine fit to measure a plan, and what could it tell apart",
    .details =
        "Checks the machine, keeps one CPU busy for five seconds, and measures the server\n"
        "limit against itself: about half a minute. Nothing is changed and nothing is kept.\n"
        "Ends with VERDICT=FIT, FIT WITH WARNINGS (both exit status 0) or UNFIT (3).\n"
        "With --tune or --reset that alone is done: TUNED, RESET (0), PARTLY TUNED, PARTLY RESET "
        "(3).\n"
        "Without root --tune only tells what it would change (2).",
    .rows = rows,
    .row_count = ARRAY_COUNT(rows),
    .positional_maximum = 1,
};

static void noise_measure(struct diagnosis *diagnosis, const struct session_config *config)
{
    const char *folder = getenv("TMPDIR");
    struct doctor_noise noise = {.sd = (double)NAN};
    struct err e = {0};
    enum err_code code =
        doctor_measure_noise(config, folder && *folder ? folder : "/tmp", &noise, &e);

    diagnosis_add_noise(diagnosis, &noise, code == ERR_OK ? NULL : e.text);
}

/* Five seconds of work, and who worked beside it. */
static void burn_in_watch(struct diagnosis *diagnosis, const struct session_config *config,
                          bool names_programs)
{
    static struct tenants before, after;
    struct tenant_share top[TENANTS_TOP_COUNT];
    int64_t began_ns = clock_now_ns(config->clock);

    if (names_programs) {
        tenants_read(&before, MACHINE_PROC_ROOT, getpid());
    }
    struct burn_in_pieces pieces = burn_in_run(config->clock, DIAGNOSIS_BURN_IN_NS, config->stop);
    diagnosis_add_burn_in(diagnosis, &pieces);
    if (names_programs) {
        double seconds = (double)(clock_now_ns(config->clock) - began_ns) / 1e9;

        tenants_read(&after, MACHINE_PROC_ROOT, getpid());
        size_t count = tenants_compare(&before, &after, MACHINE_PROC_ROOT, top);
        diagnosis_add_programs(diagnosis, top, count, seconds);
    }
}

/* As tacho run does before it refuses a machine that others use. */
static void quiet_wait(const struct session_config *config, int64_t wait_ns,
                       struct preflight_input *input)
{
    static struct session_findings findings;
    struct run_display display;

    cmd_run_display_init(&display, false);
    const struct progress progress = cmd_run_display_progress(&display);
    const struct session_quiet quiet = {.proc_root = MACHINE_PROC_ROOT,
                                        .clock = config->clock,
                                        .limit_ns = wait_ns,
                                        .progress = &progress,
                                        .stop = config->stop};
    session_findings_judge(&findings, input);
    if (!session_findings_refuse(&findings)) {
        (void)session_wait_quiet(&quiet, input);
        cmd_line_clear(display.is_terminal);
    }
}

static enum err_code diagnose(struct diagnosis *diagnosis, const struct session_config *config,
                              const struct doctor_options *options, struct err *e)
{
    struct session_preflight *preflight = calloc(1, sizeof(*preflight));
    enum err_code code = preflight ? session_preflight_read(config, NULL, preflight, e)
                                   : err_set(e, ERR_LIMIT, "no memory");

    if (code == ERR_OK) {
        quiet_wait(config, options->wait_ns, &preflight->input);
        diagnosis_add_preflight(diagnosis, &preflight->input);
        struct burn_in_clock clock = burn_in_clock_measure(config->clock);
        diagnosis_add_clock(diagnosis, &clock);
        burn_in_watch(diagnosis, config, options->programs);
        if (!diagnosis->refusal_count && !cmd_stop_signal) {
            noise_measure(diagnosis, config);
        }
    }
    free(preflight);
    return code;
}

/* --- command --- */

/* What of the findings this program can mend itself. */
static void tune_tell(void)
{
    const struct tune_machine machine = {MACHINE_PROC_ROOT, MACHINE_SYS_ROOT, TUNE_STATE_PATH};
    struct tune *tune = tune_plan(&machine);

    if (tune && tune->count) {
        fprintf(stderr, "tacho: as root, tacho doctor --tune changes %zu %s until a restart\n",
                tune->count, units_word((int64_t)tune->count, "setting", "settings"));
    }
    free(tune);
}

static int diagnosis_tell(const struct diagnosis *diagnosis, bool json)
{
    struct err e = {0};
    struct buf text;
    enum err_code code = ERR_OK;

    if (cmd_stop_signal) {
        fprintf(stderr, "tacho: interrupted by signal %d\n", (int)cmd_stop_signal);
        return 128 + (int)cmd_stop_signal;
    }
    buf_init(&text, TEXT_BYTES_MAX);
    if (json) {
        code = diagnosis_format_json(diagnosis, &text, &e);
    } else {
        diagnosis_format_text(diagnosis, &text);
        buf_addf(&text, "VERDICT=%s\n", diagnosis_verdict(diagnosis));
    }
    if (code == ERR_OK) {
        code = buf_check(&text, "the diagnosis", &e);
    }
    if (code == ERR_OK) {
        fputs(text.bytes, stdout);
    }
    if (code == ERR_OK && !json) {
        fflush(stdout);
        tune_tell();
    }
    buf_release(&text);
    if (code != ERR_OK) {
        return cmd_fail(&e);
    }
    return diagnosis->refusal_count ? EXIT_STATUS_UNFIT : EXIT_STATUS_OK;
}

static int plan_diagnose(const char *plan_path, const struct doctor_options *options)
{
    static struct diagnosis diagnosis;
    char engine_program[4096];
    struct plan *plan = NULL;
    struct err e = {0};

    if (plan_load(plan_path, &plan, &e) != ERR_OK) {
        return cmd_fail(&e);
    }
    if (cmd_engine_program(engine_program, sizeof(engine_program), &e) != ERR_OK) {
        plan_free(plan);
        return cmd_fail(&e);
    }
    const struct session_config config = {.plan = plan,
                                          .results_path = "results.db",
                                          .engine_program = engine_program,
                                          .program_version = cmd_version,
                                          .pinning_optional = !plan_path,
                                          .clock = clock_system(),
                                          .stop = &cmd_stop_signal};
    cmd_signals_catch();
    diagnosis.plan = plan;
    diagnosis.is_strict = options->strict;
    fputs("tacho: this takes about half a minute\n", stderr);
    int status = diagnose(&diagnosis, &config, options, &e) == ERR_OK
                     ? diagnosis_tell(&diagnosis, options->json)
                     : cmd_fail(&e);
    plan_free(plan);
    return status;
}

int cmd_doctor(int argc, char **argv)
{
    struct doctor_options options = {.wait_ns = 60 * CLOCK_NS_PER_S};
    const char *paths[1] = {NULL};
    int path_count = 0;
    bool help = false;
    struct err e = {0};

    if (options_parse(&cmd_doctor_options, argc, argv, &options, paths, &path_count, &help, &e) !=
        ERR_OK) {
        return cmd_fail(&e);
    }
    if (help) {
        options_print_help(&cmd_doctor_options, stdout);
        return EXIT_STATUS_OK;
    }
    if (options.tune && options.reset) {
        err_set(&e, ERR_USAGE, "--tune and --reset: one after the other");
        return cmd_fail(&e);
    }
    if (options.tune || options.reset) {
        const struct tune_machine machine = {MACHINE_PROC_ROOT, MACHINE_SYS_ROOT, TUNE_STATE_PATH};

        return options.tune ? cmd_doctor_tune(&machine, geteuid() == 0)
                            : cmd_doctor_reset(&machine);
    }
    return plan_diagnose(path_count ? paths[0] : NULL, &options);
}
