// SPDX-License-Identifier: Apache-2.0
// What was measured, when and where, and what names it: a sentence of the first screen, a section.
#include "collector/probe/fingerprint.h"
#include "engines/base/clock.h"
#include "engines/base/units.h"
#include "report/compose/compose_parts.h"
#include "report/judge/recovery.h"

#define WORKLOAD_SHOWN_MAX 4 /* more are a fold */

static const struct document_column list_columns[] = {
    {.name = "name", .heading = "What", .views = DOCUMENT_VIEW_ALL, .precision = 60},
    {.name = "value", .heading = "Value", .views = DOCUMENT_VIEW_ALL, .precision = 200},
};

static void add_fact(struct document_table *table, const char *name, const char *sentence)
{
    struct document_cell *row = document_add_row(table);

    document_set_sentence(row, 0, name);
    document_set_sentence(row, 1, sentence);
}

/* "a closed loop with 10 ms of think time" */
static const char *think_words(struct compose *compose, const struct results_workload *workload)
{
    char length[UNITS_TEXT_BYTES];

    units_format_duration(workload->think_ns, length);
    return workload->is_think_exponential
               ? document_format(compose->document,
                                 "a closed loop with %s of think time on average, exponential",
                                 length)
               : document_format(compose->document, "a closed loop with %s of think time", length);
}

/* "a closed loop", "a closed loop, 4 requests on the way on each"; "an open loop of 2000 requests
 * per second, Poisson arrivals" */
static const char *loop_words(struct compose *compose, size_t cell_index)
{
    const struct results_cell *cell = compose_cell(compose, cell_index);
    const struct results_workload *workload = compose_workload(compose, cell_index);

    if (recovery_is_flood(compose->results, cell_index)) {
        return document_format(compose->document,
                               "a flood of %s s, after which the server is watched for %s s",
                               compose_seconds(compose, (double)workload->flood_ns / 1e9),
                               compose_seconds(compose, (double)workload->recover_within_ns / 1e9));
    }
    if (cell->rate_per_s == METRIC_UNKNOWN && workload->pipeline_count > 1) {
        return document_format(compose->document, "a closed loop, %lld requests on the way on each",
                               (long long)workload->pipeline_count);
    }
    if (cell->rate_per_s == METRIC_UNKNOWN && workload->think_ns > 0) {
        return think_words(compose, workload);
    }
    if (cell->rate_per_s == METRIC_UNKNOWN) {
        return document_tr(compose->document, workload->is_foreign && !workload->is_replay
                                                  ? "a closed loop of wrk"
                                                  : "a closed loop");
    }
    if (cell->rate_course) {
        return document_format(
            compose->document,
            "an open loop of %s requests per second along the window, %lld on average, %s arrivals",
            cell->rate_course, (long long)cell->rate_per_s,
            document_tr(compose->document, cell->is_poisson ? "Poisson" : "uniform"));
    }
    return document_format(
        compose->document, "an open loop of %lld requests per second, %s arrivals",
        (long long)cell->rate_per_s,
        document_tr(compose->document, cell->is_poisson ? "Poisson" : "uniform"));
}

/* "; each closed after 1 request"; "" */
static const char *closing_words(struct compose *compose, size_t cell_index)
{
    int64_t count = compose_workload(compose, cell_index)->requests_per_connection;

    if (count == METRIC_UNKNOWN) {
        return "";
    }
    if (count == 1) {
        return document_tr(compose->document, "; each closed after 1 request and opened anew");
    }
    return document_format(compose->document, "; each closed after %lld requests and opened anew",
                           (long long)count);
}

static struct document_table *new_list(struct compose *compose, const char *name)
{
    struct document_table *table =
        document_new_table(compose->document, name, NULL, list_columns, ARRAY_COUNT(list_columns));

    table->is_list = true;
    return table;
}

const char *compose_request(struct document *document, const struct results_workload *workload)
{
    const char *words = "";

    if (workload->mixed_count == 0) {
        return document_format(document, "%s %s", document_name(document, workload->request.method),
                               document_name(document, workload->request.path));
    }
    for (size_t i = 0; i < workload->mixed_count; i++) {
        const struct results_request *request = &workload->mixed[i];

        words = document_format(document, "%s%s%s %s (weight %lld)", words, i ? ", " : "",
                                document_name(document, request->method),
                                document_name(document, request->path), (long long)request->weight);
    }
    return words;
}

