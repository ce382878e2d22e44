// SPDX-License-Identifier: Apache-2.0
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/driver/response.h"
#include "tests/support/edge_buf.h"
#include "tests/support/prop.h"

#define H200    "HTTP/1.1 200 OK\r\n"
#define CHUNKED H200 "Transfer-Encoding: chunked\r\n\r\n"
#define OK      OUTCOME_COUNT /* no failure */

static const struct response_rules plain = {.hash_wanted = true, .learn_status = 200};
static const struct response_rules head = {.is_head = true, .learn_status = 200};

/* What became of a stream that holds one response. */
struct reading {
    enum response_state state;
    enum outcome failure;
    int status;
    uint64_t body_bytes, body_xxh64;
    size_t used;
    bool keeps_alive;
};

/* Feeds pieces that end at an unreadable page; `next_length` tells their lengths. At the end of the
 * stream the connection closes. */
static struct reading read_pieces(const char *bytes, size_t length,
                                  const struct response_rules *rules,
                                  struct response_template *template, struct rng *rng)
{
    struct response response;
    struct reading reading = {.state = RESPONSE_MORE, .failure = OK};

    response_init(&response);
    while (reading.used < length && reading.state == RESPONSE_MORE) {
        size_t left = length - reading.used;
        size_t piece = rng ? 1 + (size_t)rng_below(rng, rng_below(rng, 2) ? 3 : left) : left;
        struct edge_buf edge;
        size_t used;

        piece = piece < left ? piece : left;
        edge_buf_init(&edge, bytes + reading.used, piece);
        reading.state = response_feed(&response, template, rules, edge.bytes, piece, &used);
        edge_buf_release(&edge);
        cr_assert(used <= piece && (reading.state != RESPONSE_MORE || used == piece));
        reading.used += used;
    }
    if (reading.state == RESPONSE_MORE) {
        reading.state = response_end(&response, rules);
    }
    if (reading.state == RESPONSE_FAILED) {
        reading.failure = response.failure;
        reading.used = 0; /* where a malformed response is given up is no promise */
        return reading;
    }
    reading.status = response.head.status;
    reading.body_bytes = response.body_bytes;
    reading.body_xxh64 = rules->hash_wanted ? response.body_xxh64 : 0;
    reading.keeps_alive = response_keeps_alive(&response);
    return reading;
}

struct row {
    const char *bytes;
    enum outcome failure;
    int status;
    const char *body; /* decoded */
    bool keeps_alive;
    const char *after; /* bytes that are not part of it */
};

