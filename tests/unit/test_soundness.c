// SPDX-License-Identifier: Apache-2.0
// Rows of a session that do not agree with each other, each told by its word.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/attr.h"
#include "report/judge/soundness.h"
#include "report/judge/soundness_samples.h"
#include "report/query/session_list.h"
#include "tests/support/results_builder.h"
#include "tests/support/session_fixture.h"

TestSuite(soundness, .init = session_folder_make, .fini = session_folder_remove);

/* The words of all findings, each once, in their order. */
static void words_read(const struct results *results, char out[200])
{
    struct soundness *soundness = calloc(1, sizeof(*soundness));
    struct soundness_samples *samples = soundness_samples_new();
    struct err e = {0};

    cr_assert(soundness && samples);
    cr_assert_eq(soundness_check_session(results, soundness, &e), ERR_OK, "%s", e.text);
    for (size_t i = 0; i < results->trial_count; i++) {
        soundness_check_trial(&results->trials[i], soundness);
        cr_assert_eq(soundness_check_samples(samples, results, i, soundness, &e), ERR_OK);
    }
    out[0] = '\0';
    for (size_t i = 0; i < soundness->finding_count; i++) {
        const char *word = soundness->findings[i].code;

        if (!strstr(out, word)) {
            strcat(strcat(out, *out ? " " : ""), word);
        }
        cr_expect_gt(strlen(soundness->findings[i].text), 10);
    }
    soundness_samples_free(samples);
    free(soundness);
}

#define GONE(which)                                                                                \
    "CREATE TEMP TABLE gone AS SELECT trial_id FROM trial WHERE " which                            \
    "; DELETE FROM outcome WHERE trial_id IN gone; DELETE FROM sample WHERE trial_id IN gone; "    \
    "DELETE FROM event WHERE trial_id IN gone; DELETE FROM trial WHERE trial_id IN gone"

/* Makes the workload a mix of six requests, of which each was sent in one sample of the window. */
#define MIX                                                                                        \
    "INSERT INTO request SELECT 2, sample_index - 1, 1000 - sample_index, 'GET', '/' || "          \
    "sample_index, 0, NULL, NULL, 200, NULL, NULL FROM sample WHERE trial_id = 4 AND phase = "     \
    "'window'; INSERT INTO request_total SELECT trial_id, sample_index - 1, "                      \
    "sample.started_count, ok_count, http_error_count, fault_count, sent_bytes, received_bytes, "  \
    "histogram FROM sample JOIN trial USING (trial_id) JOIN cell USING (cell_id) WHERE phase = "   \
    "'window' AND workload_id = 2; "

/* Makes the workload a flood of half a second, after which the server answers soon. */
#define FLOOD                                                                                      \
    "UPDATE workload SET flood_ns = 500000000, recover_within_ns = 10000000000 WHERE "             \
    "workload_id = 2; UPDATE trial SET recover_ns = 50000000 WHERE cell_id IN (SELECT cell_id "    \
    "FROM cell WHERE workload_id = 2); "

/* Of a trial: recover_ns and what is of TLS. */
#define REST "NULL, NULL, NULL, NULL, NULL, NULL"

/* Makes the workload one of wrk, with what wrk would have said. */
#define WRK                                                                                        \
    "UPDATE workload SET driver = 'wrk' WHERE workload_id = 2; INSERT INTO foreign_load SELECT "   \
    "trial_id, 'wrk 4.1.0', '[\"wrk\",\"-t1\",\"-c125\",\"-d3s\",\"--latency\",\"--timeout\","     \
    "\"2s\",\"http://127.0.0.1:8080/ping\"]', 'Running 3s test @ http://127.0.0.1:8080/ping' || "  \
    "char(10) || '  1 threads and 125 connections' || char(10) || '  Thread Stats   Avg      "     \
    "Stdev     Max   +/- Stdev' || char(10) || '    Latency   761.24us    1.72ms  18.05ms   "      \
    "90.29%' || char(10) || '    Req/Sec    45.02k     5.99k   53.71k    54.55%' || char(10) || "  \
    "'  10012 requests in 3.00s, 5.63MB read' || char(10) || 'Requests/sec:   3337.33' || "        \
    "char(10) || 'Transfer/sec:      1.88MB' || char(10) FROM trial JOIN cell USING (cell_id) "    \
    "WHERE workload_id = 2; "

