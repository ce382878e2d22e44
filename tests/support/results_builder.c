// SPDX-License-Identifier: Apache-2.0
// Results files for tests.
#include "tests/support/results_builder.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/asset.h"
#include "collector/digest.h"
#include "collector/driver/histogram.h"
#include "collector/plan/schedule.h"
#include "collector/sample.h"
#include "collector/store/store.h"
#include "engines/base/buf.h"
#include "engines/base/rng.h"
#include "tests/support/metrics_unusual.h"
#include "tests/support/plan_text.h"
#include "tests/support/results_sql.h"

#define SAMPLE_NS     INT64_C(500000000)
#define CPU_COUNT     2
#define TRIAL_STEP_NS INT64_C(5000000000)
#define STARTED_NS    INT64_C(1793491200000000000) /* 2026-11-01T00:00:00Z */
#define SHAPE_COUNT   1024
#define SAMPLE_COUNT  8 /* 1 warm-up, 6 window, 1 drain */
enum arm { ARM_EPOLL, ARM_BLOCKING, ARM_AA, ARM_LIMIT, ARM_COUNT };

struct arm_traits {
    double server_cpu, system_share; /* CPUs busy; share of it in the kernel */
    int64_t rss_kib, thread_count;
};
static const struct arm_traits traits[ARM_COUNT] = {
    [ARM_EPOLL] = {0.93, 0.80, 1820, 1},
    [ARM_BLOCKING] = {0.96, 0.86, 5240, 126},
    [ARM_AA] = {0.96, 0.86, 5240, 126},
    [ARM_LIMIT] = {0.91, 0.82, 1540, 1},
};

struct making {
    const struct results_builder *options;
    sqlite3 *db;
    sqlite3_stmt *sample_insert, *outcome_insert;
    struct rng rng;
    double shape[SHAPE_COUNT]; /* service times around a mean of 1, ascending */
    struct histogram *histogram;
    int64_t next_trial;
    double block_effect;
};

/* One trial while it is made. */
struct trial_making {
    int64_t trial_id;
    enum arm arm;
    int64_t connection_count;
    double rate_per_s;
    bool crashes, cut; /* cut: the user stopped it after two samples of the window */
    int64_t started, served;
};

static bool has(const struct making *m, enum results_builder_fault fault)
{
    return (m->options->faults & (unsigned)fault) != 0;
}

static double given_or(double given, double standard)
{
    return given > 0 ? given : standard;
}

static uint32_t block_count(const struct making *m)
{
    return m->options->block_count ? m->options->block_count : 6;
}
/* Nearly normal: the sum of twelve uniforms less six (variance 1). */
static double noise(struct rng *rng)
{
    double sum = -6;

    for (int i = 0; i < 12; i++) {
        sum += rng_unit(rng);
    }
    return sum;
}

/* Log-logistic quantiles with exponent 1/6: a long right tail, as service times have. */
static void make_shape(struct making *m)
{
    double sum = 0;

    for (int i = 0; i < SHAPE_COUNT; i++) {
        double p = (i + 0.5) / SHAPE_COUNT;

        m->shape[i] = pow(p / (1 - p), 1.0 / 6);
        sum += m->shape[i];
    }
    for (int i = 0; i < SHAPE_COUNT; i++) {
        m->shape[i] *= SHAPE_COUNT / sum;
    }
}

static void open_database(struct making *m, const char *path)
{
    const struct asset *schema = asset_find("collector/store/sql/0001_init.sql");
    char side[4096];

    sql_fail_if(!schema, NULL, "no schema among the assets");
    unlink(path);
    for (int i = 0; i < 2; i++) {
        snprintf(side, sizeof(side), "%s%s", path, i ? "-shm" : "-wal");
        unlink(side);
    }
    sql_fail_if(sqlite3_open(path, &m->db) != SQLITE_OK, m->db, path);
    sql_execute(m->db,
                "PRAGMA page_size = 4096; PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY");
    sql_execute(m->db, "BEGIN");
    sql_execute(m->db, schema->bytes);
    sql_executef(m->db, "PRAGMA application_id = %d", STORE_APPLICATION_ID);
    sql_executef(m->db, "PRAGMA user_version = %d", STORE_VERSION);
}

