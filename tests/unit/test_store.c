// SPDX-License-Identifier: Apache-2.0
// The results file: what is stored is there, what cannot be stored is told, what is no results file
// stays as it is.
#include <criterion/criterion.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include "collector/asset.h"
#include "collector/digest.h"
#include "collector/store/store_queue.h"
#include "engines/base/fs.h"
#include "tests/support/store_fixture.h"

static const struct tls_total tls = {.version = "TLSv1.3",
                                     .cipher = "TLS_X",
                                     .full_count = 3,
                                     .resumed_count = 2,
                                     .handshake_ns = 7};
static const struct store_trial_end good_end = {
    "finished", NULL, "signal 15", 3000, 17, 125, 124, 123, 99, METRIC_UNKNOWN, 1500000, &tls};

static void fixture_begin(struct store_fixture *fixture)
{
    struct err e = {0};

    store_fixture_init(fixture);
    cr_assert_eq(store_fixture_begin(fixture, &e), ERR_OK, "%s", e.text);
}

static void sample_queue(struct store_fixture *fixture, uint32_t index, size_t histogram_bytes)
{
    struct sample sample;
    struct err e = {0};

    store_fixture_sample(index, histogram_bytes, &sample);
    cr_assert_eq(store_queue_sample(fixture->store, fixture->trial_id, &sample, &e), ERR_OK, "%s",
                 e.text);
}

static const char *query(const struct store_fixture *fixture, const char *sql)
{
    return store_fixture_query(fixture->path, sql);
}

Test(store, what_is_stored_is_there)
{
    struct store_fixture fixture;
    struct err e = {0};
    struct sample unknown;

    fixture_begin(&fixture);
    sample_queue(&fixture, 0, 3);
    store_fixture_sample(1, 0, &unknown);
    unknown.phase = SAMPLE_PHASE_DRAIN;
    unknown.metrics[METRIC_server_rss_kib] = METRIC_UNKNOWN;
    unknown.outcomes[OUTCOME_OK] = 0;
    cr_expect_eq(store_queue_sample(fixture.store, fixture.trial_id, &unknown, &e), ERR_OK);
    cr_expect_eq(store_queue_event(fixture.store, fixture.session_id, METRIC_UNKNOWN, 5, "info",
                                   "preflight", "of the session", &e),
                 ERR_OK);
    cr_expect_eq(store_queue_event(fixture.store, fixture.session_id, fixture.trial_id, 6, "error",
                                   "server_crashed", "of the trial", &e),
                 ERR_OK);
    cr_expect_eq(store_add_fact(fixture.store, fixture.session_id, "start", "cpu.model", "x", &e),
                 ERR_OK);
    cr_expect_eq(store_add_fact(fixture.store, fixture.session_id, "end", "cpu.model", NULL, &e),
                 ERR_OK);
    cr_expect_eq(store_end_trial(fixture.store, fixture.trial_id, &good_end, &e), ERR_OK, "%s",
                 e.text);
    cr_expect_eq(store_end_session(fixture.store, fixture.session_id, "finished", NULL, 4000, &e),
                 ERR_OK);
    cr_expect_eq(store_close(fixture.store, &e), ERR_OK, "%s", e.text);

    cr_expect_str_eq(query(&fixture, "SELECT state, reason, title, plan_text, program_version, "
                                     "started_utc_ns, ended_utc_ns FROM session"),
                     "finished||t|title: \"t\"\n|0|1000|4000\n");
    cr_expect_str_eq(query(&fixture, "SELECT name, role, kind, source, thread_count, command FROM "
                                     "engine"),
                     "a|baseline|builtin|epoll|3|[]\n");
    cr_expect_str_eq(query(&fixture, "SELECT name, is_calibration, method, path, body_bytes, "
                                     "expect_status, expect_body_bytes, pipeline_count, "
                                     "requests_per_connection, connection_count FROM "
                                     "workload JOIN cell USING (workload_id)"),
                     "w|0|GET|/|0|200||2|3|125\n");
    cr_expect_str_eq(query(&fixture, "SELECT order_index, attempt_index, block_index, state, "
                                     "reason, started_utc_ns, ended_utc_ns, ready_ns, "
                                     "connections_requested, connections_established, "
                                     "connections_served, started_count, server_request_count, "
                                     "server_exit, recover_ns, tls_version, tls_cipher, "
                                     "tls_full_count, tls_resumed_count, tls_handshake_ns FROM "
                                     "trial"),
                     "0|0||finished||2000|3000|17|125|124|123|99||signal 15|1500000|TLSv1.3|TLS_X|"
                     "3|2|7\n");
    /* the fixture's metrics are index + place in metrics.def; server_rss_kib is the 25th */
    cr_expect_str_eq(query(&fixture, "SELECT sample_index, phase, start_ns, end_ns, started_count, "
                                     "ok_count, server_rss_kib, hex(histogram) FROM sample"),
                     "0|window|0|500000000|0|1|25|000000\n"
                     "1|drain|500000000|1000000000|1|2||\n");
    cr_expect_str_eq(query(&fixture, "SELECT sample_index, kind, count FROM outcome"),
                     "0|ok|1000\n0|timeout|1\n1|timeout|1\n");
    cr_expect_str_eq(query(&fixture, "SELECT trial_id, at_utc_ns, severity, kind, text FROM event"),
                     "|5|info|preflight|of the session\n1|6|error|server_crashed|of the trial\n");
    cr_expect_str_eq(query(&fixture, "SELECT moment, name, value FROM fact ORDER BY moment DESC"),
                     "start|cpu.model|x\nend|cpu.model|\n");
    cr_expect_str_eq(query(&fixture, "PRAGMA journal_mode"), "delete\n");
    store_fixture_release(&fixture);
}

