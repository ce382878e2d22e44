// SPDX-License-Identifier: Apache-2.0
// A second connection to the same file, for the check alone.
#include "report/query/checking.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdlib.h>

#define STEPS_PER_LOOK 100000 /* of SQLite's machine, between two looks at what was found */

struct checking {
    const char *path;
    bool immutable;
    pthread_t thread;
    bool has_thread;
    atomic_bool is_damaged;
    enum err_code code;
    struct err e;
};

static void *run(void *self)
{
    struct checking *checking = self;
    struct results_db db = {0};

    checking->code =
        results_db_open(&db, checking->path, checking->immutable, RESULTS_DB_WHOLE, &checking->e);
    atomic_store(&checking->is_damaged, checking->code != ERR_OK);
    results_db_close(&db);
    return NULL;
}

static int look(void *self)
{
    struct checking *checking = self;

    return atomic_load(&checking->is_damaged);
}

enum err_code checking_begin(struct results_db *db, bool immutable, struct checking **checking_out,
                             struct err *e)
{
    struct checking *checking = calloc(1, sizeof(*checking));

    if (!checking) {
        return err_set(e, ERR_LIMIT, "%s: out of memory", db->path);
    }
    checking->path = db->path;
    checking->immutable = immutable;
    checking->has_thread = pthread_create(&checking->thread, NULL, run, checking) == 0;
    if (!checking->has_thread) {
        run(checking);
    }
    sqlite3_progress_handler(db->handle, STEPS_PER_LOOK, look, checking);
    *checking_out = checking;
    return ERR_OK;
}

enum err_code checking_end(struct checking *checking, enum err_code code, struct err *e)
{
    if (!checking) {
        return code;
    }
    if (checking->has_thread) {
        pthread_join(checking->thread, NULL);
    }
    if (checking->code != ERR_OK) {
        code = checking->code;
        if (e) {
            *e = checking->e;
        }
    }
    free(checking);
    return code;
}