static void prepare(struct making *m)
{
    struct buf sql;

    buf_init(&sql, 1 << 16);
    buf_add_text(&sql, "INSERT INTO sample VALUES (?, ?, ?, ?, ?, ?, ?, ?");
    for (int i = 0; i < METRIC_COUNT; i++) {
        buf_add_text(&sql, ", ?");
    }
    buf_add_char(&sql, ')');
    sql_fail_if(sqlite3_prepare_v2(m->db, sql.bytes, -1, &m->sample_insert, NULL) != SQLITE_OK,
                m->db, sql.bytes);
    buf_release(&sql);
    sql_fail_if(sqlite3_prepare_v2(m->db, "INSERT INTO outcome VALUES (?, ?, ?, ?)", -1,
                                   &m->outcome_insert, NULL) != SQLITE_OK,
                m->db, "outcome");
}

static void step(struct making *m, sqlite3_stmt *statement)
{
    sql_fail_if(sqlite3_step(statement) != SQLITE_DONE, m->db, sqlite3_sql(statement));
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
}

static const char *engine_name(const struct making *m, enum arm arm)
{
    static const char *const plain[ARM_COUNT] = {"epoll", "blocking", "blocking (A/A)", "limit"};
    static const char *const hostile[ARM_COUNT] = {
        "a`touch pwned`b | <img src=x onerror=alert(1)> =1+1, \"q\" 'x' \\",
        "_x^2{y}@z&~#\n\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d 12 \xf0\x9f\x9a\x80 </script><script>",
        ("_x^2{y}@z&~#\n\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d 12 \xf0\x9f\x9a\x80 </script><script> "
         "(A/A)"),
        "limit"};

    return has(m, RESULTS_BUILDER_HOSTILE) ? hostile[arm] : plain[arm];
}
static void add_session(struct making *m)
{
    bool hostile = has(m, RESULTS_BUILDER_HOSTILE);
    const char *title = hostile ? "<b>title</b> | `id` \"quoted\" $(id) %s\n# second line"
                                : "epoll against one thread per connection";
    struct buf plan;
    char digest[DIGEST_HEX_BYTES];
    struct err e;

    buf_init(&plan, 1 << 16);
    buf_addf(&plan,
             "title: \"%s\"\nbaseline: blocking\ntrials: %u\naa: true\nsettle: 0s\n"
             "warmup: 500ms\nwindow: 3s\ncooldown: 300ms\nsample: 500ms\nseed: 42\n",
             has(m, RESULTS_BUILDER_WHOLE_PLAN) ? title : "demo", block_count(m));
    if (has(m, RESULTS_BUILDER_WHOLE_PLAN)) {
        plan_text_make_whole(&plan);
    }
    if (digest_bytes(plan.bytes, plan.length, digest, &e) != ERR_OK) {
        abort();
    }
    sql_executef(
        m->db,
        "INSERT INTO session VALUES (1, '00112233445566778899aabbccddeeff', %Q, %Q, %Q, %Q, "
        "%Q, '0.1.0+test', %lld, %lld, '# the demo session\n' || %Q)",
        has(m, RESULTS_BUILDER_INTERRUPTED) ? "interrupted" : "finished",
        has(m, RESULTS_BUILDER_INTERRUPTED) ? "stopped by the user (signal 2)" : NULL, title,
        plan.bytes, digest, STARTED_NS, STARTED_NS + 200 * TRIAL_STEP_NS, plan.bytes);
    buf_release(&plan);
}