/* Makes the workload a replay, with what is told of one. */
#define REPLAY                                                                                     \
    "UPDATE workload SET driver = 'replay' WHERE workload_id = 2; INSERT INTO foreign_load "       \
    "SELECT trial_id, NULL, '[\"replay\",\"a.db\"]', printf('trial 7 of session ab, SHA-256 of "   \
    "the file %064d', 7) FROM trial JOIN cell USING (cell_id) WHERE workload_id = 2; "

/* Trial 4 is epoll in block 0 or 1: whole, with 8 samples. */
static const struct {
    const char *sql, *words;
} rows[] = {
    {"SELECT 1", ""},
    {"UPDATE session SET plan_digest = printf('%064d', 7)", "plan_digest"},
    {"UPDATE session SET ended_utc_ns = NULL", "session_end"},
    {"UPDATE session SET ended_utc_ns = NULL, state = 'aborted'", ""},
    {"UPDATE engine SET binary_sha256 = printf('%064d', 8) WHERE engine_id = 1", "build_record"},
    {"UPDATE engine SET binary_sha256 = NULL WHERE engine_id = 1", ""},
    {"UPDATE engine SET binary_sha256 = printf('%064d', 8), kind = 'command' WHERE engine_id = 1",
     ""},
    {"INSERT INTO fact VALUES (1, 'start', 'program.tacho_engine_sha256', printf('%064d', 8))",
     "build_record"},
    {"INSERT INTO fact VALUES (1, 'start', 'program.tacho_engine_sha256', printf('%064d', 7))", ""},
    {"UPDATE trial SET state = 'running' WHERE trial_id = 4", "trial_state"},
    {"UPDATE trial SET state = 'running' WHERE trial_id = 4; UPDATE session SET state = 'running'",
     ""},
    {"UPDATE trial SET order_index = 2, attempt_index = 1 WHERE trial_id = 4", "place"},
    {"INSERT INTO trial SELECT 99, session_id, cell_id, engine_id, order_index, 1, 1, block_index, "
     "position_index, 'interrupted', 'x', 1, 2, 3, 4, 4, 4, 0, 0, NULL, " REST " FROM trial WHERE "
     "trial_id = "
     "4",
     "place"}, /* tried again after it was done */
    {"UPDATE trial SET state = 'interrupted', sitting_index = 1 WHERE trial_id = 4; "
     "INSERT INTO trial SELECT 99, session_id, cell_id, engine_id, order_index, 1, 0, block_index, "
     "position_index, 'interrupted', 'x', 1, 2, 3, 4, 4, 4, 0, 0, NULL, " REST " FROM trial WHERE "
     "trial_id = "
     "4",
     "place"}, /* an earlier sitting */
    {"DELETE FROM outcome WHERE trial_id = 4 AND sample_index = 3; "
     "DELETE FROM sample WHERE trial_id = 4 AND sample_index = 3",
     "samples_missing requests"},
    {"UPDATE sample SET start_ns = start_ns + 1 WHERE trial_id = 4 AND sample_index = 3",
     "sample_grid"},
    {"UPDATE sample SET end_ns = end_ns - 1000 WHERE trial_id = 4 AND sample_index = 3; "
     "UPDATE sample SET start_ns = start_ns - 1000 WHERE trial_id = 4 AND sample_index = 4",
     "sample_grid"},
    {"DELETE FROM outcome WHERE trial_id = 4 AND sample_index = 7; "
     "DELETE FROM sample WHERE trial_id = 4 AND sample_index = 7",
     "phase_missing"},
    {"UPDATE trial SET started_count = started_count + 1 WHERE trial_id = 4", "requests"},
    {"UPDATE sample SET started_count = started_count + 1 WHERE trial_id = 4 AND sample_index = 3; "
     "UPDATE trial SET started_count = started_count + 1 WHERE trial_id = 4",
     "outcomes"},
    {"UPDATE trial SET block_index = 4 WHERE block_index = 5", "trials_missing"},
    {GONE("engine_id = 3"), "trials_missing"},       /* an arm as a whole */
    {GONE("block_index IS NULL"), "trials_missing"}, /* calibration */
    {GONE("order_index = 19"), "trials_missing"},    /* its second half */
    {GONE("engine_id = 3") "; UPDATE session SET state = 'interrupted'", ""},
    {GONE("engine_id = 3") "; INSERT INTO fact VALUES (1, 'start', 'session.only', 'epoll')", ""},
    {GONE("engine_id = 3") "; UPDATE trial SET sitting_index = 1 WHERE order_index > 9", ""},
    {"UPDATE sample SET histogram = x'00' WHERE trial_id = 4 AND sample_index = 3", "latency"},
    {"UPDATE sample SET histogram = NULL WHERE trial_id = 4 AND sample_index = 3", "latency"},
    {"UPDATE sample SET histogram = NULL", ""},
    {"UPDATE sample SET histogram = (SELECT histogram FROM sample WHERE trial_id = 3 AND "
     "sample_index = 3) WHERE trial_id = 4 AND sample_index = 3",
     "latency"},
    {"UPDATE sample SET service_histogram = x'00' WHERE trial_id = 4 AND sample_index = 3",
     "latency"},
    {"UPDATE sample SET lag_histogram = x'00' WHERE trial_id = 4 AND sample_index = 3", "latency"},
    {"UPDATE sample SET latency_max_ns = 1 WHERE trial_id = 4 AND sample_index = 3", "latency"},
    {"UPDATE sample SET latency_max_ns = latency_max_ns * 2 WHERE trial_id = 4 AND sample_index = "
     "3",
     "latency"},
    {"UPDATE sample SET latency_sum_ns = 1 WHERE trial_id = 4 AND sample_index = 3", "latency"},
    {"UPDATE sample SET latency_sum_ns = latency_sum_ns + latency_sum_ns / 100 WHERE trial_id = 4 "
     "AND sample_index = 3",
     "latency"},
    {"UPDATE sample SET machine_busy_ns = 1 WHERE trial_id = 4 AND sample_index = 3", "cpu_time"},
    {"UPDATE sample SET machine_busy_ns = 5 * (end_ns - start_ns) WHERE trial_id = 4 AND "
     "sample_index = 3",
     "cpu_time"},
    {"INSERT INTO fact VALUES (1, 'start', 'session.trials', '20'); UPDATE trial SET order_index = "
     "order_index + 100 WHERE trial_id = 4",
     "trial_time place"},
    {"UPDATE trial SET ended_utc_ns = started_utc_ns - 1 WHERE trial_id = 4", "trial_time"},
    /* Its eight samples take 3.52 s. */
    {"UPDATE trial SET ended_utc_ns = started_utc_ns + 2500000000 WHERE trial_id = 4",
     "trial_time"},
    {"UPDATE trial SET ended_utc_ns = started_utc_ns + 2600000000 WHERE trial_id = 4", ""},
    {"UPDATE trial SET started_utc_ns = started_utc_ns - 2000000000 WHERE trial_id = 4",
     "trial_time"}, /* 0.7 s lie between two trials, and labels may be off by 1 s */
    {"UPDATE trial SET started_utc_ns = started_utc_ns - 1600000000 WHERE trial_id = 4", ""},
    {"UPDATE trial SET started_utc_ns = started_utc_ns - 1100000000 WHERE trial_id = 1",
     "trial_time"},
    {"UPDATE session SET ended_utc_ns = started_utc_ns + 90000000000", "trial_time"},
    {"UPDATE session SET started_utc_ns = 0, ended_utc_ns = ended_utc_ns * 2", ""},
    {"UPDATE trial SET started_utc_ns = 0 WHERE trial_id = 4", "trial_time"},
    /* The second sitting was on a machine that had lost its time. */
    {"UPDATE trial SET sitting_index = 9223372036854775807, started_utc_ns = started_utc_ns - "
     "86400000000000, ended_utc_ns = ended_utc_ns - 86400000000000 WHERE order_index > 9",
     ""},
    {"UPDATE sample SET in_flight_count = 126 WHERE trial_id = 4 AND sample_index = 3", "requests"},
    {"UPDATE sample SET in_flight_count = 126 WHERE trial_id = 4 AND sample_index = 3; UPDATE "
     "workload SET pipeline_count = 2",
     ""},
    {"UPDATE trial SET recover_ns = 50000000 WHERE trial_id = 4", "recovery"},
    {FLOOD, ""},
    {FLOOD "UPDATE trial SET recover_ns = 1 WHERE trial_id = 4", "recovery"},
    {FLOOD "UPDATE trial SET recover_ns = 13000000000 WHERE trial_id = 4", "recovery"},
    {FLOOD "UPDATE trial SET recover_ns = NULL WHERE trial_id = 4", ""}, /* the plan is not read */
    {WRK, ""},
    {WRK "DELETE FROM foreign_load WHERE trial_id = 4", "foreign_load"},
    {WRK "UPDATE foreign_load SET trial_id = 1 WHERE trial_id = 4", "foreign_load"},
    {WRK "UPDATE foreign_load SET command = replace(command, 'wrk', 'wrk2')", "foreign_load"},
    {WRK "UPDATE foreign_load SET command = replace(command, '-c125', '-c1')", "foreign_load"},
    {WRK "UPDATE foreign_load SET command = replace(command, '-d3s', '-d4s')", "foreign_load"},
    {WRK "UPDATE foreign_load SET command = replace(command, '/ping', '/pong')", "foreign_load"},
    {WRK "UPDATE foreign_load SET command = '['", "foreign_load"},
    {WRK "UPDATE foreign_load SET output = 'nothing'", "foreign_load"},
    {WRK "UPDATE foreign_load SET output = replace(output, '10012', '20012')", "foreign_load"},
    {WRK "UPDATE foreign_load SET output = replace(output, '3337.33', '9337.33')", "foreign_load"},
    {WRK "UPDATE foreign_load SET output = replace(output, '125 conn', '12 conn')", "foreign_load"},
    {REPLAY, ""},
    {REPLAY "DELETE FROM foreign_load WHERE trial_id = 4", "foreign_load"},
    {REPLAY "UPDATE foreign_load SET command = '[\"wrk\",\"a.db\"]'", "foreign_load"},
    {REPLAY "UPDATE foreign_load SET output = replace(output, '07', 'g7')", "foreign_load"},
    {MIX, ""},
    {MIX "DELETE FROM request_total WHERE request_index = 5", "mix"},
    {MIX "DELETE FROM request_total WHERE trial_id = 4", "mix"},
    {MIX "DELETE FROM request", "mix"},
    {MIX "UPDATE request_total SET ok_count = ok_count * 100 WHERE trial_id = 4", "mix"},
    {MIX "UPDATE request_total SET http_error_count = 5 WHERE trial_id = 4", "mix"},
    {MIX "UPDATE request_total SET fault_count = 5 WHERE trial_id = 4", "mix"},
    {MIX "UPDATE request_total SET started_count = started_count - 1 WHERE trial_id = 4", "mix"},
    {MIX "UPDATE request_total SET sent_bytes = sent_bytes + 1 WHERE trial_id = 4", "mix"},
    {MIX "UPDATE request_total SET histogram = x'00' WHERE trial_id = 4", "mix"},
    {MIX "UPDATE request_total SET histogram = NULL WHERE trial_id = 4", "mix"},
    {MIX "UPDATE request_total SET histogram = (SELECT histogram FROM sample WHERE trial_id = 3 "
         "AND sample_index = 3) WHERE trial_id = 4 AND request_index = 2",
     "mix"},
    {MIX "UPDATE request SET weight = 1 WHERE request_index > 0", "mix"},
    /* Of a trial that was cut short the requests are held against themselves alone. */
    {MIX "DELETE FROM request_total WHERE trial_id = 4; UPDATE trial SET state = 'crashed' WHERE "
         "trial_id = 4",
     ""},
    /* Attempts to connect are of no request. */
    {MIX "UPDATE sample SET started_count = started_count + 3, fault_count = 3 WHERE trial_id = 4 "
         "AND sample_index "
         "= 3; UPDATE trial SET started_count = started_count + 3 WHERE trial_id = 4; INSERT INTO "
         "outcome VALUES (4, 3, 'connect_refused', 3)",
     ""},
};

