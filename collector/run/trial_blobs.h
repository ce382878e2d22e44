// SPDX-License-Identifier: Apache-2.0
// The histograms of a sample as bytes.
#ifndef COLLECTOR_RUN_TRIAL_BLOBS_H
#define COLLECTOR_RUN_TRIAL_BLOBS_H

#include "collector/driver/histogram.h"
#include "collector/sample.h"
#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"

struct trial_blobs {
    struct buf encoded[3];                 /* latency, service, lag */
    const struct histogram *service, *lag; /* of the interval that was taken last; NULL: none */
};

void trial_blobs_init(struct trial_blobs *blobs);

/* Encodes what is not empty; the sample's bytes are valid until the next call. errors as
 * histogram_encode */
enum err_code trial_blobs_attach(struct trial_blobs *blobs, const struct histogram *latency,
                                 struct sample *sample, struct err *e) ATTR_MUST_USE;

void trial_blobs_release(struct trial_blobs *blobs);

/* One histogram by itself, valid until the next call; an empty one leaves *blob_out as it is.
 * errors as above */
enum err_code trial_blobs_encode(struct trial_blobs *blobs, const struct histogram *histogram,
                                 struct sample_blob *blob_out, struct err *e) ATTR_MUST_USE;

#endif