static void add_facts(struct making *m)
{
    static const char *const facts[][2] = {{"cpu.count", "2"},
                                           {"cpu.model", "Example CPU at 3.0 GHz"},
                                           {"cpu.governor", NULL},
                                           {"kernel.release", "6.1.0-18-amd64"},
                                           {"os.libc", "glibc 2.36"},
                                           {"memory.total_kib", "8040212"},
                                           {"order.generator", RNG_NAME},
                                           {"order.seed", "42"},
                                           {"server.cpus", "0"},
                                           {"driver.cpus", "1"},
                                           {"driver.engine", "epoll"},
                                           {"driver.threads", "1"},
                                           {"pressure.cpu_avg10", "0.42"}};

    for (size_t i = 0; i < ARRAY_COUNT(facts); i++) {
        bool moves = strcmp(facts[i][0], "pressure.cpu_avg10") == 0;

        sql_executef(m->db, "INSERT INTO fact VALUES (1, 'start', %Q, %Q)", facts[i][0],
                     facts[i][1]);
        sql_executef(m->db, "INSERT INTO fact VALUES (1, 'end', %Q, %Q)", facts[i][0],
                     moves ? "1.85" : facts[i][1]);
    }
    if (has(m, RESULTS_BUILDER_HOSTILE)) {
        sql_executef(m->db, "INSERT INTO fact VALUES (1, 'start', 'compiler.version', %Q)",
                     "<script>alert(1)</script> & \"x\"\n=cmd|' /C calc'!A0");
    }
}

static void add_engines(struct making *m)
{
    static const char *const roles[ARM_COUNT] = {"subject", "baseline", "aa", "limit"};
    static const char *const builtins[ARM_COUNT] = {"epoll", "blocking", "blocking", "limit"};

    for (int arm = 0; arm < ARM_COUNT; arm++) {
        if (arm == ARM_AA && has(m, RESULTS_BUILDER_NO_AA)) {
            continue;
        }
        sql_executef(
            m->db,
            "INSERT INTO engine VALUES (%d, 1, %Q, %Q, 'builtin', %Q, 0, "
            "'[\"tacho-engine\",\"%s\"%s]', "
            "'%064d')",
            arm + 1, engine_name(m, (enum arm)arm), roles[arm], builtins[arm], builtins[arm],
            has(m, RESULTS_BUILDER_WHOLE_PLAN) ? ",\"--address\",\"127.0.0.1\",\"--port\",\"0\""
                                               : "",
            7);
    }
}

static void add_workloads(struct making *m)
{
    static const char pong_sha256[] =
        "9795c5ff8937f23526ccb207a5684c1fc94a7854e19c021b39d944e51f5baef2";
    const uint32_t *counts = m->options->connection_counts;
    uint32_t first = counts[0] ? counts[0] : 125;
    int whole = has(m, RESULTS_BUILDER_WHOLE_PLAN);

#define PING "'GET', '/ping', 0, NULL, NULL, 200, 4, %Q, NULL, 1, NULL, NULL, NULL, NULL, NULL)"
    sql_executef(
        m->db, "INSERT INTO workload VALUES (1, 1, 'limit', 1, " PING ", (2, 1, %Q, 0, " PING,
        pong_sha256, has(m, RESULTS_BUILDER_HOSTILE) ? "ping | <i>x</i> \"" : "ping", pong_sha256);
#undef PING
#define CELLS "INSERT INTO cell (cell_id, workload_id, connection_count) VALUES "
    sql_executef(m->db, CELLS "(%d, 1, %u), (%d, 2, %u)", 1 + whole, first, 2 - whole, first);
    if (counts[1]) {
        sql_executef(m->db, CELLS "(3, 1, %u), (4, 2, %u)", counts[1], counts[1]);
    }
}

