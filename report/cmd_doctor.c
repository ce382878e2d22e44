// SPDX-License-Identifier: Apache-2.0
// tacho doctor: tells whether this machine is fit to measure a plan, and what it could tell apart.
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/probe/burn_in.h"
#include "collector/probe/preflight_rows.h"
#include "collector/run/session_preflight.h"
#include "report/cmd.h"
#include "report/doctor.h"
#include "report/judge/comparisons.h"

#define CLOCK_COST_NS_MAX 100.0
#define VARIATION_MAX     0.02
#define BURN_IN_NS        (5 * CLOCK_NS_PER_S)
#define ROW_COUNT_MAX     (PREFLIGHT_FINDING_COUNT_MAX + 8)

struct doctor_options {
    bool json;
};

static const struct option_row rows[] = {
    {"json", 0, OPTION_FLAG, offsetof(struct doctor_options, json), NULL,
     "print one JSON object instead of text", 0, 0},
};

const struct option_table cmd_doctor_options = {
    .program = "tacho doctor",
    .arguments = "[PLAN]",
    .summary = "is this machine fit to measure a plan, and what could it tell apart",
    .details =
        "Checks the machine, keeps one CPU busy for five seconds, and measures the server\n"
        "limit against itself: about half a minute. Nothing is changed and nothing is kept.\n"
        "Ends with VERDICT=FIT, FIT WITH WARNINGS (both exit status 0) or UNFIT (3).",
    .rows = rows,
    .row_count = ARRAY_COUNT(rows),
    .positional_maximum = 1,
};

struct diagnosis {
    const struct plan *plan;
    struct preflight_row rows[ROW_COUNT_MAX];
    size_t row_count;
    struct burn_in_clock clock;
    struct burn_in_pieces pieces;
    struct doctor_noise noise;
    struct doctor_outlook outlook;
    size_t warning_count, refusal_count;
};

static volatile sig_atomic_t stop_signal;

static void signal_keep(int number)
{
    stop_signal = number;
}

/* --- diagnosis --- */

static struct preflight_row *row_add(struct diagnosis *diagnosis, const char *name,
                                     const char *title, bool is_violated,
                                     enum preflight_consequence consequence)
{
    struct preflight_row *row = &diagnosis->rows[diagnosis->row_count++];

    *row = (struct preflight_row){.name = name,
                                  .title = title,
                                  .is_violated = is_violated,
                                  .is_known = true,
                                  .consequence = consequence};
    return row;
}

static void clock_judge(struct diagnosis *diagnosis)
{
    const struct burn_in_clock *clock = &diagnosis->clock;
    struct preflight_row *row;

    row = row_add(diagnosis, "clock_backward", "clock never steps back", clock->backward_count > 0,
                  PREFLIGHT_REFUSE);
    snprintf(row->value, sizeof(row->value), "%" PRIu64 " steps back", clock->backward_count);
    snprintf(row->threshold, sizeof(row->threshold), "none");
    row->fix = "choose another clock source: see /sys/devices/system/clocksource";
    row = row_add(diagnosis, "clock_cost", "reading the clock", clock->cost_ns > CLOCK_COST_NS_MAX,
                  PREFLIGHT_WARN);
    snprintf(row->value, sizeof(row->value), "%.0f ns, in steps of %" PRId64 " ns", clock->cost_ns,
             clock->resolution_ns);
    snprintf(row->threshold, sizeof(row->threshold), "at most %.0f ns", CLOCK_COST_NS_MAX);
    row->fix = "choose another clock source: see /sys/devices/system/clocksource";
}

static void pieces_judge(struct diagnosis *diagnosis)
{
    const struct burn_in_pieces *pieces = &diagnosis->pieces;
    struct preflight_row *row = row_add(diagnosis, "burn_in", "the same work takes the same time",
                                        pieces->variation > VARIATION_MAX, PREFLIGHT_WARN);

    row->is_known = !isnan(pieces->variation);
    snprintf(row->value, sizeof(row->value),
             "varies by %.1f %%, the slowest took %.1f times the usual (%zu pieces in 5 s)",
             pieces->variation * 100, pieces->slowest_ratio, pieces->count);
    snprintf(row->threshold, sizeof(row->threshold), "varies by at most %.0f %%",
             VARIATION_MAX * 100);
    row->fix = "end other programs; fix the CPU frequency; a shared virtual machine stays so";
}

static void rows_count(struct diagnosis *diagnosis)
{
    diagnosis->warning_count = diagnosis->refusal_count = 0;
    for (size_t i = 0; i < diagnosis->row_count; i++) {
        const struct preflight_row *row = &diagnosis->rows[i];

        diagnosis->refusal_count += row->is_violated && row->consequence == PREFLIGHT_REFUSE;
        diagnosis->warning_count += row->is_violated && row->consequence != PREFLIGHT_REFUSE;
    }
}

