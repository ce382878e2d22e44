// SPDX-License-Identifier: Apache-2.0
// What the built-in servers answer, path by path; JSON is read with jansson, not with our own code.
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "engines/app/routes.h"
#include "tests/support/http_run.h"

#define HOST    "Host: a\r\n"
#define GET(it) "GET " it " HTTP/1.1\r\n" HOST "\r\n"

/* The body of the only answer. */
static const char *body_find(const struct http_run *run)
{
    const char *end = strstr(run->output.bytes, "\r\n\r\n");

    cr_assert_eq(run->answer_count, 1);
    cr_assert_not_null(end);
    return end + 4;
}

static json_t *json_of(const struct http_run *run)
{
    json_error_t error;
    json_t *json = json_loads(body_find(run), JSON_REJECT_DUPLICATES, &error);

    cr_assert_not_null(json, "%s in \"%s\"", error.text, body_find(run));
    cr_expect(strstr(run->output.bytes, "\r\nContent-Type: application/json\r\n"));
    return json;
}

Test(app, answers_status_and_body_by_path)
{
    static const struct {
        const char *input;
        const char *status;
        const char *body;
    } rows[] = {
        {GET("/delay/0"), "200", "waited"},
        {GET("/delay/1001"), "404", NULL},
        {GET("/delay/"), "404", NULL},
        {GET("/delay"), "404", NULL},
        {GET("/delay/1/"), "404", NULL},
        {GET("/bytes/0"), "200", ""},
        {GET("/bytes/-1"), "404", NULL},
        {GET("/bytes/+1"), "404", NULL},
        {GET("/bytes/1a"), "404", NULL},
        {GET("/bytes/1048577"), "404", NULL},
        {GET("/bytes/18446744073709551617"), "404", NULL},
        {GET("/bytes/1/2"), "404", NULL},
        {"POST /bytes/1 HTTP/1.1\r\n" HOST "\r\n", "405", NULL},
        {"GET /upload HTTP/1.1\r\n" HOST "\r\n", "405", NULL},
        {GET("/a\xc3\xa7\xc3\xa3o/\xc3\xa9t\xc3\xa9"), "200", "\xc3\xa9t\xc3\xa9"},
        {GET("/a%C3%A7%C3%A3o/7?x=/y"), "200", "7"},
        {GET("/a%c3%a7%c3%a3o/%20"), "200", "%20"},
        {GET("/a\xc3\xa7%C3%A3o/7"), "404", NULL},
        {GET("/acao/7"), "404", NULL},
        {GET("/a\xc3\xa7\xc3\xa3o/"), "404", NULL},
        {GET("/a\xc3\xa7\xc3\xa3o/a/b"), "404", NULL},
        /* NFD: "c" and "a" with combining marks look the same and are another path. */
        {GET("/ac\xcc\xa7"
             "a\xcc\x83o/7"),
         "404", NULL},
        /* sha256sum of an empty file. */
        {"POST /upload HTTP/1.1\r\n" HOST "\r\n", "200",
         "{\"bytes\":0,\"sha256\":"
         "\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"}"},
        {"POST /upload HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nabc", "200",
         "{\"bytes\":3,\"sha256\":"
         "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"}"},
        /* 0xff + 0x01 + 0x41 = 321, whatever the sign of a char. */
        {"POST /fat HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\n\xff\x01"
         "A",
         "200", "{\"bytes\":3,\"wide_bytes\":6,\"wider_bytes\":12,\"sum\":321}"},
        {"POST /fat HTTP/1.1\r\n" HOST "\r\n", "200",
         "{\"bytes\":0,\"wide_bytes\":0,\"wider_bytes\":0,\"sum\":0}"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct http_run run;
        char status[64];

        http_run_init(&run, rows[i].input, strlen(rows[i].input), NULL, 0);
        http_run_summarise(&run, status, sizeof(status));
        cr_expect_str_eq(status, rows[i].status, "%s: %s", rows[i].input, status);
        if (rows[i].body) {
            cr_expect_str_eq(body_find(&run), rows[i].body, "%s: %s", rows[i].input,
                             body_find(&run));
        }
        http_run_release(&run);
    }
}

Test(app, bytes_are_as_many_as_asked_for_and_zero)
{
    static const char input[] = GET("/bytes/1048576"), head[] = "HEAD /bytes/1048576 HTTP/1.1\r\n"
                                                                "Host: a\r\n\r\n";
    struct http_run run;

    http_run_init(&run, input, sizeof(input) - 1, NULL, 0);
    const char *body = body_find(&run);
    cr_expect_eq(run.output.bytes + run.output.length - body, 1048576);
    for (size_t i = 0; i < 1048576; i++) {
        cr_assert_eq(body[i], 0, "byte %zu", i);
    }
    http_run_release(&run);
    http_run_init(&run, head, sizeof(head) - 1, NULL, 0);
    cr_expect(strstr(run.output.bytes, "\r\nContent-Length: 1048576\r\n"));
    cr_expect_str_eq(body_find(&run), "");
    http_run_release(&run);
}

/* Prices of a side in hundredths; `sign` 1: each above the one before, -1: each below. */
static double side_check(const json_t *side, int sign)
{
    double last = 0;

    cr_assert_eq(json_array_size(side), 32);
    for (size_t i = 0; i < json_array_size(side); i++) {
        const json_t *level = json_array_get(side, i);
        const char *price = json_string_value(json_array_get(level, 0));
        const char *quantity = json_string_value(json_array_get(level, 1));

        cr_assert(price && quantity && json_is_integer(json_array_get(level, 2)));
        cr_expect_gt(strtod(quantity, NULL), 0);
        cr_expect_gt(json_integer_value(json_array_get(level, 2)), 0);
        cr_expect(i == 0 || sign * (strtod(price, NULL) - last) > 0, "%zu: %s", i, price);
        last = strtod(price, NULL);
    }
    return strtod(json_string_value(json_array_get(json_array_get(side, 0), 0)), NULL);
}

Test(app, the_book_has_bids_descending_below_asks_ascending)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct http_run run;

        app_init(seed);
        http_run_init(&run, GET("/book"), strlen(GET("/book")), NULL, 0);
        json_t *book = json_of(&run);
        double bid = side_check(json_object_get(book, "bids"), -1);
        double ask = side_check(json_object_get(book, "asks"), 1);
        cr_expect_lt(bid, ask);
        cr_expect_eq(json_integer_value(json_object_get(book, "seed")), (json_int_t)seed);
        json_decref(book);
        http_run_release(&run);
    }
}

Test(app, the_book_depends_on_the_seed_alone)
{
    struct http_run runs[3];

    for (size_t i = 0; i < 3; i++) {
        app_init(i == 1 ? 8 : 7);
        http_run_init(&runs[i], GET("/book"), strlen(GET("/book")), NULL, 0);
    }
    cr_expect_str_eq(runs[0].output.bytes, runs[2].output.bytes);
    const char *bids[2] = {strstr(runs[0].output.bytes, "bids"),
                           strstr(runs[1].output.bytes, "bids")};
    cr_expect_str_neq(bids[0], bids[1]);
    for (size_t i = 0; i < 3; i++) {
        http_run_release(&runs[i]);
    }
}
