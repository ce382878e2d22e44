// SPDX-License-Identifier: Apache-2.0
// Waits until the machine is quiet.
#include "collector/run/session_quiet.h"

#include "engines/base/clock.h"

static void tell(const struct session_quiet *quiet, const char *why, int64_t left_ns)
{
    if (quiet->progress && quiet->progress->waits) {
        quiet->progress->waits(quiet->progress->self, why, left_ns);
    }
}

static bool stop_is_wanted(const struct session_quiet *quiet)
{
    return quiet->stop && *quiet->stop;
}

/* A signal may end a sleep early. */
static bool second_pass(const struct session_quiet *quiet, int64_t deadline_ns)
{
    while (clock_now_ns(quiet->clock) < deadline_ns) {
        if (stop_is_wanted(quiet)) {
            return false;
        }
        quiet->clock->sleep_until_ns(quiet->clock->self, deadline_ns);
    }
    return !stop_is_wanted(quiet);
}

int64_t session_wait_quiet(const struct session_quiet *quiet, struct preflight_input *input)
{
    int64_t began_ns = clock_now_ns(quiet->clock), look_ns = began_ns;
    int64_t end_ns = began_ns + quiet->limit_ns;
    char why[PREFLIGHT_TEXT_BYTES];

    while (look_ns < end_ns && preflight_is_busy(input, why)) {
        tell(quiet, why, end_ns - look_ns);
        look_ns += CLOCK_NS_PER_S;
        if (!second_pass(quiet, look_ns < end_ns ? look_ns : end_ns)) {
            break;
        }
        preflight_read_activity(quiet->proc_root, input);
    }
    input->has_waited = quiet->limit_ns > 0 && !stop_is_wanted(quiet);
    return clock_now_ns(quiet->clock) - began_ns;
}
