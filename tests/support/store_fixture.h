// SPDX-License-Identifier: Apache-2.0
// A results file with one session and one running trial in a folder of its own, for tests.
#ifndef TESTS_SUPPORT_STORE_FIXTURE_H
#define TESTS_SUPPORT_STORE_FIXTURE_H

#include "collector/store/store.h"

struct store_fixture {
    char folder[64];
    char path[96]; /* of the results file, which is not there yet after store_fixture_init */
    struct store *store;
    int64_t session_id, engine_id, workload_id, cell_id, trial_id;
};

/* Makes the folder. Aborts when that fails. */
void store_fixture_init(struct store_fixture *fixture);
/* Removes the folder; the store is closed before. */
void store_fixture_release(struct store_fixture *fixture);

/* Opens the store and adds session, engine, workload, cell and trial 0. */
enum err_code store_fixture_begin(struct store_fixture *fixture, struct err *e) ATTR_MUST_USE;
/* One more trial. */
enum err_code store_fixture_add_trial(struct store_fixture *fixture, int64_t order_index,
                                      struct err *e) ATTR_MUST_USE;

/* A sample whose metrics are index + their number, with two outcomes and a histogram of
 * histogram_bytes bytes (static memory, at most 8192; 0: none). */
void store_fixture_sample(uint32_t index, size_t histogram_bytes, struct sample *sample_out);

/* Opens the file for writing, so that what a killed writer left is put right first. All rows of a
 * query as "a|b\n"; "?" and SQLite's message when it fails. Static memory, valid
 * until the next call; for one thread. */
const char *store_fixture_query(const char *path, const char *sql);

#endif
