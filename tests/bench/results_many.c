// SPDX-License-Identifier: Apache-2.0
// Writes a seeded results file of any size through the real store: what reports are timed on.
//
// results PATH ENGINES WORKLOADS BLOCKS SAMPLES [HISTOGRAMS]; SAMPLES a trial, at least 3.
// HISTOGRAMS 0: none are stored, and the metrics are only those that a report needs (a small file).
// Arms: ENGINES, the first of them the baseline, an A/A arm, and limit before and after.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/digest.h"
#include "collector/driver/histogram.h"
#include "collector/plan/plan.h"
#include "collector/sample.h"
#include "collector/store/store.h"
#include "engines/base/rng.h"

#define SAMPLE_NS      INT64_C(500000000)
#define STARTED_NS     INT64_C(1793491200000000000) /* 2026-11-01T00:00:00Z */
#define VARIANT_COUNT  32                           /* different samples of an arm in a workload */
#define ARM_COUNT_MAX  40
#define CELL_COUNT_MAX 12

/* One sample's requests, ready to store: made once, used many times. */
struct variant {
    struct buf histogram;
    int64_t ok_count, sum_ns, max_ns;
};

struct shape {
    unsigned engine_count, workload_count, block_count, sample_count;
    bool has_histograms;
};

struct making {
    struct shape shape;
    struct store *store;
    struct rng rng;
    int64_t session_id, order;
    uint64_t trial_variant; /* the first of those that its samples are drawn from */
    int64_t engine_ids[ARM_COUNT_MAX], cell_ids[CELL_COUNT_MAX], limit_cell_id;
    struct variant (*variants)[CELL_COUNT_MAX][VARIANT_COUNT]; /* by arm */
};

static void must(enum err_code code, const struct err *e)
{
    if (code != ERR_OK) {
        fprintf(stderr, "bench-results_many_many: %s\n", e->text);
        exit(1);
    }
}

static unsigned arm_count(const struct making *m)
{
    return m->shape.engine_count + 2; /* A/A, limit */
}

static unsigned connections_of(unsigned cell)
{
    return 8u << (cell % 4);
}

/* Requests per second: engines differ by 6 % each, workloads by 30 %. */
static double rate_of(const struct making *m, unsigned arm, unsigned cell)
{
    unsigned engine = arm == m->shape.engine_count ? 0 : arm; /* A/A: the baseline again */
    double base = arm > m->shape.engine_count ? 4800 : 1000 * pow(1.06, engine);

    return base * pow(0.77, cell) * (m->shape.has_histograms ? 1 : 30);
}

static double noise(struct rng *rng)
{
    double sum = -6;

    for (int i = 0; i < 12; i++) {
        sum += rng_unit(rng);
    }
    return sum;
}

/* Log-logistic service times around connections / rate (Little's law). */
static void make_variant(struct making *m, unsigned arm, unsigned cell, struct variant *variant)
{
    static struct histogram histogram;
    struct err e;
    double rate = rate_of(m, arm, cell) * exp(0.01 * noise(&m->rng));
    double mean_ns = connections_of(cell) / rate * 1e9;

    histogram_clear(&histogram);
    variant->ok_count = (int64_t)(rate * 0.5);
    if (!m->shape.has_histograms) {
        variant->sum_ns = (int64_t)(mean_ns * (double)variant->ok_count);
        variant->max_ns = (int64_t)(mean_ns * 4);
        return;
    }
    for (int64_t i = 0; i < variant->ok_count; i++) {
        double p = ((double)i + 0.5) / (double)variant->ok_count;

        histogram_record(&histogram, (int64_t)(mean_ns * 0.955 * pow(p / (1 - p), 1.0 / 6) *
                                               (0.97 + 0.06 * rng_unit(&m->rng))));
    }
    variant->sum_ns = histogram.sum_ns;
    variant->max_ns = histogram.max_ns;
    buf_init(&variant->histogram, 1 << 20);
    must(histogram_encode(&histogram, &variant->histogram, &e), &e);
}

