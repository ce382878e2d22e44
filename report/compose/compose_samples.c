// SPDX-License-Identifier: Apache-2.0
// tables/samples.csv: every sample with its keys, metrics and outcomes; numbers only, so no text
// needs a guard.
#include "report/compose/compose.h"

#define NUMBERS_MAX (8 + METRIC_COUNT + OUTCOME_COUNT)

static char *put_integer(char *at, int64_t value)
{
    *at++ = ',';
    return value == METRIC_UNKNOWN ? at : buf_put_integer(at, value);
}

static void add_sample(const struct results *results, const struct results_trial *trial,
                       const struct sample *sample, struct buf *out)
{
    char *begin = buf_reserve(out, NUMBERS_MAX * (BUF_INTEGER_BYTES + 1) + 2), *at = begin;

    if (!begin) {
        return;
    }
    at = buf_put_integer(at, trial->trial_id);
    at = put_integer(at, results->engines[trial->engine_index].engine_id);
    at = put_integer(at, results->cells[trial->cell_index].cell_id);
    at = put_integer(at, sample->index);
    at = put_integer(at, sample->phase == SAMPLE_PHASE_WINDOW);
    at = put_integer(at, sample->phase);
    at = put_integer(at, sample->start_ns);
    at = put_integer(at, sample->end_ns);
    for (int i = 0; i < METRIC_COUNT; i++) {
        at = put_integer(at, sample->metrics[i]);
    }
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        at = put_integer(at, (int64_t)sample->outcomes[i]);
    }
    *at++ = '\r';
    *at++ = '\n';
    *at = '\0';
    out->length += (size_t)(at - begin);
}

void compose_samples_head(struct buf *out)
{
    buf_add_text(out, "trial_id,engine_id,cell_id,sample_index,in_window,phase_index,start_ns,"
                      "end_ns");
    for (int i = 0; i < METRIC_COUNT; i++) {
        buf_addf(out, ",%s", metric_infos[i].name);
    }
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        buf_addf(out, ",outcome_%s", outcome_infos[i].name);
    }
    buf_add_text(out, "\r\n");
}

void compose_samples_trial(const struct results *results, size_t trial_index, struct buf *out)
{
    const struct results_trial *trial = &results->trials[trial_index];

    for (size_t i = 0; i < trial->sample_count; i++) {
        add_sample(results, trial, &trial->samples[i], out);
    }
}
