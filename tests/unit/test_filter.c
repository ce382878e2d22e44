// SPDX-License-Identifier: Apache-2.0
// Programs as filters.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "report/bundle/filter.h"

Test(filter, gives_what_the_program_writes_and_how_it_ends, .timeout = 30)
{
    static const char *const nothing[] = {NULL};
    static const struct {
        const char *script;
        int status;
        const char *output, *complaint;
    } rows[] = {
        {"cat", 0, "some input", ""},
        {"exit 3", 3, "", ""},
        {"cat >&2; exit 1", 1, "", "some input"},
        {"kill -TERM $$", 128 + 15, "", ""},
        {"echo \"${HOME-none}\"", 0, "none\n", ""}, /* the environment is the one that was given */
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const char *arguments[] = {"/bin/sh", "-c", rows[i].script, NULL};
        const struct filter_config config = {.arguments = arguments,
                                             .environment = nothing,
                                             .input = "some input",
                                             .input_length = strlen("some input"),
                                             .timeout_ms = 20000};
        struct buf output, complaint;
        struct err e = {0};
        int status = -1;

        buf_init(&output, 4096);
        buf_init(&complaint, 4096);
        cr_expect_eq(filter_run(&config, &output, &complaint, &status, &e), ERR_OK, "%s", e.text);
        cr_expect_eq(status, rows[i].status, "%s: %d", rows[i].script, status);
        cr_expect_str_eq(output.bytes, rows[i].output, "%s", rows[i].script);
        cr_expect_str_eq(complaint.bytes, rows[i].complaint, "%s", rows[i].script);
        buf_release(&output);
        buf_release(&complaint);
    }
}

Test(filter, stops_what_does_not_end_or_writes_too_much, .timeout = 30)
{
    static const struct {
        const char *script;
        unsigned timeout_ms;
        enum err_code code;
    } rows[] = {
        {"exec sleep 100", 20, ERR_LIMIT},
        {"head -c 5000 /dev/zero", 20000, ERR_LIMIT},
        {NULL, 20000, ERR_SYS},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const char *arguments[] = {rows[i].script ? "/bin/sh" : "/nothing/here", "-c",
                                   rows[i].script, NULL};
        const struct filter_config config = {.arguments = arguments,
                                             .timeout_ms = rows[i].timeout_ms};
        struct buf output, complaint;
        struct err e = {0};
        int status = 77;

        buf_init(&output, 4096);
        buf_init(&complaint, 4096);
        cr_expect_eq(filter_run(&config, &output, &complaint, &status, &e), rows[i].code,
                     "row %zu: %s", i, e.text);
        cr_expect_eq(status, 77);
        buf_release(&output);
        buf_release(&complaint);
    }
}
