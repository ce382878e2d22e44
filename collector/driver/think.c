// SPDX-License-Identifier: Apache-2.0
// Pauses and their order.
#include "collector/driver/think.h"

#include <math.h>
#include <stdbool.h>

#define SEED_STEP UINT64_C(0x7468696e6b000000) /* apart from the seeds of arrivals and mixes */

const char *const think_kind_names[] = {"constant", "exponential"};

void think_init(struct think *think, const struct think_config *config, uint32_t number,
                struct think_entry *entries)
{
    *think = (struct think){.config = config, .entries = entries};
    rng_init(&think->rng, (config->seed ^ SEED_STEP) + number);
}

int64_t think_draw(struct think *think)
{
    double mean_ns = (double)think->config->mean_ns;

    return think->config->kind == THINK_CONSTANT
               ? think->config->mean_ns
               : (int64_t)(-log1p(-rng_unit(&think->rng)) * mean_ns);
}

/* An exponential pause has no memory: what is left of it is one as well. */
int64_t think_draw_rest(struct think *think)
{
    return think->config->kind == THINK_CONSTANT
               ? (int64_t)rng_below(&think->rng, (uint64_t)think->config->mean_ns)
               : think_draw(think);
}

void think_begin(struct think *think, uint32_t index, int64_t end_ns)
{
    uint32_t place = think->count++;

    while (place > 0 && think->entries[(place - 1) / 2].end_ns > end_ns) {
        think->entries[place] = think->entries[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    think->entries[place] = (struct think_entry){end_ns, index};
}

int64_t think_first_ns(const struct think *think)
{
    return think->count > 0 ? think->entries[0].end_ns : INT64_MAX;
}

uint32_t think_end(struct think *think)
{
    const struct think_entry last = think->entries[--think->count];
    uint32_t index = think->entries[0].index;
    uint32_t place = 0;

    for (uint32_t child = 1; child < think->count; child = 2 * place + 1) {
        bool is_right = child + 1 < think->count &&
                        think->entries[child + 1].end_ns < think->entries[child].end_ns;

        child += is_right;
        if (think->entries[child].end_ns >= last.end_ns) {
            break;
        }
        think->entries[place] = think->entries[child];
        place = child;
    }
    think->entries[place] = last;
    return index;
}