/* A name cut in the middle of a character, a path of any bytes: the reader refuses text that is no
 * UTF-8, and with it the whole file. */
Test(store, stores_no_text_that_is_not_utf8)
{
    struct store_fixture fixture;
    struct store_trial_end end = good_end;
    struct err e = {0};

    fixture_begin(&fixture);
    end.state = "failed";
    end.reason = "\u6f22\xe6\xbc: cut";
    cr_expect_eq(store_queue_event(fixture.store, fixture.session_id, METRIC_UNKNOWN, 5, "error",
                                   "failed", "/tmp/\xff/x", &e),
                 ERR_OK);
    cr_expect_eq(store_end_trial(fixture.store, fixture.trial_id, &end, &e), ERR_OK);
    cr_expect_eq(store_close(fixture.store, &e), ERR_OK, "%s", e.text);
    cr_expect_str_eq(query(&fixture, "SELECT reason FROM trial"), "\u6f22??: cut\n");
    cr_expect_str_eq(query(&fixture, "SELECT text FROM event"), "/tmp/?/x\n");
    store_fixture_release(&fixture);
}

Test(store, leaves_one_file_behind)
{
    static const char *const others[] = {"-wal", "-shm", "-journal", "-lock", ".new"};
    struct store_fixture fixture;
    char path[128];

    fixture_begin(&fixture);
    cr_expect_str_eq(store_journal_mode(fixture.store), "wal");
    sample_queue(&fixture, 0, 100);
    cr_expect_eq(store_close(fixture.store, NULL), ERR_OK);
    cr_expect(fs_exists(fixture.path));
    for (size_t i = 0; i < ARRAY_COUNT(others); i++) {
        snprintf(path, sizeof(path), "%s%s", fixture.path, others[i]);
        cr_expect_not(fs_exists(path), "%s", path);
    }
    cr_expect_eq(store_close(NULL, NULL), ERR_OK);
    store_fixture_release(&fixture);
}

