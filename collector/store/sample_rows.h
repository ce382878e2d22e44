// SPDX-License-Identifier: Apache-2.0
// The samples of one trial of a results file, checked: for who reads results, and for who plays
// them again.
#ifndef COLLECTOR_STORE_SAMPLE_ROWS_H
#define COLLECTOR_STORE_SAMPLE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "collector/sample.h"
#include "collector/store/row_reader.h"
#include "engines/base/err.h"

struct sample_rows {
    int64_t trial_id;
    /* each as it is read, before its outcomes; NULL: nobody wants it */
    enum err_code (*take)(void *self, int64_t trial_id, const struct sample *sample, struct err *e);
    void *self;
    struct sample *samples; /* in order of index, in the reader's arena */
    size_t count;
};

/* Sets samples and count; what is wrong is the reader's failure. */
void sample_rows_load(struct row_reader *reader, struct sample_rows *rows);

#endif
