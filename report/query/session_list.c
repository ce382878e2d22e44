// SPDX-License-Identifier: Apache-2.0
// Loads the list of sessions.
#include "report/query/session_list.h"

#include <stdlib.h>
#include <string.h>

#include "collector/sample.h"
#include "collector/store/results_db.h"
#include "collector/store/row_arena.h"
#include "collector/store/row_reader.h"
#include "report/query/results.h"

#define MEMORY_BYTES_MAX  ((size_t)256 << 20)
#define TRIAL_COUNT_LIMIT (INT64_C(1) << 40)

/* The fact is text, and foreign. */
static int64_t planned_read(const char *text, int64_t begun_count)
{
    char *end = NULL;
    long long count = text ? strtoll(text, &end, 10) : -1;

    if (!end || *end || count < begun_count || count > TRIAL_COUNT_LIMIT) {
        return METRIC_UNKNOWN;
    }
    return count;
}

static void entry_read(struct row_reader *reader, struct session_entry *entry)
{
    entry->session_id = row_integer(reader, 0, INT64_MIN + 1);
    entry->uid = row_text(reader, 1, ROW_NAME_BYTES_MAX);
    entry->state = row_one_of(reader, 2, results_session_states);
    entry->reason = row_text_or_null(reader, 3, ROW_TEXT_BYTES_MAX);
    entry->title = row_text(reader, 4, ROW_NAME_BYTES_MAX);
    entry->plan_digest = row_text(reader, 5, ROW_NAME_BYTES_MAX);
    entry->program_version = row_text(reader, 6, ROW_NAME_BYTES_MAX);
    entry->started_utc_ns = row_integer(reader, 7, 0);
    entry->ended_utc_ns = row_integer_or_unknown(reader, 8, 0);
    entry->engine_count = row_integer(reader, 9, 0);
    entry->cell_count = row_integer(reader, 10, 0);
}

static void facts_read(struct row_reader *reader, struct session_entry *entry, const char **planned)
{
    const struct {
        const char *name, **value;
    } wanted[] = {{"session.trials", planned},
                  {"cpu.model", &entry->cpu_model},
                  {"cpu.count", &entry->cpu_count},
                  {"kernel.release", &entry->kernel_release}};

    row_begin(reader, "results_load_facts", "fact", entry->session_id, 1);
    while (row_next(reader)) {
        const char *moment = row_text(reader, 0, ROW_NAME_BYTES_MAX);
        const char *name = row_text(reader, 1, ROW_NAME_BYTES_MAX);
        const char *value = row_text_or_null(reader, 2, ROW_TEXT_BYTES_MAX);

        for (size_t i = 0; reader->code == ERR_OK && i < ARRAY_COUNT(wanted); i++) {
            if (strcmp(moment, "start") == 0 && strcmp(name, wanted[i].name) == 0) {
                *wanted[i].value = value;
            }
        }
    }
    row_end(reader, &(size_t){0});
}

/* A place and what its tries came to. */
struct place {
    int64_t order_index;
    bool is_done, has_failed;
};

static void place_count(struct session_entry *entry, const struct place *place)
{
    entry->done_count += place->is_done;
    entry->failed_count += !place->is_done && place->has_failed;
}

/* Returns how many places were begun. */
static int64_t trials_read(struct row_reader *reader, struct session_entry *entry)
{
    struct place place = {.order_index = -1};
    int64_t begun_count = 0;

    row_begin(reader, "session_list_trials", "trial", entry->session_id, 1);
    while (row_next(reader)) {
        int64_t order_index = row_integer(reader, 0, 0);
        const char *state = row_one_of(reader, 1, results_trial_states);
        int64_t sitting_index = row_integer(reader, 2, 0);

        if (reader->code != ERR_OK) {
            break;
        }
        if (order_index != place.order_index) {
            place_count(entry, &place);
            place = (struct place){.order_index = order_index};
            begun_count++;
        }
        place.is_done = place.is_done || strcmp(state, "finished") == 0;
        place.has_failed =
            place.has_failed || strcmp(state, "crashed") == 0 || strcmp(state, "failed") == 0;
        entry->trial_count++;
        entry->sample_count += row_integer(reader, 3, 0);
        if (sitting_index >= entry->sitting_count) {
            entry->sitting_count = sitting_index + 1;
        }
    }
    row_end(reader, &(size_t){0});
    place_count(entry, &place);
    return begun_count;
}

static void entry_complete(struct row_reader *reader, struct session_entry *entry)
{
    const char *planned = NULL;
    int64_t begun_count = trials_read(reader, entry);

    facts_read(reader, entry, &planned);
    entry->planned_count = planned_read(planned, begun_count);
    /* Without the fact only what was begun is known to be missing. */
    int64_t places = entry->planned_count == METRIC_UNKNOWN ? begun_count : entry->planned_count;
    entry->missing_count = places - entry->done_count - entry->failed_count;
}

static struct session_list *list_read(struct row_reader *reader)
{
    struct session_list *list = row_arena_take(reader->arena, sizeof(*list));
    struct session_entry *entry;

    if (!list) {
        reader->code = err_set(reader->e, ERR_LIMIT, "%s: out of memory", reader->db->path);
        return NULL;
    }
    row_begin(reader, "session_list", "session", 0, sizeof(*entry));
    while ((entry = row_next(reader))) {
        entry_read(reader, entry);
    }
    list->entries = row_end(reader, &list->count);
    for (size_t i = 0; i < list->count && reader->code == ERR_OK; i++) {
        entry_complete(reader, &list->entries[i]);
    }
    list->memory = reader->arena;
    return list;
}

enum err_code session_list_load(const char *path, bool immutable, struct session_list **list_out,
                                struct err *e)
{
    struct results_db db = {0};
    enum err_code code = results_db_open(&db, path, immutable, RESULTS_DB_WHOLE, e);

    if (code != ERR_OK) {
        return code;
    }
    struct row_reader reader = {.db = &db, .arena = row_arena_new(MEMORY_BYTES_MAX), .e = e};
    struct session_list *list = NULL;

    if (reader.arena) {
        list = list_read(&reader);
        row_release(&reader);
    } else {
        reader.code = err_set(e, ERR_LIMIT, "%s: out of memory", path);
    }
    results_db_close(&db);
    if (reader.code != ERR_OK) {
        row_arena_free(reader.arena);
        return reader.code;
    }
    *list_out = list;
    return ERR_OK;
}

void session_list_free(struct session_list *list)
{
    if (list) {
        row_arena_free(list->memory);
    }
}
