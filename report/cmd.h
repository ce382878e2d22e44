// SPDX-License-Identifier: Apache-2.0
// The subcommands of tacho. Only cmd_*.c and main.c print and decide the exit status.
#ifndef REPORT_CMD_H
#define REPORT_CMD_H

#include <limits.h>
#include <stdbool.h>

#include "engines/base/err.h"
#include "engines/base/options.h"

/* Exit status, everywhere: design in README.md. 128 + signal when interrupted. */
enum exit_status {
    EXIT_STATUS_OK = 0,
    EXIT_STATUS_NO = 1,       /* the answer is no */
    EXIT_STATUS_USAGE = 2,    /* usage or plan error */
    EXIT_STATUS_UNFIT = 3,    /* machine unfit, or inconclusive where a verdict was demanded */
    EXIT_STATUS_INVALID = 4,  /* invalid measurement, or nothing measured */
    EXIT_STATUS_EVIDENCE = 5, /* evidence does not verify */
    EXIT_STATUS_INTERNAL = 70,
};

struct command {
    const char *name;
    const struct option_table *table;
    int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns the exit status */
};

extern const struct option_table cmd_run_options, cmd_report_options, cmd_bundle_options,
    cmd_verify_options, cmd_plan_options, cmd_compare_options, cmd_drive_options,
    cmd_doctor_options, cmd_schema_options, cmd_reproduce_options, cmd_results_options,
    cmd_import_options, cmd_fetch_options;
int cmd_run(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_bundle(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_fetch(int argc, char **argv);
int cmd_reproduce(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_results(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_schema(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_drive(int argc, char **argv);

/* "tacho: TEXT" to standard error, with what to do where there is no room. */
void cmd_print_error(const struct err *e);

/* Prints the error and returns the status that fits the error's code (usage →
 * 2, format → 2, no room to write → 4, … → 70). */
int cmd_fail(const struct err *e);

/* The same, but 2 for a path that the caller named and that cannot be read. */
int cmd_fail_path(const struct err *e);
/* For --lang; NULL was not given. "pt_br" becomes "pt-BR". errors ERR_USAGE: a language that
 * reports are not in */
enum err_code cmd_check_language(const char **language, struct err *e) ATTR_MUST_USE;

/* A folder, or a file with the mark of a tar archive; whatever else it is, results_load says. */
bool cmd_is_bundle(const char *path);

/* tacho-engine beside this program (/proc/self/exe's folder), or TACHO_ENGINE of the environment.
 * errors ERR_SYS. */
enum err_code cmd_engine_program(char *path_out, size_t path_bytes, struct err *e) ATTR_MUST_USE;

/* "demo.db" → "demo-SUFFIX", beside it; "NAME-ID.tar" and the folder "NAME-ID/" likewise. errors
 * ERR_USAGE: the folder has no name */
enum err_code cmd_default_folder(const char *path, const char *suffix, char out[PATH_MAX],
                                 struct err *e) ATTR_MUST_USE;

/* As cmd_fail, of fetch_bundle: what came instead of the bundle is evidence that does not verify.
 */
int cmd_fetch_fail(const struct err *e);

/* TMPDIR of the environment, or "/tmp". */
const char *cmd_temporary_folder(void);

/* "tacho: STAGE CODE: text" of each finding to standard error. */
struct verify_result;
struct verify_config;
/* Verifies, prints the outcome and returns the exit status. */
int cmd_verify_bundle(const struct verify_config *config, bool json);
void cmd_print_findings(const struct verify_result *result);

/* Verifies a bundle up to its results and has `use` read them, as verify_config's; prints what was
 * found and returns the exit status. */
int cmd_use_bundle(const char *path,
                   enum err_code (*use)(const char *results_path, void *context, struct err *e),
                   void *context);

/* The same of a results file or a bundle; *immutable_out, set before, says which. */
int cmd_use_results(const char *path, bool *immutable_out,
                    enum err_code (*use)(const char *results_path, void *context, struct err *e),
                    void *context);

extern const char cmd_version[]; /* "0.1.0+abc123" from version.c, the one object that knows it */

#endif
