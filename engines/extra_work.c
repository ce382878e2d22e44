// SPDX-License-Identifier: Apache-2.0
// Busy work that is measured in CPU time and not in turns of a loop: it stays the same share
// whatever the clock speed does.
#include "engines/extra_work.h"

#include "engines/base/clock.h"

void extra_work_begin(struct extra_work *work, uint32_t percent)
{
    *work = (struct extra_work){.percent = percent};
    if (percent) {
        work->begin_ns = clock_thread_cpu_ns();
    }
}

void extra_work_settle(struct extra_work *work)
{
    int64_t start_ns = clock_thread_cpu_ns();
    int64_t own_ns = start_ns - work->begin_ns - work->done_ns;
    int64_t debt_ns = own_ns * work->percent / 100 - work->done_ns;
    int64_t now_ns = start_ns;

    while (now_ns - start_ns < debt_ns) {
        now_ns = clock_thread_cpu_ns();
    }
    work->done_ns += now_ns - start_ns;
}
