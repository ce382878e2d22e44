// SPDX-License-Identifier: Apache-2.0
// A load of tacho drive that is recorded: beside it the server and the machine are read as in a
// session, so that the same rules can judge it.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <unistd.h>

#include "collector/probe/listener.h"
#include "collector/probe/machine.h"
#include "collector/probe/probe.h"
#include "collector/run/sampler.h"
#include "collector/run/sampler_priority.h"
#include "engines/base/clock.h"
#include "report/cmd.h"
#include "report/cmd_drive.h"
#include "report/cmd_terminal.h"

#define LEAD_NS        (10 * CLOCK_NS_PER_MS)
#define DRAIN_LATER_NS (5 * CLOCK_NS_PER_S)

struct sampled {
    struct drive *drive;
    struct driver *driver;
    struct probe *probe;
    struct driver_interval last; /* that was taken: its sample is put next */
};

static void port_load_start(void *self, int64_t grid_zero_ns)
{
    struct sampled *sampled = self;

    drive_begin(sampled->drive, grid_zero_ns);
    driver_start(sampled->driver, grid_zero_ns);
}

static bool port_load_take(void *self, struct driver_interval *interval_out,
                           struct histogram *histogram_out)
{
    struct sampled *sampled = self;
    bool is_there = driver_take(sampled->driver, interval_out, histogram_out);

    if (is_there) {
        sampled->last = *interval_out;
    }
    return is_there;
}

static bool port_load_finished(void *self)
{
    const struct sampled *sampled = self;

    return driver_finished(sampled->driver);
}

static void port_load_stop(void *self)
{
    const struct sampled *sampled = self;

    driver_stop(sampled->driver);
}

static void port_probe_read(void *self, bool ends_phase, int64_t metrics[METRIC_COUNT])
{
    const struct sampled *sampled = self;

    probe_read(sampled->probe, ends_phase, metrics);
}

/* It is not ours: that it ended shows in the answers. */
static bool port_server_ended(void *self)
{
    (void)self;
    return false;
}

static bool port_stop_wanted(void *self)
{
    (void)self;
    return cmd_stop_count > 0;
}

static enum err_code port_sample_put(void *self, const struct sample *sample,
                                     const struct histogram *histogram, struct err *e)
{
    struct sampled *sampled = self;
    enum err_code code = drive_record_add(sampled->drive, sample, &sampled->last, histogram, e);

    return code == ERR_OK ? drive_interval_take(sampled->drive, &sampled->last, histogram, e)
                          : code;
}

/* 0: nobody that can be looked into, or a process whose tree has tacho as well. */
static pid_t server_find(const struct drive *drive)
{
    struct listener_owner owner;
    bool is_known =
        listener_find_owner(MACHINE_PROC_ROOT, drive->target.port, &owner, NULL) == ERR_OK &&
        owner.pid != 1 && !listener_is_above(MACHINE_PROC_ROOT, owner.pid, getpid());

    return is_known ? owner.pid : 0;
}

enum err_code drive_load_sampled(struct drive *drive, struct driver *driver, struct err *e)
{
    struct sampled sampled = {.drive = drive, .driver = driver};
    const struct sampler_ports ports = {.self = &sampled,
                                        .load_start = port_load_start,
                                        .load_take = port_load_take,
                                        .load_finished = port_load_finished,
                                        .load_stop = port_load_stop,
                                        .probe_read = port_probe_read,
                                        .server_ended = port_server_ended,
                                        .stop_wanted = port_stop_wanted,
                                        .sample_put = port_sample_put};
    const struct sampler_config config = {.clock = clock_system(),
                                          .grid = drive->config.grid,
                                          .lead_ns = LEAD_NS,
                                          .drain_ns = drive->config.timeout_ns + DRAIN_LATER_NS};
    const struct probe_config probe = {.proc_root = MACHINE_PROC_ROOT,
                                       .sys_root = MACHINE_SYS_ROOT,
                                       .root_pid = server_find(drive),
                                       .port = drive->target.port,
                                       .asks_kernel = true};
    struct sampler_result result;
    struct sampler_priority before;
    enum err_code code = probe_open(&probe, &sampled.probe, e);

    if (code == ERR_OK) {
        (void)sampler_priority_raise(&before);
        code = sampler_run(&config, &ports, &result, e);
        sampler_priority_restore(&before);
    }
    probe_close(sampled.probe);
    return code;
}