Test(soundness, tells_each_kind_of_disagreement_by_its_word)
{
    char words[200];

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct results *results = NULL;
        struct err e = {0};

        results_builder_make(&(struct results_builder){0}, session_path);
        results_builder_alter(session_path, rows[i].sql);
        cr_assert_eq(results_load(session_path, true, &results, &e), ERR_OK, "row %zu: %s", i,
                     e.text);
        words_read(results, words);
        cr_expect(strncmp(words, rows[i].words, strlen(rows[i].words)) == 0 &&
                      (*rows[i].words != '\0') == (*words != '\0'),
                  "row %zu: %s", i, words);
        results_free(results);
    }
}

/* A whole plan's session, altered and checked, its samples apart. The caller frees both. */
static struct soundness *altered_check(uint32_t block_count, const char *sql, bool is_own,
                                       struct results **results_out)
{
    struct soundness *soundness = calloc(1, sizeof(*soundness));
    struct err e = {0};

    cr_assert(soundness);
    results_builder_make(
        &(struct results_builder){.faults = RESULTS_BUILDER_WHOLE_PLAN, .block_count = block_count},
        session_path);
    results_builder_alter(session_path, sql);
    cr_assert_eq(results_load(session_path, true, results_out, &e), ERR_OK, "%s: %s", sql, e.text);
    soundness->program_version = is_own ? (*results_out)->program_version : NULL;
    cr_assert_eq(soundness_check_session(*results_out, soundness, &e), ERR_OK, "%s", e.text);
    return soundness;
}

