// SPDX-License-Identifier: Apache-2.0
// The rows of a session that are known before its first trial, and its facts.
#ifndef COLLECTOR_RUN_SESSION_ROWS_H
#define COLLECTOR_RUN_SESSION_ROWS_H

#include <sched.h>
#include <stdint.h>

#include "collector/digest.h"
#include "collector/plan/plan.h"
#include "collector/plan/schedule.h"
#include "collector/run/foreign.h"
#include "collector/run/session.h"
#include "collector/store/replay_source.h"
#include "collector/store/store.h"
#include "collector/store/store_past.h"
#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"

#define SESSION_ARM_COUNT_MAX (PLAN_ENGINE_COUNT_MAX + 1)

/* The keys of what was stored. */
struct session_rows {
    int64_t session_id;
    int64_t arm_ids[SESSION_ARM_COUNT_MAX]; /* engine_id of each arm of the schedule */
    char aa_name[PLAN_NAME_BYTES_MAX + sizeof(PLAN_AA_SUFFIX)];
    int64_t limit_id;       /* engine_id of the calibration engine */
    int64_t calibration_id; /* workload_id of its workload */
    int64_t cell_ids[PLAN_WORKLOAD_COUNT_MAX][PLAN_LOAD_POINT_COUNT_MAX];
    uint32_t calibration_counts[PLAN_WORKLOAD_COUNT_MAX * PLAN_LOAD_POINT_COUNT_MAX];
    int64_t calibration_cell_ids[PLAN_WORKLOAD_COUNT_MAX * PLAN_LOAD_POINT_COUNT_MAX];
    size_t calibration_cell_count;
};

/* How the session runs: what the facts tell besides the machine. */
struct session_setup {
    size_t trial_count;                         /* of the schedule */
    const cpu_set_t *allowed_cpus;              /* of this process before it was pinned */
    const cpu_set_t *server_cpus, *driver_cpus; /* in force; NULL: not pinned */
    uint32_t driver_threads;
    int64_t spin_ns;
    bool softirq_is_charged; /* of this kernel: foreign_cpu_share */
    uint64_t nofile;
    const char *forced_rules;          /* refusals that were overruled, "a b"; NULL: none */
    const struct foreign_set *foreign; /* NULL: before it is known */
    const char *selection;             /* what the sitting was limited to; NULL: nothing */
};

/* What the calibration engine is asked: GET /ping, "pong". */
extern const struct plan_workload session_calibration;
extern const struct plan_engine session_limit;

/* SHA-256 of a program, symbolic links followed. errors as digest_file. */
enum err_code session_program_digest(const char *path, char hex_out[DIGEST_HEX_BYTES],
                                     struct err *e) ATTR_MUST_USE;

/* Stores session, engines, workloads and cells. */
enum err_code session_rows_store(struct session_rows *rows, const struct session_config *config,
                                 const struct foreign_set *foreign, struct store *store,
                                 struct err *e) ATTR_MUST_USE;

/* Fills in rows->aa_name. */
void session_rows_name_aa(struct session_rows *rows, const struct plan *plan);

/* Appends what is stored of an engine's command: its arguments as a JSON array, without what
 * changes from trial to trial. */
void session_rows_format_command(const struct plan_engine *engine, struct buf *out);

/* The engine of an arm; the A/A arm is the baseline. */
const struct plan_engine *session_rows_engine(const struct plan *plan, uint32_t arm_index);

/* Its role as in SQL; the A/A arm is the one behind the plan's engines. */
const char *session_rows_role(const struct plan *plan, uint32_t arm_index);

/* The name under which an entry's engine is stored. */
const char *session_rows_name(const struct session_rows *rows, const struct plan *plan,
                              const struct schedule_entry *entry);

/* What is played for an entry of a workload that is a replay. */
struct replay_key session_rows_replay_key(const struct session_rows *rows, const struct plan *plan,
                                          const struct schedule_entry *entry);

/* The cell of a schedule entry, METRIC_UNKNOWN when it has none. */
int64_t session_rows_cell(const struct session_rows *rows, const struct plan *plan,
                          const struct schedule_entry *entry);

enum err_code session_facts_start(const struct session_rows *rows,
                                  const struct session_config *config,
                                  const struct session_setup *setup, struct store *store,
                                  struct err *e) ATTR_MUST_USE;
/* errors   ERR_MISMATCH: a fact that must stay as it is differs from the past session's */
enum err_code session_facts_compare(const struct session_config *config,
                                    const struct session_setup *setup,
                                    const struct store_past *past, struct err *e) ATTR_MUST_USE;
/* paddings: the lengths of the padding variable, trial by trial, as text. */
enum err_code session_facts_end(const struct session_rows *rows, const struct session_setup *setup,
                                const char *paddings, struct store *store,
                                struct err *e) ATTR_MUST_USE;

#endif