/* "ping: GET /ping, 125 connections in a closed loop" for each cell of the plan. */
static void add_workloads(struct compose *compose, struct document_table *table)
{
    struct document *document = compose->document;

    for (size_t i = 0; i < compose->results->cell_count; i++) {
        const struct results_workload *workload = compose_workload(compose, i);

        if (!workload->is_calibration) {
            add_fact(
                table, "workload",
                document_format(
                    document, "%s: %s, %lld connections in %s%s%s",
                    document_name(document, workload->name), compose_request(document, workload),
                    (long long)compose_cell(compose, i)->connection_count, loop_words(compose, i),
                    closing_words(compose, i),
                    workload->is_replay ? document_tr(document, "; replayed, not measured") : ""));
        }
    }
}

static void add_when(struct compose *compose, struct document_table *table)
{
    char started[CLOCK_TEXT_BYTES], ended[CLOCK_TEXT_BYTES];
    bool is_known = compose->results->ended_utc_ns != METRIC_UNKNOWN;

    clock_format_utc(compose->results->started_utc_ns, started);
    if (is_known) {
        clock_format_utc(compose->results->ended_utc_ns, ended);
    }
    add_fact(table, "when (UTC)",
             document_format(compose->document, "%s to %s", started,
                             is_known ? ended : document_tr(compose->document, "an unknown time")));
}

static const char *fact_name(struct compose *compose, const char *name)
{
    return document_name(compose->document, results_find_fact(compose->results, "start", name));
}

static void add_session(struct compose *compose, struct document_section *section)
{
    struct document *document = compose->document;
    struct document_table *table = new_list(compose, "session");
    struct document_table *workloads = new_list(compose, "workloads");

    add_workloads(compose, workloads);
    if (workloads->row_count <= WORKLOAD_SHOWN_MAX) {
        add_workloads(compose, table);
    }
    add_fact(table, "each trial",
             document_format(
                 document,
                 compose_is_replay(compose)
                     ? "a recorded one, %s s of warm-up, a window of %s s; %zu %s"
                     : "a fresh server, %s s of warm-up, a window of %s s; %zu %s",
                 compose_seconds(compose, compose_warmup_s(compose)),
                 compose_seconds(compose, compose_window_s(compose)), compose_block_count(compose),
                 document_tr(document, compose_block_count(compose) == 1 ? "block" : "blocks")));
    add_when(compose, table);
    add_fact(table, "where",
             document_format(document, "%s, %s CPUs, Linux %s", fact_name(compose, "cpu.model"),
                             fact_name(compose, "cpu.count"),
                             fact_name(compose, "kernel.release")));
    document_show_table(section, table, DOCUMENT_VIEW_ALL);
    if (workloads->row_count > WORKLOAD_SHOWN_MAX) {
        document_show_table(section, workloads, DOCUMENT_VIEW_ALL)->folded =
            document_format(document, "The load points (%zu)", workloads->row_count);
    }
}

/* What names this session, its plan, its samples and its machine for a comparison by eye. */
static void add_digests(struct compose *compose, struct document_section *section)
{
    struct document *document = compose->document;
    struct document_table *table = new_list(compose, "identity");

    add_fact(table, "session", document_name(document, compose->results->session_uid));
    add_fact(table, "samples SHA-256", document_format(document, "%s", compose->samples_digest));
    add_fact(table, "plan SHA-256", document_format(document, "%s", compose->results->plan_digest));
    if (results_find_fact(compose->results, "start", FINGERPRINT_FACT)) {
        add_fact(table, "machine SHA-256", fact_name(compose, FINGERPRINT_FACT));
    }
    document_show_table(section, table, DOCUMENT_VIEW_ALL)->folded =
        "Session, samples, plan and machine: their digests";
}

void compose_session(struct compose *compose)
{
    struct document_section *section = document_add_section(
        compose->document, "session",
        compose_is_replay(compose) ? "What was replayed" : "What was measured");

    add_session(compose, section);
    add_digests(compose, section);
}

void compose_measured(struct compose *compose)
{
    struct document *document = compose->document;
    char started[CLOCK_TEXT_BYTES];
    size_t block_count = compose_block_count(compose);

    clock_format_utc(compose->results->started_utc_ns, started);
    if (compose_is_replay(compose)) {
        document_add(document, &document->lead, DOCUMENT_PARAGRAPH,
                     document_format(document,
                                     "Replayed on %s, in %zu %s. On what machine it was measured, "
                                     "and when, stands in the recorded sessions.",
                                     started, block_count,
                                     document_tr(document, block_count == 1 ? "block" : "blocks")));
        return;
    }
    document_add(document, &document->lead, DOCUMENT_PARAGRAPH,
                 document_format(document, "Measured on %s, %s CPUs, Linux %s, on %s, in %zu %s.",
                                 fact_name(compose, "cpu.model"), fact_name(compose, "cpu.count"),
                                 fact_name(compose, "kernel.release"), started, block_count,
                                 document_tr(document, block_count == 1 ? "block" : "blocks")));
}