/* The rows are those of plan.h's canonical text; `tacho results` of a real session has them so. */
static const struct {
    const char *sql, *want; /* in the text of the only finding; NULL: none */
} plan_rows[] = {
    {"SELECT 1", NULL},
    {"UPDATE session SET title = 'x'", "session 1: its title is \"x\", the plan gives \"epoll ag"},
    {"UPDATE engine SET name = 'x' WHERE name = 'epoll'; "
     "UPDATE engine SET name = 'epoll' WHERE name = 'blocking'; "
     "UPDATE engine SET name = 'blocking' WHERE name = 'x'",
     "engine 1: its name is \"blocking\", the plan gives \"epoll\""},
    {"UPDATE engine SET role = 'subject' WHERE role = 'baseline'", "engine 2: its role is"},
    {"UPDATE engine SET name = 'blocking (B/B)' WHERE role = 'aa'", "engine 3: its name is"},
    {"UPDATE engine SET kind = 'url' WHERE engine_id = 1", "engine 1: its kind is"},
    {"UPDATE engine SET source = 'epoll' WHERE role = 'limit'", "engine 4: its source is"},
    {"UPDATE engine SET thread_count = 2 WHERE engine_id = 1",
     "engine 1: its thread_count is \"2\", the plan gives \"0\""},
    {"UPDATE engine SET command = '[\"tacho-engine\",\"epoll\"]' WHERE engine_id = 1",
     "engine 1: its command is not the one that the plan gives: [\"tacho-engine\",\"epoll\"]"},
    {"INSERT INTO engine SELECT 9, 1, 'more', role, kind, source, 0, command, NULL FROM engine "
     "WHERE engine_id = 1",
     "5 engines, the plan gives 4"},
    {"UPDATE workload SET method = 'HEAD' WHERE name = 'ping'", "workload 2: its method is"},
    {"UPDATE workload SET path = '/pang' WHERE name = 'ping'", "workload 2: its path is"},
    {"UPDATE workload SET path = '/pang' WHERE name = 'limit'", "workload 1: its path is"},
    {"UPDATE workload SET expect_body_bytes = 5 WHERE name = 'ping'",
     "workload 2: its expect_body_bytes is"},
    {"UPDATE workload SET pipeline_count = 16 WHERE name = 'ping'",
     "workload 2: its pipeline_count is"},
    {"UPDATE workload SET flood_ns = 5, recover_within_ns = 6 WHERE name = 'ping'",
     "workload 2: its flood_ns is \"5\", the plan gives \"\""},
    {"UPDATE cell SET connection_count = 1250 WHERE workload_id = 2",
     "cell 1: its connection_count is \"1250\", the plan gives \"125\""},
    {"UPDATE cell SET rate_per_s = 7, arrivals = 'uniform' WHERE workload_id = 2",
     "cell 1: its rate_per_s is"},
    {"UPDATE cell SET cell_id = cell_id + 10; UPDATE cell SET cell_id = 13 - cell_id",
     "cell 1: its workload is"},
    {"UPDATE workload SET body = x'41', body_bytes = 1, body_sha256 = printf('%064d', 7) WHERE "
     "name = 'ping'",
     "workload 2: its body has 1 bytes and the SHA-256 559aead08264d579"}, /* printf A | sha256sum
                                                                            */
    {"UPDATE workload SET body = x'41', body_bytes = 2, body_sha256 = "
     "'559aead08264d5795d3909718cdd05abd49572e84fe55590eef31a88a08fdffd' WHERE name = 'ping'",
     "workload 2: its body has 1 bytes"},
    {"INSERT INTO cell VALUES (9, 2, 1, NULL, NULL, NULL)", "3 cells, the plan gives 2"},
};

