// SPDX-License-Identifier: Apache-2.0
// A clock for tests.
#include "tests/support/clock_fake.h"

static int64_t fake_monotonic_ns(void *self)
{
    const struct clock_fake *fake = self;
    return fake->now_ns;
}

static int64_t fake_wall_ns(void *self)
{
    const struct clock_fake *fake = self;
    return fake->now_ns + fake->wall_offset_ns;
}

static void fake_sleep_until_ns(void *self, int64_t deadline_ns)
{
    struct clock_fake *fake = self;

    if (deadline_ns > fake->now_ns) {
        fake->now_ns = deadline_ns + fake->oversleep_ns;
    }
}

void clock_fake_init(struct clock_fake *fake, int64_t now_ns)
{
    *fake = (struct clock_fake){
        .clock = {.monotonic_ns = fake_monotonic_ns,
                  .wall_ns = fake_wall_ns,
                  .sleep_until_ns = fake_sleep_until_ns,
                  .self = fake},
        .now_ns = now_ns,
    };
}

void clock_fake_advance(struct clock_fake *fake, int64_t ns)
{
    fake->now_ns += ns;
}
