// SPDX-License-Identifier: Apache-2.0
// The samples of a file, trial by trial: checked, reduced to points, kept or handed on.
#include "report/query/results_samples.h"

#include <stdlib.h>
#include <string.h>

#include "collector/store/row_arena.h"
#include "collector/store/sample_rows.h"
#include "report/query/results_hash.h"
#include "report/query/visiting.h"

static enum err_code take_hash(void *self, int64_t trial_id, const struct sample *sample,
                               struct err *e)
{
    return results_hash_sample(self, trial_id, sample, e);
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

/* Where the rate changes. */
static void add_course(struct row_reader *reader, struct row_arena *arena,
                       const struct results *results, struct results_trial *trial)
{
    struct results_course_point *course = NULL;

    if (reader->code != ERR_OK || trial->sample_count == 0 ||
        !results->cells[trial->cell_index].rate_course) {
        return;
    }
    course = row_arena_take(arena, trial->sample_count * sizeof(*course));
    if (!course) {
        reader->code = err_set(reader->e, ERR_LIMIT, "%s: more samples than memory may hold",
                               reader->db->path);
        return;
    }
    for (size_t i = 0; i < trial->sample_count; i++) {
        const int64_t *metrics = trial->samples[i].metrics;

        course[i] = (struct results_course_point){
            metrics[METRIC_scheduled_count], metrics[METRIC_latency_sum_ns],
            metrics[METRIC_latency_max_ns], metrics[METRIC_driver_lag_max_ns]};
    }
    trial->course = course;
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
    struct sample_rows rows = {
        .trial_id = trial->trial_id, .take = walk->hash ? take_hash : NULL, .self = walk->hash};

    if (walk->visiting && !passing) {
        reader->code = err_set(reader->e, ERR_LIMIT, "%s: out of memory", reader->db->path);
        return;
    }
    reader->arena = passing ? passing : kept;
    sample_rows_load(reader, &rows);
    trial->samples = rows.samples;
    trial->sample_count = rows.count;
    reader->arena = kept;
    add_points(reader, walk->results->points_memory, trial);
    add_course(reader, walk->results->points_memory, walk->results, trial);
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
    if (reader->code == ERR_OK) {
        visiting_complete(walk.visiting);
    }
    if (walk.hash && reader->code == ERR_OK) {
        reader->code = results_hash_end(walk.hash, pass->digest_hex, reader->e);
    }
    results_hash_free(walk.hash);
    /* What the visitor met stands for what the reader met after it. */
    enum err_code code = visiting_end(walk.visiting, &own);

    if (code != ERR_OK) {
        reader->code = code;
        if (reader->e) {
            *reader->e = own;
        }
    }
}
