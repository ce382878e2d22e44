// SPDX-License-Identifier: Apache-2.0
// Requests from their parts.
#include <criterion/criterion.h>
#include <string.h>

#include "collector/driver/request.h"

static enum err_code format(const struct request_parts *parts, struct buf *out, struct err *e)
{
    buf_init(out, 4096);
    return request_format(parts, out, e);
}

/* A33 and RFC 9112: one space after the colon, none at the end, the user's Host instead of ours. */
Test(request, puts_headers_into_one_form)
{
    static const struct {
        const char *header, *line;
    } rows[] = {
        {"Connection:keep-alive", "\r\nConnection: keep-alive\r\n"},
        {"Connection: \t keep-alive \t", "\r\nConnection: keep-alive\r\n"},
        {"X:", "\r\nX:\r\n"},
        {"X: a:b", "\r\nX: a:b\r\n"},
        {"host: a", "\r\nhost: a\r\n"},
        {"user-AGENT: me", "\r\nuser-AGENT: me\r\n"},
        {"X: caf\xc3\xa9", "\r\nX: caf\xc3\xa9\r\n"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const struct request_parts parts = {.method = "GET",
                                            .path = "/p",
                                            .host = "ours:1",
                                            .headers = &rows[i].header,
                                            .header_count = 1};
        struct buf out;
        struct err e = {0};

        cr_assert_eq(format(&parts, &out, &e), ERR_OK, "%s", e.text);
        cr_expect_not_null(strstr(out.bytes, rows[i].line), "%s", out.bytes);
        cr_expect_eq(strncmp(out.bytes, "GET /p HTTP/1.1\r\n", 17), 0);
        cr_expect_str_eq(out.bytes + out.length - 4, "\r\n\r\n");
        cr_expect_eq(strstr(out.bytes, "ours:1") == NULL, rows[i].header[0] == 'h');
        cr_expect_eq(strstr(out.bytes, ": tacho") == NULL, rows[i].header[0] == 'u');
        buf_release(&out);
    }
}

Test(request, refuses_what_would_break_the_message)
{
    static const char *const headers[] = {
        "X: \r\nY: z",
        "X: a\nb",
        "no colon",
        ": value",
        "X : space before colon",
        "Content-Length: 4",
        "transfer-encoding: chunked",
        "X: \x7f",
        "",
    };

    for (size_t i = 0; i < ARRAY_COUNT(headers); i++) {
        const struct request_parts parts = {
            .method = "GET", .path = "/", .host = "h", .headers = &headers[i], .header_count = 1};
        struct buf out;

        cr_expect_eq(format(&parts, &out, NULL), ERR_USAGE, "%s", headers[i]);
        cr_expect_eq(out.length, 0);
        buf_release(&out);
    }
    static const char *const hosts[] = {"Host: a", "host: b"};
    struct request_parts two = {
        .method = "GET", .path = "/", .host = "h", .headers = hosts, .header_count = 2};
    struct buf out;
    cr_expect_eq(format(&two, &out, NULL), ERR_USAGE);
    buf_release(&out);
    two.header_count = 0;
    two.method = "GE T";
    cr_expect_eq(format(&two, &out, NULL), ERR_USAGE);
    buf_release(&out);
}

Test(request, frames_a_body_even_an_empty_one)
{
    struct request_parts parts = {
        .method = "PUT", .path = "/", .host = "h", .body = "a\0b", .body_bytes = 3};
    struct buf out;

    cr_assert_eq(format(&parts, &out, NULL), ERR_OK);
    cr_expect_not_null(strstr(out.bytes, "\r\nContent-Length: 3\r\n\r\na"));
    cr_expect_eq(memcmp(out.bytes + out.length - 7, "\r\n\r\na\0b", 7), 0);
    buf_release(&out);
    parts.body = "";
    parts.body_bytes = 0;
    cr_assert_eq(format(&parts, &out, NULL), ERR_OK);
    cr_expect_not_null(strstr(out.bytes, "\r\nContent-Length: 0\r\n\r\n"));
    buf_release(&out);
    parts.body = NULL;
    cr_assert_eq(format(&parts, &out, NULL), ERR_OK);
    cr_expect_null(strstr(out.bytes, "Content-"));
    buf_release(&out);
}
