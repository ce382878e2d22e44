// SPDX-License-Identifier: Apache-2.0
// A process of `tacho drive`.
#include "tests/support/drive_command.h"

#include <criterion/criterion.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engines/base/clock.h"
#include "tests/support/schema_check.h"

#define WORD_COUNT_MAX 32
#define PATIENCE_NS    (30 * CLOCK_NS_PER_S)
#define OUTPUT_BYTES   ((size_t)16 << 20)

static void child_exec(const char *const *words)
{
    static char program[4096];
    const char *build = getenv("TACHO_BUILD");
    const char *all[WORD_COUNT_MAX + 4] = {program, "drive", "--json"};

    snprintf(program, sizeof(program), "%s/tacho", build ? build : "build/release");
    for (size_t i = 0; words[i] && i < WORD_COUNT_MAX; i++) {
        all[3 + i] = words[i];
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    union {
        const char **constant;
        char **plain;
    } arguments = {.constant = all}; /* execv does not write to them */
    execv(program, arguments.plain);
    perror(program);
    _exit(127);
}

void drive_command_start(struct drive_command *command, const char *const *words)
{
    int output[2], errors[2];

    memset(command, 0, sizeof(*command));
    cr_assert_eq(pipe2(output, O_CLOEXEC), 0);
    cr_assert_eq(pipe2(errors, O_CLOEXEC), 0);
    command->pid = fork();
    cr_assert_geq(command->pid, 0);
    if (command->pid == 0) {
        dup2(output[1], STDOUT_FILENO);
        dup2(errors[1], STDERR_FILENO);
        child_exec(words);
    }
    close(output[1]);
    close(errors[1]);
    command->output = output[0];
    command->errors = errors[0];
}

/* Reads both streams to their end or to the deadline; returns the bytes of standard output. */
static size_t streams_read(struct drive_command *command, char *bytes, int64_t deadline_ns)
{
    struct pollfd polls[2] = {{.fd = command->output, .events = POLLIN},
                              {.fd = command->errors, .events = POLLIN}};
    size_t used[2] = {0};
    char *targets[2] = {bytes, command->error_text};
    const size_t limits[2] = {OUTPUT_BYTES - 1, sizeof(command->error_text) - 1};

    while ((polls[0].fd >= 0 || polls[1].fd >= 0) && clock_monotonic_ns() < deadline_ns) {
        poll(polls, 2, 100);
        for (int i = 0; i < 2; i++) {
            if (polls[i].fd < 0 || polls[i].revents == 0) {
                continue;
            }
            ssize_t count = read(polls[i].fd, targets[i] + used[i], limits[i] - used[i]);
            used[i] += count > 0 ? (size_t)count : 0;
            polls[i].fd = count > 0 ? polls[i].fd : -1;
        }
    }
    bytes[used[0]] = '\0';
    return used[0];
}

void drive_command_finish(struct drive_command *command)
{
    char *bytes = malloc(OUTPUT_BYTES);
    int64_t deadline_ns = clock_monotonic_ns() + PATIENCE_NS;
    int status = 0;

    cr_assert_not_null(bytes);
    size_t length = streams_read(command, bytes, deadline_ns);
    if (clock_monotonic_ns() >= deadline_ns) {
        kill(command->pid, SIGKILL);
    }
    cr_assert_eq(waitpid(command->pid, &status, 0), command->pid);
    command->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    command->json = json_loadb(bytes, length, 0, NULL);
    if (command->json) {
        json_t *schema = json_load_file("report/drive.schema.json", 0, NULL);

        cr_assert(schema);
        schema_check(schema, command->json);
        json_decref(schema);
    }
    snprintf(command->text, sizeof(command->text), "%s", bytes);
    free(bytes);
    close(command->output);
    close(command->errors);
}

void drive_command_run(struct drive_command *command, const char *const *words)
{
    drive_command_start(command, words);
    drive_command_finish(command);
}

void drive_command_release(struct drive_command *command)
{
    json_decref(command->json);
    command->json = NULL;
}

int64_t drive_command_number(const struct drive_command *command, const char *path)
{
    const json_t *value = command->json;
    char part[64];

    cr_assert_not_null(value, "no JSON: %s%s", command->text, command->error_text);
    while (*path) {
        size_t length = strcspn(path, "/");
        snprintf(part, sizeof(part), "%.*s", (int)length, path);
        value = json_object_get(value, part);
        path += length + (path[length] == '/');
    }
    cr_assert(json_is_number(value) || json_is_null(value), "%s", part);
    return json_is_null(value) ? INT64_MIN : (int64_t)json_number_value(value);
}

struct drive_command drive_run;

const char *drive_url(uint16_t port, const char *path)
{
    static char url[256];

    snprintf(url, sizeof(url), "http://127.0.0.1:%u%s", port, path);
    return url;
}

int64_t drive_number(const char *path)
{
    return drive_command_number(&drive_run, path);
}

bool drive_notice_is_there(const char *kind)
{
    size_t i = 0;
    json_t *notice = NULL;

    json_array_foreach(json_object_get(drive_run.json, "notices"), i, notice)
    {
        if (strcmp(json_string_value(json_object_get(notice, "kind")), kind) == 0) {
            return true;
        }
    }
    return false;
}

void drive_command_check_outcomes(const struct drive_command *command)
{
    int64_t sum = 0;
    const char *key = NULL;
    json_t *value = NULL;

    cr_assert_not_null(command->json, "%s", command->error_text);
    json_object_foreach(json_object_get(command->json, "outcomes"), key, value)
    {
        sum += json_integer_value(value);
    }
    cr_expect_eq(sum, drive_command_number(command, "started_count"));
}
