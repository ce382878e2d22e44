// SPDX-License-Identifier: Apache-2.0
// The checks of a session's rows against each other.
#include "report/judge/soundness.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/digest.h"
#include "report/judge/findings.h"
#include "report/judge/plan_order.h"
#include "report/judge/plan_rows.h"
#include "report/judge/soundness_source.h"
#include "report/judge/soundness_times.h"
#include "report/query/results_plan.h"

#define PLAN_SPELLED_BYTES_MAX ((size_t)8 << 20)
#define CALIBRATION_COUNT      2 /* before the blocks and after them */
#define PAIR_COUNT_MAX         ((size_t)1 << 20)

static void add(struct soundness *soundness, const char *code, int64_t order_index,
                const char *format, ...) ATTR_PRINTF(4, 5);
static void add(struct soundness *soundness, const char *code, int64_t order_index,
                const char *format, ...)
{
    va_list arguments;

    if (soundness->finding_count == SOUNDNESS_FINDING_COUNT_MAX) {
        soundness->left_out_count++;
        return;
    }
    struct soundness_finding *finding = &soundness->findings[soundness->finding_count++];
    finding->code = code;
    finding->order_index = order_index;
    va_start(arguments, format);
    vsnprintf(finding->text, sizeof(finding->text), format, arguments);
    va_end(arguments);
}

static bool is_state(const char *state, const char *word)
{
    return strcmp(state, word) == 0;
}

/* --- session --- */

static enum err_code plan_check_digest(const struct results *results, struct soundness *soundness,
                                       struct err *e)
{
    char hex[DIGEST_HEX_BYTES];
    enum err_code code = digest_bytes(results->plan_text, strlen(results->plan_text), hex, e);

    if (code == ERR_OK && strcmp(hex, results->plan_digest) != 0) {
        add(soundness, "plan_digest", METRIC_UNKNOWN,
            "the plan's text has the SHA-256 %s, the session says %.64s", hex,
            results->plan_digest);
    }
    return code;
}

bool soundness_is_own(const struct soundness *soundness, const struct results *results)
{
    return soundness->program_version && results->program_version &&
           strcmp(soundness->program_version, results->program_version) == 0;
}

/* A text that is read as the plan but is spelled otherwise was written by somebody else. */
static enum err_code plan_check_spelling(const struct results *results, const struct plan *plan,
                                         struct soundness *soundness, struct err *e)
{
    struct buf text;

    if (!soundness_is_own(soundness, results)) {
        return ERR_OK;
    }
    buf_init(&text, PLAN_SPELLED_BYTES_MAX);
    plan_format(plan, &text);
    enum err_code code = buf_check(&text, "the plan", e);
    if (code == ERR_OK && strcmp(text.bytes, results->plan_text) != 0) {
        size_t same = 0, line = 1;

        for (; text.bytes[same] && text.bytes[same] == results->plan_text[same]; same++) {
            line += text.bytes[same] == '\n';
        }
        add(soundness, "plan_text", METRIC_UNKNOWN,
            "line %zu of the plan's text is not spelled as %.60s, which made the session, spells "
            "it",
            line, results->program_version);
    }
    buf_release(&text);
    return code;
}

static void plan_tell_unread(const struct results *results, const char *why,
                             struct soundness *soundness)
{
    if (soundness_is_own(soundness, results)) {
        add(soundness, "plan_text", METRIC_UNKNOWN, "%s", why);
        return;
    }
    snprintf(soundness->not_held, sizeof(soundness->not_held),
             "engines, workloads, cells and the order of the trials: %.120s", why);
}

/* Engines, workloads, cells and the order of the trials follow from the plan. Before the first
 * trial the rows may be few; a plan of another version, or made by hand, may not be readable. */
static enum err_code plan_check(const struct results *results, struct soundness *soundness,
                                struct err *e)
{
    struct plan *plan = NULL;
    struct plan_rows rows;
    struct err unread;

