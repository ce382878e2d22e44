// SPDX-License-Identifier: Apache-2.0
// Samples of a results file. Only for report/query.
#ifndef REPORT_QUERY_RESULTS_SAMPLES_H
#define REPORT_QUERY_RESULTS_SAMPLES_H

#include "collector/store/row_reader.h"
#include "report/query/results.h"
#include "report/query/results_pass.h"

#define RESULTS_MEMORY_BYTES_MAX ((size_t)2 << 30)

/* The samples of every trial, which are loaded: their points stay; the samples stay or, with a
 * visitor, are its own for a while. */
void results_samples_load(struct row_reader *reader, struct results *results,
                          const struct results_pass *pass);

#endif
