// SPDX-License-Identifier: Apache-2.0
// tables/samples.csv: every sample with its keys, metrics and outcomes; numbers only, so no text
// needs a guard.
#include "report/compose/compose.h"

static void add_integer(struct buf *out, int64_t value)
{
    buf_add_char(out, ',');
    if (value != METRIC_UNKNOWN) {
        buf_add_integer(out, value);
    }
}

static void add_sample(const struct results *results, const struct results_trial *trial,
                       const struct sample *sample, struct buf *out)
{
    buf_add_integer(out, trial->trial_id);
    add_integer(out, results->engines[trial->engine_index].engine_id);
    add_integer(out, results->cells[trial->cell_index].cell_id);
    add_integer(out, sample->index);
    add_integer(out, sample->phase == SAMPLE_PHASE_WINDOW);
    add_integer(out, sample->phase);
    add_integer(out, sample->start_ns);
    add_integer(out, sample->end_ns);
    for (int i = 0; i < METRIC_COUNT; i++) {
        add_integer(out, sample->metrics[i]);
    }
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        add_integer(out, (int64_t)sample->outcomes[i]);
    }
    buf_add_text(out, "\r\n");
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
