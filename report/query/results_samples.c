// SPDX-License-Identifier: Apache-2.0
// The samples of a file, trial by trial: checked, reduced to points, kept or handed on.
#include "report/query/results_samples.h"

#include <stdlib.h>
#include <string.h>

#include "report/query/results_hash.h"
#include "report/query/row_arena.h"
#include "report/query/visiting.h"

#define SAMPLE_FIRST_METRIC 5 /* column of table sample */

_Static_assert(METRIC_lateness_ns + 1 == METRIC_COUNT,
               "the one metric that may be negative is last");

/* The grid goes forward and the phases follow each other; intervals may be missing (a finding). */
static void check_sample(struct row_reader *reader, const struct sample *sample,
                         const struct sample *previous)
{
    if (sample->end_ns < sample->start_ns) {
        row_refuse(reader, "it ends before it starts");
    }
    if (previous && (sample->start_ns < previous->end_ns || sample->phase < previous->phase)) {
        row_refuse(reader, "it does not follow the sample before it");
    }
}

static void load_samples(struct row_reader *reader, struct results_trial *trial,
                         struct results_hash *hash)
{
    struct sample *sample;

    row_begin(reader, "results_load_samples", "sample", trial->trial_id, sizeof(*sample));
    while ((sample = row_next(reader))) {
        int64_t index = row_integer(reader, 1, 0);

        if (index > UINT32_MAX) {
            row_refuse(reader, "sample_index is too large");
        }
        sample->index = (uint32_t)index;
        sample->phase = (enum sample_phase)row_word(reader, 2, sample_phase_names, 3);
        sample->start_ns = row_integer(reader, 3, ROW_ANY_INTEGER);
        sample->end_ns = row_integer(reader, 4, ROW_ANY_INTEGER);
        row_integers_or_unknown(reader, SAMPLE_FIRST_METRIC, METRIC_lateness_ns, 0,
                                sample->metrics);
        sample->metrics[METRIC_lateness_ns] = row_integer_or_unknown(
            reader, SAMPLE_FIRST_METRIC + METRIC_lateness_ns, ROW_ANY_INTEGER);
        struct sample_blob *const blobs[] = {&sample->histogram, &sample->service_histogram,
                                             &sample->lag_histogram};
        for (int i = 0; i < (int)ARRAY_COUNT(blobs); i++) {
            blobs[i]->bytes =
                row_blob_or_null(reader, SAMPLE_FIRST_METRIC + METRIC_COUNT + i, &blobs[i]->length);
        }
        check_sample(reader, sample, reader->count > 1 ? sample - 1 : NULL);
        if (hash && reader->code == ERR_OK) {
            reader->code = results_hash_sample(hash, trial->trial_id, sample, reader->e);
        }
    }
    trial->samples = row_end(reader, &trial->sample_count);
}

static struct sample *find_sample(const struct results_trial *trial, int64_t index, size_t *from)
{
    while (*from < trial->sample_count && trial->samples[*from].index < index) {
        ++*from;
    }
    return *from < trial->sample_count && trial->samples[*from].index == index
               ? &trial->samples[*from]
               : NULL;
}

static void load_outcomes(struct row_reader *reader, struct results_trial *trial)
{
    const char *names[OUTCOME_COUNT];
    size_t at = 0;

    for (int i = 0; i < OUTCOME_COUNT; i++) {
        names[i] = outcome_infos[i].name;
    }
    row_begin(reader, "results_load_outcomes", "outcome", trial->trial_id, 1);
    while (row_next(reader)) {
        struct sample *sample = find_sample(trial, row_integer(reader, 0, 0), &at);
        size_t kind = row_word(reader, 1, names, OUTCOME_COUNT);
        int64_t count = row_integer(reader, 2, 1);

        if (!sample) {
            row_refuse(reader, "its sample is missing");
        } else if (reader->code == ERR_OK) {
            sample->outcomes[kind] = (uint64_t)count;
        }
    }
    size_t count = 0;
    row_end(reader, &count);
}

/* The counts of a sample by class are the sums of its outcomes. */
static void check_outcomes(struct row_reader *reader, const struct results_trial *trial)
{
    static const enum metric metrics[] = {[OUTCOME_CLASS_OK] = METRIC_ok_count,
                                          [OUTCOME_CLASS_HTTP] = METRIC_http_error_count,
                                          [OUTCOME_CLASS_FAULT] = METRIC_fault_count};

    for (size_t i = 0; i < trial->sample_count && reader->code == ERR_OK; i++) {
        const struct sample *sample = &trial->samples[i];
        uint64_t sums[OUTCOME_CLASS_OPEN + 1] = {0};

        for (int kind = 0; kind < OUTCOME_COUNT; kind++) {
            sums[outcome_infos[kind].class] += sample->outcomes[kind];
        }
        for (size_t class = 0; class < ARRAY_COUNT(metrics); class ++) {
            int64_t want = sample->metrics[metrics[class]];

            if (want != METRIC_UNKNOWN && (uint64_t)want != sums[class]) {
                reader->count = i + 1;
                reader->table = "sample";
                row_refuse(reader, "its counts are not the sums of its outcomes");
            }
        }
    }
}