static void make_variants(struct making *m)
{
    m->variants = calloc(arm_count(m), sizeof(*m->variants));
    if (!m->variants) {
        abort();
    }
    for (unsigned arm = 0; arm < arm_count(m); arm++) {
        for (unsigned cell = 0; cell < m->shape.workload_count; cell++) {
            for (unsigned i = 0; i < VARIANT_COUNT; i++) {
                make_variant(m, arm, cell, &m->variants[arm][cell][i]);
            }
        }
    }
}

static void add_session(struct making *m)
{
    static const char plan_text[] = "title: \"generated\"\n";
    static const char *const facts[][2] = {{"cpu.count", "2"},
                                           {"cpu.model", "Example CPU at 3.0 GHz"},
                                           {"kernel.release", "6.1.0-18-amd64"},
                                           {"memory.total_kib", "8040212"},
                                           {"order.generator", RNG_NAME},
                                           {"order.seed", "42"},
                                           {"server.cpus", "0"},
                                           {"driver.cpus", "1"},
                                           {"driver.engine", "epoll"},
                                           {"driver.threads", "1"}};
    char plan_digest[DIGEST_HEX_BYTES];
    struct err e;
    struct store_session row = {.title = "a generated session",
                                .plan_text = plan_text,
                                .plan_digest = plan_digest,
                                .program_version = "0.1.0+generated",
                                .started_utc_ns = STARTED_NS};

    must(digest_bytes(plan_text, strlen(plan_text), plan_digest, &e), &e);
    must(store_begin_session(m->store, &row, &m->session_id, &e), &e);
    for (size_t i = 0; i < ARRAY_COUNT(facts); i++) {
        must(store_add_fact(m->store, m->session_id, "start", facts[i][0], facts[i][1], &e), &e);
        must(store_add_fact(m->store, m->session_id, "end", facts[i][0], facts[i][1], &e), &e);
    }
}

static void add_engines(struct making *m)
{
    struct err e;

    for (unsigned arm = 0; arm < arm_count(m); arm++) {
        bool is_aa = arm == m->shape.engine_count, is_limit = arm > m->shape.engine_count;
        char name[32];
        struct store_engine row = {
            .name = name,
            .role = is_limit ? "limit" : (is_aa ? "aa" : (arm == 0 ? "baseline" : "subject")),
            .kind = "builtin",
            .source = is_limit ? "limit" : "epoll",
            .command_json = "[\"tacho-engine\",\"epoll\"]",
            .binary_sha256 = "0000000000000000000000000000000000000000000000000000000000000007"};

        snprintf(name, sizeof(name),
                 is_limit ? "limit" : (is_aa ? "engine-01 (A/A)" : "engine-%02u"), arm + 1);
        must(store_add_engine(m->store, m->session_id, &row, &m->engine_ids[arm], &e), &e);
    }
}

static void add_cells(struct making *m)
{
    struct err e;

    for (unsigned cell = 0; cell <= m->shape.workload_count; cell++) {
        bool is_limit = cell == m->shape.workload_count;
        char name[32], path[32];
        struct store_workload row = {.name = name,
                                     .request = {.method = "GET",
                                                 .path = path,
                                                 .expect_status = 200,
                                                 .expect_body_bytes = 4},
                                     .is_calibration = is_limit,
                                     .pipeline_count = 1};
        struct store_cell point = {.connection_count = connections_of(is_limit ? 0 : cell)};
        int64_t workload_id;

        snprintf(name, sizeof(name), is_limit ? "limit" : "workload-%u", cell + 1);
        snprintf(path, sizeof(path), is_limit ? "/ping" : "/w%u", cell + 1);
        must(store_add_workload(m->store, m->session_id, &row, &workload_id, &e), &e);
        must(store_add_cell(m->store, workload_id, &point,
                            is_limit ? &m->limit_cell_id : &m->cell_ids[cell], &e),
             &e);
    }
}