    if (results->trial_count == 0) {
        return ERR_OK;
    }
    enum err_code code = plan_rows_check_bodies(results, &rows, e);
    if (code != ERR_OK || *rows.difference) {
        if (code == ERR_OK) {
            add(soundness, "plan_rows", METRIC_UNKNOWN, "%s", rows.difference);
        }
        return code;
    }
    code = results_parse_plan(results, "plan", false, &plan, &unread);
    if (code == ERR_LIMIT) {
        return err_set(e, code, "%s", unread.text);
    }
    if (code != ERR_OK) {
        plan_tell_unread(results, unread.text, soundness);
        return ERR_OK;
    }
    code = plan_check_spelling(results, plan, soundness, e);
    if (code == ERR_OK) {
        code = soundness_check_source(results, plan, soundness, e);
    }
    if (code == ERR_OK) {
        code = plan_rows_compare(results, plan, &rows, e);
    }
    if (code == ERR_OK && *rows.difference) {
        add(soundness, "plan_rows", METRIC_UNKNOWN, "%s", rows.difference);
    } else if (code == ERR_OK) {
        code = plan_order_check(results, plan, soundness, e);
    }
    plan_free(plan);
    return code;
}

static void session_check(const struct results *results, struct soundness *soundness)
{
    bool is_running = is_state(results->state, "running");

    if (is_state(results->state, "finished") && results->ended_utc_ns == METRIC_UNKNOWN) {
        add(soundness, "session_end", METRIC_UNKNOWN, "it is finished but has no end");
    }
    for (size_t i = 0; i < results->trial_count; i++) {
        const struct results_trial *trial = &results->trials[i];

        if (is_state(trial->state, "running") && !is_running) {
            add(soundness, "trial_state", trial->order_index,
                "it is running in a session that is %s", results->state);
        }
    }
}

/* All built-in engines are one program, which the facts name. Engines that --only left out have no
 * digest. */
static void binaries_check(const struct results *results, struct soundness *soundness)
{
    const char *program = results_find_fact(results, "start", "program.tacho_engine_sha256");

    for (size_t i = 0; i < results->engine_count; i++) {
        const struct results_engine *engine = &results->engines[i];

        if (!is_state(engine->kind, "builtin") || !engine->binary_sha256) {
            continue;
        }
        if (program && strcmp(engine->binary_sha256, program) != 0) {
            add(soundness, "build_record", METRIC_UNKNOWN,
                "%.60s is built in and has the SHA-256 %.16s, not %.16s as the facts and the other "
                "built-in engines",
                engine->name, engine->binary_sha256, program);
            return;
        }
        program = engine->binary_sha256;
    }
}

/* --- places --- */

/* Trials are sorted by place and attempt. A place is finished once, and all its tries are the same
 * engine's in the same cell. */
static void places_check(const struct results *results, struct soundness *soundness)
{
    bool was_finished = false;

    for (size_t i = 0; i < results->trial_count; i++) {
        const struct results_trial *trial = &results->trials[i];
        const struct results_trial *before = i ? trial - 1 : NULL;
        bool is_again = before && before->order_index == trial->order_index;

        if (is_again && (before->cell_index != trial->cell_index ||
                         before->engine_index != trial->engine_index ||
                         before->block_index != trial->block_index)) {
            add(soundness, "place", trial->order_index,
                "attempt %" PRId64 " is of another engine, cell or block than the one before",
                trial->attempt_index);
        }
        if (is_again && before->sitting_index > trial->sitting_index) {
            add(soundness, "place", trial->order_index,
                "attempt %" PRId64 " is of an earlier sitting than the one before",
                trial->attempt_index);
        }
        if (is_again && was_finished) {
            add(soundness, "place", trial->order_index, "it was tried again although it was done");
        }
        was_finished = (is_again && was_finished) || is_state(trial->state, "finished");
    }
}

/* "trials: N" at the left margin of a plan that cannot be read; 0: there is none. */
static int64_t plan_guess_block_count(const struct results *results)
{
    static const char key[] = "\ntrials: ";
    const char *at = strstr(results->plan_text, key);

    return at ? strtoll(at + sizeof(key) - 1, NULL, 10) : 0;
}

