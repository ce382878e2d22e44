// SPDX-License-Identifier: Apache-2.0
// The loop of a trial under load: at each point of the absolute grid it reads the probe, joins the
// reading with the driver's interval when that arrives, and hands the sample on. It waits for the
// grid alone, never for the driver or the disk.
#ifndef COLLECTOR_RUN_SAMPLER_H
#define COLLECTOR_RUN_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/driver/driver.h"
#include "collector/driver/grid.h"
#include "collector/sample.h"
#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/clock.h"
#include "engines/base/err.h"

#define SAMPLER_RING_COUNT 64 /* readings that may wait for their interval */

/* What the loop needs; tests put fakes here. */
struct sampler_ports {
    void *self;
    void (*load_start)(void *self, int64_t grid_zero_ns);
    bool (*load_take)(void *self, struct driver_interval *interval_out,
                      struct histogram *histogram_out);
    bool (*load_finished)(void *self);
    void (*load_stop)(void *self); /* a second time: wait for nothing that is in flight */
    void (*probe_read)(void *self, bool ends_phase, int64_t metrics[METRIC_COUNT]);
    bool (*server_ended)(void *self);
    bool (*stop_wanted)(void *self); /* the user wants to end */
    /* errors end the loop early */
    enum err_code (*sample_put)(void *self, const struct sample *sample,
                                const struct histogram *histogram, struct err *e);
};

struct sampler_config {
    const struct clock *clock;
    struct grid grid;
    int64_t lead_ns;      /* from now to grid zero */
    int64_t drain_ns;     /* the drain takes at most so long */
    uint32_t death_count; /* intervals still sampled after the server ended */
};

enum sampler_end { SAMPLER_DONE, SAMPLER_SERVER_ENDED, SAMPLER_STOPPED };

struct sampler_result {
    enum sampler_end end;
    uint32_t sample_count;
    uint32_t folded_count;   /* samples whose requests are partly counted in a later one */
    uint64_t ok_count;       /* in the window */
    int64_t window_ns;       /* length of the window's samples */
    int64_t server_ended_ns; /* from grid zero, when noticed; METRIC_UNKNOWN */
    int64_t last_ok_ns; /* end of the last sample with a right answer, the drain's included; 0 */
    bool is_owed;       /* requests were on their way at the window's end */
};

/* errors   those of sample_put, ERR_LIMIT: memory, or the driver did not finish within drain_ns.
 * *result_out is set in any case. */
enum err_code sampler_run(const struct sampler_config *config, const struct sampler_ports *ports,
                          struct sampler_result *result_out, struct err *e) ATTR_MUST_USE;

#endif
