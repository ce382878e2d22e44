// SPDX-License-Identifier: Apache-2.0
// Between the parts of tacho drive: what is asked for, one load, the search for a rate.
#ifndef REPORT_CMD_DRIVE_H
#define REPORT_CMD_DRIVE_H

#include <stdbool.h>

#include "collector/driver/driver.h"
#include "collector/driver/target.h"
#include "engines/base/buf.h"
#include "engines/base/options.h"
#include "report/drive/drive_result.h"
#include "report/drive/rate_search.h"

struct drive_values {
    int64_t threads, connections, duration_ns, warmup_ns, timeout_ns, spin_ns;
    int64_t pipeline, connection_requests, requests, connect_rate, expect_status, seed, deadline_ns,
        think_ns;
    const char *method, *body, *cpus, *hdr, *rate, *arrivals, *find_rate, *io, *think_kind, *record,
        *ca_file, *script;
    struct option_texts headers, sources, requests_mixed;
    bool latency, json, insecure, tls_no_reuse;
};

struct drive_record;
struct drive {
    const struct drive_values *values;
    struct target target;
    struct net_address sources[OPTION_TEXT_LIMIT];
    cpu_set_t cpus;
    struct buf body, request; /* request: the bytes of all of them */
    struct drive_request names[MIX_REQUEST_COUNT_MAX];
    struct driver_request requests[MIX_REQUEST_COUNT_MAX];
    struct tls_settings tls;
    char tls_host[TARGET_HOST_BYTES];
    struct driver_config config;
    struct drive_setup setup;
    struct drive_result *result;
    struct buf hdr, output;
    struct histogram histogram;    /* of the interval that was taken */
    struct arrivals_course course; /* of -R; count 0 without */
    struct rate_goal goal;         /* with --find-rate */
    struct drive_record *record;   /* with --record, from its begin to its close */
};

/* Fills names, requests and the setup's. errors ERR_USAGE, ERR_SYS, ERR_LIMIT */
enum err_code drive_requests_make(struct drive *drive, struct err *e) ATTR_MUST_USE;

/*
 * --record: the load as a session of one trial. check: what a plan cannot say is refused; begin, as
 * the config says; add, for each sample with the interval that it is made of; add_part, for each
 * request of a mix with drive->histogram; end, when the result is finished; close, in any case.
 *
 * errors   ERR_USAGE; those of the store
 */
enum err_code drive_record_check(const struct drive *drive, struct err *e) ATTR_MUST_USE;
enum err_code drive_record_begin(struct drive *drive, struct err *e) ATTR_MUST_USE;
enum err_code drive_record_add(struct drive *drive, const struct sample *sample,
                               const struct driver_interval *interval,
                               const struct histogram *histogram, struct err *e) ATTR_MUST_USE;
enum err_code drive_record_add_part(struct drive *drive, uint32_t index,
                                    const struct driver_request_total *total,
                                    struct err *e) ATTR_MUST_USE;
enum err_code drive_record_end(struct drive *drive, const struct driver_totals *totals,
                               struct err *e) ATTR_MUST_USE;
enum err_code drive_record_close(struct drive *drive, struct err *e) ATTR_MUST_USE;

/* One load as the config says: drive->result, new, is filled. */
enum err_code drive_load(struct drive *drive, struct err *e) ATTR_MUST_USE;

/* Its parts: at the grid's zero; for each interval; with --record in place of the loop around them.
 */
void drive_begin(struct drive *drive, int64_t zero_ns);
enum err_code drive_interval_take(struct drive *drive, const struct driver_interval *interval,
                                  const struct histogram *histogram, struct err *e) ATTR_MUST_USE;
enum err_code drive_load_sampled(struct drive *drive, struct driver *driver,
                                 struct err *e) ATTR_MUST_USE;

/* Loads at one rate after the other and tells what was found; the exit status is *status_out. */
enum err_code drive_find_rate(struct drive *drive, int *status_out, struct err *e) ATTR_MUST_USE;

/* What is in drive->output goes to standard output. */
enum err_code drive_tell(struct drive *drive, struct err *e) ATTR_MUST_USE;

#endif
