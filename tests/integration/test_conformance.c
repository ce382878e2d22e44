// SPDX-License-Identifier: Apache-2.0
// Every case of the standards against every HTTP engine over a socket: the right statuses in order,
// and the connection closed by the server, without a reset, where it is refused.
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engines/base/buf.h"
#include "tests/support/engine_process.h"
#include "tests/support/http_cases.h"
#include "tests/support/http_run.h"

struct tally {
    unsigned case_count, wrong_count, smuggling_count, refused_count;
};

static bool is_refusal(const struct http_case *one)
{
    size_t length = strlen(one->want);

    return length > 1 && one->want[length - 1] == 'c' && strcmp(one->want, "200c") != 0;
}

/* Reads to the end; false: there was a reset, or none came. */
static bool rest_read(int fd, struct buf *output)
{
    char bytes[4096];
    ssize_t count;

    while ((count = TEMP_FAILURE_RETRY(recv(fd, bytes, sizeof(bytes), 0))) > 0) {
        buf_add(output, bytes, (size_t)count);
    }
    return count == 0;
}

/*
 * Where the server is to close, the client does nothing, and waits for that. Elsewhere it half
 * closes behind its input, and has every answer when the server has closed as well.
 */
static bool case_run(const struct engine_process *process, const struct http_case *one,
                     const char *name)
{
    bool closes = one->want[0] && one->want[strlen(one->want) - 1] == 'c';
    int fd = engine_process_connect(process);
    struct buf output;
    char got[64];

    buf_init(&output, (size_t)1 << 20);
    send(fd, one->input, one->length, MSG_NOSIGNAL);
    if (!closes) {
        shutdown(fd, SHUT_WR);
    }
    bool is_ended = rest_read(fd, &output);
    bool says_close = memmem(output.bytes, output.length, "\r\nConnection: close\r\n", 21);
    http_text_summarise(output.bytes, output.length, says_close, got, sizeof(got));
    bool is_right = is_ended && strcmp(got, one->want) == 0;
    cr_expect(is_right, "%s: %s: \"%s\"%s, not \"%s\"", name, one->why, got,
              is_ended ? "" : " and no end", one->want);
    buf_release(&output);
    close(fd);
    return is_right;
}

static void group_run(const struct engine_process *process, const struct http_case_group *group,
                      const char *name, struct tally *tally)
{
    for (size_t i = 0; i < group->count; i++) {
        bool is_smuggling = group->is_smuggling && is_refusal(&group->cases[i]);
        bool is_right = case_run(process, &group->cases[i], name);

        tally->case_count++;
        tally->wrong_count += !is_right;
        tally->smuggling_count += is_smuggling;
        tally->refused_count += is_smuggling && is_right;
    }
}

Test(conformance, of_every_engine_to_every_case, .timeout = 120)
{
    const char *names[ENGINE_PROCESS_NAMES_MAX];
    size_t count = engine_process_names(names, false);

    for (size_t n = 0; n < count; n++) {
        struct engine_process process;
        struct tally tally = {0};

        engine_process_start(&process, names[n], NULL);
        for (size_t g = 0; g < http_case_group_count; g++) {
            group_run(&process, &http_case_groups[g], names[n], &tally);
        }
        cr_expect_eq(engine_process_stop(&process), 0, "%s", names[n]);
        fprintf(stderr,
                "conformance: %-12s %u cases, %u wrong; of %u that could smuggle a request, %u "
                "refused and closed\n",
                names[n], tally.case_count, tally.wrong_count, tally.smuggling_count,
                tally.refused_count);
    }
}