/* D12: two sessions of one plan in the same second. */
Test(store, a_second_session_joins_the_file_under_another_id)
{
    struct store_fixture fixture;
    struct err e = {0};

    fixture_begin(&fixture);
    cr_expect_eq(store_close(fixture.store, &e), ERR_OK);
    cr_assert_eq(store_fixture_begin(&fixture, &e), ERR_OK, "%s", e.text);
    cr_expect_eq(fixture.session_id, 2);
    cr_expect_eq(store_close(fixture.store, &e), ERR_OK);
    cr_expect_str_eq(query(&fixture, "SELECT count(DISTINCT session_uid) FROM session"), "2\n");
    store_fixture_release(&fixture);
}

Test(store, the_schema_is_the_golden_one)
{
    struct store_fixture fixture;
    struct buf want;
    struct err e = {0};

    fixture_begin(&fixture);
    cr_expect_eq(store_close(fixture.store, &e), ERR_OK);
    buf_init(&want, 1 << 20);
    cr_assert_eq(fs_read_file("tests/golden/schema.want", &want, &e), ERR_OK, "%s", e.text);
    cr_expect_str_eq(query(&fixture, "SELECT sql || ';' FROM sqlite_schema WHERE sql IS NOT NULL "
                                     "ORDER BY rowid"),
                     want.bytes);
    cr_expect_str_eq(query(&fixture, "PRAGMA user_version"), "1\n");
    cr_expect_str_eq(query(&fixture, "PRAGMA application_id"), "1413695559\n"); /* 0x54434847 */
    buf_release(&want);
    store_fixture_release(&fixture);
}

Test(store, the_columns_of_a_sample_are_those_of_metrics_def)
{
    struct store_fixture fixture;
    char want[4096] = "trial_id\nsample_index\nphase\nstart_ns\nend_ns\n";

    fixture_begin(&fixture);
    cr_expect_eq(store_close(fixture.store, NULL), ERR_OK);
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        strcat(strcat(want, metric_infos[i].name), "\n");
    }
    strcat(want, "histogram\nservice_histogram\nlag_histogram\n");
    cr_expect_str_eq(query(&fixture, "SELECT name FROM pragma_table_info('sample')"), want);
    store_fixture_release(&fixture);
}

Test(store, every_sql_file_fits_the_schema)
{
    struct store_fixture fixture;
    size_t count = 0;
    sqlite3 *db = NULL;

    fixture_begin(&fixture);
    cr_expect_eq(store_close(fixture.store, NULL), ERR_OK);
    cr_assert_eq(sqlite3_open(fixture.path, &db), SQLITE_OK);
    for (const struct asset *asset = assets; asset->name; asset++) {
        const char *end = strrchr(asset->name, '.');
        const char *rest = asset->bytes;

        if (!end || strcmp(end, ".sql") != 0 || strstr(asset->name, "/0001_")) {
            continue;
        }
        while (*rest) {
            sqlite3_stmt *statement = NULL;
            cr_expect_eq(sqlite3_prepare_v2(db, rest, -1, &statement, &rest), SQLITE_OK, "%s: %s",
                         asset->name, sqlite3_errmsg(db));
            sqlite3_finalize(statement);
        }
        count++;
    }
    sqlite3_close(db);
    cr_expect_geq(count, 7); /* those of the store */
    store_fixture_release(&fixture);
}