/* The report judges a session so: others that took CPU time, an A/A arm that is too wide. */
static void session_judge(struct diagnosis *diagnosis)
{
    const struct doctor_noise *noise = &diagnosis->noise;
    double half_width = diagnosis->outlook.half_width;
    bool is_hopeless = half_width > COMPARISON_MARGIN_UNFIT;
    struct preflight_row *row =
        row_add(diagnosis, "foreign_cpu", "CPU time taken by other programs", noise->is_disturbed,
                PREFLIGHT_REFUSE);

    row->is_known = !isnan(noise->foreign_share_max);
    snprintf(row->value, sizeof(row->value), "up to %.1f %% of the machine",
             noise->foreign_share_max * 100);
    snprintf(row->threshold, sizeof(row->threshold),
             "at most 5 %% in two thirds of the trials, else the report says UNFIT");
    row->fix = "end other programs (top shows them), or wait";
    row = row_add(diagnosis, "noise_floor", "noise of the plan's comparisons",
                  half_width > COMPARISON_MARGIN_LEAST,
                  is_hopeless ? PREFLIGHT_REFUSE : PREFLIGHT_WARN);
    row->is_known = !isnan(half_width);
    snprintf(row->value, sizeof(row->value), "+-%.2f %% with its %" PRIu32 " trials",
             half_width * 100, diagnosis->plan->block_count);
    snprintf(row->threshold, sizeof(row->threshold),
             "at most %.0f %%; above %.0f %% nothing can be decided", COMPARISON_MARGIN_LEAST * 100,
             COMPARISON_MARGIN_UNFIT * 100);
    row->fix = "a quieter machine, more trials, or longer windows";
}

static void noise_judge(struct diagnosis *diagnosis, const struct session_config *config)
{
    const char *folder = getenv("TMPDIR");
    struct err e = {0};
    enum err_code code =
        doctor_measure_noise(config, folder && *folder ? folder : "/tmp", &diagnosis->noise, &e);
    struct preflight_row *row =
        row_add(diagnosis, "self_comparison", "a server compared with itself", code != ERR_OK,
                PREFLIGHT_REFUSE);

    row->fix = "tacho run, whose messages say more";
    snprintf(row->threshold, sizeof(row->threshold), "%d rounds that work", DOCTOR_ROUND_COUNT);
    if (code != ERR_OK) {
        snprintf(row->value, sizeof(row->value), "%.150s", e.text);
        return;
    }
    snprintf(row->value, sizeof(row->value), "%zu rounds worked", diagnosis->noise.round_count);
    diagnosis->outlook = doctor_make_outlook(&diagnosis->noise, diagnosis->plan->block_count);
    session_judge(diagnosis);
}

static enum err_code diagnose(struct diagnosis *diagnosis, const struct session_config *config,
                              struct err *e)
{
    struct session_preflight *preflight = calloc(1, sizeof(*preflight));
    enum err_code code = preflight ? session_preflight_read(config, preflight, e)
                                   : err_set(e, ERR_LIMIT, "no memory");

    if (code == ERR_OK) {
        diagnosis->row_count = preflight_list(&preflight->input, diagnosis->rows);
        diagnosis->clock = burn_in_clock_measure(config->clock);
        clock_judge(diagnosis);
        diagnosis->pieces = burn_in_run(config->clock, BURN_IN_NS, config->stop);
        pieces_judge(diagnosis);
        rows_count(diagnosis);
        diagnosis->noise = (struct doctor_noise){.sd = (double)NAN};
        diagnosis->outlook = (struct doctor_outlook){(double)NAN, (double)NAN};
        if (!diagnosis->refusal_count && !stop_signal) {
            noise_judge(diagnosis, config);
        }
        rows_count(diagnosis);
    }
    free(preflight);
    return code;
}

/* --- output --- */

static const char *row_state(const struct preflight_row *row)
{
    return row->is_violated ? row->consequence == PREFLIGHT_REFUSE ? "REFUSED" : "warning"
           : row->is_known  ? "ok"
                            : "unknown";
}

static const char *verdict(const struct diagnosis *diagnosis)
{
    return diagnosis->refusal_count   ? "UNFIT"
           : diagnosis->warning_count ? "FIT WITH WARNINGS"
                                      : "FIT";
}

static void outlook_print(const struct diagnosis *diagnosis)
{
    uint32_t rounds = diagnosis->plan->block_count;

    if (isnan(diagnosis->outlook.half_width)) {
        printf("\nWhat this machine can tell apart is not known%s.\n",
               rounds < 2 ? ": the plan has a single trial of each engine" : "");
        return;
    }
    printf(
        "\nThe server \"limit\" was compared with itself in %zu rounds of one second; a difference "
        "there is noise.\nIt moved by %.2f %% from round to round (standard deviation). With the "
        "%" PRIu32 " trials of the plan:\n",
        diagnosis->noise.round_count, diagnosis->noise.sd * 100, rounds);
    printf("  noise floor  +-%.2f %%: so wide is the 95 %% interval between two equal servers\n"
           "  told apart   %.2f %% and more: 4 of 5 sessions would show such a difference\n",
           diagnosis->outlook.half_width * 100, diagnosis->outlook.detectable * 100);
    puts("It is an estimate: longer windows are mostly quieter, other servers may be noisier. A "
         "session measures\nits own noise with the A/A arm.");
}

