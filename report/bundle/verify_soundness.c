// SPDX-License-Identifier: Apache-2.0
// Of stage V10: whether the rows of every session agree with each other and with their plan.
#include <string.h>

#include "engines/base/units.h"
#include "report/bundle/rows_check.h"
#include "report/bundle/verify_work.h"

static void finding_take(void *self, const char *code, const char *text)
{
    verify_add_finding(self, code, "%s", text);
}

static void note_take(void *self, const char *text)
{
    verify_add_note(self, "%s", text);
}

/* What a session lacks by its own word is no finding, and no part of its plan either. */
static enum err_code selection_tell(struct verify_work *work, struct err *e)
{
    const char *only = results_find_fact(work->results, "start", "session.only");
    size_t count = 0;
    enum err_code code = soundness_count_left_out(work->results, &count, e);

    if (code == ERR_OK && count) {
        verify_add_note(work,
                        "run with --only (%.100s): %zu engine%s of the plan, counted in each cell, "
                        "%s no trial",
                        only ? only : "", count, units_word((int64_t)count, "", "s"),
                        units_word((int64_t)count, "has", "have"));
    }
    return code;
}

enum err_code verify_soundness(struct verify_work *work, struct err *e)
{
    const struct results *results = work->results;
    const struct rows_check check = {.results_path = work->results_path,
                                     .program_version = work->config->program_version,
                                     .policy = &work->config->policy,
                                     .tell = finding_take,
                                     .note = note_take,
                                     .self = work};

    rows_check_tell(&check, soundness_pass_get(work->soundness), "");
    enum err_code code = selection_tell(work, e);
    if (code == ERR_OK) {
        code = rows_check_others(&check, results, e);
    }
    /* The report, samples.csv and V11 are about the newest session: of the others this is all. */
    if (code == ERR_OK && results->session_count > 1) {
        verify_add_note(work,
                        "results.db holds %zu sessions; the report, samples.csv and V11 are about "
                        "the newest, %.8s, alone; the rows of the others were held against each "
                        "other and their plans",
                        results->session_count, results->session_uid);
    }
    return code;
}