static void fill_cpu(struct making *m, unsigned arm, struct sample *sample, double length_ns)
{
    int64_t *metrics = sample->metrics;
    int64_t server = (int64_t)(length_ns * (0.80 + 0.02 * rng_unit(&m->rng)));
    int64_t driver = (int64_t)(length_ns * 0.55);

    metrics[METRIC_driver_user_ns] = driver / 3;
    metrics[METRIC_driver_system_ns] = driver - driver / 3;
    metrics[METRIC_driver_spin_ns] = 0;
    metrics[METRIC_server_user_ns] = server / 4;
    metrics[METRIC_server_system_ns] = server - server / 4;
    metrics[METRIC_server_rss_kib] = 2000 + 150 * (int64_t)arm + (int64_t)rng_below(&m->rng, 64);
    metrics[METRIC_server_process_count] = 1;
    metrics[METRIC_server_thread_count] = 1 + arm % 8;
    metrics[METRIC_collector_cpu_ns] = driver + 1500000;
    metrics[METRIC_machine_softirq_ns] = server / 10;
    metrics[METRIC_machine_busy_ns] =
        server + driver + 2500000 + metrics[METRIC_machine_softirq_ns];
    metrics[METRIC_machine_idle_ns] = 2 * (int64_t)length_ns - metrics[METRIC_machine_busy_ns];
    metrics[METRIC_lateness_ns] = 60000 + (int64_t)rng_below(&m->rng, 90000);
}

static void fill_sample(struct making *m, unsigned arm, unsigned cell, struct sample *sample)
{
    bool is_drain = sample->phase == SAMPLE_PHASE_DRAIN;
    const struct variant *variant =
        &m->variants[arm][cell][(m->trial_variant + rng_below(&m->rng, 8)) % VARIANT_COUNT];
    int64_t *metrics = sample->metrics;
    int64_t in_flight = sample->index ? connections_of(cell) : 0;

    for (int i = 0; i < METRIC_COUNT; i++) {
        bool is_known = m->shape.has_histograms && metric_infos[i].scope != METRIC_SCOPE_DRIVER;

        metrics[i] = is_known ? 0 : METRIC_UNKNOWN;
    }
    metrics[METRIC_ok_count] = is_drain ? in_flight : variant->ok_count;
    metrics[METRIC_http_error_count] = 0;
    metrics[METRIC_fault_count] = 0;
    metrics[METRIC_in_flight_count] = is_drain ? 0 : connections_of(cell);
    metrics[METRIC_started_count] =
        metrics[METRIC_ok_count] + metrics[METRIC_in_flight_count] - in_flight;
    metrics[METRIC_connection_count] = connections_of(cell);
    metrics[METRIC_reconnect_count] = 0;
    metrics[METRIC_resent_count] = 0;
    metrics[METRIC_latency_overflow_count] = 0;
    metrics[METRIC_latency_sum_ns] = is_drain ? METRIC_UNKNOWN : variant->sum_ns;
    metrics[METRIC_latency_max_ns] = is_drain ? METRIC_UNKNOWN : variant->max_ns;
    if (m->shape.has_histograms) {
        metrics[METRIC_server_request_count] = metrics[METRIC_ok_count];
        metrics[METRIC_server_open_count] = metrics[METRIC_connection_count];
        metrics[METRIC_server_voluntary_switch_count] = (int64_t)rng_below(&m->rng, 200);
        metrics[METRIC_machine_memory_available_kib] = 6200000 - (int64_t)rng_below(&m->rng, 4096);
    }
    sample->outcomes[OUTCOME_OK] = (uint64_t)metrics[METRIC_ok_count];
    fill_cpu(m, arm, sample, (double)(sample->end_ns - sample->start_ns));
    if (m->shape.has_histograms && !is_drain) {
        sample->histogram.bytes = (const uint8_t *)variant->histogram.bytes;
        sample->histogram.length = variant->histogram.length;
    }
}

static void add_samples(struct making *m, int64_t trial_id, unsigned arm, unsigned cell,
                        struct store_trial_end *end)
{
    unsigned warmup_count = m->shape.sample_count / 5 + 1;
    struct err e;

