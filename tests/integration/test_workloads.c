// SPDX-License-Identifier: Apache-2.0
// The workloads of every engine as curl and sha256sum see them.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "engines/base/attr.h"
#include "engines/engine.h"
#include "tests/support/engine_process.h"

/* What a command prints, one line; the server's address is $U. */
static void shell_read(const struct engine_process *process, const char *command, char *line,
                       size_t line_bytes)
{
    char text[1024];

    snprintf(text, sizeof(text), "U=http://%s; %s", process->address, command);
    FILE *pipe = popen(text, "re");
    cr_assert_not_null(pipe);
    line[0] = '\0';
    if (!fgets(line, (int)line_bytes, pipe)) {
        line[0] = '\0';
    }
    pclose(pipe);
    line[strcspn(line, "\n")] = '\0';
}

#define CURL "curl -s --max-time 10 "

Test(workloads, outside_tools_agree_with_every_engine, .timeout = 120)
{
    /* The first column's output is wanted to be the second's. */
    static const char *const rows[][2] = {
        {"head -c 65536 /dev/zero | tr '\\0' x | " CURL "--data-binary @- $U/upload",
         "head -c 65536 /dev/zero | tr '\\0' x | sha256sum | "
         "sed 's/ .*//; s/.*/{\"bytes\":65536,\"sha256\":\"&\"}/'"},
        {"head -c 65536 /dev/zero | " CURL "--data-binary @- $U/sink", "echo taken"},
        /* 65536 times 120 */
        {"head -c 65536 /dev/zero | tr '\\0' x | " CURL "--data-binary @- $U/fat",
         "echo '{\"bytes\":65536,\"wide_bytes\":131072,\"wider_bytes\":262144,\"sum\":7864320}'"},
        {CURL "$U/bytes/1000000 | sha256sum", "head -c 1000000 /dev/zero | sha256sum"},
        {CURL "--path-as-is \"$U/a\xc3\xa7\xc3\xa3o/7\"", "echo 7"},
        {CURL "$U/a%C3%A7%C3%A3o/8", "echo 8"},
        {CURL "-w ' %{http_code}' $U/delay/20", "echo 'waited 200'"},
        /* SHA-256 of the book of seed 5 as a program in Python builds it, with generators of its
         * own. */
        {CURL "$U/book | sha256sum",
         "echo 'e4a05f9dc205ae2ade2f45bf62279ecf8b8951d24e9a93ead5743d0dc1a04899  -'"},
    };
    static const char *const arguments[] = {"--seed", "5", NULL};

    for (size_t n = 0; engine_get(n); n++) {
        struct engine_process process;
        struct engine_process_options options = {.arguments = arguments};

        if (strcmp(engine_get(n)->name, "limit") == 0) {
            continue; /* one answer to everything */
        }
        engine_process_start(&process, engine_get(n)->name, &options);
        for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
            char got[512], want[512];

            shell_read(&process, rows[i][0], got, sizeof(got));
            shell_read(&process, rows[i][1], want, sizeof(want));
            cr_expect_str_eq(got, want, "%s: %s: \"%s\", not \"%s\"", engine_get(n)->name,
                             rows[i][0], got, want);
        }
        cr_expect_eq(engine_process_stop(&process), 0, "%s", engine_get(n)->name);
    }
}
