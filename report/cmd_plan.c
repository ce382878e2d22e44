// SPDX-License-Identifier: Apache-2.0
// tacho plan: checks a plan and tells what it will do, before anything runs.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "collector/driver/rate_course.h"
#include "collector/plan/plan.h"
#include "collector/plan/schedule.h"
#include "engines/base/clock.h"
#include "engines/base/units.h"
#include "report/cmd.h"
#include "report/judge/comparisons.h"
#include "report/stats/paired.h"

#define CANONICAL_BYTES_MAX (4 << 20)
#define FAMILY_SHOWN_MAX    1e6

struct plan_options {
    bool print;
    struct option_texts set;
};

static const struct option_row rows[] = {
    {"print", 'p', OPTION_FLAG, offsetof(struct plan_options, print), NULL,
     "print the canonical text, every default written out, and nothing else", 0, 0},
    {"set", 's', OPTION_TEXTS, offsetof(struct plan_options, set), "KEY=VALUE",
     "change the plan: window=5s, engines.NAME.threads=2; may be given several times", 0, 0},
};

const struct option_table cmd_plan_options = {
    .program = "tacho plan",
    .arguments = "[PLAN]",
    .summary = "check a plan; its digest, order and time to run",
    .details = "Without PLAN: the built-in one. The digest is the SHA-256 of what --print prints.",
    .rows = rows,
    .row_count = ARRAY_COUNT(rows),
    .positional_maximum = 1,
};

/* "1 h 02 min 03 s" */
static void duration_print(int64_t ns)
{
    int64_t seconds = (ns + CLOCK_NS_PER_S - 1) / CLOCK_NS_PER_S;

    if (seconds >= 3600) {
        printf("%" PRId64 " h %02" PRId64 " min %02" PRId64 " s", seconds / 3600, seconds / 60 % 60,
               seconds % 60);
    } else if (seconds >= 60) {
        printf("%" PRId64 " min %02" PRId64 " s", seconds / 60, seconds % 60);
    } else {
        printf("%" PRId64 " s", seconds);
    }
}

static void entry_print(const struct plan *plan, size_t index, const struct schedule_entry *entry)
{
    printf("%5zu  ", index + 1);
    if (entry->arm_index == SCHEDULE_LIMIT) {
        printf("calibration  limit, %" PRIu32 " connection%s\n", entry->connection_count,
               units_word(entry->connection_count, "", "s"));
        return;
    }
    bool is_aa = entry->arm_index == plan->engine_count;
    char rate[RATE_COURSE_BYTES + 8] = "", course[RATE_COURSE_BYTES];
    rate_course_write(&plan->workloads[entry->workload_index].course, course);
    if (*course) {
        snprintf(rate, sizeof(rate), ", %s/s", course);
    } else if (entry->rate_per_s > 0) {
        snprintf(rate, sizeof(rate), ", %" PRIu32 "/s", entry->rate_per_s);
    }
    printf("block %-5" PRIu32 "  %s%s, %s, %" PRIu32 " connection%s%s\n", entry->block_index + 1,
           is_aa ? plan->baseline : plan->engines[entry->arm_index].name,
           is_aa ? PLAN_AA_SUFFIX : "", plan->workloads[entry->workload_index].name,
           entry->connection_count, units_word(entry->connection_count, "", "s"), rate);
}

static enum err_code canonical_print(const struct plan *plan, struct err *e)
{
    struct buf text;

    buf_init(&text, CANONICAL_BYTES_MAX);
    plan_format(plan, &text);
    enum err_code code = buf_check(&text, "the canonical text", e);
    if (code == ERR_OK) {
        fwrite(text.bytes, 1, text.length, stdout);
    }
    buf_release(&text);
    return code;
}

/* Comparisons with the baseline; a flood has none, nor has what tacho's driver did not load. */
static size_t comparisons_count(const struct plan *plan)
{
    size_t cell_count = 0;

    for (size_t i = 0; i < plan->workload_count; i++) {
        const struct plan_workload *workload = &plan->workloads[i];

        cell_count += workload->flood.connection_count || workload->driver != PLAN_DRIVER_TACHO
                          ? 0
                          : plan_cell_count(workload);
    }
    return cell_count * (plan->engine_count - 1);
}

/* Whether so many blocks can decide what the plan compares, and else how many can. */
static void verdicts_print(const struct plan *plan)
{
    size_t count = comparisons_count(plan);

    if (count == 0) {
        printf("verdict none: nothing is compared\n");
        return;
    }
    const size_t needed = comparisons_blocks_least(count);
    double most = plan->block_count < COMPARISON_PAIRS_MIN
                      ? 0
                      : paired_family_max(plan->block_count, COMPARISON_ALPHA);

    printf("verdict %zu comparison%s with the baseline; %" PRIu32
           " blocks can decide %.0f at most: Holm's factor times the exact test's smallest p, "
           "2^(1-n), must be below 0.05\n",
           count, units_word((int64_t)count, "", "s"), plan->block_count,
           fmin(most, FAMILY_SHOWN_MAX));
    if (plan->block_count < needed) {
        fprintf(stderr,
                "tacho: %" PRIu32
                " block%s cannot decide %zu comparison%s; write trials: %zu or more, "
                "or compare less\n",
                plan->block_count, units_word(plan->block_count, "", "s"), count,
                units_word((int64_t)count, "", "s"), needed);
    }
}

static enum err_code summary_print(const struct plan *plan, struct err *e)
{
    struct schedule schedule = {0};
    char digest[65];
    enum err_code code = plan_digest(plan, digest, e);

    if (code == ERR_OK) {
        code = schedule_make(plan, &schedule, e);
    }
    if (code != ERR_OK) {
        return code;
    }
    printf("title   %s\ndigest  %s\ntrials  %zu (%" PRIu32 " block%s of %" PRIu32
           " trials in each cell, and calibration)\ntime    at least ",
           plan->title, digest, schedule.count, plan->block_count,
           units_word(plan->block_count, "", "s"), schedule.arm_count);
    duration_print(plan_duration_ns(plan));
    printf("\n");
    verdicts_print(plan);
    printf("order   by seed %" PRIu64 "\n", plan->seed);
    for (size_t i = 0; i < schedule.count; i++) {
        entry_print(plan, i, &schedule.entries[i]);
    }
    schedule_release(&schedule);
    return ERR_OK;
}

int cmd_plan(int argc, char **argv)
{
    struct plan_options options = {0};
    const char *paths[1] = {NULL};
    int path_count = 0;
    bool help = false;
    struct plan *plan = NULL;
    struct err e = {0};

    if (options_parse(&cmd_plan_options, argc, argv, &options, paths, &path_count, &help, &e) !=
        ERR_OK) {
        return cmd_fail(&e);
    }
    if (help) {
        options_print_help(&cmd_plan_options, stdout);
        return EXIT_STATUS_OK;
    }
    const struct plan_settings settings = {options.set.values, options.set.count};
    if (plan_load_changed(path_count ? paths[0] : NULL, &settings, &plan, &e) != ERR_OK) {
        return cmd_fail(&e);
    }
    enum err_code code = options.print ? canonical_print(plan, &e) : summary_print(plan, &e);
    plan_free(plan);
    if (code == ERR_OK && fflush(stdout) != 0) {
        code = err_set_sys(&e, "standard output");
    }
    return code == ERR_OK ? EXIT_STATUS_OK : cmd_fail(&e);
}
