// SPDX-License-Identifier: Apache-2.0
// tacho: the front door. A table of subcommands; each has its options and its file.
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "report/cmd.h"

static const struct command commands[] = {
    {"doctor", &cmd_doctor_options, cmd_doctor},
    {"run", &cmd_run_options, cmd_run},
    {"plan", &cmd_plan_options, cmd_plan},
    {"report", &cmd_report_options, cmd_report},
    {"results", &cmd_results_options, cmd_results},
    {"compare", &cmd_compare_options, cmd_compare},
    {"bundle", &cmd_bundle_options, cmd_bundle},
    {"verify", &cmd_verify_options, cmd_verify},
    {"fetch", &cmd_fetch_options, cmd_fetch},
    {"drive", &cmd_drive_options, cmd_drive},
    {"schema", &cmd_schema_options, cmd_schema},
    {"reproduce", &cmd_reproduce_options, cmd_reproduce},
    {"import", &cmd_import_options, cmd_import},
};

static void print_help(FILE *out)
{
    fprintf(out, "usage: tacho COMMAND [options] [arguments]\n\n"
                 "Benchmarks HTTP servers: every 500 ms sample in SQLite, a report, a sealed "
                 "bundle.\n\ncommands:\n");
    for (size_t i = 0; i < ARRAY_COUNT(commands); i++) {
        fprintf(out, "  %-10s%s\n", commands[i].name, commands[i].table->summary);
    }
    fprintf(
        out,
        "\n`tacho COMMAND --help`, or `tacho help COMMAND`, tells the rest.\n"
        "Exit status: 0 ok, 1 the answer is no, 2 usage or plan error,\n"
        "3 machine unfit, 4 invalid measurement, or no room to write, 5 evidence does not verify,\n"
        "70 internal, 129/130/143 by signal.\n");
}

static void print_version(void)
{
    printf("tacho %s\ncompiler %s\nsqlite %s\n", cmd_version, __VERSION__, sqlite3_libversion());
}

static void dump_options(void)
{
    for (size_t i = 0; i < ARRAY_COUNT(commands); i++) {
        options_dump(commands[i].table, stdout);
    }
}

static const struct command *command_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_COUNT(commands); i++) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

/* Makes 0, 1 and 2 exist, so that no file of ours gets such a number and receives what is printed.
 * What a closed standard output would have got cannot be written, and so is told as lost. */
static void standard_descriptors_open(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        int mode = fd == STDOUT_FILENO ? O_RDONLY : O_RDWR;

        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", mode) != fd) {
            return;
        }
    }
}

/* A verdict that nobody could read was not given. */
static int output_finish(int status)
{
    struct err e;

    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return status;
    }
    err_set_sys(&e, "standard output");
    int output_status = cmd_fail(&e);
    return status == EXIT_STATUS_OK ? output_status : status;
}

/* "tacho help COMMAND" is "tacho COMMAND --help"; without a command, "tacho --help". */
static int help_run(int argc, char **argv)
{
    const struct command *command = argc > 2 ? command_find(argv[2]) : NULL;
    struct err e;

    if (argc == 2) {
        print_help(stdout);
        return EXIT_STATUS_OK;
    }
    if (argc > 3) {
        err_set(&e, ERR_USAGE, "unexpected argument \"%.80s\"; usage: tacho help [COMMAND]",
                argv[3]);
        return cmd_fail(&e);
    }
    if (!command) {
        err_set(&e, ERR_USAGE, "unknown command \"%.80s\"; see tacho --help", argv[2]);
        return cmd_fail(&e);
    }
    options_print_help(command->table, stdout);
    return EXIT_STATUS_OK;
}

static int arguments_run(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EXIT_STATUS_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return EXIT_STATUS_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        print_version();
        return EXIT_STATUS_OK;
    }
    if (strcmp(argv[1], "--dump-options") == 0) {
        dump_options();
        return EXIT_STATUS_OK;
    }
    if (strcmp(argv[1], "help") == 0) {
        return help_run(argc, argv);
    }
    const struct command *command = command_find(argv[1]);
    if (!command) {
        struct err e;

        err_set(&e, ERR_USAGE, "unknown command \"%.80s\"; see tacho --help", argv[1]);
        return cmd_fail(&e);
    }
    return command->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    standard_descriptors_open();
    signal(SIGXFSZ, SIG_IGN); /* a limit of a file's size is then an error of the write */
    return output_finish(arguments_run(argc, argv));
}
