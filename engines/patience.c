// SPDX-License-Identifier: Apache-2.0
// How long a client may take.
#include "engines/patience.h"

#include "engines/base/clock.h"

void patience_settle(struct patience *patience, const struct http_conn *http, size_t left_bytes,
                     bool is_next, int64_t now_ns)
{
    bool is_started = http_conn_is_started(http, left_bytes);

    if (!is_started || is_next) {
        patience->started_ns = patience->window_ns = 0;
    }
    if (is_started && patience->started_ns == 0) {
        patience->started_ns = now_ns;
    }
    if (is_started && http->head_bytes && patience->window_ns == 0) {
        patience->window_ns = now_ns;
        patience->window_bytes = 0;
    }
}

static bool body_is_slow(struct patience *patience, uint32_t bytes_per_s, int64_t now_ns)
{
    if (now_ns - patience->window_ns < PATIENCE_WINDOW_SECONDS * CLOCK_NS_PER_S) {
        return false;
    }
    if (patience->window_bytes < (uint64_t)bytes_per_s * PATIENCE_WINDOW_SECONDS) {
        return true;
    }
    patience->window_ns = now_ns;
    patience->window_bytes = 0;
    return false;
}

enum patience_state patience_check(struct patience *patience, const struct engine_config *config,
                                   int64_t now_ns)
{
    bool is_late = now_ns - patience->active_ns >= config->idle_seconds * CLOCK_NS_PER_S;

    if (patience->window_ns) {
        is_late |= body_is_slow(patience, config->body_bytes_per_s, now_ns);
    } else if (patience->started_ns) {
        is_late |= now_ns - patience->started_ns >= config->head_seconds * CLOCK_NS_PER_S;
    }
    if (!is_late) {
        return PATIENCE_WAITS;
    }
    return patience->started_ns ? PATIENCE_TELLS : PATIENCE_ENDS;
}

enum patience_state patience_check_last(const struct patience *patience,
                                        const struct engine_config *config, bool lingers,
                                        int64_t now_ns)
{
    uint32_t seconds = lingers ? ENGINE_LINGER_SECONDS : config->idle_seconds;

    return now_ns - patience->active_ns >= seconds * CLOCK_NS_PER_S ? PATIENCE_ENDS
                                                                    : PATIENCE_WAITS;
}

static uint32_t smaller_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

int patience_wait_ms(const struct engine_config *config)
{
    uint32_t seconds = smaller_of(config->idle_seconds, config->head_seconds);

    return (int)smaller_of(seconds, PATIENCE_WINDOW_SECONDS) * 1000;
}
