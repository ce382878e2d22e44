// SPDX-License-Identifier: Apache-2.0
// Reading and judging in one pass.
#include "report/judge/analysis_load.h"

struct passing {
    struct analysis *analysis;
    const struct results_pass *also;
};

static enum err_code visit_trial(void *self, const struct results *results, size_t trial_index,
                                 struct err *e)
{
    struct passing *passing = self;
    enum err_code code =
        passing->analysis ? ERR_OK : analysis_begin(results, &passing->analysis, e);

    if (code == ERR_OK) {
        code = analysis_add_trial(passing->analysis, trial_index, e);
    }
    if (code == ERR_OK && passing->also->visit) {
        code = passing->also->visit(passing->also->self, results, trial_index, e);
    }
    return code;
}

enum err_code analysis_load(const char *path, bool immutable, const struct results_pass *pass,
                            struct results **results_out, struct analysis **analysis_out,
                            struct err *e)
{
    static const struct results_pass nothing;
    struct passing passing = {.also = pass ? pass : &nothing};
    struct results_pass own = {passing.also->session, visit_trial, &passing,
                               passing.also->digest_hex, passing.also->is_checked};
    struct results *results = NULL;
    enum err_code code = results_load_each(path, immutable, &own, &results, e);

    if (code == ERR_OK && !passing.analysis) { /* a session without trials */
        code = analysis_begin(results, &passing.analysis, e);
    }
    if (code == ERR_OK) {
        code = analysis_finish(passing.analysis, e);
    }
    if (code != ERR_OK) {
        analysis_free(passing.analysis);
        results_free(results);
        return code;
    }
    *results_out = results;
    *analysis_out = passing.analysis;
    return ERR_OK;
}
