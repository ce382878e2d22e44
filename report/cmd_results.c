// SPDX-License-Identifier: Apache-2.0
// tacho results: the sessions of a results file, and whether its rows agree with each other.
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/sample.h"
#include "engines/base/clock.h"
#include "engines/base/units.h"
#include "report/cmd.h"
#include "report/judge/soundness_pass.h"
#include "report/query/session_list.h"
#include "report/render/text_safe.h"

#define TEXT_BYTES 400

struct results_options {
    bool json, check;
};

static const struct option_row rows[] = {
    {"check", 0, OPTION_FLAG, offsetof(struct results_options, check), NULL,
     "read every row and tell what does not agree (exit status 5)", 0, 0},
    {"json", 'j', OPTION_FLAG, offsetof(struct results_options, json), NULL,
     "print one JSON object instead; the verdict is in it", 0, 0},
};

const struct option_table cmd_results_options = {
    .program = "tacho results",
    .arguments = "RESULTS.db|BUNDLE|DIR",
    .summary = "the sessions of a results file, and whether it is sound",
    .details =
        "Lists each session, oldest first: id, state, plan, how many of its trials are done, "
        "failed\n"
        "or missing, when and where. `tacho run --resume` runs those that are not done. Pages,\n"
        "schema and foreign keys are always checked; with --check so is every row: digests, the\n"
        "grid of the samples, what is missing, histograms, sums that must agree, the order that\n"
        "plan and seed give. The last line is then VERDICT=SOUND or UNSOUND. A bundle is verified\n"
        "first (V0 … V9 of tacho verify, and of V10 that its rows agree; exit status 5).",
    .rows = rows,
    .row_count = ARRAY_COUNT(rows),
    .positional_minimum = 1,
    .positional_maximum = 1,
};

struct job {
    struct results_options options;
    const char *name; /* as it was given */
    bool immutable;
    bool is_unsound;
};

/* --- text --- */

static const char *text_of(const char *text, char out[TEXT_BYTES])
{
    snprintf(out, TEXT_BYTES, "%s", text ? text : "not known");
    text_mark_unsafe(out);
    return out;
}

static void times_print(const struct session_entry *entry)
{
    char start[CLOCK_TEXT_BYTES], end[CLOCK_TEXT_BYTES] = "no end";

    clock_format_utc(entry->started_utc_ns, start);
    if (entry->ended_utc_ns != METRIC_UNKNOWN) {
        clock_format_utc(entry->ended_utc_ns, end);
    }
    printf("  times    %s to %s", start, end);
    if (entry->sitting_count > 1) {
        printf(", in %" PRId64 " sittings", entry->sitting_count);
    }
    putchar('\n');
}

static void entry_print(const struct session_entry *entry)
{
    char text[TEXT_BYTES], more[TEXT_BYTES];

    printf("session %s  %s\n", text_of(entry->uid, text), entry->state);
    if (entry->reason) {
        printf("  reason   %s\n", text_of(entry->reason, text));
    }
    printf("  title    %s\n", text_of(entry->title, text));
    printf("  plan     %s\n", text_of(entry->plan_digest, text));
    times_print(entry);
    printf("  trials   ");
    if (entry->planned_count != METRIC_UNKNOWN) {
        printf("%" PRId64 " of %" PRId64 " done", entry->done_count, entry->planned_count);
    } else {
        printf("%" PRId64 " done", entry->done_count);
    }
    printf(", %" PRId64 " failed, %" PRId64 " missing (%" PRId64 " engine%s, %" PRId64
           " cell%s); %" PRId64 " sample%s\n",
           entry->failed_count, entry->missing_count, entry->engine_count,
           units_word(entry->engine_count, "", "s"), entry->cell_count,
           units_word(entry->cell_count, "", "s"), entry->sample_count,
           units_word(entry->sample_count, "", "s"));
    printf("  machine  %s", text_of(entry->cpu_model, text));
    printf(", %s CPUs", text_of(entry->cpu_count, text));
    printf(", Linux %s; tacho %s\n", text_of(entry->kernel_release, text),
           text_of(entry->program_version, more));
}

