// SPDX-License-Identifier: Apache-2.0
// A recorded verdict that is taken is judged, written and shown, whatever it says of the original.
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/compose/compose_reproduction.h"
#include "report/render/render.h"
#include "report/reproduce/verdict_json.h"
#include "report/reproduce/verdict_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

#define SHA256 "0000000000000000000000000000000000000000000000000000000000000007"

/* The session that was measured: two engines, one cell, one claim about their ratio. */
static struct results_engine engines[] = {
    {.name = "a", .role = "baseline", .binary_sha256 = SHA256},
    {.name = "b", .role = "subject", .binary_sha256 = SHA256}};
static struct results_workload workload = {.name = "w"};
static struct results_cell cell = {.connection_count = 8, .rate_per_s = METRIC_UNKNOWN};
static struct results_fact fact = {"start", "cpu.model", "x"};
static struct results results = {.session_uid = "u",
                                 .state = "finished",
                                 .title = "t",
                                 .plan_digest = SHA256,
                                 .program_version = "0",
                                 .facts = &fact,
                                 .fact_count = 1,
                                 .engines = engines,
                                 .engine_count = 2,
                                 .workloads = &workload,
                                 .workload_count = 1,
                                 .cells = &cell,
                                 .cell_count = 1};
static const struct plan_claim planned = {
    .id = "C1", .kind = PLAN_CLAIM_RATIO, .engines = {"b", "a"}, .engine_count = 2};
static struct claim_part part = {
    .engine_index = 1, .estimate = {1.5, 1.4, 1.6, 8}, .at_least = 1.1, .at_most = (double)NAN};
static struct claim_result claim = {.claim = &planned, .parts = &part, .part_count = 1};

static void state_write(const struct reproduce_state *state)
{
    struct document *document = NULL;
    struct buf text;

    buf_init(&text, (size_t)16 << 20);
    if (verdict_json_format(state, &text, NULL) == ERR_OK) {
        json_t *again = json_loadb(text.bytes, text.length, JSON_REJECT_DUPLICATES, NULL);

        if (!again) {
            abort();
        }
        json_decref(again);
    }
    if (compose_reproduction(state, &document, NULL) == ERR_OK) {
        render_markdown(document, &text);
        document_free(document);
    }
    buf_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    const struct analysis here = {.results = &results, .claims = &claim, .claim_count = 1};
    json_t *document = json_loadb((const char *)bytes, length, JSON_REJECT_DUPLICATES, NULL);
    struct verdict_record *record = NULL;

    if (document && verdict_record_read(document, &here, SHA256, &record, NULL) == ERR_OK) {
        state_write(verdict_record_state(record));
    }
    verdict_record_free(record);
    json_decref(document);
    return 0;
}
