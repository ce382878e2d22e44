// SPDX-License-Identifier: Apache-2.0
// What a sample's counters say of other programs.
#include <criterion/criterion.h>
#include <math.h>

#include "collector/sample.h"

#define U METRIC_UNKNOWN

/* Two CPUs for 3 s; the numbers of trials 1 and 20 of a session beside a busy loop, in 10 ms, on a
 * kernel whose soft interrupts are in the processes' time. */
static const struct {
    const char *name;
    int64_t busy, idle, softirq, server, collector;
    double charged, apart;
} rows[] = {
    /* (451 - 168 - 181) / 564; soft interrupts left out: below nothing */
    {"beside a busy loop", 451, 113, 104, 168, 181, 102.0 / 564, 0},
    /* (542 - 150 - 183) / 585; 209 - 119 = 90 */
    {"beside more than one", 542, 43, 119, 150, 183, 209.0 / 585, 90.0 / 585},
    {"alone, and counted in too coarse steps", 575, 12, 207, 284, 298, 0, 0},
    {"a machine at rest", 0, 600, 0, 0, 0, 0, 0},
    {"no time passed", 0, 0, 0, 0, 0, NAN, NAN},
    {"busy is not known", U, 113, 104, 168, 181, NAN, NAN},
    {"idle is not known", 451, U, 104, 168, 181, NAN, NAN},
    {"the server is not known", 451, 113, 104, U, 181, NAN, NAN},
    {"the sampler is not known", 451, 113, 104, 168, U, NAN, NAN},
    {"soft interrupts are not known", 451, 113, U, 168, 181, 102.0 / 564, NAN},
};

static void share_expect(const int64_t metrics[METRIC_COUNT], bool is_charged, double wanted,
                         const char *name)
{
    double share = sample_foreign_cpu_share(metrics, is_charged);

    if (isnan(wanted)) {
        cr_expect(isnan(share), "%s: %f", name, share);
    } else {
        cr_expect_float_eq(share, wanted, 1e-12, "%s: %f", name, share);
    }
}

Test(sample, tells_what_other_programs_took)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int64_t metrics[METRIC_COUNT] = {0};

        metrics[METRIC_machine_busy_ns] = rows[i].busy;
        metrics[METRIC_machine_idle_ns] = rows[i].idle;
        metrics[METRIC_machine_softirq_ns] = rows[i].softirq;
        metrics[METRIC_server_system_ns] = rows[i].server;
        metrics[METRIC_collector_cpu_ns] = rows[i].collector;
        share_expect(metrics, true, rows[i].charged, rows[i].name);
        share_expect(metrics, false, rows[i].apart, rows[i].name);
    }
}