Test(store, a_second_writer_is_told_so_and_may_come_later)
{
    struct store_fixture fixture;
    struct store *second = NULL;
    struct err e = {0};

    fixture_begin(&fixture);
    cr_expect_eq(store_open(fixture.path, &second, &e), ERR_USAGE);
    cr_expect_not_null(strstr(e.text, "in use by another writer"), "%s", e.text);
    cr_expect_null(second);
    sample_queue(&fixture, 0, 10);
    cr_expect_eq(store_close(fixture.store, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(store_open(fixture.path, &second, &e), ERR_OK, "%s", e.text);
    cr_expect_eq(store_close(second, &e), ERR_OK);
    cr_expect_str_eq(query(&fixture, "SELECT count(*) FROM sample"), "1\n");
    store_fixture_release(&fixture);
}

Test(store, what_still_ran_is_aborted_at_the_next_opening)
{
    struct store_fixture fixture;
    struct store *store = NULL;
    struct err e = {0};

    fixture_begin(&fixture);
    cr_expect_eq(store_close(fixture.store, &e), ERR_OK);
    cr_expect_str_eq(query(&fixture, "SELECT state FROM trial"), "running\n");
    cr_assert_eq(store_open(fixture.path, &store, &e), ERR_OK);
    cr_expect_eq(store_close(store, &e), ERR_OK);
    cr_expect_str_eq(query(&fixture, "SELECT state, reason FROM trial UNION ALL "
                                     "SELECT state, reason FROM session"),
                     "aborted|the program ended without a word\n"
                     "aborted|the program ended without a word\n");
    store_fixture_release(&fixture);
}

/* D10: a file system without shared memory; SQLite's VFS "unix-dotfile" has none. */
Test(store, without_shared_memory_the_journal_is_delete)
{
    struct store_fixture fixture;
    struct err e = {0};

    cr_assert_eq(sqlite3_vfs_register(sqlite3_vfs_find("unix-dotfile"), 1), SQLITE_OK);
    fixture_begin(&fixture);
    cr_expect_str_eq(store_journal_mode(fixture.store), "delete");
    sample_queue(&fixture, 0, 10);
    cr_expect_eq(store_end_trial(fixture.store, fixture.trial_id, &good_end, &e), ERR_OK);
    cr_expect_eq(store_close(fixture.store, &e), ERR_OK, "%s", e.text);
    cr_expect_str_eq(query(&fixture, "SELECT count(*) FROM sample"), "1\n");
    store_fixture_release(&fixture);
}

Test(store, a_row_that_is_refused_leaves_the_store_in_order)
{
    struct store_fixture fixture;
    struct err e = {0};

    fixture_begin(&fixture);
    cr_expect_eq(store_add_cell(fixture.store, fixture.workload_id,
                                &(struct store_cell){.connection_count = 125}, &fixture.cell_id,
                                &e),
                 ERR_DB);
    cr_expect_not_null(strstr(e.text, "UNIQUE constraint failed: index 'cell_point'"), "%s",
                       e.text);
    cr_expect_eq(store_end_trial(fixture.store, 99, &good_end, &e), ERR_DB);
    cr_expect_not_null(strstr(e.text, "no such row"), "%s", e.text);
    cr_expect_eq(store_end_session(fixture.store, fixture.session_id, "done", NULL, 1, &e), ERR_DB);
    cr_expect_not_null(strstr(e.text, "CHECK constraint failed"), "%s", e.text);
    sample_queue(&fixture, 0, 10);
    cr_expect_eq(store_end_trial(fixture.store, fixture.trial_id, &good_end, &e), ERR_OK);
    cr_expect_eq(store_end_trial(fixture.store, fixture.trial_id, &good_end, &e), ERR_DB,
                 "ended twice");
    cr_expect_eq(store_close(fixture.store, &e), ERR_OK, "%s", e.text);
    store_fixture_release(&fixture);
}

/* One write of the queue fails: the trial cannot have all its samples. */
Test(store, a_trial_that_lost_a_sample_does_not_end_as_finished)
{
    struct store_fixture fixture;
    struct sample sample;
    struct err e = {0};

    fixture_begin(&fixture);
    sample_queue(&fixture, 0, 10);
    cr_expect_eq(store_add_fact(fixture.store, fixture.session_id, "start", "a", "b", &e), ERR_OK,
                 "waits for the sample");
    sample_queue(&fixture, 0, 10); /* the same index again: UNIQUE refuses it */
    cr_expect_eq(store_end_trial(fixture.store, fixture.trial_id, &good_end, &e), ERR_DB);
    cr_expect_not_null(strstr(e.text, "UNIQUE constraint failed: sample"), "%s", e.text);
    store_fixture_sample(1, 10, &sample);
    cr_expect_eq(store_queue_sample(fixture.store, fixture.trial_id, &sample, &e), ERR_DB);
    cr_expect_eq(store_fixture_add_trial(&fixture, 1, &e), ERR_DB);
    cr_expect_eq(store_end_session(fixture.store, fixture.session_id, "finished", NULL, 9, &e),
                 ERR_DB);
    cr_expect_eq(store_close(fixture.store, &e), ERR_DB);
    cr_expect_str_eq(query(&fixture, "SELECT state FROM trial UNION ALL SELECT state FROM session"),
                     "failed\nfailed\n");
    cr_expect_str_eq(query(&fixture, "SELECT (SELECT count(*) FROM sample), reason LIKE '%UNIQUE%' "
                                     "FROM trial"),
                     "1|1\n");
    store_fixture_release(&fixture);
}

/* The row of the sample is written before those of its outcomes, of which the last is refused. */
Test(store, a_sample_is_stored_whole_or_not_at_all)
{
    struct store_fixture fixture;
    struct sample sample;
    struct err e = {0};

    fixture_begin(&fixture);
    store_fixture_sample(0, 10, &sample);
    sample.outcomes[OUTCOME_IN_FLIGHT_AT_END] = UINT64_MAX;
    cr_expect_eq(store_queue_sample(fixture.store, fixture.trial_id, &sample, &e), ERR_OK);
    cr_expect_eq(store_close(fixture.store, &e), ERR_DB);
    cr_expect_not_null(strstr(e.text, "CHECK constraint failed: count > 0"), "%s", e.text);
    cr_expect_str_eq(query(&fixture, "SELECT (SELECT count(*) FROM sample), "
                                     "(SELECT count(*) FROM outcome)"),
                     "0|0\n");
    store_fixture_release(&fixture);
}

/* --- a full disk (D04) --------------------------------------------------------------------- */

static void full_disk_check(struct store_fixture *fixture)
{
    struct err e = {0};
    struct err told = {0};
    enum err_code code = ERR_OK;
    uint32_t index = 0;
    struct store *again = NULL;
    char count[32];

    cr_assert_eq(store_fixture_begin(fixture, &e), ERR_OK, "%s", e.text);
    for (; index < 2000 && code == ERR_OK; index++) {
        struct sample sample;

        store_fixture_sample(index, 4000, &sample);
        code = store_queue_sample(fixture->store, fixture->trial_id, &sample, &e);
    }
    cr_expect_eq(store_end_trial(fixture->store, fixture->trial_id, &good_end, &told), ERR_DB);
    cr_expect_not_null(strstr(told.text, fixture->path), "%s", told.text);
    cr_expect_eq(store_end_session(fixture->store, fixture->session_id, "finished", NULL, 1, &e),
                 ERR_DB);
    cr_expect_eq(store_close(fixture->store, &e), ERR_DB);
    cr_expect_str_eq(e.text, told.text);
    /* Where not even the few bytes of the reason fit, the next to open the file marks it aborted.
     */
    cr_expect_str_eq(query(fixture, "SELECT state IN ('running', 'failed') FROM trial"), "1\n");
    cr_expect_str_eq(query(fixture, "PRAGMA integrity_check"), "ok\n");
    cr_expect_str_eq(query(fixture, "SELECT count(*) FROM trial WHERE state = 'finished'"), "0\n");
    snprintf(count, sizeof(count), "%s", query(fixture, "SELECT count(*) FROM sample"));
    cr_expect_lt(strtoul(count, NULL, 10), index);
    cr_expect_gt(strtoul(count, NULL, 10), 0);
    cr_expect_str_eq(query(fixture, "SELECT count(*) - max(sample_index) - 1 FROM sample"), "0\n",
                     "no gap, none twice");
    if (store_open(fixture->path, &again, &e) == ERR_OK) {
        cr_expect_eq(store_close(again, &e), ERR_OK);
    } else {
        cr_expect_eq(e.code, ERR_DB, "%s", e.text);
    }
    cr_expect_str_eq(query(fixture, "PRAGMA integrity_check"), "ok\n");
}

Test(store, a_file_that_may_not_grow_keeps_what_was_committed)
{
    struct store_fixture fixture;
    struct rlimit limit = {.rlim_cur = 2 << 20, .rlim_max = RLIM_INFINITY};

    store_fixture_init(&fixture);
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    full_disk_check(&fixture);
    store_fixture_release(&fixture);
}

/* A small disk of its own, where this process may make one. */
Test(store, a_full_disk_keeps_what_was_committed)
{
    struct store_fixture fixture;

    store_fixture_init(&fixture);
    if (unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
        mount("tmpfs", fixture.folder, "tmpfs", 0, "size=4m") == 0) {
        full_disk_check(&fixture);
        cr_expect_eq(umount2(fixture.folder, MNT_DETACH), 0);
    } else {
        cr_skip_test("no permission to mount");
    }
    store_fixture_release(&fixture);
}

/* --- the queue ----------------------------------------------------------------------------- */

static struct store_job *job_new(size_t bytes, int kind)
{
    struct store_job *job = calloc(1, sizeof(*job));

    cr_assert_not_null(job);
    job->bytes = bytes;
    job->kind = kind;
    return job;
}

Test(store_queue, keeps_order_and_never_holds_more_than_its_limit)
{
    struct store_queue queue;
    struct store_job *refused = job_new(1, 3);
    struct store_job waited = {.is_waited = true};
    struct err e = {0};

    store_queue_init(&queue, 100);
    cr_expect_eq(store_queue_push(&queue, job_new(60, 1), &e), ERR_OK);
    cr_expect_eq(store_queue_push(&queue, job_new(40, 2), &e), ERR_OK);
    cr_expect_eq(store_queue_push(&queue, refused, &e), ERR_LIMIT);
    cr_expect_str_eq(e.text,
                     "100 bytes wait to be written, the limit is 100: the disk stands still");
    cr_expect_eq(store_queue_push(&queue, &waited, &e), ERR_OK, "holds no memory");

    struct store_job *jobs = store_queue_take(&queue);
    struct store_job *second = jobs->next;
    cr_expect_eq(jobs->kind, 1);
    cr_expect_eq(second->kind, 2);
    cr_expect_eq(second->next, &waited);
    cr_expect_eq(store_queue_push(&queue, refused, &e), ERR_LIMIT, "taken is not yet written");
    store_queue_finish(&queue, jobs);
    cr_expect_eq(store_queue_push(&queue, refused, &e), ERR_OK);
    store_queue_finish(&queue, second);
    store_queue_finish(&queue, &waited);
    store_queue_wait(&queue, &waited);
    store_queue_close(&queue);
    store_queue_finish(&queue, store_queue_take(&queue));
    cr_expect_null(store_queue_take(&queue), "closed and empty");
    store_queue_release(&queue);
}

Test(store_queue, tells_the_first_failure_to_everyone_after_it)
{
    struct store_queue queue;
    struct store_job *job = job_new(1, 0);
    struct err first = {.code = ERR_DB, .text = "the disk is full"};
    struct err second = {.code = ERR_DB, .text = "again"};
    struct err e = {0};

    store_queue_init(&queue, 100);
    cr_expect_eq(store_queue_check(&queue, &e), ERR_OK);
    store_queue_fail(&queue, &first);
    store_queue_fail(&queue, &second);
    cr_expect_eq(store_queue_push(&queue, job, &e), ERR_DB);
    cr_expect_str_eq(e.text, "the disk is full");
    free(job);
    store_queue_release(&queue);
}