Test(soundness, holds_engines_workloads_and_cells_against_the_plan)
{
    for (size_t i = 0; i < ARRAY_COUNT(plan_rows); i++) {
        struct results *results = NULL;
        struct soundness *soundness = altered_check(1, plan_rows[i].sql, true, &results);

        cr_assert_eq(soundness->finding_count > 0, plan_rows[i].want != NULL, "row %zu", i);
        if (plan_rows[i].want) {
            cr_expect_str_eq(soundness->findings[0].code, "plan_rows");
            cr_expect(strstr(soundness->findings[0].text, plan_rows[i].want), "row %zu: %s", i,
                      soundness->findings[0].text);
        }
        results_free(results);
        free(soundness);
    }
}

/* Trials 2 … 7 are two blocks of epoll, blocking and its A/A arm, in an order by the seed; 1 and 8
 * are the limit's. A trial that was not run, or failed, leaves the others where they are. */
#define EXCHANGE(column, a, b)                                                                     \
    "CREATE TEMP TABLE old AS SELECT trial_id, " column " AS value FROM trial; "                   \
    "UPDATE trial SET " column " = (SELECT value FROM old WHERE old.trial_id = " #a " + " #b       \
    " - trial.trial_id) WHERE trial_id IN (" #a ", " #b ")"
