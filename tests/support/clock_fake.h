// SPDX-License-Identifier: Apache-2.0
// A clock for tests: time moves only when somebody sleeps or the test says so.
#ifndef TESTS_SUPPORT_CLOCK_FAKE_H
#define TESTS_SUPPORT_CLOCK_FAKE_H

#include <stdint.h>

#include "engines/base/clock.h"

struct clock_fake {
    struct clock clock; /* hand out &fake.clock */
    int64_t now_ns;
    int64_t wall_offset_ns; /* wall = now + offset */
    int64_t oversleep_ns;   /* every sleep ends so much after its deadline */
};

void clock_fake_init(struct clock_fake *fake, int64_t now_ns);
void clock_fake_advance(struct clock_fake *fake, int64_t ns);

#endif
