// SPDX-License-Identifier: Apache-2.0
// Dates, numbers and memory of responses.
#include <criterion/criterion.h>
#include <string.h>

#include "engines/http/http_write.h"

/* RFC 9110 5.6.7 gives the first; the others: GNU date -u +'%a, %d %b %Y %T GMT'. */
Test(http_write, dates_are_imf_fixdates)
{
    static const struct {
        int64_t second;
        const char *text;
    } rows[] = {
        {784111777, "Sun, 06 Nov 1994 08:49:37 GMT"},
        {0, "Thu, 01 Jan 1970 00:00:00 GMT"},
        {951782400, "Tue, 29 Feb 2000 00:00:00 GMT"},
        {1798761599, "Thu, 31 Dec 2026 23:59:59 GMT"},
    };
    struct http_date date = {.second = -1};

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        http_date_set(&date, rows[i].second * INT64_C(1000000000) + 999999999);
        cr_expect_str_eq(http_date_text(&date), rows[i].text);
    }
}

Test(http_write, every_status_has_a_reason)
{
    static const int statuses[] = {200, 400, 404, 405, 408, 413, 414, 417, 431, 501, 503, 505};

    for (size_t i = 0; i < ARRAY_COUNT(statuses); i++) {
        cr_expect_str_neq(http_reason(statuses[i]), "Unknown", "%d", statuses[i]);
    }
    cr_expect_str_eq(http_reason(0), "Unknown");
}

Test(http_write, a_body_that_no_memory_can_hold_fails_and_writes_nothing)
{
    struct byte_pool pool;
    struct http_date date = {.second = -1};
    struct http_output out;

    byte_pool_init(&pool);
    http_date_set(&date, 0);
    http_output_init(&out, &pool, &date);
    http_write_continue(&out);
    size_t length = out.length;
    http_write_response(&out, &(struct http_response){.status = 200, .body = {"", 4 << 20}});
    cr_expect(out.failed);
    cr_expect_eq(out.length, length);
    cr_expect_eq(out.answer_count, 0);
    http_write_error(&out, 400, true);
    cr_expect_eq(out.length, length, "nothing follows a gap");
    http_output_clear(&out);
    http_write_error(&out, 400, true);
    cr_expect_eq(out.answer_count, 1);
    cr_expect_eq(out.error_count, 1);
    http_output_release(&out);
    byte_pool_release(&pool);
}

Test(http_write, blocks_come_back_from_the_pool)
{
    struct byte_pool pool;
    size_t capacity = 0, other_capacity = 0;

    byte_pool_init(&pool);
    char *first = byte_pool_take(&pool, 5000, &capacity);
    cr_expect_eq(capacity, 8192);
    char *second = byte_pool_take(&pool, 8192, &other_capacity);
    cr_expect_eq(other_capacity, 8192);
    cr_expect_neq(first, second);
    byte_pool_give(&pool, first, capacity);
    byte_pool_give(&pool, second, capacity);
    byte_pool_give(&pool, NULL, 0);
    cr_expect_eq(pool.cached_bytes, 16384);
    cr_expect_eq(byte_pool_take(&pool, 4097, &capacity), second);
    cr_expect_eq(byte_pool_take(&pool, 4097, &capacity), first);
    cr_expect_eq(pool.cached_bytes, 0);
    byte_pool_give(&pool, first, capacity);
    byte_pool_give(&pool, second, capacity);
    cr_expect_null(byte_pool_take(&pool, ((size_t)2 << 20) + 1, &capacity));
    first = byte_pool_take(&pool, (size_t)2 << 20, &capacity);
    cr_expect_eq(capacity, (size_t)2 << 20);
    byte_pool_give(&pool, first, capacity);
    byte_pool_release(&pool);
    cr_expect_eq(pool.cached_bytes, 0);
}
