// SPDX-License-Identifier: Apache-2.0
// Encodes the histograms of a sample.
#include "collector/run/trial_blobs.h"

#define HISTOGRAM_BYTES (1 << 20)

void trial_blobs_init(struct trial_blobs *blobs)
{
    for (size_t i = 0; i < ARRAY_COUNT(blobs->encoded); i++) {
        buf_init(&blobs->encoded[i], HISTOGRAM_BYTES);
    }
}

void trial_blobs_release(struct trial_blobs *blobs)
{
    for (size_t i = 0; i < ARRAY_COUNT(blobs->encoded); i++) {
        buf_release(&blobs->encoded[i]);
    }
}

static enum err_code blob_make(const struct histogram *histogram, struct buf *encoded,
                               struct sample_blob *blob_out, struct err *e)
{
    if (!histogram || (histogram->total_count == 0 && histogram->overflow_count == 0)) {
        return ERR_OK;
    }
    buf_clear(encoded);
    enum err_code code = histogram_encode(histogram, encoded, e);
    if (code == ERR_OK) {
        *blob_out = (struct sample_blob){(const uint8_t *)encoded->bytes, encoded->length};
    }
    return code;
}

enum err_code trial_blobs_encode(struct trial_blobs *blobs, const struct histogram *histogram,
                                 struct sample_blob *blob_out, struct err *e)
{
    return blob_make(histogram, &blobs->encoded[0], blob_out, e);
}

enum err_code trial_blobs_attach(struct trial_blobs *blobs, const struct histogram *latency,
                                 struct sample *sample, struct err *e)
{
    enum err_code code = blob_make(latency, &blobs->encoded[0], &sample->histogram, e);

    if (code == ERR_OK) {
        code = blob_make(blobs->service, &blobs->encoded[1], &sample->service_histogram, e);
    }
    if (code == ERR_OK) {
        code = blob_make(blobs->lag, &blobs->encoded[2], &sample->lag_histogram, e);
    }
    return code;
}