    m->trial_variant = rng_below(&m->rng, VARIANT_COUNT);
    end->started_count = 0;
    end->server_request_count = 0;
    for (unsigned i = 0; i < m->shape.sample_count; i++) {
        struct sample sample = {.index = i, .start_ns = i * SAMPLE_NS};
        bool is_drain = i + 1 == m->shape.sample_count;

        sample.phase = is_drain           ? SAMPLE_PHASE_DRAIN
                       : i < warmup_count ? SAMPLE_PHASE_WARMUP
                                          : SAMPLE_PHASE_WINDOW;
        sample.end_ns = sample.start_ns + (is_drain ? SAMPLE_NS / 25 : SAMPLE_NS);
        fill_sample(m, arm, cell, &sample);
        end->started_count += sample.metrics[METRIC_started_count];
        end->server_request_count += sample.metrics[METRIC_ok_count];
        must(store_queue_sample(m->store, trial_id, &sample, &e), &e);
    }
}

/* block −1: calibration. */
static void add_trial(struct making *m, unsigned arm, unsigned cell, int64_t block,
                      int64_t position)
{
    int64_t length_ns = (int64_t)m->shape.sample_count * SAMPLE_NS + 1000000000, trial_id;
    int64_t connections = connections_of(cell);
    bool is_limit = block < 0;
    struct err e;
    struct store_trial row = {.session_id = m->session_id,
                              .cell_id = is_limit ? m->limit_cell_id : m->cell_ids[cell],
                              .engine_id = m->engine_ids[arm],
                              .order_index = m->order,
                              .block_index = is_limit ? METRIC_UNKNOWN : block,
                              .position_index = is_limit ? METRIC_UNKNOWN : position,
                              .started_utc_ns = STARTED_NS + m->order * length_ns};
    struct store_trial_end end = {.state = "finished",
                                  .server_exit = "exit 0",
                                  .ended_utc_ns = row.started_utc_ns + length_ns - 1,
                                  .ready_ns = 3200000,
                                  .connections_requested = connections,
                                  .connections_established = connections,
                                  .connections_served = connections};

    must(store_begin_trial(m->store, &row, &trial_id, &e), &e);
    add_samples(m, trial_id, arm, cell, &end);
    must(store_end_trial(m->store, trial_id, &end, &e), &e);
    m->order++;
}

static void add_trials(struct making *m)
{
    unsigned limit = m->shape.engine_count + 1, count = m->shape.engine_count + 1;
    uint32_t order[ARM_COUNT_MAX];

    for (unsigned i = 0; i < count; i++) {
        order[i] = i;
    }
    add_trial(m, limit, 0, -1, -1);
    for (unsigned block = 0; block < m->shape.block_count; block++) {
        for (unsigned cell = 0; cell < m->shape.workload_count; cell++) {
            rng_shuffle(&m->rng, order, count);
            for (unsigned i = 0; i < count; i++) {
                add_trial(m, order[i], cell, block, i);
            }
        }
    }
    add_trial(m, limit, 0, -1, -1);
}

static struct shape read_shape(char **arguments)
{
    unsigned long values[5] = {0, 0, 0, 0, 1};

    for (int i = 0; i < 5 && arguments[i]; i++) {
        values[i] = strtoul(arguments[i], NULL, 10);
    }
    return (struct shape){(unsigned)values[0], (unsigned)values[1], (unsigned)values[2],
                          (unsigned)values[3], values[4] != 0};
}

int main(int argument_count, char **arguments)
{
    struct making m = {0};
    struct err e;

    m.shape = argument_count >= 6 ? read_shape(arguments + 2) : (struct shape){0};
    if (m.shape.engine_count < 1 || m.shape.engine_count > ARM_COUNT_MAX - 2 ||
        m.shape.workload_count < 1 || m.shape.workload_count > CELL_COUNT_MAX ||
        m.shape.block_count < 1 || m.shape.sample_count < 3) {
        fprintf(
            stderr,
            "usage: bench-results_many_many PATH ENGINES WORKLOADS BLOCKS SAMPLES [HISTOGRAMS]\n");
        return 2;
    }
    remove(arguments[1]);
    rng_init(&m.rng, 42);
    must(store_open(arguments[1], &m.store, &e), &e);
    make_variants(&m);
    add_session(&m);
    add_engines(&m);
    add_cells(&m);
    add_trials(&m);
    must(store_end_session(m.store, m.session_id, "finished", NULL,
                           STARTED_NS + m.order * 5000000000, &e),
         &e);
    must(store_close(m.store, &e), &e);
    return 0;
}
