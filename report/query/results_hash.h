// SPDX-License-Identifier: Apache-2.0
// The digest of a results file while its samples are read for something else. Only for
// report/query.
#ifndef REPORT_QUERY_RESULTS_HASH_H
#define REPORT_QUERY_RESULTS_HASH_H

#include <stdbool.h>

#include "collector/sample.h"
#include "collector/store/results_db.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"

struct results_hash;

/* True when all samples of the file are of its only session: then reading that one is enough. */
bool results_hash_fits(const struct results_db *db);

/* Takes in every table before `sample`. The database outlives it. errors as results_digest */
enum err_code results_hash_begin(const struct results_db *db, struct results_hash **hash_out,
                                 struct err *e) ATTR_MUST_USE;
/* A row of `sample`: the caller gives them all in the order of their keys. */
enum err_code results_hash_sample(struct results_hash *hash, int64_t trial_id,
                                  const struct sample *sample, struct err *e) ATTR_MUST_USE;
/* Takes in every table behind `sample`. */
enum err_code results_hash_end(struct results_hash *hash, char hex_out[65],
                               struct err *e) ATTR_MUST_USE;
void results_hash_free(struct results_hash *hash); /* NULL is accepted */

#endif
