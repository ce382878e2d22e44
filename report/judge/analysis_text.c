// SPDX-License-Identifier: Apache-2.0
// Words for what the analysis says.
#include "report/judge/analysis.h"

const char *const verdict_names[] = {
    [VERDICT_NONE] = "NONE",
    [VERDICT_TOO_FEW] = "TOO_FEW",
    [VERDICT_DIFFERENT] = "DIFFERENT",
    [VERDICT_SMALL] = "SMALL",
    [VERDICT_EQUIVALENT] = "EQUIVALENT",
    [VERDICT_INCONCLUSIVE] = "INCONCLUSIVE",
};

const char *const trust_names[] = {
    [TRUST_VALID] = "VALID",
    [TRUST_WARNINGS] = "VALID WITH WARNINGS",
    [TRUST_UNFIT] = "UNFIT",
    [TRUST_NOTHING] = "NOTHING MEASURED",
};

const char *const saturation_names[] = {
    [SATURATION_NEITHER] = "neither", [SATURATION_SERVER] = "server",
    [SATURATION_DRIVER] = "driver",   [SATURATION_BOTH] = "both",
    [SATURATION_UNKNOWN] = "unknown",
};

const char *const claim_word_names[] = {
    [CLAIM_SUPPORTED] = "SUPPORTED",
    [CLAIM_REFUTED] = "REFUTED",
    [CLAIM_INCONCLUSIVE] = "INCONCLUSIVE",
};

const char *analysis_word(const struct analysis *analysis)
{
    bool is_judged = analysis->claim_count > 0 && analysis->trust != TRUST_UNFIT &&
                     analysis->trust != TRUST_NOTHING;

    return is_judged ? claim_word_names[claims_word(analysis)] : trust_names[analysis->trust];
}