static void text_print(const struct diagnosis *diagnosis)
{
    printf("Is this machine fit to measure \"%s\"?\n\n", diagnosis->plan->title);
    for (size_t i = 0; i < diagnosis->row_count; i++) {
        const struct preflight_row *row = &diagnosis->rows[i];

        printf("%-8s %-34s %s", row_state(row), row->title, row->value);
        if (row->is_violated || !row->is_known) {
            printf("%s%s", row->is_violated ? "; should be: " : "; wanted: ", row->threshold);
        }
        putchar('\n');
        if (row->is_violated && row->fix) {
            printf("%-8s %-34s to mend: %s\n", "", "", row->fix);
        }
    }
    outlook_print(diagnosis);
    if (diagnosis->refusal_count) {
        puts("\nWhat is REFUSED must be mended before tacho run measures anything here.");
    } else if (diagnosis->warning_count) {
        puts("\nA warning stops nothing: the numbers may be noisier, and the report says why.");
    }
}

static json_t *row_json(const struct preflight_row *row)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s?}", "name", row->name, "title", row->title,
                     "state", row_state(row), "consequence",
                     row->consequence == PREFLIGHT_REFUSE ? "refuse" : "warn", "value", row->value,
                     "threshold", row->threshold, "fix", row->fix);
}

/* JSON knows no NaN. */
static json_t *number_json(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static enum err_code json_print(const struct diagnosis *diagnosis, struct err *e)
{
    json_t *checks = json_array();

    for (size_t i = 0; i < diagnosis->row_count; i++) {
        json_array_append_new(checks, row_json(&diagnosis->rows[i]));
    }
    json_t *whole = json_pack(
        "{s:s, s:s, s:o, s:{s:f, s:I, s:I}, s:{s:I, s:o, s:o}, s:{s:I, s:o, s:I, s:o, s:o}}",
        "verdict", verdict(diagnosis), "plan", diagnosis->plan->title, "checks", checks, "clock",
        "cost_ns", diagnosis->clock.cost_ns, "resolution_ns",
        (json_int_t)diagnosis->clock.resolution_ns, "backward_count",
        (json_int_t)diagnosis->clock.backward_count, "burn_in", "piece_count",
        (json_int_t)diagnosis->pieces.count, "variation", number_json(diagnosis->pieces.variation),
        "slowest_ratio", number_json(diagnosis->pieces.slowest_ratio), "noise", "round_count",
        (json_int_t)diagnosis->noise.round_count, "sd", number_json(diagnosis->noise.sd),
        "plan_round_count", (json_int_t)diagnosis->plan->block_count, "half_width",
        number_json(diagnosis->outlook.half_width), "detectable",
        number_json(diagnosis->outlook.detectable));
    int failed = whole ? json_dumpf(whole, stdout, JSON_INDENT(2)) : -1;
    json_decref(whole);
    if (failed) {
        return err_set(e, ERR_LIMIT, "the JSON cannot be written");
    }
    putchar('\n');
    return ERR_OK;
}

/* --- command --- */

static int diagnosis_tell(const struct diagnosis *diagnosis, bool json)
{
    struct err e = {0};

    if (stop_signal) {
        fprintf(stderr, "tacho: interrupted by signal %d\n", (int)stop_signal);
        return 128 + (int)stop_signal;
    }
    if (json) {
        if (json_print(diagnosis, &e) != ERR_OK) {
            return cmd_fail(&e);
        }
    } else {
        text_print(diagnosis);
        printf("VERDICT=%s\n", verdict(diagnosis));
    }
    return diagnosis->refusal_count ? EXIT_STATUS_UNFIT : EXIT_STATUS_OK;
}

static int plan_diagnose(const char *plan_path, bool json)
{
    static struct diagnosis diagnosis;
    const struct sigaction action = {.sa_handler = signal_keep};
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
                                          .stop = &stop_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    diagnosis.plan = plan;
    fputs("tacho: this takes about half a minute\n", stderr);
    int status = diagnose(&diagnosis, &config, &e) == ERR_OK ? diagnosis_tell(&diagnosis, json)
                                                             : cmd_fail(&e);
    plan_free(plan);
    return status;
}

int cmd_doctor(int argc, char **argv)
{
    struct doctor_options options = {0};
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
    return plan_diagnose(path_count ? paths[0] : NULL, options.json);
}
