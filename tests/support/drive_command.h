// SPDX-License-Identifier: Apache-2.0
// `tacho drive` as a process: started from TACHO_BUILD, its JSON read, every wait bounded.
#ifndef TESTS_SUPPORT_DRIVE_COMMAND_H
#define TESTS_SUPPORT_DRIVE_COMMAND_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct drive_command {
    pid_t pid;
    int output, errors; /* read ends of its standard output and standard error */
    int status;         /* exit status; -1: ended by a signal */
    json_t *json;       /* what it printed; NULL when that is no JSON */
    char text[65536];   /* the beginning of standard output */
    char error_text[4096];
};

/* Starts it with these words after "drive --json"; NULL at the end. */
void drive_command_start(struct drive_command *command, const char *const *words);

/* Reads to its end and reaps it; kills it after 30 s. Its JSON is held against the schema. */
void drive_command_finish(struct drive_command *command);

/* Both. */
void drive_command_run(struct drive_command *command, const char *const *words);

void drive_command_release(struct drive_command *command);

/* The integer at "key" or "outer.key" of the JSON; INT64_MIN for null; fails the test when there is
 * none. */
int64_t drive_command_number(const struct drive_command *command, const char *path);

/* What nearly every test of it uses: one command (a test is a process), its URL and numbers. */
#define DRIVE_WORDS(...)                                                                           \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }
extern struct drive_command drive_run;
const char *drive_url(uint16_t port, const char *path); /* of 127.0.0.1; until the next call */
int64_t drive_number(const char *path);
bool drive_notice_is_there(const char *kind);

/* Every request that was started has one outcome; fails the test otherwise. */
void drive_command_check_outcomes(const struct drive_command *command);

#endif