static const struct {
    const char *sql;
    size_t count;      /* of the findings */
    const char *texts; /* in the first of them; NULL: none */
} order_rows[] = {
    {"SELECT 1", 0, NULL},
    {EXCHANGE("engine_id", 2, 3), 2, "its engine is not as plan and seed order"},
    {EXCHANGE("block_index", 2, 5), 2, "its block is not"},
    {EXCHANGE("position_index", 2, 3), 2, "its position is not"},
    {EXCHANGE("cell_id", 1, 2), 2, "its cell is not"},
    {"UPDATE trial SET order_index = 100 - order_index; UPDATE trial SET order_index = order_index "
     "- 93",
     6, "is not as plan and seed order"}, /* backwards; the limits are as before */
    {"UPDATE trial SET block_index = NULL WHERE trial_id = 2", 1, "its block is not"},
    {"UPDATE trial SET position_index = 0, block_index = 0 WHERE trial_id = 8", 1,
     "its block is not"},
    {"UPDATE trial SET order_index = 8 WHERE trial_id = 8", 1,
     "the plan orders 8 trials, this is number 9"},
    {"UPDATE fact SET value = '43' WHERE name = 'order.seed'", 1,
     "order.seed is \"43\", the plan gives \"42\""},
    {"INSERT INTO fact VALUES (1, 'start', 'session.trials', '8')", 0, NULL},
    {"INSERT INTO fact VALUES (1, 'start', 'session.trials', '7')", 1,
     "session.trials is \"7\", the plan gives \"8\""},
    {"UPDATE session SET plan_text = replace(plan_text, 'seed: 42', 'seed: 7'); UPDATE fact SET "
     "value = '7' WHERE name = 'order.seed'",
     SIZE_MAX, "its "},
    {"UPDATE trial SET state = 'crashed' WHERE trial_id = 4", 0, NULL},
    /* Run for some engines alone, run again, and run again later. */
    {"DELETE FROM outcome WHERE trial_id IN (2, 4); DELETE FROM sample WHERE trial_id IN (2, 4); "
     "DELETE FROM trial WHERE trial_id IN (2, 4); UPDATE session SET state = 'interrupted'",
     0, NULL},
    {"UPDATE trial SET state = 'interrupted' WHERE trial_id = 4; INSERT INTO trial SELECT 99, "
     "session_id, cell_id, engine_id, order_index, 1, 1, block_index, position_index, 'crashed', "
     "'x', 1, 2, 3, 4, 4, 4, 0, 0, NULL, " REST " FROM trial WHERE trial_id = 4",
     0, NULL},
};

Test(soundness, holds_each_trial_against_the_schedule)
{
    for (size_t i = 0; i < ARRAY_COUNT(order_rows); i++) {
        size_t count = 0;
        struct results *results = NULL;
        struct soundness *soundness = altered_check(2, order_rows[i].sql, false, &results);

        for (size_t j = 0; j < soundness->finding_count; j++) {
            const struct soundness_finding *finding = &soundness->findings[j];

            if (strcmp(finding->code, "schedule") == 0) {
                cr_expect(count++ || strstr(finding->text, order_rows[i].texts), "row %zu: %s", i,
                          finding->text);
            }
        }
        cr_expect(order_rows[i].count == SIZE_MAX ? count > 0 : count == order_rows[i].count,
                  "row %zu: %zu", i, count);
        cr_expect_str_eq(soundness->not_held, "");
        results_free(results);
        free(soundness);
    }
}