/* The outcomes of a sample, and the metrics of the driver that count them. */
static void fill_requests(struct making *m, struct trial_making *t, struct sample *sample,
                          int64_t *in_flight)
{
    bool dead = t->crashes && sample->index > 3;
    bool drain = sample->phase == SAMPLE_PHASE_DRAIN;
    int64_t ok = drain ? *in_flight : (int64_t)(t->rate_per_s * 0.5 * (1 + 0.004 * noise(&m->rng)));
    int64_t left = drain ? 0 : t->connection_count;
    int64_t faults = 0;

    if (dead || has(m, RESULTS_BUILDER_NOTHING)) {
        faults = drain ? 0 : 1000;
        ok = 0;
        left = 0;
        sample->outcomes[OUTCOME_RESET] = dead ? (uint64_t)*in_flight : 0;
        sample->outcomes[OUTCOME_CONNECT_REFUSED] = (uint64_t)faults;
        faults += dead ? *in_flight : 0;
    }
    sample->outcomes[OUTCOME_OK] = (uint64_t)ok;
    sample->metrics[METRIC_ok_count] = ok;
    sample->metrics[METRIC_http_error_count] = 0;
    sample->metrics[METRIC_fault_count] = faults;
    sample->metrics[METRIC_started_count] = ok + faults + left - *in_flight;
    sample->metrics[METRIC_in_flight_count] = left;
    sample->metrics[METRIC_connection_count] = left || drain ? t->connection_count : 0;
    sample->metrics[METRIC_reconnect_count] = 0;
    sample->metrics[METRIC_resent_count] = 0;
    sample->metrics[METRIC_scheduled_count] = METRIC_UNKNOWN; /* closed loop */
    sample->metrics[METRIC_backlog_count] = METRIC_UNKNOWN;
    sample->metrics[METRIC_shed_count] = METRIC_UNKNOWN;
    sample->metrics[METRIC_sent_bytes] = sample->metrics[METRIC_started_count] * 38;
    sample->metrics[METRIC_received_bytes] = ok * 82;
    sample->metrics[METRIC_latency_overflow_count] = 0;
    *in_flight = left;
    t->started += sample->metrics[METRIC_started_count];
    t->served += ok;
}

/* Service times by Little's law. */
static void fill_latency(struct making *m, const struct trial_making *t, struct sample *sample)
{
    int64_t ok = sample->metrics[METRIC_ok_count];
    double mean_ns = (double)t->connection_count / t->rate_per_s * 1e9;

    histogram_clear(m->histogram);
    for (int64_t i = 0; i < ok; i++) {
        double jitter = 0.95 + 0.1 * (double)(rng_next(&m->rng) >> 40) / (1 << 24);

        histogram_record(
            m->histogram,
            (int64_t)(mean_ns * m->shape[(2 * i + 1) * SHAPE_COUNT / (2 * ok)] * jitter));
    }
    sample->metrics[METRIC_latency_sum_ns] = m->histogram->sum_ns;
    sample->metrics[METRIC_latency_max_ns] = ok ? m->histogram->max_ns : METRIC_UNKNOWN;
}

static void fill_machine(struct making *m, const struct trial_making *t, struct sample *sample)
{
    const struct arm_traits *trait = &traits[t->arm];
    bool drain = sample->phase == SAMPLE_PHASE_DRAIN;
    double busy = has(m, RESULTS_BUILDER_NOTHING) ? 0.01 : (drain ? 0.02 : 1);
    double length_ns = (double)(sample->end_ns - sample->start_ns);
    int64_t server = (int64_t)(length_ns * busy * trait->server_cpu * (1 + 0.01 * noise(&m->rng)));
    int64_t driver = (int64_t)(length_ns * busy * 0.66 * (1 + 0.01 * noise(&m->rng)));
    int64_t foreign = (int64_t)(length_ns * CPU_COUNT *
                                (has(m, RESULTS_BUILDER_FOREIGN_CPU) && !drain ? 0.12 : 0.004));
    int64_t *metrics = sample->metrics;
    int64_t *user_ns = &metrics[METRIC_machine_user_ns];

    server = server > (int64_t)length_ns ? (int64_t)length_ns : server;
    metrics[METRIC_server_system_ns] = (int64_t)((double)server * trait->system_share);
    metrics[METRIC_server_user_ns] = server - metrics[METRIC_server_system_ns];
    metrics[METRIC_driver_system_ns] = driver * 3 / 4;
    metrics[METRIC_driver_user_ns] = driver - driver * 3 / 4;
    metrics[METRIC_driver_sleep_count] = 900;
    metrics[METRIC_driver_spin_ns] = 0;
    metrics[METRIC_collector_cpu_ns] = driver + 1500000;
    metrics[METRIC_machine_softirq_ns] = server / 10;
    metrics[METRIC_machine_busy_ns] =
        server + driver + 1500000 + foreign + metrics[METRIC_machine_softirq_ns];
    metrics[METRIC_machine_idle_ns] =
        CPU_COUNT * (int64_t)length_ns - metrics[METRIC_machine_busy_ns];
    *user_ns = metrics[METRIC_server_user_ns] + driver - driver * 3 / 4 + 1500000 + foreign;
    metrics[METRIC_machine_system_ns] =
        metrics[METRIC_machine_busy_ns] - *user_ns - metrics[METRIC_machine_softirq_ns];
    metrics[METRIC_machine_steal_ns] = 0;
    metrics[METRIC_machine_pressure_cpu_ns] = (int64_t)(length_ns / 100.0);
    metrics[METRIC_machine_swap_in_kib] = 0;
    metrics[METRIC_machine_swap_out_kib] = 0;
    metrics[METRIC_machine_memory_available_kib] = 6200000 - (int64_t)rng_below(&m->rng, 4096);
    metrics[METRIC_machine_listen_overflow_count] = 0;
    metrics[METRIC_machine_retransmit_count] = 0;
    metrics[METRIC_lateness_ns] = 60000 + (int64_t)rng_below(&m->rng, 90000);
}

