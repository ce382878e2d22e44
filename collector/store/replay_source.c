// SPDX-License-Identifier: Apache-2.0
// Recorded trials, found by what they measured.
#include "collector/store/replay_source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "collector/store/row_arena.h"
#include "collector/store/row_reader.h"
#include "collector/store/sample_rows.h"

#define TRIALS_BYTES_MAX  ((size_t)256 << 20)
#define SAMPLES_BYTES_MAX ((size_t)1 << 30)

struct replay_source {
    struct results_db db;
    struct row_arena *arena;   /* of the trials */
    struct row_arena *passing; /* of the samples that were loaded last */
    struct replay_trial *trials;
    size_t trial_count;
};

static void trials_load(struct row_reader *reader, struct replay_source *source)
{
    struct replay_trial *trial;

    row_begin(reader, "replay_trials", "trial", 0, sizeof(*trial));
    while ((trial = row_next(reader))) {
        trial->trial_id = row_integer(reader, 0, ROW_ANY_INTEGER);
        trial->session_uid = row_text(reader, 1, ROW_NAME_BYTES_MAX);
        trial->engine = row_text(reader, 2, ROW_NAME_BYTES_MAX);
        trial->workload = row_text(reader, 3, ROW_NAME_BYTES_MAX);
        trial->connection_count = row_integer(reader, 4, 1);
        trial->rate_per_s = row_integer_or_unknown(reader, 5, 1);
        trial->block_index = row_integer_or_unknown(reader, 6, 0);
        trial->ready_ns = row_integer_or_unknown(reader, 7, 0);
        trial->connections_requested = row_integer_or_unknown(reader, 8, 0);
        trial->connections_established = row_integer_or_unknown(reader, 9, 0);
        trial->connections_served = row_integer_or_unknown(reader, 10, 0);
        trial->started_count = row_integer_or_unknown(reader, 11, 0);
        trial->server_request_count = row_integer_or_unknown(reader, 12, 0);
        const char *state = row_text(reader, 13, ROW_NAME_BYTES_MAX);
        const char *driver = row_text_or_null(reader, 14, ROW_NAME_BYTES_MAX);
        trial->rate_course = row_text_or_null(reader, 15, RATE_COURSE_BYTES);
        trial->is_playable = state && strcmp(state, "finished") == 0 && !driver;
    }
    source->trials = row_end(reader, &source->trial_count);
}

enum err_code replay_source_open(const char *path, enum results_db_check check,
                                 struct replay_source **source_out, struct err *e)
{
    struct replay_source *source = calloc(1, sizeof(*source));

    if (!source) {
        return err_set(e, ERR_LIMIT, "%.200s: out of memory", path);
    }
    enum err_code code = results_db_open(&source->db, path, false, check, e);
    source->arena = code == ERR_OK ? row_arena_new(TRIALS_BYTES_MAX) : NULL;
    if (code == ERR_OK && !source->arena) {
        code = err_set(e, ERR_LIMIT, "%.200s: out of memory", path);
    }
    if (code == ERR_OK) {
        struct row_reader reader = {.db = &source->db, .arena = source->arena, .e = e};

        trials_load(&reader, source);
        code = reader.code;
        row_release(&reader);
    }
    if (code != ERR_OK) {
        replay_source_close(source);
        return code;
    }
    *source_out = source;
    return ERR_OK;
}

/* --- one trial --- */

static struct replay_trial *find_trial(struct replay_source *source, const struct replay_key *key)
{
    int64_t rate_per_s = key->rate_per_s ? (int64_t)key->rate_per_s : METRIC_UNKNOWN;

    for (size_t i = 0; i < source->trial_count; i++) {
        struct replay_trial *trial = &source->trials[i];

        if (trial->is_playable && trial->connection_count == key->connection_count &&
            trial->rate_per_s == rate_per_s && trial->block_index == key->block_index &&
            strcmp(trial->rate_course ? trial->rate_course : "", key->rate_course) == 0 &&
            strcmp(trial->engine, key->engine) == 0 &&
            strcmp(trial->workload, key->workload) == 0) {
            return trial;
        }
    }
    return NULL;
}

/* Every interval of the grid, and one for the drain, which ends when it ended. */
static bool is_on_grid(const struct sample_rows *rows, const struct grid *grid)
{
    uint32_t count = grid_interval_count(grid);

    if (rows->count != (size_t)count + 1) {
        return false;
    }
    for (uint32_t i = 0; i <= count; i++) {
        const struct sample *sample = &rows->samples[i];

        if (sample->index != i || sample->start_ns != grid_start_ns(grid, i) ||
            sample->phase != (i < count ? grid_phase(grid, i) : SAMPLE_PHASE_DRAIN) ||
            (i < count && sample->end_ns != grid_start_ns(grid, i + 1))) {
            return false;
        }
    }
    return true;
}

static enum err_code samples_load(struct replay_source *source, struct replay_trial *trial,
                                  const struct grid *grid, struct err *e)
{
    struct row_reader reader = {.db = &source->db, .arena = source->passing, .e = e};
    struct sample_rows rows = {.trial_id = trial->trial_id};

    sample_rows_load(&reader, &rows);
    enum err_code code = reader.code;
    row_release(&reader);
    if (code == ERR_OK && !is_on_grid(&rows, grid)) {
        code = err_set(e, ERR_MISMATCH,
                       "%.200s: %.60s in %.60s, block %" PRId64
                       ", has not the samples of this warmup, window and sample; take those of its "
                       "own plan",
                       source->db.path, trial->engine, trial->workload, trial->block_index);
    }
    if (code == ERR_OK) {
        trial->samples = rows.samples;
        trial->sample_count = rows.count;
    }
    return code;
}

enum err_code replay_source_load(struct replay_source *source, const struct replay_key *key,
                                 const struct grid *grid, const struct replay_trial **trial_out,
                                 struct err *e)
{
    struct replay_trial *trial = find_trial(source, key);

    if (!trial) {
        return err_set(e, ERR_MISMATCH,
                       "%.200s: its newest session has no finished trial of %.60s in %.60s at %u "
                       "connections%s, block %u; leave that out or name another file",
                       source->db.path, key->engine, key->workload, key->connection_count,
                       key->rate_per_s ? " and that rate" : "", key->block_index);
    }
    row_arena_free(source->passing);
    source->passing = row_arena_new(SAMPLES_BYTES_MAX);
    if (!source->passing) {
        return err_set(e, ERR_LIMIT, "%.200s: out of memory", source->db.path);
    }
    enum err_code code = samples_load(source, trial, grid, e);
    if (code == ERR_OK) {
        *trial_out = trial;
    }
    return code;
}

void replay_source_close(struct replay_source *source)
{
    if (source) {
        results_db_close(&source->db);
        row_arena_free(source->arena);
        row_arena_free(source->passing);
        free(source);
    }
}