#define WRITTEN(text) "UPDATE session SET plan_source = " text
#define WITH_WINDOW(length)                                                                        \
    "'--- # p.yaml' || char(10) || replace(plan_source, 'window: 3s', 'window: " length "')"
#define RUN_AS_QUICK "UPDATE session SET plan_text = replace(plan_text, 'window: 3s', 'window: 2s')"
static const struct {
    const char *sql, *want; /* in the text of the only such finding; NULL: none */
} source_rows[] = {
    {"SELECT 1", NULL},
    {WRITTEN("NULL"), NULL},
    {WRITTEN("plan_text"), NULL},
    /* The canonical text has its window in line 7: title, baseline, trials, aa, settle, warmup. */
    {WRITTEN("replace(plan_source, 'window: 3s', 'window: 30s')"), "line 7 of that differs"},
    {WRITTEN("plan_source || 'more: 1'"), "unknown key \"more\""},
    {WRITTEN("''"), "the plan as it was written"},
    {WRITTEN(WITH_WINDOW("3s")), NULL},
    {WRITTEN(WITH_WINDOW("9s") " || '# --set window=3s' || char(10)"), NULL},
    {WRITTEN(WITH_WINDOW("9s") " || '# --set window=4s' || char(10)"), "line 7 of that differs"},
    {WRITTEN("plan_source || '# --set window=4s' || char(10)"), NULL}, /* a comment of one file */
    {WRITTEN(WITH_WINDOW("3s") " || '# --set no such key' || char(10)"), NULL},
    {WRITTEN(WITH_WINDOW("3s") " || '# --set title=' || hex(zeroblob(100)) || char(10)"), NULL},
    {RUN_AS_QUICK, "shortened as by --quick, but session.mode is \"not known\""},
    {RUN_AS_QUICK "; INSERT INTO fact VALUES (1, 'start', 'session.mode', 'full')",
     "but session.mode is \"full\""},
    {RUN_AS_QUICK "; INSERT INTO fact VALUES (1, 'start', 'session.mode', 'quick')", NULL},
};

Test(soundness, holds_the_plan_that_was_run_against_the_plan_as_it_was_written)
{
    for (size_t i = 0; i < ARRAY_COUNT(source_rows); i++) {
        size_t count = 0;
        struct results *results = NULL;
        struct soundness *soundness = altered_check(2, source_rows[i].sql, true, &results);

        for (size_t j = 0; j < soundness->finding_count; j++) {
            const struct soundness_finding *finding = &soundness->findings[j];

            if (strcmp(finding->code, "plan_source") == 0) {
                count++;
                cr_expect(source_rows[i].want && strstr(finding->text, source_rows[i].want),
                          "row %zu: %s", i, finding->text);
            }
        }
        cr_expect_eq(count, source_rows[i].want != NULL, "row %zu: %zu", i, count);
        results_free(results);
        free(soundness);
    }
}

/* Of another version the latencies may be missing altogether, as the table above has it. */
Test(soundness, misses_latencies_that_its_own_version_always_stores)
{
    struct soundness *soundness = calloc(1, sizeof(*soundness));
    struct soundness_samples *samples = soundness_samples_new();
    struct results *results = NULL;
    struct err e = {0};

    cr_assert(soundness && samples);
    results_builder_make(
        &(struct results_builder){.faults = RESULTS_BUILDER_NO_HISTOGRAM, .block_count = 1},
        session_path);
    cr_assert_eq(results_load(session_path, true, &results, &e), ERR_OK, "%s", e.text);
    soundness->program_version = results->program_version;
    for (size_t i = 0; i < results->trial_count; i++) {
        cr_assert_eq(soundness_check_samples(samples, results, i, soundness, &e), ERR_OK);
    }
    cr_assert_eq(soundness->finding_count, 1);
    cr_expect_str_eq(soundness->findings[0].code, "latency");
    results_free(results);
    soundness_samples_free(samples);
    free(soundness);
}