static enum err_code plan_get_block_count(const struct results *results, int64_t *count_out,
                                          struct err *e)
{
    struct plan *plan = NULL;
    enum err_code code = results_parse_plan(results, "plan", false, &plan, e);

    if (code == ERR_LIMIT) {
        return code;
    }
    *count_out = code == ERR_OK ? plan->block_count : plan_guess_block_count(results);
    plan_free(plan);
    return ERR_OK;
}

/* What a session may end without. */
struct parts {
    bool is_again;    /* it was taken up again, perhaps for some of its engines alone */
    bool is_selected; /* --only */
};

static struct parts parts_find(const struct results *results)
{
    struct parts parts = {0};

    for (size_t i = 0; i < results->trial_count; i++) {
        parts.is_again = parts.is_again || results->trials[i].sitting_index > 0;
    }
    for (size_t i = 0; i < results->fact_count; i++) {
        parts.is_selected =
            parts.is_selected || strcmp(results->facts[i].name, "session.only") == 0;
    }
    return parts;
}

static int compare_trials(const void *left, const void *right)
{
    const struct results_trial *a = *(const struct results_trial *const *)left;
    const struct results_trial *b = *(const struct results_trial *const *)right;

    if (a->cell_index != b->cell_index) {
        return (a->cell_index > b->cell_index) - (a->cell_index < b->cell_index);
    }
    if (a->engine_index != b->engine_index) {
        return (a->engine_index > b->engine_index) - (a->engine_index < b->engine_index);
    }
    if (a->block_index != b->block_index) {
        return (a->block_index > b->block_index) - (a->block_index < b->block_index);
    }
    return (a->order_index > b->order_index) - (a->order_index < b->order_index);
}

static bool is_calibration(const struct results *results, size_t cell_index)
{
    return results->workloads[results->cells[cell_index].workload_index].is_calibration;
}

/* The trials of a pair, which are the first ones, in the order of compare_trials. Sets
 * ordered_count and what is missing of it; returns how many trials they are. */
static size_t pair_fill(const struct results *results, const struct results_trial **trials,
                        size_t trial_count, struct soundness_pair *pair)
{
    bool is_limit = is_calibration(results, pair->cell_index);
    int64_t found = 0;
    size_t i = 0;

    for (; i < trial_count; i++) {
        const struct results_trial *trial = trials[i], *before = i ? trials[i - 1] : NULL;

        if (trial->cell_index != pair->cell_index || trial->engine_index != pair->engine_index) {
            break;
        }
        pair->begun_count++;
        pair->finished_count += is_state(trial->state, "finished");
        if (is_limit) {
            found += !before || before->order_index != trial->order_index;
        } else {
            found += (!before || before->block_index != trial->block_index) &&
                     trial->block_index >= 0 && trial->block_index < pair->ordered_count;
        }
    }
    pair->missing_count = found < pair->ordered_count ? pair->ordered_count - found : 0;
    return i;
}

/* Each engine in each cell, calibration apart: there the limit alone, before and after. */
static bool pair_is_ordered(const struct results *results, const struct soundness_pair *pair)
{
    bool is_limit = strcmp(results->engines[pair->engine_index].role, "limit") == 0;

    return is_limit == is_calibration(results, pair->cell_index);
}

static size_t pairs_fill(const struct results *results, const struct results_trial **trials,
                         int64_t block_count, struct soundness_pair *pairs)
{
    const struct parts parts = parts_find(results);
    bool is_finished = is_state(results->state, "finished");
    bool is_whole = is_finished && !(parts.is_again && parts.is_selected);
    bool has_all = is_finished && !parts.is_again && !parts.is_selected;
    size_t count = 0, at = 0;

    for (size_t cell = 0; cell < results->cell_count; cell++) {
        for (size_t engine = 0; engine < results->engine_count; engine++) {
            struct soundness_pair pair = {.cell_index = cell, .engine_index = engine};
            bool is_ordered = pair_is_ordered(results, &pair);

            pair.ordered_count = is_calibration(results, cell) ? CALIBRATION_COUNT : block_count;
            at += pair_fill(results, trials + at, results->trial_count - at, &pair);
            pair.missing_count = is_whole && is_ordered ? pair.missing_count : 0;
            if (pair.begun_count || (is_ordered && has_all && pair.missing_count)) {
                pairs[count++] = pair;
            }
        }
    }
    return count;
}

