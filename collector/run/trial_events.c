// SPDX-License-Identifier: Apache-2.0
// The texts of a trial's events.
#include "collector/run/trial_events.h"

#include "engines/base/units.h"

#include <inttypes.h>
#include <stdio.h>

#define TEXT_BYTES 200

enum err_code trial_tell_flood(const struct trial_config *config, const struct flood_result *flood,
                               struct err *e)
{
    char text[TEXT_BYTES];

    snprintf(
        text, sizeof(text),
        "%llu connection%s opened, at most %u at once; %llu refused, %llu failed at the client",
        (unsigned long long)flood->opened_count, units_word((int64_t)flood->opened_count, "", "s"),
        config->workload->flood.connection_count, (unsigned long long)flood->refused_count,
        (unsigned long long)flood->failed_count);
    return config->sink->note_put(config->sink->self, "flood", text, e);
}

enum err_code trial_tell_warnings(const struct trial_config *config,
                                  const struct trial_result *result,
                                  const struct sampler_result *sampled, struct err *e)
{
    const struct trial_sink *sink = config->sink;
    enum err_code code = ERR_OK;
    char text[TEXT_BYTES];

    if (sampled->folded_count) {
        snprintf(text, sizeof(text),
                 "%u samples are partly counted in later ones: this program stood still",
                 sampled->folded_count);
        code = sink->warning_put(sink->self, "samples_folded", text, e);
    }
    if (code == ERR_OK && result->tls.failure[0]) {
        snprintf(text, sizeof(text), "a TLS handshake failed: %s", result->tls.failure);
        code = sink->warning_put(sink->self, "tls_failed", text, e);
    }
    if (code == ERR_OK && result->io_reason[0]) {
        snprintf(text, sizeof(text), "the driver used epoll instead of io_uring: %.100s",
                 result->io_reason);
        code = sink->warning_put(sink->self, "driver_io", text, e);
    }
    if (code == ERR_OK && result->connections_established != METRIC_UNKNOWN &&
        result->connections_established < result->connections_requested) {
        snprintf(text, sizeof(text), "%lld of %lld connections were established by the ramp's end",
                 (long long)result->connections_established,
                 (long long)result->connections_requested);
        code = sink->warning_put(sink->self, "connections_missing", text, e);
    }
    return code;
}
