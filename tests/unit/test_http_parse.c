// SPDX-License-Identifier: Apache-2.0
// The head parser by itself: its spans, its resumption, and that it stays inside its input.
#include <criterion/criterion.h>
#include <string.h>

#include "engines/http/http_parse.h"
#include "tests/support/edge_buf.h"

static const char head[] =
    "\r\nPOST http://h:1/p?q=1 HTTP/1.1\r\nHost: \t h:1 \r\nX-Empty:\r\n\r\n";

static void span_expect(struct http_span span, const char *want)
{
    cr_expect(span.length == strlen(want) && memcmp(span.bytes, want, span.length) == 0,
              "\"%.*s\", not \"%s\"", (int)span.length, span.bytes, want);
}

Test(http_parse, takes_a_head_apart)
{
    struct http_request request;
    int status = 0;

    cr_assert_eq(http_parse(head, sizeof(head) - 1, 0, &request, &status), HTTP_RESULT_DONE);
    cr_expect_eq(request.method, HTTP_METHOD_POST);
    cr_expect_eq(request.minor_version, 1);
    cr_expect_eq(request.head_bytes, sizeof(head) - 1);
    cr_expect_eq(request.field_count, 2);
    span_expect(request.target, "http://h:1/p?q=1");
    span_expect(request.path, "/p");
    span_expect(request.authority, "h:1");
    span_expect(request.fields[0].name, "Host");
    span_expect(request.fields[0].value, "h:1");
    cr_expect_eq(http_find_field(&request, "x-empty")->length, 0);
    cr_expect_null(http_find_field(&request, "x-empt"));
    cr_expect_null(http_find_field(&request, "x-empty-"));
}

Test(http_parse, wants_more_at_every_prefix_and_reads_not_a_byte_further)
{
    for (size_t length = 0; length < sizeof(head); length++) {
        struct edge_buf edge;
        struct http_request request;
        int status = 0;

        edge_buf_init(&edge, head, length);
        for (size_t last_length = 0; last_length <= length; last_length++) {
            enum http_result want =
                length == sizeof(head) - 1 ? HTTP_RESULT_DONE : HTTP_RESULT_MORE;
            if (want == HTTP_RESULT_DONE && last_length == length) {
                continue; /* the earlier call did not return MORE then */
            }
            cr_expect_eq(http_parse(edge.bytes, length, last_length, &request, &status), want,
                         "%zu after %zu", length, last_length);
        }
        edge_buf_release(&edge);
    }
}

Test(http_parse, compares_names_without_case)
{
    static const struct {
        struct http_span span;
        const char *lower;
        bool want;
    } rows[] = {
        {{"Host", 4}, "host", true},
        {{"HOST", 4}, "host", true},
        {{"hos", 3}, "host", false},
        {{"hosts", 5}, "host", false},
        {{"", 0}, "", true},
        {{"", 0}, "a", false},
        /* '@' and '`', '[' and '{' differ in the bit that letters differ in. */
        {{"@", 1}, "`", false},
        {{"[", 1}, "{", false},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        cr_expect_eq(http_span_is(rows[i].span, rows[i].lower), rows[i].want, "row %zu", i);
    }
}
