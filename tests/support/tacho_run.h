// SPDX-License-Identifier: Apache-2.0
// `tacho run` as a process of an integration test, in a folder of its own, and what it left there.
#ifndef TESTS_SUPPORT_TACHO_RUN_H
#define TESTS_SUPPORT_TACHO_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "engines/base/attr.h"
#include "engines/base/clock.h"

#define PATIENCE_NS (60 * CLOCK_NS_PER_S) /* for anything that must happen */

extern char run_folder[];
extern char run_plan_path[64], run_results_path[64], run_out_path[64], run_err_path[64];
extern char run_engine_path[64]; /* for TACHO_ENGINE; "": the usual one */
extern bool run_wants_quiet;     /* a session that others disturb is not taken for a quiet one's */
extern const char *run_options[8]; /* more arguments of run_start, NULL at the end */
extern char run_text[65536];       /* what run_file_text read */

/* A folder of its own; for TestSuite(.init). */
void run_set_up(void);
/* For .fini. */
void run_tear_down(void);
/* Writes the plan at run_plan_path: 1 block of epoll, without A/A. */
void run_plan_write(const char *window, const char *machine, const char *body, int connections);
/* Starts tacho run; nofile 0: the limit stays. Returns its process id. */
pid_t run_start(rlim_t nofile);
int64_t run_now_ns(void);
/* Its exit status; 128 + signal when one ended it. */
int run_wait(pid_t pid);
bool run_no_process_left(void);
const char *run_file_text(const char *path);
bool run_out_ends_with(const char *line);
/* The first value of an SQL query on the results file; -1 when there is none. */
long long run_query_number(const char *format, ...) ATTR_PRINTF(1, 2);
bool run_results_are_sound(void);
/* What speaks against the newest session's rows, or could not be asked; "": nothing. */
const char *run_first_finding(void);
bool run_sample_wait(int order_index);
pid_t run_server_find(pid_t tacho);
void run_samples_expect_whole(void);

#endif