static void fill_server(struct making *m, const struct trial_making *t, struct sample *sample)
{
    const struct arm_traits *trait = &traits[t->arm];
    int64_t *metrics = sample->metrics;

    metrics[METRIC_server_rss_kib] = trait->rss_kib + (int64_t)rng_below(&m->rng, 64);
    metrics[METRIC_server_pss_kib] =
        sample->index % 4 == 2 ? metrics[METRIC_server_rss_kib] - 96 : METRIC_UNKNOWN;
    metrics[METRIC_server_process_count] = 1;
    metrics[METRIC_server_thread_count] = trait->thread_count;
    metrics[METRIC_server_fd_count] = 8 + t->connection_count;
    metrics[METRIC_server_voluntary_switch_count] = trait->thread_count * 40;
    metrics[METRIC_server_involuntary_switch_count] = 12;
    metrics[METRIC_server_run_delay_ns] = trait->thread_count * 50000;
    metrics[METRIC_server_minor_fault_count] = sample->index ? 0 : 210;
    metrics[METRIC_server_major_fault_count] = 0;
    metrics[METRIC_server_request_count] = metrics[METRIC_ok_count];
    metrics[METRIC_server_open_count] = metrics[METRIC_connection_count];
    metrics[METRIC_server_accept_queue_count] = 0;
    if (t->crashes && sample->index > 3) {
        for (int i = 0; i < METRIC_COUNT; i++) {
            if (metric_infos[i].scope == METRIC_SCOPE_SERVER) {
                metrics[i] = METRIC_UNKNOWN;
            }
        }
    }
}

static void add_sample(struct making *m, const struct trial_making *t, const struct sample *sample)
{
    sqlite3_stmt *insert = m->sample_insert;

    sqlite3_bind_int64(insert, 1, t->trial_id);
    sqlite3_bind_int64(insert, 2, sample->index);
    sqlite3_bind_text(insert, 3, sample_phase_names[sample->phase], -1, SQLITE_STATIC);
    sqlite3_bind_int64(insert, 4, sample->start_ns);
    sqlite3_bind_int64(insert, 5, sample->end_ns);
    for (int i = 0; i < METRIC_COUNT; i++) {
        sql_bind_metric(insert, 6 + i, sample->metrics[i]);
    }
    if (sample->histogram.bytes) {
        sqlite3_bind_blob(insert, 6 + METRIC_COUNT, sample->histogram.bytes,
                          (int)sample->histogram.length, SQLITE_TRANSIENT);
    }
    step(m, insert);
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        if (sample->outcomes[i]) {
            sqlite3_bind_int64(m->outcome_insert, 1, t->trial_id);
            sqlite3_bind_int64(m->outcome_insert, 2, sample->index);
            sqlite3_bind_text(m->outcome_insert, 3, outcome_infos[i].name, -1, SQLITE_STATIC);
            sqlite3_bind_int64(m->outcome_insert, 4, (sqlite3_int64)sample->outcomes[i]);
            step(m, m->outcome_insert);
        }
    }
}