/* Beside the samples, in memory that stays until nobody needs them. */
static void add_points(struct row_reader *reader, struct row_arena *arena,
                       struct results_trial *trial)
{
    struct results_point *points = NULL;

    if (reader->code != ERR_OK || trial->sample_count == 0) {
        return;
    }
    points = row_arena_take(arena, trial->sample_count * sizeof(*points));
    if (!points) {
        reader->code = err_set(reader->e, ERR_LIMIT, "%s: more samples than memory may hold",
                               reader->db->path);
        return;
    }
    for (size_t i = 0; i < trial->sample_count; i++) {
        const struct sample *sample = &trial->samples[i];

        points[i] = (struct results_point){.start_ns = sample->start_ns,
                                           .end_ns = sample->end_ns,
                                           .ok_count = sample->metrics[METRIC_ok_count],
                                           .server_rss_kib = sample->metrics[METRIC_server_rss_kib],
                                           .server_thread_count =
                                               sample->metrics[METRIC_server_thread_count],
                                           .phase = sample->phase};
    }
    trial->points = points;
}

/* How the samples of one file are gone through. */
struct walk {
    struct row_reader *reader;
    struct results *results;
    struct visiting *visiting; /* NULL: samples are kept */
    struct results_hash *hash; /* NULL: no digest */
};

static void load_trial(struct walk *walk, size_t trial_index)
{
    struct row_reader *reader = walk->reader;
    struct results_trial *trial = &walk->results->trials[trial_index];
    struct row_arena *kept = reader->arena;
    struct row_arena *passing = walk->visiting ? row_arena_new(RESULTS_MEMORY_BYTES_MAX) : NULL;

    if (walk->visiting && !passing) {
        reader->code = err_set(reader->e, ERR_LIMIT, "%s: out of memory", reader->db->path);
        return;
    }
    reader->arena = passing ? passing : kept;
    load_samples(reader, trial, walk->hash);
    load_outcomes(reader, trial);
    check_outcomes(reader, trial);
    reader->arena = kept;
    add_points(reader, walk->results->points_memory, trial);
    if (passing && reader->code == ERR_OK) {
        reader->code = visiting_hand(walk->visiting, trial_index, passing, reader->e);
    } else {
        row_arena_free(passing);
    }
}

struct keyed_trial {
    int64_t trial_id;
    size_t index;
};

static int compare_keys(const void *left, const void *right)
{
    int64_t a = ((const struct keyed_trial *)left)->trial_id;
    int64_t b = ((const struct keyed_trial *)right)->trial_id;

    return (a > b) - (a < b);
}

/* In the order of their keys, as the digest wants the samples. */
static void load_trials(struct walk *walk)
{
    size_t count = walk->results->trial_count;
    struct keyed_trial *trials = calloc(count + 1, sizeof(*trials));

    if (!trials) {
        walk->reader->code = err_set(walk->reader->e, ERR_LIMIT, "no memory for %zu trials", count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        trials[i] = (struct keyed_trial){walk->results->trials[i].trial_id, i};
    }
    qsort(trials, count, sizeof(*trials), compare_keys);
    for (size_t i = 0; i < count && walk->reader->code == ERR_OK; i++) {
        load_trial(walk, trials[i].index);
    }
    free(trials);
}

static void begin_walk(struct walk *walk, const struct results_pass *pass)
{
    struct row_reader *reader = walk->reader;

    if (pass->digest_hex) {
        *pass->digest_hex = '\0';
    }
    if (pass->digest_hex && results_hash_fits(reader->db)) {
        reader->code = results_hash_begin(reader->db, &walk->hash, reader->e);
    }
    if (pass->visit && reader->code == ERR_OK) {
        walk->visiting = visiting_begin(pass, walk->results);
        if (!walk->visiting) {
            reader->code = err_set(reader->e, ERR_LIMIT, "%s: out of memory", reader->db->path);
        }
    }
}

void results_samples_load(struct row_reader *reader, struct results *results,
                          const struct results_pass *pass)
{
    struct walk walk = {.reader = reader, .results = results};
    struct err own;

    if (reader->code != ERR_OK) {
        return;
    }
    results->points_memory = row_arena_new(RESULTS_MEMORY_BYTES_MAX);
    if (!results->points_memory) {
        reader->code = err_set(reader->e, ERR_LIMIT, "%s: out of memory", reader->db->path);
        return;
    }
    begin_walk(&walk, pass);
    if (reader->code == ERR_OK) {
        load_trials(&walk);
    }
    /* What the visitor met stands for what the reader met after it. */
    enum err_code code = visiting_end(walk.visiting, &own);

    if (code != ERR_OK) {
        reader->code = code;
        if (reader->e) {
            *reader->e = own;
        }
    }
    if (walk.hash && reader->code == ERR_OK) {
        reader->code = results_hash_end(walk.hash, pass->digest_hex, reader->e);
    }
    results_hash_free(walk.hash);
}
