// SPDX-License-Identifier: Apache-2.0
// What came of a session.
#include "report/run_outcome.h"

#include <stdio.h>
#include <string.h>

#include "collector/digest.h"
#include "report/judge/analysis_load.h"
#include "report/query/session_list.h"

/* What others do, or the machine, and no server. */
static bool is_of_machine(enum finding_kind kind)
{
    switch (kind) {
    case FINDING_FOREIGN_CPU:
    case FINDING_STEAL:
    case FINDING_THROTTLED:
    case FINDING_THERMAL:
    case FINDING_SWAPPING:
    case FINDING_PACKETS_DROPPED:
    case FINDING_SAMPLES_MISSING:
    case FINDING_SAMPLE_LATE:
        return true;
    default:
        return false;
    }
}

/* The finding that tells most: one of the machine, else the first; NULL: only warnings. */
static const struct finding *find_reason(const struct trial_summary *summary)
{
    const struct finding *reason = NULL;

    for (size_t i = 0; i < summary->finding_count; i++) {
        const struct finding *finding = &summary->findings[i];

        if (finding->invalidates &&
            (!reason || (is_of_machine(finding->kind) && !is_of_machine(reason->kind)))) {
            reason = finding;
        }
    }
    return reason;
}

/* The last attempt of a place, of an engine that the plan names. */
static bool is_under_test(const struct results *results, size_t index)
{
    const struct results_trial *trial = &results->trials[index];
    const struct results_cell *cell = &results->cells[trial->cell_index];
    bool is_last = index + 1 == results->trial_count ||
                   results->trials[index + 1].order_index != trial->order_index;

    return is_last && strcmp(results->engines[trial->engine_index].role, "limit") != 0 &&
           !results->workloads[cell->workload_index].is_replay;
}

enum run_outcome run_outcome_of(const struct analysis *analysis,
                                char text_out[RUN_OUTCOME_TEXT_BYTES])
{
    const struct results *results = analysis->results;
    const struct finding *first = NULL;
    size_t first_index = 0, count = 0, machine_count = 0;
    char why[FINDING_TEXT_BYTES] = "";

    for (size_t i = 0; i < results->trial_count; i++) {
        if (!is_under_test(results, i)) {
            continue;
        }
        if (analysis->trials[i].valid) {
            return RUN_OUTCOME_MEASURED;
        }
        const struct finding *reason = find_reason(&analysis->trials[i]);

        if (count++ == 0) {
            first = reason;
            first_index = i;
        }
        machine_count += reason && is_of_machine(reason->kind);
    }
    if (count == 0) {
        return RUN_OUTCOME_MEASURED;
    }
    snprintf(text_out, RUN_OUTCOME_TEXT_BYTES, "none of %zu trials is counted%s%.80s%s%s", count,
             first ? ", the first of them (" : "",
             first ? results->engines[results->trials[first_index].engine_index].name : "",
             first ? "): " : "", first ? finding_format(first, why) : "");
    return machine_count == count ? RUN_OUTCOME_DISTURBED : RUN_OUTCOME_NOTHING;
}

/* With what the id of the plan's newest session begins. */
static enum err_code session_find(const char *results_path, const struct plan *plan,
                                  char uid_out[64], struct err *e)
{
    struct session_list *list = NULL;
    char digest[DIGEST_HEX_BYTES];
    enum err_code code = plan_digest(plan, digest, e);

    if (code == ERR_OK) {
        code = session_list_load(results_path, false, &list, e);
    }
    if (code != ERR_OK) {
        return code;
    }
    for (size_t i = 0; i < list->count; i++) {
        const struct session_entry *entry = &list->entries[i];

        if (entry->uid && entry->plan_digest && strcmp(entry->plan_digest, digest) == 0) {
            snprintf(uid_out, 64, "%s", entry->uid);
        }
    }
    session_list_free(list);
    return ERR_OK;
}

enum err_code run_outcome_load(const char *results_path, const struct plan *plan,
                               enum run_outcome *outcome_out, char text_out[RUN_OUTCOME_TEXT_BYTES],
                               struct err *e)
{
    char uid[64] = "";
    const struct results_pass pass = {.session = uid};
    struct results *results = NULL;
    struct analysis *analysis = NULL;
    enum err_code code = session_find(results_path, plan, uid, e);

    if (code == ERR_OK) {
        code = analysis_load(results_path, false, &pass, &results, &analysis, e);
    }
    if (code == ERR_OK) {
        *outcome_out = run_outcome_of(analysis, text_out);
        analysis_free(analysis);
        results_free(results);
    }
    return code;
}