static void add_samples(struct making *m, struct trial_making *t)
{
    int64_t in_flight = 0;
    struct buf encoded;

    buf_init(&encoded, 1 << 20);
    for (uint32_t i = 0; i < (t->cut ? 3u : SAMPLE_COUNT); i++) {
        struct sample sample = {.index = i, .start_ns = i * SAMPLE_NS};

        sample.phase = i == 0 ? SAMPLE_PHASE_WARMUP
                              : (i < SAMPLE_COUNT - 1 ? SAMPLE_PHASE_WINDOW : SAMPLE_PHASE_DRAIN);
        sample.end_ns =
            sample.start_ns + (sample.phase == SAMPLE_PHASE_DRAIN ? 20000000 : SAMPLE_NS);
        metrics_forget_unusual(sample.metrics);
        fill_requests(m, t, &sample, &in_flight);
        fill_latency(m, t, &sample);
        fill_machine(m, t, &sample);
        fill_server(m, t, &sample);
        buf_clear(&encoded);
        if (!has(m, RESULTS_BUILDER_NO_HISTOGRAM) && sample.metrics[METRIC_ok_count] > 0) {
            if (histogram_encode(m->histogram, &encoded, NULL) != ERR_OK) {
                abort();
            }
            sample.histogram.bytes = (const uint8_t *)encoded.bytes;
            sample.histogram.length = encoded.length;
        }
        add_sample(m, t, &sample);
    }
    buf_release(&encoded);
}

static double trial_rate(struct making *m, enum arm arm)
{
    const struct results_builder *o = m->options;
    double sd = given_or(o->trial_noise, 0.01);
    double rate = arm == ARM_EPOLL   ? given_or(o->epoll_per_s, 52000)
                  : arm == ARM_LIMIT ? given_or(o->limit_per_s, 88000)
                                     : given_or(o->blocking_per_s, 31000);

    return rate * exp(m->block_effect + sd * noise(&m->rng));
}

/* block -1: calibration. */
static void add_trial(struct making *m, enum arm arm, int cell, int block, int position)
{
    const uint32_t *counts = m->options->connection_counts;
    int64_t order = m->next_trial++;
    struct trial_making t = {
        .trial_id = order + 1,
        .arm = arm,
        .connection_count = cell == 0 ? (counts[0] ? counts[0] : 125) : counts[1],
        .rate_per_s = trial_rate(m, arm),
        .crashes = has(m, RESULTS_BUILDER_CRASHED) && arm == ARM_EPOLL && block == 1,
        .cut = has(m, RESULTS_BUILDER_INTERRUPTED) && block == 2 && position == 1,
    };
    int64_t started_ns = STARTED_NS + order * TRIAL_STEP_NS;
    bool nothing = has(m, RESULTS_BUILDER_NOTHING);
    sql_executef(
        m->db,
        "INSERT INTO trial VALUES (%lld, 1, %d, %d, %lld, 0, 0, nullif(%d, -1), nullif(%d, "
        "-1), %Q, %Q, %lld, %lld, %d, %lld, %lld, %lld, NULL, NULL, %Q, NULL, NULL, NULL, NULL, "
        "NULL, NULL)",
        t.trial_id, 2 * cell + ((arm == ARM_LIMIT) != has(m, RESULTS_BUILDER_WHOLE_PLAN) ? 1 : 2),
        (int)arm + 1, order, block, position,
        t.crashes ? "crashed" : (t.cut ? "interrupted" : "finished"),
        t.crashes ? "the server ended during the trial: signal 11"
                  : (t.cut ? "stopped by the user (signal 2)" : NULL),
        started_ns, started_ns + 4300000000, 3200000, t.connection_count,
        nothing ? 0 : t.connection_count, nothing ? 0 : t.connection_count,
        t.crashes ? "signal 11" : "exit 0");
    add_samples(m, &t);
    sql_executef(m->db, "UPDATE trial SET started_count = %lld WHERE trial_id = %lld", t.started,
                 t.trial_id);
    if (!t.crashes) {
        sql_executef(m->db, "UPDATE trial SET server_request_count = %lld WHERE trial_id = %lld",
                     t.served, t.trial_id);
        return;
    }
    sql_executef(
        m->db, "INSERT INTO event VALUES (NULL, 1, %lld, %lld, 'error', 'server_crashed', %Q)",
        t.trial_id, started_ns + 2100000000, "the server ended during the trial: signal 11");
}