/* RFC 9112 unless said otherwise. */
static const struct row rows[] = {
    {H200 "Content-Length: 4\r\n\r\npong", OK, 200, "pong", true, ""},
    {H200 "content-LENGTH:4 \t\r\n\r\npongHTTP", OK, 200, "pong", true, "HTTP"},
    {H200 "Content-Length: 4\r\nContent-Length: 4\r\n\r\npong", OK, 200, "pong", true, ""},
    {H200 "Content-Length: 0\r\n\r\n", OK, 200, "", true, ""},
    {"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", OK, 200, "", true, ""},
    {"HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", OK, 200, "", true, ""},
    {"HTTP/1.1 200 OK\nContent-Length: 1\n\nx", OK, 200, "x", true, ""}, /* bare LF: 2.2 */
    {H200 "Connection: Close\r\nContent-Length: 0\r\n\r\n", OK, 200, "", false, ""},
    {H200 "Connection: a, close ,b\r\nContent-Length: 0\r\n\r\n", OK, 200, "", false, ""},
    {H200 "Connection: clo se\r\nContent-Length: 0\r\n\r\n", OK, 200, "", true, ""},
    {H200 "Connection: not-close\r\nContent-Length: 0\r\n\r\n", OK, 200, "", true, ""},
    {"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", OK, 200, "x", false, ""},
    {"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx", OK, 200, "x", true,
     ""},
    {H200 "\r\nuntil the end", OK, 200, "until the end", false, ""},
    {H200 "Transfer-Encoding: gzip\r\n\r\nabc", OK, 200, "abc", false, ""},
    {H200 "Transfer-Encoding: gzip, Chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", OK, 200, "a", true, ""},
    {H200 "Transfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n1\r\na\r\n0\r\n\r\n", OK, 200,
     "a", false, ""},
    {"HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\nhello", OK, 204, "", true, "hello"},
    {"HTTP/1.1 304 No\r\nTransfer-Encoding: chunked\r\n\r\n", OK, 304, "", true, ""},
    {"HTTP/1.1 101 Go\r\n\r\nraw", OK, 101, "", false, "raw"},
    {"HTTP/1.1 103 Early\r\nLink: x\r\n\r\n" H200 "Content-Length: 1\r\n\r\nx", OK, 200, "x", true,
     ""},
    {"HTTP/1.1 100 Continue\r\n\r\n", OUTCOME_TRUNCATED_HEAD, 0, "", false, ""},
    {CHUNKED "0\r\n\r\n", OK, 200, "", true, ""},
    {CHUNKED "a;x=\"y\"\r\n0123456789\r\n0B \r\n0123456789a\r\n000\r\nETag: x\r\n\r\nZ", OK, 200,
     "01234567890123456789a", true, "Z"},
    {CHUNKED "FFFFFFFFFFFFFFFF\r\n", OUTCOME_PROTOCOL_CHUNK, 0, "", false, ""},
    {CHUNKED "7FFFFFFFFFFFFFFF\r\n", OUTCOME_TRUNCATED_BODY, 0, "", false, ""},
    {CHUNKED "8000000000000000\r\n", OUTCOME_PROTOCOL_CHUNK, 0, "", false, ""},
    {CHUNKED "\r\n", OUTCOME_PROTOCOL_CHUNK, 0, "", false, ""},
    {CHUNKED "1\na\r\n", OUTCOME_PROTOCOL_CHUNK, 0, "", false, ""},
    {CHUNKED "-1\r\n", OUTCOME_PROTOCOL_CHUNK, 0, "", false, ""},
    {CHUNKED "1\r\nab\r\n", OUTCOME_PROTOCOL_CHUNK, 0, "", false, ""},
    {CHUNKED "1;\x01\r\na", OUTCOME_PROTOCOL_CHUNK, 0, "", false, ""},
    {CHUNKED "1\r\na\r\n0\r\nbad trailer\r\n", OUTCOME_PROTOCOL_HEADER, 0, "", false, ""},
    {CHUNKED "1\r\na\r\n0\r\n", OUTCOME_TRUNCATED_BODY, 0, "", false, ""},
    {"", OUTCOME_CLOSED_EARLY, 0, "", false, ""},
    {"HTT", OUTCOME_TRUNCATED_HEAD, 0, "", false, ""},
    {H200 "Content-Length: 4\r\n", OUTCOME_TRUNCATED_HEAD, 0, "", false, ""},
    {H200 "Content-Length: 4\r\n\r\npon", OUTCOME_TRUNCATED_BODY, 0, "", false, ""},
    {"HTTP/2.0 200 OK\r\n", OUTCOME_PROTOCOL_STATUS, 0, "", false, ""},
    {"http/1.1 200 OK\r\n", OUTCOME_PROTOCOL_STATUS, 0, "", false, ""},
    {"HTTP/1.1 20 OK\r\n", OUTCOME_PROTOCOL_STATUS, 0, "", false, ""},
    {"HTTP/1.1 600 OK\r\n", OUTCOME_PROTOCOL_STATUS, 0, "", false, ""},
    {"HTTP/1.1 099 OK\r\n", OUTCOME_PROTOCOL_STATUS, 0, "", false, ""},
    {"HTTP/1.1 2000 OK\r\n", OUTCOME_PROTOCOL_STATUS, 0, "", false, ""},
    {"HTTP/1.1 200 O\rK\n", OUTCOME_PROTOCOL_STATUS, 0, "", false, ""},
    {"\r\n" H200, OUTCOME_PROTOCOL_STATUS, 0, "", false, ""},
    {H200 "Content-Length: 4x\r\n\r\n", OUTCOME_PROTOCOL_HEADER, 0, "", false, ""},
    {H200 "Content-Length: 4 4\r\n\r\n", OUTCOME_PROTOCOL_HEADER, 0, "", false, ""},
    {H200 "Content-Length: +4\r\n\r\n", OUTCOME_PROTOCOL_HEADER, 0, "", false, ""},
    {H200 "Content-Length:\r\n\r\n", OUTCOME_PROTOCOL_HEADER, 0, "", false, ""},
    {H200 "Content-Length: 9223372036854775807\r\n\r\n", OUTCOME_TRUNCATED_BODY, 0, "", false, ""},
    {H200 "Content-Length: 9223372036854775808\r\n\r\n", OUTCOME_PROTOCOL_HEADER, 0, "", false, ""},
    {H200 "Content-Length: 4\r\nContent-Length: 5\r\n\r\n", OUTCOME_PROTOCOL_HEADER, 0, "", false,
     ""},
    {H200 "A : b\r\n\r\n", OUTCOME_PROTOCOL_HEADER, 0, "", false, ""},
    {H200 ": b\r\n\r\n", OUTCOME_PROTOCOL_HEADER, 0, "", false, ""},
    {H200 "A: b\r\n folded\r\n\r\n", OUTCOME_PROTOCOL_HEADER, 0, "", false, ""},
    {H200 "A: b\rc\r\n\r\n", OUTCOME_PROTOCOL_HEADER, 0, "", false, ""},
    {H200 "A: b\x01\r\n\r\n", OUTCOME_PROTOCOL_HEADER, 0, "", false, ""},
    {H200 "A: b\r\n\rx", OUTCOME_PROTOCOL_HEADER, 0, "", false, ""},
};
#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