static void list_print(const struct session_list *list, const struct job *job)
{
    char text[TEXT_BYTES];

    for (size_t i = 0; i < list->count; i++) {
        entry_print(&list->entries[i]);
    }
    printf("%s: %zu session%s\n", text_of(job->name, text), list->count,
           units_word((int64_t)list->count, "", "s"));
}

static void findings_print(const struct soundness *soundness, const char *uid)
{
    for (size_t i = 0; i < soundness->finding_count; i++) {
        const struct soundness_finding *finding = &soundness->findings[i];
        char text[SOUNDNESS_TEXT_BYTES], where[40] = "";

        snprintf(text, sizeof(text), "%s", finding->text);
        text_mark_unsafe(text);
        if (finding->order_index != METRIC_UNKNOWN) {
            snprintf(where, sizeof(where), " trial %" PRId64, finding->order_index + 1);
        }
        fprintf(stderr, "tacho: session %.8s%s: %s: %s\n", uid, where, finding->code, text);
    }
    if (soundness->left_out_count) {
        fprintf(stderr, "tacho: session %.8s: %zu more\n", uid, soundness->left_out_count);
    }
    if (*soundness->not_held) {
        char text[SOUNDNESS_TEXT_BYTES];

        snprintf(text, sizeof(text), "%s", soundness->not_held);
        text_mark_unsafe(text);
        fprintf(stderr, "tacho: session %.8s: not held against its plan: %s\n", uid, text);
    }
}

/* --- JSON --- */

static json_t *integer_or_null(int64_t value)
{
    return value == METRIC_UNKNOWN ? json_null() : json_integer(value);
}

/* NULL when memory is out, as below. */
static json_t *entry_make(const struct session_entry *entry, json_t *findings)
{
    json_t *trials = json_pack(
        "{s:o, s:I, s:I, s:I, s:I}", "planned", integer_or_null(entry->planned_count), "done",
        (json_int_t)entry->done_count, "failed", (json_int_t)entry->failed_count, "missing",
        (json_int_t)entry->missing_count, "attempts", (json_int_t)entry->trial_count);
    json_t *machine = json_pack("{s:s?, s:s?, s:s?}", "cpu_model", entry->cpu_model, "cpu_count",
                                entry->cpu_count, "kernel_release", entry->kernel_release);
    json_t *object = json_pack(
        "{s:s, s:s, s:s?, s:s, s:s, s:s, s:I, s:o, s:I, s:I, s:o, s:o, s:I, s:o}", "session_uid",
        entry->uid, "state", entry->state, "reason", entry->reason, "title", entry->title,
        "plan_digest", entry->plan_digest, "program_version", entry->program_version,
        "started_utc_ns", (json_int_t)entry->started_utc_ns, "ended_utc_ns",
        integer_or_null(entry->ended_utc_ns), "engines", (json_int_t)entry->engine_count, "cells",
        (json_int_t)entry->cell_count, "sittings", integer_or_null(entry->sitting_count), "trials",
        trials, "samples", (json_int_t)entry->sample_count, "machine", machine);

    if (object && findings) {
        json_object_set(object, "findings", findings);
    }
    return object;
}

static json_t *findings_make(const struct soundness *soundness)
{
    json_t *findings = json_array();

    for (size_t i = 0; i < soundness->finding_count; i++) {
        const struct soundness_finding *finding = &soundness->findings[i];

        json_array_append_new(
            findings, json_pack("{s:s, s:o, s:s}", "code", finding->code, "order_index",
                                integer_or_null(finding->order_index), "text", finding->text));
    }
    if (soundness->left_out_count) {
        json_array_append_new(findings, json_pack("{s:s, s:n, s:s}", "code", "more", "order_index",
                                                  "text", "more of them were left out"));
    }
    return findings;
}

static enum err_code json_print(json_t *sessions, const struct job *job, struct err *e)
{
    const char *verdict = job->is_unsound ? "UNSOUND" : "SOUND";
    json_t *object = json_pack("{s:O, s:s?}", "sessions", sessions, "verdict",
                               job->options.check ? verdict : NULL);
    char *text = object ? json_dumps(object, JSON_INDENT(1)) : NULL;