enum err_code soundness_list_pairs(const struct results *results, struct soundness_pair **pairs_out,
                                   size_t *count_out, struct err *e)
{
    int64_t block_count = 0;
    size_t pair_count = 0;
    enum err_code code = plan_get_block_count(results, &block_count, e);

    if (code != ERR_OK) {
        return code;
    }
    if (__builtin_mul_overflow(results->cell_count, results->engine_count, &pair_count) ||
        pair_count > PAIR_COUNT_MAX) {
        return err_set(e, ERR_LIMIT, "%zu engines in %zu cells are too many", results->engine_count,
                       results->cell_count);
    }
    const struct results_trial **trials =
        calloc(results->trial_count + 1, sizeof(*trials)); /* in the order of compare_trials */
    struct soundness_pair *pairs = calloc(pair_count + 1, sizeof(*pairs));

    if (!trials || !pairs) {
        free(trials);
        free(pairs);
        return err_set(e, ERR_LIMIT, "no memory for the blocks of a session");
    }
    for (size_t i = 0; i < results->trial_count; i++) {
        trials[i] = &results->trials[i];
    }
    qsort(trials, results->trial_count, sizeof(*trials), compare_trials);
    *count_out = pairs_fill(results, trials, block_count, pairs);
    free(trials);
    *pairs_out = pairs;
    return ERR_OK;
}

enum err_code soundness_count_left_out(const struct results *results, size_t *count_out,
                                       struct err *e)
{
    struct soundness_pair *pairs = NULL;
    size_t count = 0, ordered_count = 0, begun_count = 0;

    if (!parts_find(results).is_selected) {
        *count_out = 0;
        return ERR_OK;
    }
    enum err_code code = soundness_list_pairs(results, &pairs, &count, e);
    if (code != ERR_OK) {
        return code;
    }
    for (size_t i = 0; i < results->cell_count * results->engine_count; i++) {
        const struct soundness_pair pair = {.cell_index = i / results->engine_count,
                                            .engine_index = i % results->engine_count};

        ordered_count +=
            !is_calibration(results, pair.cell_index) && pair_is_ordered(results, &pair);
    }
    for (size_t i = 0; i < count; i++) {
        begun_count += pairs[i].begun_count && !is_calibration(results, pairs[i].cell_index) &&
                       pair_is_ordered(results, &pairs[i]);
    }
    free(pairs);
    *count_out = ordered_count - begun_count;
    return ERR_OK;
}

/* Of what the plan orders nothing was taken away. */
static enum err_code blocks_check(const struct results *results, struct soundness *soundness,
                                  struct err *e)
{
    struct soundness_pair *pairs = NULL;
    size_t count = 0;
    enum err_code code = soundness_list_pairs(results, &pairs, &count, e);

    for (size_t i = 0; code == ERR_OK && i < count; i++) {
        int64_t missing = pairs[i].missing_count;

        if (missing) {
            add(soundness, "trials_missing", METRIC_UNKNOWN,
                "%.60s, cell %" PRId64 ": %" PRId64 " of the %" PRId64
                " trials that the plan orders %s not there, though the session finished",
                results->engines[pairs[i].engine_index].name,
                results->cells[pairs[i].cell_index].cell_id, missing, pairs[i].ordered_count,
                missing == 1 ? "is" : "are");
        }
    }
    free(pairs);
    return code;
}

/* --- samples --- */

/* Within a phase all samples but the last are equally long, and each begins where the one before
 * ended: nothing was left out and nothing counted twice. */
