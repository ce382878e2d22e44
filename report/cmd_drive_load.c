// SPDX-License-Identifier: Apache-2.0
// One load of tacho drive: the driver is opened, its intervals are taken and shown, signals end it.
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engines/base/clock.h"
#include "report/cmd.h"
#include "report/cmd_drive.h"
#include "report/cmd_terminal.h"
#include "report/drive/drive_text.h"
#include "report/drive/hdr_log.h"

#define LEAD_NS       (10 * CLOCK_NS_PER_MS)
#define LOOK_LATER_NS (2 * CLOCK_NS_PER_MS) /* after an interval ends: it is handed over */
#define LOOK_OFTEN_NS (5 * CLOCK_NS_PER_MS)

static void live_draw(const struct drive *drive)
{
    const struct drive_result *result = drive->result;
    const struct drive_interval *last = &result->intervals[result->interval_count - 1];
    int64_t length_ns = last->counts.end_ns - last->counts.start_ns;
    char p99[DRIVE_TIME_BYTES], text[256];

    snprintf(text, sizeof(text),
             "%s %.1f s  %.0f right answers/s  p99 %s  wrong %" PRId64 "  failed %" PRId64,
             sample_phase_names[last->counts.phase], (double)last->counts.end_ns / 1e9,
             length_ns > 0 ? (double)last->counts.metrics[METRIC_ok_count] * 1e9 / (double)length_ns
                           : 0.0,
             drive_text_time(last->p99_ns, p99), last->counts.metrics[METRIC_http_error_count],
             last->counts.metrics[METRIC_fault_count]);
    cmd_line_draw(text);
}

void drive_begin(struct drive *drive, int64_t zero_ns)
{
    const struct clock *clock = clock_system();

    drive->setup.started_utc_ns = clock->wall_ns(clock->self) + zero_ns - clock_now_ns(clock);
    hdr_log_begin(drive->setup.started_utc_ns,
                  drive->values->rate ? "Response times of right answers, tacho drive"
                                      : "Service times of right answers, tacho drive",
                  &drive->hdr);
}

enum err_code drive_interval_take(struct drive *drive, const struct driver_interval *interval,
                                  const struct histogram *histogram, struct err *e)
{
    const char *tag =
        interval->phase == SAMPLE_PHASE_WINDOW ? NULL : sample_phase_names[interval->phase];

    drive_result_add(drive->result, interval, histogram);
    if (isatty(STDERR_FILENO) == 1) {
        live_draw(drive);
    }
    return drive->values->hdr
               ? hdr_log_add(tag, interval->start_ns, interval->end_ns, histogram, &drive->hdr, e)
               : ERR_OK;
}

/* When there is something to look at next. */
static int64_t look_ns(const struct drive *drive, int64_t zero_ns, int64_t now_ns)
{
    const struct grid *grid = &drive->config.grid;
    uint32_t index = (uint32_t)drive->result->interval_count;

    if (index >= grid_interval_count(grid) || drive->config.request_limit > 0 ||
        cmd_stop_signal != 0) {
        return now_ns + LOOK_OFTEN_NS;
    }
    int64_t due_ns = zero_ns + grid_start_ns(grid, index + 1) + LOOK_LATER_NS;
    return due_ns > now_ns ? due_ns : now_ns + LOOK_LATER_NS;
}

/* Ends the load when told, and once more when told again: then nothing is waited for. */
static void stop_when_told(struct driver *driver, int *stop_count)
{
    bool is_told = cmd_stop_count > 0 || driver_is_exhausted(driver);

    if (*stop_count == 0 && is_told) {
        driver_stop(driver);
        *stop_count = 1;
    } else if (*stop_count == 1 && cmd_stop_count > 1) {
        driver_stop(driver);
        *stop_count = 2;
    }
}

static enum err_code load_run(struct drive *drive, struct driver *driver, struct err *e)
{
    const struct clock *clock = clock_system();
    int64_t zero_ns = clock_now_ns(clock) + LEAD_NS;
    struct driver_interval interval;
    int stop_count = 0;

    drive_begin(drive, zero_ns);
    driver_start(driver, zero_ns);
    while (!driver_finished(driver)) {
        stop_when_told(driver, &stop_count);
        if (driver_take(driver, &interval, &drive->histogram)) {
            enum err_code code = drive_interval_take(drive, &interval, &drive->histogram, e);
            if (code != ERR_OK) {
                return code;
            }
            continue;
        }
        clock->sleep_until_ns(clock->self, look_ns(drive, zero_ns, clock_now_ns(clock)));
    }
    return ERR_OK;
}

/* The soft limit of descriptors is for programs that use select(); the hard one is the user's. */
static void nofile_raise(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static enum err_code parts_take(struct drive *drive, const struct driver *driver, struct err *e)
{
    enum err_code code = ERR_OK;

    for (uint32_t i = 0;
         code == ERR_OK && drive->config.request_count > 1 && i < drive->config.request_count;
         i++) {
        struct driver_request_total total;

        driver_get_request_total(driver, i, &total, &drive->histogram);
        drive_result_add_part(drive->result, i, &total, &drive->histogram);
        code = drive->record ? drive_record_add_part(drive, i, &total, e) : ERR_OK;
    }
    return code;
}

enum err_code drive_load(struct drive *drive, struct err *e)
{
    struct driver *driver = NULL;
    struct driver_totals totals;

    nofile_raise();
    cmd_signals_catch();
    enum err_code code = driver_open(&drive->config, &driver, e);
    if (code != ERR_OK) {
        return code;
    }
    code = drive->record ? drive_load_sampled(drive, driver, e) : load_run(drive, driver, e);
    cmd_line_clear(isatty(STDERR_FILENO) == 1);
    if (code == ERR_OK) {
        code = parts_take(drive, driver, e);
    }
    if (code == ERR_OK) {
        driver_get_totals(driver, &totals);
        drive_result_finish(drive->result, &totals, cmd_stop_signal != 0);
        code = drive->record ? drive_record_end(drive, &totals, e) : ERR_OK;
    }
    driver_close(driver);
    return code;
}
