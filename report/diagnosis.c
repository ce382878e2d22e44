// SPDX-License-Identifier: Apache-2.0
// What tacho doctor found: the rows of what it measured.
#include "report/diagnosis.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "engines/base/units.h"
#include "report/judge/comparisons.h"

#define CLOCK_COST_NS_MAX 100.0
#define VARIATION_MAX     0.02

static const char clock_fix[] =
    "choose another: /sys/devices/system/clocksource/clocksource0/available_clocksource";

static void rows_count(struct diagnosis *diagnosis)
{
    diagnosis->warning_count = diagnosis->refusal_count = 0;
    for (size_t i = 0; i < diagnosis->row_count; i++) {
        const struct preflight_row *row = &diagnosis->rows[i];

        diagnosis->refusal_count += row->is_violated && row->consequence == PREFLIGHT_REFUSE;
        diagnosis->warning_count += row->is_violated && row->consequence != PREFLIGHT_REFUSE;
    }
}

static struct preflight_row *row_add(struct diagnosis *diagnosis, const char *name,
                                     const char *title, bool is_violated,
                                     enum preflight_consequence consequence)
{
    struct preflight_row *row = &diagnosis->rows[diagnosis->row_count++];

    *row = (struct preflight_row){.name = name,
                                  .title = title,
                                  .is_violated = is_violated,
                                  .is_known = true,
                                  .consequence = consequence};
    return row;
}

void diagnosis_add_preflight(struct diagnosis *diagnosis, const struct preflight_input *input)
{
    diagnosis->row_count = preflight_list(input, diagnosis->is_strict, diagnosis->rows);
    diagnosis->noise = (struct doctor_noise){.sd = (double)NAN};
    diagnosis->outlook = (struct doctor_outlook){(double)NAN, (double)NAN};
    rows_count(diagnosis);
}

void diagnosis_add_clock(struct diagnosis *diagnosis, const struct burn_in_clock *clock)
{
    struct preflight_row *row;

    diagnosis->clock = *clock;
    row = row_add(diagnosis, "clock_backward", "the clock never steps back",
                  clock->backward_count > 0, PREFLIGHT_REFUSE);
    snprintf(row->value, sizeof(row->value), "%" PRIu64 " step%s back", clock->backward_count,
             units_word((int64_t)clock->backward_count, "", "s"));
    snprintf(row->threshold, sizeof(row->threshold), "none");
    row->why = "a latency would come out too small, or below zero";
    row->fix = clock_fix;
    row = row_add(diagnosis, "clock_cost", "reading the clock", clock->cost_ns > CLOCK_COST_NS_MAX,
                  PREFLIGHT_WARN);
    snprintf(row->value, sizeof(row->value), "takes %.0f ns, in steps of %" PRId64 " ns",
             clock->cost_ns, clock->resolution_ns);
    snprintf(row->threshold, sizeof(row->threshold), "at most %.0f ns", CLOCK_COST_NS_MAX);
    row->why = "it is read for every request";
    row->fix = clock_fix;
    rows_count(diagnosis);
}

void diagnosis_add_burn_in(struct diagnosis *diagnosis, const struct burn_in_pieces *pieces)
{
    struct preflight_row *row = row_add(diagnosis, "burn_in", "the same work takes the same time",
                                        pieces->variation > VARIATION_MAX, PREFLIGHT_WARN);

    diagnosis->pieces = *pieces;
    row->is_known = !isnan(pieces->variation);
    snprintf(row->value, sizeof(row->value),
             "varies by %.1f %%, the slowest took %.1f times the usual (%zu pieces in 5 s)",
             pieces->variation * 100, pieces->slowest_ratio, pieces->count);
    snprintf(row->threshold, sizeof(row->threshold), "varies by at most %.0f %%",
             VARIATION_MAX * 100);
    row->why = "what a plain loop shows, a server shows as well";
    row->fix = "end other programs, fix the CPU frequency; a shared virtual machine stays so";
    rows_count(diagnosis);
}

void diagnosis_add_programs(struct diagnosis *diagnosis, const struct tenant_share *top,
                            size_t count, double seconds)
{
    struct preflight_row *row =
        row_add(diagnosis, "programs", "programs that take CPU time", false, PREFLIGHT_RECORD);
    double ticks_per_s = (double)sysconf(_SC_CLK_TCK);
    size_t used = 0;

    snprintf(row->value, sizeof(row->value), "none");
    snprintf(row->threshold, sizeof(row->threshold), "recorded");
    for (size_t i = 0; i < count && used < sizeof(row->value); i++) {
        used += (size_t)snprintf(row->value + used, sizeof(row->value) - used, "%s%s %.0f %%",
                                 i ? ", " : "", top[i].name,
                                 (double)top[i].ticks * 100 / ticks_per_s / seconds);
    }
}

/* The report judges a session so: others that took CPU time, an A/A arm that is too wide. */
static void session_judge(struct diagnosis *diagnosis)
{
    const struct doctor_noise *noise = &diagnosis->noise;
    double half_width = diagnosis->outlook.half_width;
    bool is_hopeless = half_width > COMPARISON_MARGIN_UNFIT;
    struct preflight_row *row =
        row_add(diagnosis, "foreign_cpu", "CPU time taken by other programs", noise->is_disturbed,
                PREFLIGHT_REFUSE);

    row->is_known = !isnan(noise->foreign_share_max);
    snprintf(row->value, sizeof(row->value), "up to %.1f %% of the machine",
             noise->foreign_share_max * 100);
    snprintf(row->threshold, sizeof(row->threshold),
             "at most 5 %% in two thirds of the trials, else the report says UNFIT");
    row->why = "what others take is missing in the result, and not in each trial the same";
    row->fix = "end other programs (top shows them), or wait";
    row = row_add(diagnosis, "noise_floor", "noise of the plan's comparisons",
                  half_width > COMPARISON_MARGIN_LEAST,
                  is_hopeless ? PREFLIGHT_REFUSE : PREFLIGHT_WARN);
    row->is_known = !isnan(half_width);
    snprintf(row->value, sizeof(row->value), "+-%.2f %% with its %" PRIu32 " trials",
             half_width * 100, diagnosis->plan->block_count);
    snprintf(row->threshold, sizeof(row->threshold),
             "at most %.0f %%; above %.0f %% nothing can be decided", COMPARISON_MARGIN_LEAST * 100,
             COMPARISON_MARGIN_UNFIT * 100);
    row->why = "smaller differences than this cannot be seen";
    row->fix = "a quieter machine, more trials, or longer windows";
}

void diagnosis_add_noise(struct diagnosis *diagnosis, const struct doctor_noise *noise,
                         const char *why)
{
    struct preflight_row *row = row_add(diagnosis, "self_comparison",
                                        "a server compared with itself", why, PREFLIGHT_REFUSE);

    row->why = "a session here would fail in the same way";
    row->fix = "tacho run, whose messages say more";
    snprintf(row->threshold, sizeof(row->threshold), "%d rounds that work", DOCTOR_ROUND_COUNT);
    if (why) {
        snprintf(row->value, sizeof(row->value), "%.150s", why);
    } else {
        snprintf(row->value, sizeof(row->value), "%zu rounds worked", noise->round_count);
        diagnosis->noise = *noise;
        diagnosis->outlook = doctor_make_outlook(noise, diagnosis->plan->block_count);
        session_judge(diagnosis);
    }
    rows_count(diagnosis);
}

const char *diagnosis_verdict(const struct diagnosis *diagnosis)
{
    return diagnosis->refusal_count   ? "UNFIT"
           : diagnosis->warning_count ? "FIT WITH WARNINGS"
                                      : "FIT";
}