static void reading_check(const struct row *row, const struct reading *got, const char *how)
{
    size_t length = strlen(row->bytes);

    cr_expect_eq(got->failure, row->failure, "%s: %s: failure %d, want %d", how, row->bytes,
                 got->failure, row->failure);
    if (row->failure != OK || got->failure != OK) {
        return;
    }
    cr_expect_eq(got->status, row->status, "%s: %s", how, row->bytes);
    cr_expect_eq(got->body_bytes, strlen(row->body), "%s: %s", how, row->bytes);
    cr_expect_eq(got->body_xxh64, XXH64(row->body, strlen(row->body), 0), "%s: %s", how,
                 row->bytes);
    cr_expect_eq(got->keeps_alive, row->keeps_alive, "%s: %s", how, row->bytes);
    cr_expect_eq(got->used, length - strlen(row->after), "%s: %s", how, row->bytes);
}

Test(response, reads_every_framing_and_refuses_every_fault)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        struct reading got = read_pieces(rows[i].bytes, strlen(rows[i].bytes), &plain, NULL, NULL);
        reading_check(&rows[i], &got, "whole");
    }
}

Test(response, gives_the_same_result_for_every_split)
{
    for_each_case(rng, 2000, 1)
    {
        const struct row *row = &rows[rng_below(&rng, ROW_COUNT)];
        struct reading got = read_pieces(row->bytes, strlen(row->bytes), &plain, NULL, &rng);
        reading_check(row, &got, "split");
    }
}

Test(response, of_head_ends_at_the_blank_line)
{
    static const char *const texts[] = {H200 "Content-Length: 1234\r\n\r\n", CHUNKED, H200 "\r\n"};

    for (size_t i = 0; i < 3; i++) {
        struct reading got = read_pieces(texts[i], strlen(texts[i]), &head, NULL, NULL);
        cr_expect_eq(got.state, RESPONSE_DONE, "%zu", i);
        cr_expect_eq(got.body_bytes, 0);
        cr_expect(got.keeps_alive);
    }
}

/* H200, "A: x…x", blank line: exactly 64 KiB is read, one byte more is not. */
Test(response, limits_the_head_to_64_kib)
{
    static char text[RESPONSE_HEAD_LIMIT_BYTES + 2];

    for (size_t extra = 0; extra < 2; extra++) {
        size_t length = RESPONSE_HEAD_LIMIT_BYTES + extra;
        struct rng rng;

        memset(text, 'x', length);
        memcpy(text, H200 "A: ", strlen(H200 "A: "));
        memcpy(text + length - 4, "\r\n\r\n", 4);
        rng_init(&rng, 1);
        struct reading whole = read_pieces(text, length, &head, NULL, NULL);
        struct reading split = read_pieces(text, length, &head, NULL, &rng);
        cr_expect_eq(whole.failure, extra ? OUTCOME_PROTOCOL_LIMIT : OK);
        cr_expect_eq(split.failure, extra ? OUTCOME_PROTOCOL_LIMIT : OK);
    }
}

