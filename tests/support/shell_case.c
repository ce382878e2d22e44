// SPDX-License-Identifier: Apache-2.0
// A folder with a results file r.db, and shell commands that run in it with $TACHO.
#include "tests/support/shell_case.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engines/base/fs.h"
#include "tests/support/results_builder.h"

char shell_case_folder[64], shell_case_program[600];

void shell_case_make(void)
{
    static const struct results_builder demo = {.block_count = 2};
    const char *build = getenv("TACHO_BUILD");
    char path[128], here[300];

    strcpy(shell_case_folder, "/tmp/tacho-test-XXXXXX");
    cr_assert_not_null(mkdtemp(shell_case_folder));
    snprintf(path, sizeof(path), "%s/r.db", shell_case_folder);
    results_builder_make(&demo, path);
    build = build ? build : "build/release";
    cr_assert_not_null(getcwd(here, sizeof(here)));
    snprintf(shell_case_program, sizeof(shell_case_program), "%s%s%s/tacho",
             *build == '/' ? "" : here, *build == '/' ? "" : "/", build);
    cr_assert(fs_exists(shell_case_program), "%s is not built", shell_case_program);
}

void shell_case_remove(void)
{
    cr_assert_eq(fs_remove_tree(shell_case_folder, NULL), ERR_OK);
}

int shell_case_run(const char *command, struct buf *out)
{
    char line[4000], path[100];

    snprintf(path, sizeof(path), "%s/out.txt", shell_case_folder);
    int length = snprintf(line, sizeof(line), "cd %s && exec >out.txt 2>&1; TACHO=%s; %s",
                          shell_case_folder, shell_case_program, command);
    cr_assert_lt(length, (int)sizeof(line));
    int status = system(line);
    buf_clear(out);
    cr_assert_eq(fs_read_file(path, out, NULL), ERR_OK);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void shell_case_expect(const char *command)
{
    struct buf out;

    buf_init(&out, 1 << 20);
    int status = shell_case_run(command, &out);
    cr_assert_eq(status, 0, "%s: %d: %s", command, status, out.bytes);
    buf_release(&out);
}

bool shell_case_ends_with(const struct buf *text, const char *ending)
{
    size_t length = strlen(ending);

    return text->length >= length && strcmp(text->bytes + text->length - length, ending) == 0;
}
