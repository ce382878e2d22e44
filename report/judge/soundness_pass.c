// SPDX-License-Identifier: Apache-2.0
// The session's own rows with its first trial, then trial by trial.
#include "report/judge/soundness_pass.h"

#include <stdlib.h>

#include "report/judge/soundness_samples.h"

struct soundness_pass {
    struct soundness soundness;
    struct soundness_samples *samples;
    bool has_begun; /* the session's own rows are checked */
};

enum err_code soundness_pass_new(const char *program_version, struct soundness_pass **pass_out,
                                 struct err *e)
{
    struct soundness_pass *pass = calloc(1, sizeof(*pass));

    if (pass) {
        pass->samples = soundness_samples_new();
    }
    if (!pass || !pass->samples) {
        free(pass);
        return err_set(e, ERR_LIMIT, "no memory for what a session's rows say");
    }
    pass->soundness.program_version = program_version;
    *pass_out = pass;
    return ERR_OK;
}

void soundness_pass_free(struct soundness_pass *pass)
{
    if (pass) {
        soundness_samples_free(pass->samples);
        free(pass);
    }
}

enum err_code soundness_pass_end(struct soundness_pass *pass, const struct results *results,
                                 struct err *e)
{
    if (pass->has_begun) {
        return ERR_OK;
    }
    pass->has_begun = true;
    return soundness_check_session(results, &pass->soundness, e);
}

enum err_code soundness_pass_visit(void *self, const struct results *results, size_t trial_index,
                                   struct err *e)
{
    struct soundness_pass *pass = self;
    enum err_code code = soundness_pass_end(pass, results, e);

    if (code == ERR_OK) {
        soundness_check_trial(&results->trials[trial_index], &pass->soundness);
        code = soundness_check_samples(pass->samples, results, trial_index, &pass->soundness, e);
    }
    return code;
}

const struct soundness *soundness_pass_get(const struct soundness_pass *pass)
{
    return &pass->soundness;
}

enum err_code soundness_load(const char *path, bool immutable, const char *program_version,
                             const struct results_pass *how, struct soundness_pass **pass_out,
                             struct err *e)
{
    struct soundness_pass *pass = NULL;
    struct results *results = NULL;
    enum err_code code = soundness_pass_new(program_version, &pass, e);

    if (code != ERR_OK) {
        return code;
    }
    const struct results_pass own = {.session = how->session,
                                     .visit = soundness_pass_visit,
                                     .self = pass,
                                     .is_checked = how->is_checked};
    code = results_load_each(path, immutable, &own, &results, e);
    if (code == ERR_OK) {
        code = soundness_pass_end(pass, results, e);
        results_free(results);
    }
    if (code == ERR_OK) {
        *pass_out = pass;
    } else {
        soundness_pass_free(pass);
    }
    return code;
}
