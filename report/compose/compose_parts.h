// SPDX-License-Identifier: Apache-2.0
// The sections of the report, in their order, and what they share. Only for report/compose.
#ifndef REPORT_COMPOSE_COMPOSE_PARTS_H
#define REPORT_COMPOSE_COMPOSE_PARTS_H

#include "report/compose/compose.h"

void compose_lead(struct compose *compose);
/* The banner; of so many comparisons with the baseline `open_count` are not decided. */
void compose_headline(struct compose *compose, size_t open_count, size_t comparison_count);
/* "the limit engine's last trial was 16 % slower than its first" */
const char *compose_drift(struct compose *compose);
void compose_claims(struct compose *compose);   /* of the lead */
void compose_measured(struct compose *compose); /* of the lead: on what machine, when */
void compose_origin(struct compose *compose);   /* of the lead: forced, by hand, in part */
void compose_claim_results(struct compose *compose);
/* "C3: peak memory of epoll at 125 connections (ping): at most 2 MiB": what is claimed */
const char *compose_claim_title(struct compose *compose, const struct plan_claim *claim,
                                const struct claim_part *part);
/* And what became of it: "Claim C3: the peak memory of epoll is …; claimed: at most …: SUPPORTED."
 */
const char *compose_claim_sentence(struct compose *compose, const struct plan_claim *claim,
                                   const struct claim_part *part);
/* "epoll serves 1.51× [1.37, 1.66] the requests of blocking at …, n = 6 blocks: DIFFERENT." */
const char *compose_comparison(struct compose *compose, const struct analysis_row *row);
void compose_session(struct compose *compose);
/* What speaks against cells: an item each, and a table in files. */
void compose_remarks(struct compose *compose, struct document_section *section);
/* What to do about the findings of trials: an item for each kind, and a table in files. */
void compose_findings(struct compose *compose, struct document_section *section);
void compose_trust(struct compose *compose);
void compose_summary(struct compose *compose);
void compose_recovery(struct compose *compose);
/* What another driver said: likewise. */
void compose_drivers(struct compose *compose, struct document_section *section);
/* What was played from a recorded session: likewise. */
void compose_replays(struct compose *compose, struct document_section *section);
/* Whether nothing else is in the session. */
bool compose_is_replay(const struct compose *compose);
/* Each request of a mix: a table of the section, where there is one. */
void compose_mix(struct compose *compose, struct document_section *section);
/* What was due, answered and late along a rate that changes: likewise. */
void compose_course(struct compose *compose, struct document_section *section);
/* What was spoken over TLS: likewise. */
void compose_tls(struct compose *compose, struct document_section *section);
/* What is compared beside the throughput: a table of the section. */
void compose_secondary(struct compose *compose, struct document_section *section);
void compose_figures(struct compose *compose);
void compose_history(struct compose *compose);
/* Behind the results: which figure shows what. */
void compose_figure_references(struct compose *compose);
void compose_history_lead(struct compose *compose); /* ratios outside their control bands */
void compose_trials(struct compose *compose);
void compose_environment(struct compose *compose);
void compose_methods(struct compose *compose);
void compose_checklist(struct compose *compose, struct document_section *section);
void compose_reading(struct compose *compose);

const struct results_engine *compose_engine(const struct compose *compose, size_t engine_index);
const struct results_cell *compose_cell(const struct compose *compose, size_t cell_index);
const struct results_workload *compose_workload(const struct compose *compose, size_t cell_index);
/* "GET /ping"; of a mix "GET /ping (weight 9), POST /upload (weight 1)" */
const char *compose_request(struct document *document, const struct results_workload *workload);
/* What tells the cells of one number of connections apart: "ping"; in an open loop "ping, 2000/s";
 * "ping (replayed)".
 */
const char *compose_load_name(struct compose *compose, size_t cell_index);
/* True when a cell of the session is an open loop. */
bool compose_has_open(const struct compose *compose);
bool compose_engine_is(const struct compose *compose, size_t engine_index, const char *role);
/* Whether the baseline has a second arm (A/A). */
bool compose_has_arm(const struct compose *compose);

/* Rows in the order of the report: cells of the plan first, those of the calibration last. Fills
 * `rows_out` (analysis->row_count pointers). */
void compose_order_rows(const struct compose *compose, const struct analysis_row **rows_out);
/* The same in the document's memory; NULL without memory or rows. */
const struct analysis_row **compose_rows(const struct compose *compose);

/* Where the files of figures lie: "plots"; of an article "figures". */
const char *compose_plot_folder(const struct compose *compose);
/* "at 125 connections (ping)" */
const char *compose_place(struct compose *compose, size_t cell_index);
/* "2.31× [2.25, 2.38]" in the document's memory. */
const char *compose_ratio(struct compose *compose, const struct estimate *estimate);
/* One sentence with the numbers filled in. */
const char *compose_finding(struct compose *compose, const struct finding *finding);
/* Whether it has a line of its own in the section on trust: a warning, and not of a trial that is
 * not counted, which is told with its reasons. */
bool compose_event_is_told(const struct compose *compose, const struct results_event *event);
/* What says more than a finding of the trial's state: its recorded reason; NULL: nothing does. */
const char *compose_trial_reason(struct compose *compose, size_t trial_index,
                                 enum finding_kind kind);
/* The same of several of one kind, with the numbers of the lowest and the highest of them. */
const char *compose_findings_between(struct compose *compose, const struct finding *lowest,
                                     const struct finding *highest);
/* "with 6 blocks and 152 comparisons no difference can reach …": comparisons_are_undecidable. */
const char *compose_undecidable(struct compose *compose);
/* A share as percent with two digits: "1.2 %"; "n/a". */
const char *compose_percent(struct compose *compose, double share);
/* Of CPUs, as the findings of trials say it: "12.4 %"; "n/a". */
const char *compose_cpu_share(struct compose *compose, double share);
/* "3", "1 000 000" with narrow spaces. */
const char *compose_count(struct compose *compose, int64_t count);
/* "0.5", "3" seconds; "n/a". */
const char *compose_seconds(struct compose *compose, double seconds);
/* Three neighbouring columns of a table of views = 1; and their cells. */
#define COMPOSE_PLACE_COLUMNS                                                                      \
    {"engine", NULL, "engine", .views = 1, .precision = 32},                                       \
        {"workload", NULL, "workload", .views = 1, .precision = 24},                               \
    {                                                                                              \
        "connection_count", "1", "connections", .number = DOCUMENT_INTEGER, .views = 1             \
    }
void compose_set_place(struct compose *compose, struct document_cell *row, size_t column_index,
                       size_t engine_index, size_t cell_index);
void compose_set_estimate(struct document_cell *row, size_t column_index,
                          const struct estimate *estimate);

/* Lengths as they were measured, of the first trial that has them; NaN where none has. */
double compose_warmup_s(const struct compose *compose);
double compose_window_s(const struct compose *compose);
double compose_interval_s(const struct compose *compose);
size_t compose_block_count(const struct compose *compose);
size_t compose_counted(const struct compose *compose);

#endif