    json_decref(object);
    if (!text) {
        return err_set(e, ERR_LIMIT, "no memory for the JSON");
    }
    puts(text);
    free(text);
    return ERR_OK;
}

/* --- command --- */

/* Reads one session whole; what does not agree is told, or put into *findings_out for the JSON. */
static enum err_code session_check(const char *path, struct job *job, const char *uid,
                                   json_t **findings_out, struct err *e)
{
    struct soundness_pass *pass = NULL;
    enum err_code code = soundness_load(path, job->immutable, cmd_version,
                                        &(struct results_pass){.session = uid}, &pass, e);

    if (code != ERR_OK) {
        return code;
    }
    const struct soundness *soundness = soundness_pass_get(pass);

    job->is_unsound = job->is_unsound || soundness->finding_count > 0;
    if (job->options.json) {
        *findings_out = findings_make(soundness);
    } else {
        findings_print(soundness, uid);
    }
    soundness_pass_free(pass);
    return ERR_OK;
}

static enum err_code list_tell(const struct session_list *list, const char *path, struct job *job,
                               struct err *e)
{
    json_t *sessions = json_array();
    enum err_code code = ERR_OK;

    for (size_t i = 0; code == ERR_OK && i < list->count; i++) {
        json_t *findings = NULL;

        if (job->options.check) {
            code = session_check(path, job, list->entries[i].uid, &findings, e);
        }
        if (job->options.json) {
            json_array_append_new(sessions, entry_make(&list->entries[i], findings));
        }
        json_decref(findings);
    }
    if (code == ERR_OK && job->options.json) {
        code = json_print(sessions, job, e);
    } else if (code == ERR_OK) {
        list_print(list, job);
    }
    if (code == ERR_OK && job->options.check && !job->options.json) {
        printf("VERDICT=%s\n", job->is_unsound ? "UNSOUND" : "SOUND");
    }
    json_decref(sessions);
    return code;
}

/* As verify_config's `use`. */
static enum err_code job_do(const char *results_path, void *context, struct err *e)
{
    struct session_list *list = NULL;
    struct job *job = context;
    enum err_code code = session_list_load(results_path, job->immutable, &list, e);

    if (code == ERR_OK) {
        code = list_tell(list, results_path, job, e);
    }
    session_list_free(list);
    return code;
}

/* What cannot be read is as unsound as what does not agree. */
static void unsound_print(const struct job *job)
{
    puts(job->options.json ? "{\"sessions\": [], \"verdict\": \"UNSOUND\"}" : "VERDICT=UNSOUND");
}

static int bundle_tell(const char *path, struct job *job)
{
    job->immutable = true;
    int status = cmd_use_bundle(path, job_do, job);

    if (job->options.check && status == EXIT_STATUS_EVIDENCE) {
        unsound_print(job);
    }
    return status;
}

static int file_tell(const char *path, struct job *job)
{
    struct err e;

    if (job_do(path, job, &e) == ERR_OK) {
        return EXIT_STATUS_OK;
    }
    int status = cmd_fail_path(&e);
    if (!job->options.check || e.code != ERR_FORMAT) {
        return status;
    }
    unsound_print(job);
    return EXIT_STATUS_EVIDENCE;
}

int cmd_results(int argc, char **argv)
{
    struct job job = {0};
    const char *path = NULL;
    int positional_count = 0;
    bool help = false;
    struct err e = {0};

    if (options_parse(&cmd_results_options, argc, argv, &job.options, &path, &positional_count,
                      &help, &e) != ERR_OK) {
        return cmd_fail(&e);
    }
    if (help) {
        options_print_help(&cmd_results_options, stdout);
        return EXIT_STATUS_OK;
    }
    job.name = path;
    int status = cmd_is_bundle(path) ? bundle_tell(path, &job) : file_tell(path, &job);
    return status == EXIT_STATUS_OK && job.is_unsound ? EXIT_STATUS_EVIDENCE : status;
}
