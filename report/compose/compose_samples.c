// SPDX-License-Identifier: Apache-2.0
// tables/samples.csv: every sample with its keys, metrics and outcomes; numbers only, so no text
// needs a guard.
#include <inttypes.h>

#include "report/compose/compose.h"

static void add_integer(struct buf *out, int64_t value)
{
    if (value != METRIC_UNKNOWN) {
        buf_addf(out, ",%" PRId64, value);
    } else {
        buf_add_char(out, ',');
    }
}

static void add_sample(const struct results *results, const struct results_trial *trial,
                       const struct sample *sample, struct buf *out)
{
    buf_addf(out, "%" PRId64 ",%" PRId64 ",%" PRId64 ",%u,%d", trial->trial_id,
             results->engines[trial->engine_index].engine_id,
             results->cells[trial->cell_index].cell_id, (unsigned)sample->index,
             sample->phase == SAMPLE_PHASE_WINDOW);
    add_integer(out, sample->phase);
    add_integer(out, sample->start_ns);
    add_integer(out, sample->end_ns);
    for (int i = 0; i < METRIC_COUNT; i++) {
        add_integer(out, sample->metrics[i]);
    }
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        buf_addf(out, ",%" PRIu64, sample->outcomes[i]);
    }
    buf_add_text(out, "\r\n");
}

void compose_samples_csv(const struct results *results, struct buf *out)
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
    for (size_t i = 0; i < results->trial_count; i++) {
        for (size_t k = 0; k < results->trials[i].sample_count; k++) {
            add_sample(results, &results->trials[i], &results->trials[i].samples[k], out);
        }
    }
}