/* A14 */
Test(response, limits_interim_heads)
{
    for (int count = RESPONSE_INTERIM_LIMIT; count <= RESPONSE_INTERIM_LIMIT + 1; count++) {
        char text[2000] = "";

        for (int i = 0; i < count; i++) {
            strcat(text, "HTTP/1.1 102 Wait\r\n\r\n");
        }
        strcat(text, H200 "Content-Length: 0\r\n\r\n");
        struct reading got = read_pieces(text, strlen(text), &plain, NULL, NULL);
        cr_expect_eq(got.failure, count > RESPONSE_INTERIM_LIMIT ? OUTCOME_PROTOCOL_LIMIT : OK);
    }
}

/* A18: lengths beyond 32 bits, bytes thrown away in the kernel. */
Test(response, counts_bodies_beyond_4_gib)
{
    static const char text[] = H200 "Content-Length: 5368709120\r\n\r\nx";
    struct response response;
    size_t used;

    response_init(&response);
    cr_assert_eq(
        response_feed(&response, NULL, &(struct response_rules){0}, text, strlen(text), &used),
        RESPONSE_MORE);
    uint64_t left = response_skippable_bytes(&response, &(struct response_rules){0});
    cr_expect_eq(left, UINT64_C(5368709119));
    cr_expect_eq(response_skippable_bytes(&response, &plain), 0, "hashed bytes are not skipped");
    cr_expect_eq(response_skip(&response, &(struct response_rules){0}, left - 1), RESPONSE_MORE);
    cr_expect_eq(response_skip(&response, &(struct response_rules){0}, 1), RESPONSE_DONE);
    cr_expect_eq(response.body_bytes, UINT64_C(5368709120));
}

#define DATED(day) H200 "Date: " day ", 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 4\r\n\r\n"

Test(response, recognises_the_head_that_it_learned)
{
    static struct response_template template;
    static const char first[] = DATED("Sun") "pong";
    static const char later[] = DATED("Mon") "pang";
    static const char other[] = H200 "Content-Length: 1\r\n\r\nx";

    read_pieces(first, strlen(first), &plain, &template, NULL);
    cr_assert_eq(template.head_bytes, strlen(DATED("Sun")));
    cr_expect_eq(template.date_offset, strlen(H200 "Date: "));
    struct reading got = read_pieces(later, strlen(later), &plain, &template, NULL);
    cr_expect_eq(got.failure, OK);
    cr_expect_eq(got.body_xxh64, XXH64("pang", 4, 0));
    cr_expect_eq(template.miss_count, 0);
    for (int i = 0; i < 17; i++) {
        read_pieces(other, strlen(other), &plain, &template, NULL);
    }
    cr_expect_eq(template.head_bytes, strlen(H200 "Content-Length: 1\r\n\r\n"), "learns anew");
}

/* With a template in whatever state the result is that without one. */
Test(response, gives_the_same_result_with_and_without_a_template)
{
    static struct response_template template;
    static const char *const bases[] = {DATED("Sun") "pong", H200 "Content-Length: 4\r\n\r\npong",
                                        CHUNKED "1\r\na\r\n0\r\n\r\n"};

    for_each_case(rng, 20000, 2)
    {
        const char *base = bases[prop_case / 100 % 3];
        size_t length = strlen(base);
        char text[200];

        memcpy(text, base, length);
        if (rng_below(&rng, 2)) {
            text[rng_below(&rng, length)] = (char)rng_next(&rng);
        }
        struct rng *split = rng_below(&rng, 4) ? NULL : &rng;
        struct reading want = read_pieces(text, length, &plain, NULL, NULL);
        struct reading got = read_pieces(text, length, &plain, &template, split);
        cr_expect_eq(got.failure, want.failure, "seed %lu", prop_case_seed);
        cr_expect_eq(got.body_bytes, want.body_bytes, "seed %lu", prop_case_seed);
        cr_expect_eq(got.body_xxh64, want.body_xxh64, "seed %lu", prop_case_seed);
        cr_expect_eq(got.used, want.used, "seed %lu", prop_case_seed);
        cr_expect_eq(got.keeps_alive, want.keeps_alive, "seed %lu", prop_case_seed);
    }
}
