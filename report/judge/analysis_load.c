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

static enum err_code finish(void *self, const struct results *results, struct err *e)
{
    struct passing *passing = self;
    /* Without one: a session without trials. */
    enum err_code code =
        passing->analysis ? ERR_OK : analysis_begin(results, &passing->analysis, e);

    return code == ERR_OK ? analysis_finish(passing->analysis, e) : code;
}

enum err_code analysis_load(const char *path, bool immutable, const struct results_pass *pass,
                            struct results **results_out, struct analysis **analysis_out,
                            struct err *e)
{
    static const struct results_pass nothing;
    struct passing passing = {.also = pass ? pass : &nothing};
    const struct results_pass own = {.session = passing.also->session,
                                     .visit = visit_trial,
                                     .finish = finish,
                                     .self = &passing,
                                     .digest_hex = passing.also->digest_hex,
                                     .is_checked = passing.also->is_checked};
    struct results *results = NULL;
    enum err_code code = results_load_each(path, immutable, &own, &results, e);

    if (code != ERR_OK) {
        analysis_free(passing.analysis);
        return code;
    }
    *results_out = results;
    *analysis_out = passing.analysis;
    return ERR_OK;
}
