// SPDX-License-Identifier: Apache-2.0
// Tests of what is sent, expected and compared for a workload, and of an engine's command line.
#include <criterion/criterion.h>
#include <string.h>

#include "collector/run/check.h"
#include "collector/run/engine_command.h"
#include "collector/run/exchange.h"

static const struct plan_request get = {
    .method = "GET", .path = "/ping", .body = "", .expect = {.status = 200, .body_bytes = -1}};

Test(exchange, formats_requests_byte_for_byte)
{
    struct plan_request post = {
        .method = "POST", .path = "/upload?x=1", .body = "a\r\n\0b", .body_bytes = 5};
    static const char want[] =
        "POST /upload?x=1 HTTP/1.1\r\nHost: localhost:65535\r\nUser-Agent: tacho\r\nAccept: "
        "*/*\r\nContent-Type: application/octet-stream\r\nContent-Length: 5\r\n\r\na\r\n\0b";
    struct buf out;

    buf_init(&out, 4096);
    cr_assert_eq(exchange_format_request(&get, "127.0.0.1", 8080, &out, NULL), ERR_OK);
    cr_expect_str_eq(out.bytes, "GET /ping HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: "
                                "tacho\r\nAccept: */*\r\n\r\n");
    buf_clear(&out);
    cr_assert_eq(exchange_format_request(&post, "localhost", 65535, &out, NULL), ERR_OK);
    cr_expect_eq(out.length, sizeof(want) - 1);
    cr_expect_eq(memcmp(out.bytes, want, sizeof(want) - 1), 0);
    buf_release(&out);
}

Test(exchange, expects_as_much_of_the_body_as_the_plan_states)
{
    const struct check_answer answer = {.status = 200, .body_bytes = 4, .body_xxh64 = 99};
    struct plan_request request = get;
    struct driver_expect made = exchange_make_expect(&request, &answer);

    cr_expect(made.status == 200 && made.body_bytes == -1 && !made.body_hash_checked);
    request.expect.body_bytes = 4;
    made = exchange_make_expect(&request, &answer);
    cr_expect(made.body_bytes == 4 && !made.body_hash_checked);
    request.expect.body_bytes = -1;
    request.expect.body_sha256 = "abc";
    made = exchange_make_expect(&request, &answer);
    cr_expect(made.body_bytes == 4 && made.body_hash_checked && made.body_xxh64 == 99);
    request.method = "HEAD";
    made = exchange_make_expect(&request, &answer);
    cr_expect(made.body_bytes == 0 && !made.body_hash_checked);
}

Test(exchange, compares_an_answer_with_the_plan)
{
    /* any 64 digits: texts are compared */
    static const char pong[] = "35b1b58b8e75b1e41a2e1c8d1a2bd9d0f9a4bf9c9a1e4d9b7d3b0d9a5d0c1e2f";
    struct plan_request request = get;
    struct check_answer answer = {.status = 200, .body_bytes = 4};
    struct err e;

    strcpy(answer.body_sha256, pong);
    cr_expect_eq(check_compare(&request, &answer, &e), ERR_OK);
    request.expect = (struct plan_expect){.status = 200, .body_bytes = 4, .body_sha256 = pong};
    cr_expect_eq(check_compare(&request, &answer, &e), ERR_OK);
    answer.body_sha256[0] = 'f';
    cr_expect_eq(check_compare(&request, &answer, &e), ERR_MISMATCH);
    answer.body_bytes = 5;
    cr_expect_eq(check_compare(&request, &answer, &e), ERR_MISMATCH);
    cr_expect_str_eq(e.text, "a body of 5 bytes, the plan expects 4");
    answer.status = 503;
    cr_expect_eq(check_compare(&request, &answer, &e), ERR_MISMATCH);
    cr_expect_str_eq(e.text, "status 503, the plan expects 200");
}

Test(exchange, writes_an_engines_command_line)
{
    struct engine_command command;
    struct buf out;

    buf_init(&out, 4096);
    engine_command_init(&command, &(struct plan_engine){.builtin = "epoll"}, -1);
    engine_command_format(command.words, &out);
    cr_expect_str_eq(out.bytes,
                     "[\"tacho-engine\",\"epoll\",\"--address\",\"127.0.0.1\",\"--port\",\"0\"]");
    buf_clear(&out);
    const struct plan_engine engine = {.builtin = "a\"\\\n",
                                       .thread_count = 4,
                                       .extra_work_percent = 10,
                                       .arguments = {"--backlog", "7"},
                                       .argument_count = 2};
    engine_command_init(&command, &engine, 17);
    engine_command_format(command.words, &out);
    cr_expect_str_eq(
        out.bytes,
        "[\"tacho-engine\",\"a\\\"\\\\\\u000a\",\"--address\",\"127.0.0.1\","
        "\"--port\",\"0\",\"--threads\",\"4\",\"--extra-work\",\"10\",\"--counters-fd\",\"17\","
        "\"--backlog\",\"7\"]");
    cr_expect_null(command.words[14]);
    buf_release(&out);
}