static void grid_check(const struct results_trial *trial, struct soundness *soundness)
{
    int64_t missing = findings_count_missing(trial);

    assert(trial->samples || trial->sample_count == 0);
    if (missing > 0) {
        add(soundness, "samples_missing", trial->order_index, "%" PRId64 " sample%s missing",
            missing, missing == 1 ? " is" : "s are");
    }
    for (size_t i = 0; i < trial->sample_count; i++) {
        const struct sample *sample = &trial->samples[i];
        const struct sample *next = i + 1 < trial->sample_count ? sample + 1 : NULL;
        bool is_inner = next && next->phase == sample->phase;
        int64_t start_ns = i ? trial->samples[i - 1].end_ns : 0;

        if (sample->start_ns != start_ns && missing == 0) {
            add(soundness, "sample_grid", trial->order_index,
                "sample %" PRIu32 " begins at %" PRId64 " ns and not at %" PRId64 " ns",
                sample->index, sample->start_ns, start_ns);
            return;
        }
        if (is_inner && sample->phase != SAMPLE_PHASE_DRAIN &&
            next->end_ns - next->start_ns > sample->end_ns - sample->start_ns) {
            add(soundness, "sample_grid", trial->order_index,
                "sample %" PRIu32 " is shorter than the one after it", sample->index);
            return;
        }
    }
}

static void phases_check(const struct results_trial *trial, struct soundness *soundness)
{
    bool has_window = false;

    for (size_t i = 0; i < trial->sample_count; i++) {
        has_window = has_window || trial->samples[i].phase == SAMPLE_PHASE_WINDOW;
    }
    if (!has_window || trial->samples[trial->sample_count - 1].phase != SAMPLE_PHASE_DRAIN) {
        add(soundness, "phase_missing", trial->order_index, "it is finished but has no %s",
            has_window ? "drain" : "window");
    }
}

/* Each request was sent in some sample and had exactly one outcome. */
static void counts_check(const struct results_trial *trial, struct soundness *soundness)
{
    int64_t started = 0;
    uint64_t ended = 0;
    bool is_known = trial->started_count != METRIC_UNKNOWN;

    for (size_t i = 0; i < trial->sample_count; i++) {
        const struct sample *sample = &trial->samples[i];
        int64_t count = sample->metrics[METRIC_started_count];

        is_known = is_known && count != METRIC_UNKNOWN &&
                   !__builtin_add_overflow(started, count, &started);
        for (int kind = 0; kind < OUTCOME_COUNT; kind++) {
            ended += sample->outcomes[kind];
        }
    }
    if (is_known && started != trial->started_count) {
        add(soundness, "requests", trial->order_index,
            "its samples sent %" PRId64 " requests, the driver counted %" PRId64, started,
            trial->started_count);
    }
    if (is_known && ended != (uint64_t)started) {
        add(soundness, "outcomes", trial->order_index,
            "%" PRId64 " requests were sent and %" PRIu64 " outcomes are stored", started, ended);
    }
}

enum err_code soundness_check_session(const struct results *results, struct soundness *soundness,
                                      struct err *e)
{
    enum err_code code = plan_check_digest(results, soundness, e);

    if (code == ERR_OK) {
        code = plan_check(results, soundness, e);
    }
    if (code == ERR_OK) {
        session_check(results, soundness);
        binaries_check(results, soundness);
        places_check(results, soundness);
        code = soundness_check_times(results, soundness, e);
    }
    if (code == ERR_OK) {
        code = blocks_check(results, soundness, e);
    }
    return code;
}

void soundness_add(struct soundness *soundness, const char *code, int64_t order_index,
                   const char *text)
{
    add(soundness, code, order_index, "%s", text);
}

void soundness_check_trial(const struct results_trial *trial, struct soundness *soundness)
{
    grid_check(trial, soundness);
    if (is_state(trial->state, "finished")) {
        phases_check(trial, soundness);
        counts_check(trial, soundness);
    }
}
