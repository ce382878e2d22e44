// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reading and judging of results files, and the playing of their trials: the input is
// either a file, or bytes to put into a sound one.
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/asset.h"
#include "collector/driver/histogram.h"
#include "collector/store/replay_source.h"
#include "collector/store/store.h"
#include "report/judge/analysis.h"
#include "report/query/results.h"

static const char magic[] = "SQLite format 3";
static unsigned char *sound;
static sqlite3_int64 sound_bytes;
static char path[] = "/tmp/tacho-fuzz-results-XXXXXX";
static int fd;

static void execute(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        fprintf(stderr, "fuzz_results: %s\n", sqlite3_errmsg(db));
        abort();
    }
}

static const char rows[] =
    "INSERT INTO session VALUES (1, '00112233445566778899aabbccddeeff', 'finished', NULL, 'title', "
    "'plan', '0123456789012345678901234567890123456789012345678901234567890123', 'v', 5, 6, NULL);"
    "INSERT INTO fact VALUES (1, 'start', 'driver.threads', '1'), (1, 'start', 'server.cpus', '0');"
    "INSERT INTO engine VALUES (1, 1, 'a', 'baseline', 'builtin', 'epoll', 0, '[]', "
    "'0123456789012345678901234567890123456789012345678901234567890123');"
    "INSERT INTO workload (workload_id, session_id, name, is_calibration, method, path, "
    "body_bytes, "
    "expect_status, expect_body_bytes, pipeline_count) VALUES (1, 1, 'ping', 0, 'GET', '/', 0, "
    "200, "
    "4, 1);"
    "INSERT INTO cell VALUES (1, 1, 8, NULL, NULL, NULL);"
    "INSERT INTO trial VALUES (1, 1, 1, 1, 0, 0, 0, 0, 0, 'finished', NULL, 7, 8, 9, 8, 8, 8, 300, "
    "300, "
    "'exit 0', NULL, NULL, NULL, NULL, NULL, NULL);"
    "INSERT INTO outcome VALUES (1, 0, 'ok', 300);"
    "INSERT INTO sample (trial_id, sample_index, phase, start_ns, end_ns, ok_count, "
    "latency_sum_ns, "
    "latency_overflow_count, machine_busy_ns, machine_idle_ns) VALUES (1, 0, 'window', 0, "
    "500000000, "
    "300, 4000000000, 0, 1000, 1000), (1, 1, 'drain', 500000000, 500000007, 0, 0, 0, 1000, 1000);"
    "INSERT INTO event VALUES (1, 1, 1, 5, 'info', 'kind', 'text');";

static void add_histogram(sqlite3 *db)
{
    struct histogram *histogram = calloc(1, sizeof(*histogram));
    struct buf encoded;
    sqlite3_stmt *update;

    buf_init(&encoded, 1 << 16);
    for (int i = 1; histogram && i <= 300; i++) {
        histogram_record(histogram, i * 100000);
    }
    if (!histogram || histogram_encode(histogram, &encoded, NULL) != ERR_OK ||
        sqlite3_prepare_v2(db, "UPDATE sample SET histogram = ? WHERE phase = 'window'", -1,
                           &update, NULL) != SQLITE_OK) {
        abort();
    }
    sqlite3_bind_blob(update, 1, encoded.bytes, (int)encoded.length, SQLITE_STATIC);
    sqlite3_step(update);
    sqlite3_finalize(update);
    buf_release(&encoded);
    free(histogram);
}

static void remove_file(void)
{
    unlink(path);
    sqlite3_free(sound);
}

static void prepare(void)
{
    char pragma[80];
    sqlite3 *db;

    if (sqlite3_open(":memory:", &db) != SQLITE_OK) {
        abort();
    }
    execute(db, "PRAGMA page_size = 512");
    execute(db, asset_find("collector/store/sql/0001_init.sql")->bytes);
    snprintf(pragma, sizeof(pragma), "PRAGMA application_id = %d; PRAGMA user_version = %d",
             STORE_APPLICATION_ID, STORE_VERSION);
    execute(db, pragma);
    execute(db, rows);
    add_histogram(db);
    sound = sqlite3_serialize(db, "main", &sound_bytes, 0);
    sqlite3_close(db);
    fd = mkstemp(path);
    if (!sound || fd < 0) {
        abort();
    }
    atexit(remove_file);
}

static void write_all(const void *bytes, size_t length)
{
    if (ftruncate(fd, 0) < 0 || pwrite(fd, bytes, length, 0) != (ssize_t)length) {
        abort();
    }
}

/* Groups of four bytes: three of a place, one of a value. */
static void write_patched(const uint8_t *data, size_t size)
{
    unsigned char *copy = malloc((size_t)sound_bytes);

    if (!copy) {
        abort();
    }
    memcpy(copy, sound, (size_t)sound_bytes);
    for (size_t i = 0; i + 4 <= size; i += 4) {
        size_t place = (size_t)data[i] << 16 | (size_t)data[i + 1] << 8 | data[i + 2];

        copy[place % (size_t)sound_bytes] = data[i + 3];
    }
    write_all(copy, (size_t)sound_bytes);
    free(copy);
}

/* The same file as one that is played again. The sound one's trial is there. */
static void replay(bool is_sound)
{
    static const struct replay_key key = {"a", "ping", 8, 0, 0, ""};
    static const struct grid grid = {500000000, 0, 500000000};
    const struct replay_trial *trial = NULL;
    struct replay_source *source = NULL;
    struct err e;

    if (replay_source_open(path, RESULTS_DB_WHOLE, &source, &e) == ERR_OK &&
        replay_source_load(source, &key, &grid, &trial, &e) == ERR_OK &&
        (trial->sample_count != 2 || trial->samples[0].end_ns != trial->samples[1].start_ns)) {
        abort(); /* what is played lies on the grid */
    }
    if (is_sound && !trial) {
        abort();
    }
    replay_source_close(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct results *results = NULL;
    struct analysis *analysis = NULL;
    struct err e;
    char digest[65];

    if (!sound) {
        prepare();
    }
    if (size >= sizeof(magic) && memcmp(data, magic, sizeof(magic)) == 0) {
        write_all(data, size);
    } else {
        write_patched(data, size);
    }
    if (results_load(path, true, &results, &e) == ERR_OK) {
        if (analysis_make(results, &analysis, &e) == ERR_OK) {
            analysis_free(analysis);
        }
        results_free(results);
        if (results_digest(path, true, digest, &e) != ERR_OK) {
            abort(); /* what loads has a digest */
        }
    } else if (size < 4) {
        abort(); /* the sound file must load */
    }
    replay(size < 4);
    return 0;
}
