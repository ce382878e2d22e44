// SPDX-License-Identifier: Apache-2.0
// A results file for tests.
#include "tests/support/store_fixture.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/fs.h"

#define HEX_64 "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

void store_fixture_init(struct store_fixture *fixture)
{
    *fixture = (struct store_fixture){.folder = "/tmp/test_store.XXXXXX"};
    if (!mkdtemp(fixture->folder)) {
        abort();
    }
    snprintf(fixture->path, sizeof(fixture->path), "%s/results.db", fixture->folder);
}

void store_fixture_release(struct store_fixture *fixture)
{
    if (fs_remove_tree(fixture->folder, NULL) != ERR_OK) {
        abort();
    }
}

enum err_code store_fixture_add_trial(struct store_fixture *fixture, int64_t order_index,
                                      struct err *e)
{
    struct store_trial trial = {.session_id = fixture->session_id,
                                .cell_id = fixture->cell_id,
                                .engine_id = fixture->engine_id,
                                .order_index = order_index,
                                .block_index = METRIC_UNKNOWN,
                                .position_index = METRIC_UNKNOWN,
                                .started_utc_ns = 2000};

    return store_begin_trial(fixture->store, &trial, &fixture->trial_id, e);
}

enum err_code store_fixture_begin(struct store_fixture *fixture, struct err *e)
{
    static const struct store_session session = {.title = "t",
                                                 .plan_text = "title: \"t\"\n",
                                                 .plan_digest = HEX_64,
                                                 .program_version = "0",
                                                 .started_utc_ns = 1000};
    static const struct store_engine engine = {.name = "a",
                                               .role = "baseline",
                                               .kind = "builtin",
                                               .source = "epoll",
                                               .command_json = "[]",
                                               .binary_sha256 = HEX_64,
                                               .thread_count = 3};
    static const struct store_workload workload = {.name = "w",
                                                   .request = {.method = "GET",
                                                               .path = "/",
                                                               .expect_status = 200,
                                                               .expect_body_bytes = METRIC_UNKNOWN},
                                                   .requests_per_connection = 3,
                                                   .pipeline_count = 2};
    enum err_code code = store_open(fixture->path, &fixture->store, e);

    if (code == ERR_OK) {
        code = store_begin_session(fixture->store, &session, &fixture->session_id, e);
    }
    if (code == ERR_OK) {
        code =
            store_add_engine(fixture->store, fixture->session_id, &engine, &fixture->engine_id, e);
    }
    if (code == ERR_OK) {
        code = store_add_workload(fixture->store, fixture->session_id, &workload,
                                  &fixture->workload_id, e);
    }
    if (code == ERR_OK) {
        code = store_add_cell(fixture->store, fixture->workload_id,
                              &(struct store_cell){.connection_count = 125}, &fixture->cell_id, e);
    }
    return code == ERR_OK ? store_fixture_add_trial(fixture, 0, e) : code;
}

void store_fixture_sample(uint32_t index, size_t histogram_bytes, struct sample *sample_out)
{
    static uint8_t histogram[8192];

    *sample_out = (struct sample){.index = index,
                                  .phase = SAMPLE_PHASE_WINDOW,
                                  .start_ns = index * INT64_C(500000000),
                                  .end_ns = (index + 1) * INT64_C(500000000)};
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        sample_out->metrics[i] = (int64_t)(index + i);
    }
    sample_out->outcomes[OUTCOME_OK] = 1000 + index;
    sample_out->outcomes[OUTCOME_TIMEOUT] = 1;
    if (histogram_bytes) {
        memset(histogram, (int)index, sizeof(histogram));
        sample_out->histogram = (struct sample_blob){histogram, histogram_bytes};
    }
}

static void row_append(sqlite3_stmt *statement, char *out, size_t out_bytes)
{
    int count = sqlite3_column_count(statement);

    for (int i = 0; i < count; i++) {
        size_t used = strlen(out);
        const unsigned char *text = sqlite3_column_text(statement, i);

        snprintf(out + used, out_bytes - used, "%s%s", text ? (const char *)text : "",
                 i + 1 < count ? "|" : "\n");
    }
}

const char *store_fixture_query(const char *path, const char *sql)
{
    static char out[65536];
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL);

    out[0] = '\0';
    sqlite3_busy_timeout(db, 5000);
    if (code == SQLITE_OK) {
        code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    }
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(statement);
        if (code == SQLITE_ROW) {
            row_append(statement, out, sizeof(out));
        }
    }
    if (code != SQLITE_DONE) {
        snprintf(out, sizeof(out), "? %s", sqlite3_errmsg(db));
    }
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return out;
}
