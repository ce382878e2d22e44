// SPDX-License-Identifier: Apache-2.0
// Busy work is the share of a thread's own CPU time that was asked for.
#include <criterion/criterion.h>
#include <math.h>

#include "engines/base/clock.h"
#include "engines/extra_work.h"

/* Own work of about a microsecond. */
static void work(volatile double *value)
{
    for (int i = 0; i < 200; i++) {
        *value = sqrt(*value + i);
    }
}

Test(extra_work, is_the_share_that_was_asked_for)
{
    static const uint32_t percents[] = {10, 50, 300};

    for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
        struct extra_work extra;
        volatile double value = 1;

        extra_work_begin(&extra, percents[i]);
        for (int request = 0; request < 20000; request++) {
            work(&value);
            extra_work_add(&extra, 1);
        }
        double own_ns = (double)(clock_thread_cpu_ns() - extra.begin_ns - extra.done_ns);

        cr_expect_float_eq((double)extra.done_ns / own_ns, percents[i] / 100.0,
                           0.02 * percents[i] / 100, "%u: %g", percents[i],
                           (double)extra.done_ns / own_ns);
    }
}

Test(extra_work, of_no_percent_is_none)
{
    struct extra_work extra;
    volatile double value = 1;

    extra_work_begin(&extra, 0);
    for (int request = 0; request < 1000; request++) {
        work(&value);
        extra_work_add(&extra, 1);
    }
    cr_expect_eq(extra.done_ns, 0);
    cr_expect_eq(extra.begin_ns, 0);
}

/* Pipelined requests count as many; what is left of sixteen waits for the next. */
Test(extra_work, counts_requests)
{
    struct extra_work extra;
    volatile double value = 1;

    extra_work_begin(&extra, 100);
    work(&value);
    extra_work_add(&extra, EXTRA_WORK_EVERY - 1);
    cr_expect_eq(extra.done_ns, 0);
    extra_work_add(&extra, 1);
    cr_expect_gt(extra.done_ns, 0);
    cr_expect_eq(extra.request_count, 0);
}