static const struct {
    const char *sql;
    size_t count;
} only_rows[] = {
    {"SELECT 1", 0},
    {GONE("engine_id = 3"), 0}, /* findings, not a selection */
    {"INSERT INTO fact VALUES (1, 'start', 'session.only', 'epoll')", 0},
    {GONE("engine_id = 3") "; INSERT INTO fact VALUES (1, 'start', 'session.only', 'epoll')", 1},
    {GONE("engine_id IN (1, 3)") "; INSERT INTO fact VALUES (1, 'start', 'session.only', 'b')", 2},
    {GONE("engine_id = 4") "; INSERT INTO fact VALUES (1, 'start', 'session.only', 'x')", 0},
};

Test(soundness, counts_what_a_selection_left_out)
{
    for (size_t i = 0; i < ARRAY_COUNT(only_rows); i++) {
        struct results *results = NULL;
        struct err e = {0};
        size_t count = SIZE_MAX;

        results_builder_make(&(struct results_builder){.block_count = 2}, session_path);
        results_builder_alter(session_path, only_rows[i].sql);
        cr_assert_eq(results_load(session_path, true, &results, &e), ERR_OK, "%s", e.text);
        cr_assert_eq(soundness_count_left_out(results, &count, &e), ERR_OK, "%s", e.text);
        cr_expect_eq(count, only_rows[i].count, "row %zu: %zu", i, count);
        results_free(results);
    }
}

static const struct {
    const char *sql, *not_held, *code; /* of the finding when this version made the session */
} unheld_rows[] = {
    {"SELECT 1", "", NULL},
    {"UPDATE session SET plan_text = replace(plan_text, 'trials: 2', 'trials: \"2\"')", "",
     "plan_text"},
    {"UPDATE session SET plan_text = replace(plan_text, 'trials: 2', 'trials: 02')", "",
     "plan_text"},
    {"UPDATE fact SET value = 'mt19937' WHERE name = 'order.generator'",
     "the order of the trials: it is by the generator mt19937", "schedule"},
    {"UPDATE session SET plan_text = plan_text || 'more: 1'",
     "engines, workloads, cells and the order of the trials: plan:", "plan_text"},
};

Test(soundness, tells_what_cannot_be_held_against_the_plan)
{
    for (size_t k = 0; k < 2 * ARRAY_COUNT(unheld_rows); k++) {
        size_t i = k / 2;
        bool is_own = k % 2 == 1;
        struct results *results = NULL;
        struct soundness *soundness = altered_check(2, unheld_rows[i].sql, is_own, &results);

        bool is_told = false;
        for (size_t j = 0; unheld_rows[i].code && j < soundness->finding_count; j++) {
            is_told = is_told || strcmp(soundness->findings[j].code, unheld_rows[i].code) == 0;
        }
        cr_expect_eq(is_told, is_own && unheld_rows[i].code, "row %zu", k);
        cr_expect(is_own ? *soundness->not_held == '\0'
                         : strstr(soundness->not_held, unheld_rows[i].not_held) != NULL,
                  "row %zu: %s", k, soundness->not_held);
        results_free(results);
        free(soundness);
    }
}

/* 20 places: 18 of three engines in 6 blocks, calibration before and after. */
Test(soundness, a_list_counts_places_and_not_attempts)
{
    struct session_list *list = NULL;
    struct err e = {0};

    results_builder_make(&(struct results_builder){0}, session_path);
    results_builder_alter(
        session_path,
        "INSERT INTO fact VALUES (1, 'start', 'session.trials', '25'); "
        "UPDATE trial SET state = 'crashed' WHERE trial_id IN (4, 5); "
        "UPDATE trial SET state = 'interrupted' WHERE trial_id = 6; "
        "INSERT INTO trial SELECT 99, session_id, cell_id, engine_id, order_index, 1, 1, "
        "block_index, position_index, 'finished', NULL, 1, 2, 3, 4, 4, 4, 0, 0, NULL, " REST
        " FROM trial WHERE trial_id = 5");
    cr_assert_eq(session_list_load(session_path, true, &list, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(list->count, 1);
    const struct session_entry *entry = &list->entries[0];
    cr_expect_eq(entry->planned_count, 25);
    cr_expect_eq(entry->done_count, 18);
    cr_expect_eq(entry->failed_count, 1, "trial 4; trial 5 was done at the second attempt");
    cr_expect_eq(entry->missing_count, 6, "trial 6 and five that never began");
    cr_expect_eq(entry->trial_count, 21);
    cr_expect_eq(entry->sitting_count, 2);
    cr_expect_eq(entry->engine_count, 3);
    cr_expect_eq(entry->cell_count, 1);
    cr_expect_eq(entry->sample_count, 160);
    session_list_free(list);
}
