// SPDX-License-Identifier: Apache-2.0
// When requests are due.
#include "collector/driver/arrivals.h"

#include <math.h>

#include "engines/base/clock.h"

static void poisson_advance(struct arrivals *a)
{
    double exact_ns = a->carry_ns - log1p(-rng_unit(&a->rng)) * a->mean_ns;
    double whole_ns = floor(exact_ns);

    a->carry_ns = exact_ns - whole_ns;
    a->due_ns += (int64_t)whole_ns;
}

void arrivals_init(struct arrivals *a, const struct arrivals_config *config, uint32_t thread_count,
                   uint32_t number)
{
    uint64_t first = (uint64_t)number * (uint64_t)CLOCK_NS_PER_S;
    uint64_t step = (uint64_t)thread_count * (uint64_t)CLOCK_NS_PER_S;

    *a = (struct arrivals){.rate = config->rate_per_s,
                           .is_poisson = config->kind == ARRIVALS_POISSON};
    if (a->is_poisson) {
        rng_init(&a->rng, config->seed + number);
        a->mean_ns = (double)step / (double)config->rate_per_s;
        poisson_advance(a);
        return;
    }
    a->due_ns = (int64_t)(first / a->rate);
    a->rest = first % a->rate;
    a->step_ns = step / a->rate;
    a->step_rest = step % a->rate;
}

void arrivals_advance(struct arrivals *a)
{
    if (a->is_poisson) {
        poisson_advance(a);
        return;
    }
    a->due_ns += (int64_t)a->step_ns;
    a->rest += a->step_rest;
    if (a->rest >= a->rate) {
        a->rest -= a->rate;
        a->due_ns++;
    }
}
