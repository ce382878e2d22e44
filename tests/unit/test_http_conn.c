// SPDX-License-Identifier: Apache-2.0
// The connection as a whole: exact bytes of answers, limits, and independence of how input is cut.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/http_run.h"
#include "tests/support/prop.h"

#define DATE "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
#define NEXT "GET /ping HTTP/1.1\r\nHost: a\r\n\r\n"
#define PONG                                                                                       \
    "HTTP/1.1 200 OK\r\nServer: tacho\r\n" DATE                                                    \
    "Content-Type: text/plain\r\nContent-Length: 4\r\n\r\npong"

Test(http_conn, answers_are_these_bytes)
{
    static const struct {
        const char *input, *want;
    } rows[] = {
        {NEXT, PONG},
        {NEXT NEXT, PONG PONG},
        {"HEAD /ping HTTP/1.1\r\nHost: a\r\n\r\n",
         "HTTP/1.1 200 OK\r\nServer: tacho\r\n" DATE
         "Content-Type: text/plain\r\nContent-Length: 4\r\n\r\n"},
        {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
         "HTTP/1.1 200 OK\r\nServer: tacho\r\n" DATE "Content-Type: text/plain\r\nConnection: "
         "keep-alive\r\nContent-Length: 13\r\n\r\ntacho-engine\n"},
        {"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: a/b\r\nContent-Length: 3\r\n\r\nxyz",
         "HTTP/1.1 200 OK\r\nServer: tacho\r\n" DATE
         "Content-Type: a/b\r\nContent-Length: 3\r\n\r\nxyz"},
        {"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
         "chunked\r\n\r\n1\r\nx\r\n2;q\r\nyz\r\n"
         "0\r\nT: t\r\n\r\n",
         "HTTP/1.1 200 OK\r\nServer: tacho\r\n" DATE
         "Content-Type: application/octet-stream\r\nContent-Length: 3\r\n\r\nxyz"},
        {"DELETE /echo HTTP/1.1\r\nHost: a\r\n\r\n",
         "HTTP/1.1 405 Method Not Allowed\r\nServer: tacho\r\n" DATE
         "Content-Type: text/plain\r\nAllow: POST, OPTIONS\r\nContent-Length: 18\r\n\r\n"
         "Method Not Allowed"},
        {"HEAD /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
         "HTTP/1.1 404 Not Found\r\nServer: tacho\r\n" DATE
         "Content-Type: text/plain\r\nConnection: close\r\nContent-Length: 9\r\n\r\n"},
        {"OPTIONS /ping HTTP/1.1\r\nHost: a\r\n\r\n",
         "HTTP/1.1 200 OK\r\nServer: tacho\r\n" DATE
         "Allow: GET, HEAD, OPTIONS\r\nContent-Length: 0\r\n\r\n"},
        {"nonsense\r\n",
         "HTTP/1.1 400 Bad Request\r\nServer: tacho\r\n" DATE
         "Content-Type: text/plain\r\nConnection: close\r\nContent-Length: 11\r\n\r\nBad Request"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct http_run run;

        http_run_init(&run, rows[i].input, strlen(rows[i].input), NULL, 0);
        cr_expect_str_eq(run.output.bytes, rows[i].want, "row %zu:\n%s", i, run.output.bytes);
        http_run_release(&run);
    }
}

Test(http_conn, counts_final_answers_and_errors)
{
    static const char input[] =
        NEXT "POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx"
             "GET /x HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n";
    struct http_run run;

    http_run_init(&run, input, sizeof(input) - 1, NULL, 0);
    cr_expect_eq(run.answer_count, 4);
    cr_expect_eq(run.error_count, 2);
    http_run_release(&run);
}

struct filled {
    const char *why, *before;
    char fill;
    size_t fill_bytes;
    const char *after, *want;
};

static void filled_check(const struct filled *row)
{
    struct buf input;
    struct http_run run;
    char got[64];

    buf_init(&input, (size_t)8 << 20);
    buf_add_text(&input, row->before);
    for (size_t i = 0; i < row->fill_bytes; i++) {
        buf_add_char(&input, row->fill);
    }
    buf_add_text(&input, row->after);
    http_run_init(&run, input.bytes, input.length, NULL, 0);
    http_run_summarise(&run, got, sizeof(got));
    cr_expect_str_eq(got, row->want, "%s: %s", row->why, got);
    http_run_release(&run);
    buf_release(&input);
}

/* Limits: request line 8192 bytes with its CRLF, head 16384, body 2^20. "GET /" and " HTTP/1.1"
 * are 14 bytes, so a query of 8192 - 2 - 14 fits; "POST /echo HTTP/1.1\r\nHost: a\r\nX: " is 33
 * bytes, so a value of 16384 - 33 - 4 fits. */
Test(http_conn, limits_are_where_they_are_said_to_be)
{
    static const struct filled rows[] = {
        {"the longest target", "GET /", 'a', 8176, " HTTP/1.1\r\nHost: a\r\n\r\n", "404"},
        {"one byte more", "GET /", 'a', 8177, " HTTP/1.1\r\nHost: a\r\n\r\n", "414c"},
        {"100 KB of target", "GET /", 'a', 100000, "", "414c"},
        {"100 KB of method", "", 'A', 100000, " / HTTP/1.1\r\n\r\n", "414c"},
        {"the longest head", "POST /echo HTTP/1.1\r\nHost: a\r\nX: ", 'v', 16347, "\r\n\r\n",
         "200"},
        {"one byte more", "POST /echo HTTP/1.1\r\nHost: a\r\nX: ", 'v', 16348, "\r\n\r\n", "431c"},
        {"100 KB of value", "GET /ping HTTP/1.1\r\nHost: a\r\nX: ", 'v', 100000, "", "431c"},
        {"100 KB of name", "GET /ping HTTP/1.1\r\nHost: a\r\n", 'n', 100000, ": v\r\n\r\n", "431c"},
        {"the largest body", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\n",
         'b', 1048576, NEXT, "200 200"},
        {"the largest chunk",
         "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n100000\r\n", 'b',
         1048576, "\r\n0\r\n\r\n" NEXT, "200 200"},
        {"one byte more in a second chunk",
         "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n100000\r\n", 'b',
         1048576, "\r\n1\r\n", "413c"},
        {"64 KiB of chunk extension",
         "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;", 'x', 65536,
         "\r\nb\r\n0\r\n\r\n", "400c"},
        {"a long trailer",
         "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: ", 'v', 8192,
         "\r\n\r\n", "431c"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        filled_check(&rows[i]);
    }
}

static void repeated_check(const char *before, const char *part, size_t count, const char *after,
                           const char *want)
{
    struct buf input;
    struct http_run run;
    char got[64];

    buf_init(&input, (size_t)8 << 20);
    buf_add_text(&input, before);
    for (size_t i = 0; i < count; i++) {
        buf_add_text(&input, part);
    }
    buf_add_text(&input, after);
    http_run_init(&run, input.bytes, input.length, NULL, 0);
    http_run_summarise(&run, got, sizeof(got));
    cr_expect_str_eq(got, want, "%zu times \"%s\": %s", count, part, got);
    http_run_release(&run);
    buf_release(&input);
}

Test(http_conn, many_small_parts_are_bounded_too)
{
#define CHUNKED_HEAD "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    repeated_check("GET /ping HTTP/1.1\r\nHost: a\r\n", "X: y\r\n", 63, "\r\n", "200");
    repeated_check("GET /ping HTTP/1.1\r\nHost: a\r\n", "X: y\r\n", 64, "\r\n", "431c");
    repeated_check("GET /ping HTTP/1.1\r\nHost: a\r\n", "X: y\r\n", 10000, "\r\n", "431c");
    repeated_check(CHUNKED_HEAD "0\r\n", "X: y\r\n", 1365, "\r\n", "200");
    repeated_check(CHUNKED_HEAD "0\r\n", "X: y\r\n", 1366, "\r\n", "431c");
    /* 16384 bytes of extensions in all: 819 times ";aaaaaaaaaaaaaaaaaaa" (20 bytes) fit. */
    repeated_check(CHUNKED_HEAD, "1;aaaaaaaaaaaaaaaaaaa\r\nb\r\n", 819, "0\r\n\r\n", "200");
    repeated_check(CHUNKED_HEAD, "1;aaaaaaaaaaaaaaaaaaa\r\nb\r\n", 820, "0\r\n\r\n", "400c");
}

Test(http_conn, output_is_handed_on_before_it_grows)
{
    enum { COUNT = 5000 };
    struct buf input;
    struct http_run run;

    buf_init(&input, (size_t)1 << 20);
    for (int i = 0; i < COUNT; i++) {
        buf_add_text(&input, NEXT);
    }
    struct http_conn conn;
    struct byte_pool pool;
    struct http_date date = {.second = -1};
    struct http_output out;
    http_conn_init(&conn);
    byte_pool_init(&pool);
    http_date_set(&date, 0);
    http_output_init(&out, &pool, &date);
    struct http_input in = {.bytes = input.bytes, .length = input.length};
    cr_expect_eq(http_conn_feed(&conn, &(struct http_routes){NULL, 0}, &in, &out),
                 HTTP_ACTION_FLUSH);
    cr_expect_geq(out.length, HTTP_OUTPUT_BYTES_FLUSH);
    cr_expect_leq(out.length, HTTP_OUTPUT_BYTES_FLUSH + 512);
    cr_expect_gt(in.length - in.start, 0);
    http_output_release(&out);
    byte_pool_release(&pool);

    http_run_init(&run, input.bytes, input.length, NULL, 0);
    cr_expect_eq(run.answer_count, COUNT);
    cr_expect_eq(run.output.length, COUNT * strlen(PONG));
    cr_expect_eq(run.left_bytes, 0);
    http_run_release(&run);
    buf_release(&input);
}

Test(http_conn, a_chunked_body_keeps_only_its_own_size)
{
    struct buf input;
    struct http_run run;
    size_t cuts[10000];

    buf_init(&input, (size_t)1 << 20);
    buf_add_text(&input, CHUNKED_HEAD);
    for (int i = 0; i < 800; i++) {
        buf_add_text(&input, "1;extension=123\r\nb\r\n");
    }
    size_t count = 0;
    for (size_t at = 8; at < input.length && count < ARRAY_COUNT(cuts); at += 8) {
        cuts[count++] = at;
    }
    http_run_init(&run, input.bytes, input.length, cuts, count);
    cr_expect_leq(run.most_kept_bytes, sizeof(CHUNKED_HEAD) + 800 + 64, "%zu", run.most_kept_bytes);
    http_run_release(&run);
    buf_release(&input);
}

/* What random input is made of: whole requests, and what breaks them. */
static const char *const parts[] = {
    NEXT,
    NEXT NEXT,
    "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /x HTTP/1.1\r\nHost: a\r\n\r\n",
    "\r\n",
    "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 26\r\n\r\nabcdefghijklmnopqrstuvwxyz",
    CHUNKED_HEAD "3\r\nabc\r\nA;x=\"y\"\r\n0123456789\r\n0\r\nX: y\r\n\r\n",
    "POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nxy",
    "POST /ping HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nxy",
    "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    "GET /ping HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n",
    "GE(T /ping HTTP/1.1\r\nHost: a\r\n\r\n",
    CHUNKED_HEAD "3\r\nabcd\r\n",
    "\r",
    "\n",
    "0",
    ":",
};

static void input_make(struct rng *rng, struct buf *input)
{
    size_t count = 1 + (size_t)rng_below(rng, 6);

    for (size_t i = 0; i < count; i++) {
        /* Mostly whole requests, so that many cases get far. */
        uint64_t kinds = rng_below(rng, 4) ? 10 : ARRAY_COUNT(parts);
        buf_add_text(input, parts[rng_below(rng, kinds)]);
    }
    if (rng_below(rng, 3) == 0) {
        input->bytes[rng_below(rng, input->length)] = (char)rng_below(rng, 256);
    }
    if (rng_below(rng, 16) == 0) {
        /* Long enough to cross the limits. */
        for (size_t i = rng_below(rng, 18000); i > 0; i--) {
            buf_add_char(input, 'a');
        }
    }
}

static size_t cuts_make(struct rng *rng, size_t length, size_t *cuts, size_t cuts_max)
{
    size_t count = 0;
    uint64_t step_max = rng_below(rng, 2) ? 3 : 400;

    for (size_t at = 1 + rng_below(rng, step_max); at < length && count < cuts_max;
         at += 1 + rng_below(rng, step_max)) {
        cuts[count++] = at;
    }
    return count;
}

Test(http_conn, any_split_of_the_input_gives_the_same_output)
{
    static size_t cuts[2000];

    for_each_case(rng, 1500, 20260)
    {
        struct buf input;
        struct http_run whole, split;

        buf_init(&input, 1 << 20);
        input_make(&rng, &input);
        size_t cut_count = cuts_make(&rng, input.length, cuts, ARRAY_COUNT(cuts));
        http_run_init(&whole, input.bytes, input.length, NULL, 0);
        http_run_init(&split, input.bytes, input.length, cuts, cut_count);
        cr_expect(whole.output.length == split.output.length &&
                      memcmp(whole.output.bytes, split.output.bytes, whole.output.length) == 0 &&
                      whole.is_closed == split.is_closed,
                  "seed %llu: input \"%s\"\nwhole \"%s\"\nsplit \"%s\"",
                  (unsigned long long)prop_case_seed, input.bytes, whole.output.bytes,
                  split.output.bytes);
        http_run_release(&whole);
        http_run_release(&split);
        buf_release(&input);
    }
}

Test(http_conn, byte_by_byte_is_a_split_as_well)
{
    static const char input[] = NEXT CHUNKED_HEAD "3\r\nabc\r\n0\r\nX: y\r\n\r\n" NEXT;
    size_t cuts[sizeof(input) - 2];
    struct http_run whole, split;

    for (size_t i = 0; i < ARRAY_COUNT(cuts); i++) {
        cuts[i] = i + 1;
    }
    http_run_init(&whole, input, sizeof(input) - 1, NULL, 0);
    http_run_init(&split, input, sizeof(input) - 1, cuts, ARRAY_COUNT(cuts));
    cr_expect_eq(whole.answer_count, 3);
    cr_expect_str_eq(whole.output.bytes, split.output.bytes);
    http_run_release(&whole);
    http_run_release(&split);
}
