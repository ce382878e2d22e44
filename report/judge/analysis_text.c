// SPDX-License-Identifier: Apache-2.0
// Words and sentences for what the analysis says.
#include <stdio.h>

#include "report/judge/analysis.h"

const char *const finding_names[FINDING_KIND_COUNT] = {
    [FINDING_CRASHED] = "crashed",
    [FINDING_INTERRUPTED] = "interrupted",
    [FINDING_FAILED] = "failed",
    [FINDING_NOTHING_MEASURED] = "nothing_measured",
    [FINDING_ERRORS] = "errors",
    [FINDING_CONNECTIONS] = "connections",
    [FINDING_UNSERVED] = "unserved",
    [FINDING_COUNT_MISMATCH] = "count_mismatch",
    [FINDING_FOREIGN_CPU] = "foreign_cpu",
    [FINDING_LITTLE] = "little",
    [FINDING_DRIVER_BOUND] = "driver_bound",
    [FINDING_LISTEN_OVERFLOW] = "listen_overflow",
    [FINDING_SAMPLES_MISSING] = "samples_missing",
    [FINDING_SAMPLE_LATE] = "sample_late",
    [FINDING_PEAK] = "peak",
    [FINDING_DRIVER_LATE] = "driver_late",
    [FINDING_RATE] = "rate_not_reached",
};

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

/* Those without numbers. */
static const char *find_plain(enum finding_kind kind)
{
    switch (kind) {
    case FINDING_CRASHED:
        return "the server ended during the trial";
    case FINDING_INTERRUPTED:
        return "the trial was interrupted";
    case FINDING_FAILED:
        return "the trial could not be carried out";
    case FINDING_NOTHING_MEASURED:
        return "no right answer in the window";
    default:
        return NULL;
    }
}

const char *finding_format(const struct finding *finding, char out[FINDING_TEXT_BYTES])
{
    const char *plain = find_plain(finding->kind);
    double value = finding->value;
    double limit = finding->limit;
    double value_percent = 100 * value;
    double limit_percent = 100 * limit;

#define FORMAT(...) snprintf(out, FINDING_TEXT_BYTES, __VA_ARGS__)
    switch (finding->kind) {
    case FINDING_ERRORS:
        FORMAT("%.2f %% of the requests failed (limit %.2f %%)", value_percent, limit_percent);
        break;
    case FINDING_CONNECTIONS:
        FORMAT("%.0f of %.0f connections were established", value, limit);
        break;
    case FINDING_UNSERVED:
        FORMAT("only %.1f %% of the connections were ever served", value_percent);
        break;
    case FINDING_COUNT_MISMATCH:
        FORMAT("the server counted %+.0f requests against the driver (0 to %.0f can be)", value,
               limit);
        break;
    case FINDING_FOREIGN_CPU:
        FORMAT("other programs took at least %.1f %% of the machine's CPU (limit %.0f %%)",
               value_percent, limit_percent);
        break;
    case FINDING_LITTLE:
        FORMAT("rate times service time is %.1f %% off the connections (limit %.1f %%)",
               value_percent, limit_percent);
        break;
    case FINDING_DRIVER_BOUND:
        FORMAT("the driver was %.0f %% busy (limit %.0f %%) and the server was not: the "
               "rate may be the driver's",
               value_percent, limit_percent);
        break;
    case FINDING_LISTEN_OVERFLOW:
        FORMAT("%.0f connections were dropped because an accept queue was full", value);
        break;
    case FINDING_SAMPLES_MISSING:
        FORMAT("%.0f samples are missing", value);
        break;
    case FINDING_SAMPLE_LATE:
        FORMAT("samples were read up to %.1f ms late (limit %.0f ms for 99 %% of them)",
               value / 1e6, limit / 1e6);
        break;
    case FINDING_PEAK:
        FORMAT("the highest sample is %.2f times the mean (limit %.1f): do not quote it as "
               "throughput",
               value, limit);
        break;
    case FINDING_DRIVER_LATE:
        FORMAT("the driver sent 1 %% of the requests more than %.0f us late (limit %.0f us): "
               "response times contain that",
               value / 1e3, limit / 1e3);
        break;
    case FINDING_RATE:
        FORMAT("%.1f %% of the requests that were due were sent (limit %.0f %%): the server was "
               "asked less than the plan says",
               value_percent, limit_percent);
        break;
    default:
        FORMAT("%s", plain ? plain : "");
        break;
    }
#undef FORMAT
    return out;
}