/* As plan and seed order them: arms are numbered as ours. */
static void add_scheduled_trials(struct making *m)
{
    struct plan *plan = calloc(1, sizeof(*plan));
    struct schedule schedule = {0};

    sql_fail_if(!plan, NULL, "memory");
    plan->block_count = block_count(m);
    plan->aa_arm = true;
    plan->seed = 42;
    plan->engine_count = 2;
    plan->workload_count = 1;
    plan->workloads[0].connection_counts[0] = 125;
    plan->workloads[0].load_point_count = 1;
    sql_fail_if(schedule_make(plan, &schedule, NULL) != ERR_OK, NULL, "schedule");
    for (size_t i = 0; i < schedule.count; i++) {
        const struct schedule_entry *entry = &schedule.entries[i];

        if (entry->arm_index == SCHEDULE_LIMIT) {
            m->block_effect = 0;
            add_trial(m, ARM_LIMIT, 0, -1, -1);
            continue;
        }
        if (entry->position_index == 0) {
            m->block_effect = 0.01 * noise(&m->rng);
        }
        add_trial(m, (enum arm)entry->arm_index, 0, (int)entry->block_index,
                  (int)entry->position_index);
    }
    schedule_release(&schedule);
    free(plan);
}

static void add_trials(struct making *m)
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                     {2, 1, 0}, {0, 2, 1}, {1, 0, 2}};
    int cell_count = m->options->connection_counts[1] ? 2 : 1;

    for (int cell = 0; cell < cell_count; cell++) {
        add_trial(m, ARM_LIMIT, cell, -1, -1);
    }
    for (int block = 0; block < (int)block_count(m); block++) {
        for (int cell = 0; cell < cell_count; cell++) {
            m->block_effect = 0.01 * noise(&m->rng);
            int position = 0;
            for (int i = 0; i < 3; i++) {
                int arm = orders[block % 6][i];

                if (arm == ARM_AA && has(m, RESULTS_BUILDER_NO_AA)) {
                    continue;
                }
                if (has(m, RESULTS_BUILDER_INTERRUPTED) && block == 2 && position == 2) {
                    return;
                }
                add_trial(m, (enum arm)arm, cell, block, position++);
            }
        }
    }
    m->block_effect = 0;
    for (int cell = 0; cell < cell_count; cell++) {
        add_trial(m, ARM_LIMIT, cell, -1, -1);
    }
}

static void add_events(struct making *m)
{
    bool hostile = has(m, RESULTS_BUILDER_HOSTILE);

    sql_executef(m->db,
                 "INSERT INTO event VALUES (NULL, 1, NULL, %lld, 'warning', 'preflight', %Q)",
                 STARTED_NS,
                 hostile ? "<img src=x onerror=alert(1)> | `id`\n- item"
                         : "CPU boost: 1; should be: 0 (off)");
}

void results_builder_make(const struct results_builder *builder, const char *path)
{
    struct making m = {.options = builder};

    m.histogram = calloc(1, sizeof(*m.histogram));
    sql_fail_if(!m.histogram, NULL, "memory");
    rng_init(&m.rng, builder->seed ? builder->seed : 42);
    make_shape(&m);
    open_database(&m, path);
    add_session(&m);
    add_facts(&m);
    add_engines(&m);
    add_workloads(&m);
    prepare(&m);
    add_events(&m);
    if (has(&m, RESULTS_BUILDER_WHOLE_PLAN)) {
        add_scheduled_trials(&m);
    } else if (!has(&m, RESULTS_BUILDER_EMPTY)) {
        add_trials(&m);
    }
    sqlite3_finalize(m.sample_insert);
    sqlite3_finalize(m.outcome_insert);
    sql_execute(m.db, "COMMIT");
    sql_fail_if(sqlite3_close(m.db) != SQLITE_OK, m.db, "close");
    free(m.histogram);
}
