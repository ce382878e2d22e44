// SPDX-License-Identifier: Apache-2.0
// What a results file holds from before: an older file, a session to go on with.
#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "collector/store/store_past.h"
#include "tests/support/store_fixture.h"

/* Version 0 is a file that nobody has put a table into yet: the oldest there can be. */
Test(store_past, a_file_of_an_older_version_is_brought_to_this_one)
{
    struct store_fixture fixture;
    struct err e = {0};

    store_fixture_init(&fixture);
    sqlite3 *db = NULL;
    cr_assert_eq(sqlite3_open(fixture.path, &db), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(db, "PRAGMA application_id=1413695559; PRAGMA user_version=0", NULL,
                              NULL, NULL),
                 SQLITE_OK);
    sqlite3_close(db);
    cr_assert_eq(store_fixture_begin(&fixture, &e), ERR_OK, "%s", e.text);
    cr_expect_eq(store_close(fixture.store, &e), ERR_OK);
    cr_expect_str_eq(store_fixture_query(fixture.path, "PRAGMA user_version"), "1\n");
    cr_expect_str_eq(store_fixture_query(fixture.path, "SELECT count(*) FROM session"), "1\n");
    store_fixture_release(&fixture);
}

/* Two sessions of one plan: the newer one, its rows, and which places are done. */
Test(store_past, reads_the_newest_session_of_the_plan)
{
    static const struct store_trial_end end = {.state = "finished", .ended_utc_ns = 1};
    struct store_fixture fixture;
    struct store_past *past = NULL;
    struct err e = {0};
    char digest[80] = "";

    store_fixture_init(&fixture);
    cr_assert_eq(store_fixture_begin(&fixture, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(store_end_trial(fixture.store, fixture.trial_id, &end, &e), ERR_OK);
    cr_assert_eq(store_fixture_add_trial(&fixture, 1, &e), ERR_OK);
    cr_assert_eq(store_add_fact(fixture.store, fixture.session_id, "start", "a", "b", &e), ERR_OK);
    cr_assert_eq(store_add_fact(fixture.store, fixture.session_id, "start", "c", NULL, &e), ERR_OK);
    snprintf(digest, sizeof(digest), "%s",
             store_fixture_query(fixture.path, "SELECT plan_digest FROM session"));
    digest[strcspn(digest, "\n")] = '\0';
    cr_assert_eq(store_past_read(fixture.path, digest, &past, &e), ERR_OK, "%s", e.text);
    cr_expect_eq(past->session_id, fixture.session_id);
    cr_assert_eq(past->places.count, 2);
    cr_expect_eq(past->places.rows[0].numbers[2], 1, "done");
    cr_expect_eq(past->places.rows[1].numbers[1], 1, "tried once");
    cr_expect_eq(past->places.rows[1].numbers[2], 0, "not done");
    cr_expect_eq(past->sitting_count, 1);
    cr_expect_eq(past->engines.rows[0].numbers[0], fixture.engine_id);
    cr_expect_eq(past->cells.rows[0].numbers[0], fixture.cell_id);
    cr_assert_eq(past->facts.count, 2);
    cr_expect_null(past->facts.rows[1].texts[1]);
    store_past_free(past);

    cr_expect_eq(store_past_read(fixture.path, "another", &past, &e), ERR_MISMATCH);
    cr_expect_not_null(past->plan_text, "to say what differs");
    cr_expect_eq(past->places.count, 0);
    store_past_free(past);

    /* What was said at the start stays; what is known at the end is known better later. */
    cr_expect_eq(store_add_fact(fixture.store, fixture.session_id, "start", "a", "x", &e), ERR_DB);
    cr_expect_eq(store_add_fact(fixture.store, fixture.session_id, "end", "a", "1", &e), ERR_OK);
    cr_expect_eq(store_add_fact(fixture.store, fixture.session_id, "end", "a", "2", &e), ERR_OK);
    cr_expect_eq(store_close(fixture.store, &e), ERR_OK);
    cr_expect_str_eq(store_fixture_query(fixture.path,
                                         "SELECT moment, value FROM fact WHERE name = "
                                         "'a' ORDER BY moment"),
                     "end|2\nstart|b\n");
    store_fixture_release(&fixture);
}
