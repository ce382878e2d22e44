// SPDX-License-Identifier: Apache-2.0
// What RFC 9110 and RFC 9112 say of requests, case by case, and where this server is stricter: what
// two readers could take differently is 400 and the end of the connection.
#include <criterion/criterion.h>
#include <string.h>

#include "tests/support/http_run.h"

#define GET    "GET /ping HTTP/1.1\r\n"
#define POST   "POST /echo HTTP/1.1\r\nHost: a\r\n"
#define CHUNKS POST "Transfer-Encoding: chunked\r\n\r\n"
#define HOST   "Host: a\r\n"
#define NEXT   GET HOST "\r\n"

struct http_case {
    const char *why, *input, *want;
};

static void cases_check(const struct http_case *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct http_run run;
        char got[64];

        http_run_init(&run, rows[i].input, strlen(rows[i].input), NULL, 0);
        http_run_summarise(&run, got, sizeof(got));
        cr_expect_str_eq(got, rows[i].want, "%s: \"%s\", not \"%s\"", rows[i].why, got,
                         rows[i].want);
        http_run_release(&run);
    }
}

Test(http_cases, lines_end_with_crlf_and_hold_neither_cr_nor_lf)
{
    static const struct http_case rows[] = {
        {"a plain request", NEXT, "200"},
        {"2.2: an empty line before the request is skipped", "\r\n" NEXT, "200"},
        {"2.2: only one is", "\r\n\r\n" NEXT, "400c"},
        {"2.2: between pipelined requests as well", NEXT "\r\n" NEXT, "200 200"},
        {"2.2: bare LF behind the request line", "GET /ping HTTP/1.1\n" HOST "\r\n", "400c"},
        {"2.2: bare LF behind a field", GET "Host: a\n\r\n", "400c"},
        {"2.2: bare LF everywhere", "GET /ping HTTP/1.1\nHost: a\n\n", "400c"},
        {"2.2: bare LF before the request", "\n" NEXT, "400c"},
        {"2.2: bare CR in the request line", "GET /ping\rHTTP/1.1\r\n" HOST "\r\n", "400c"},
        {"2.2: bare CR in a field", GET HOST "X: a\rb\r\n\r\n", "400c"},
        {"2.2: CR alone ends no line", "GET /ping HTTP/1.1\rHost: a\r\r", "400c"},
        {"2.2: CR CR LF", "GET /ping HTTP/1.1\r\r\n" HOST "\r\n", "400c"},
        {"2.2: white space between request line and first field", GET " X: 1\r\n" HOST "\r\n",
         "400c"},
        {"5.2: obs-fold", GET HOST "X: a\r\n b\r\n\r\n", "400c"},
        {"5.2: obs-fold with a tab", GET HOST "X: a\r\n\tb\r\n\r\n", "400c"},
        {"an unfinished line waits", "GET /pi", ""},
        {"an unfinished head waits", GET HOST, ""},
    };
    cases_check(rows, ARRAY_COUNT(rows));
}

Test(http_cases, request_lines_have_three_parts_and_single_spaces)
{
    static const struct http_case rows[] = {
        {"3: two spaces before the target", "GET  /ping HTTP/1.1\r\n" HOST "\r\n", "400c"},
        {"3: two spaces before the version", "GET /ping  HTTP/1.1\r\n" HOST "\r\n", "400c"},
        {"3: a tab", "GET\t/ping HTTP/1.1\r\n" HOST "\r\n", "400c"},
        {"3: a space before the method", " GET /ping HTTP/1.1\r\n" HOST "\r\n", "400c"},
        {"3: a space behind the version", "GET /ping HTTP/1.1 \r\n" HOST "\r\n", "400c"},
        {"3: no target", "GET HTTP/1.1\r\n" HOST "\r\n", "400c"},
        {"3: an empty target", "GET  HTTP/1.1\r\n" HOST "\r\n", "400c"},
        {"3: HTTP/0.9", "GET /ping\r\n\r\n", "400c"},
        {"2.3: lower case", "GET /ping http/1.1\r\n" HOST "\r\n", "400c"},
        {"2.3: no minor version", "GET /ping HTTP/1\r\n" HOST "\r\n", "400c"},
        {"2.3: two digits", "GET /ping HTTP/01.1\r\n" HOST "\r\n", "400c"},
        {"2.3: two minor digits", "GET /ping HTTP/1.10\r\n" HOST "\r\n", "400c"},
        {"2.3: a comma", "GET /ping HTTP/1,1\r\n" HOST "\r\n", "400c"},
        {"2.3: another name", "GET /ping HTTZ/1.1\r\n" HOST "\r\n", "400c"},
        {"9110 15.6.6: another major version", "GET /ping HTTP/2.0\r\n" HOST "\r\n", "505c"},
        {"9110 15.6.6: 9.9", "GET /ping HTTP/9.9\r\n" HOST "\r\n", "505c"},
        {"9110 2.5: a later minor version is read as 1.1", "GET /ping HTTP/1.2\r\n" HOST "\r\n",
         "200"},
        {"9110 5.6.2: a method that is no token", "G(T /ping HTTP/1.1\r\n" HOST "\r\n", "400c"},
        {"9110 9.1: an unknown method", "BREW /ping HTTP/1.1\r\n" HOST "\r\n", "501"},
        {"9110 9.1: methods are case-sensitive", "get /ping HTTP/1.1\r\n" HOST "\r\n", "501"},
        {"9112 3: a method longer than any",
         "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA / HTTP/1.1\r\n" HOST "\r\n", "501c"},
        {"9110 9.3.6: CONNECT is not offered", "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n",
         "501"},
        {"9110 15.5.6: PUT is known and not allowed", "PUT /ping HTTP/1.1\r\n" HOST "\r\n", "405"},
        {"an unknown path", "GET /nothing HTTP/1.1\r\n" HOST "\r\n", "404"},
        {"paths are byte-exact", "GET /PING HTTP/1.1\r\n" HOST "\r\n", "404"},
        {"no slash is added", "GET /ping/ HTTP/1.1\r\n" HOST "\r\n", "404"},
    };
    cases_check(rows, ARRAY_COUNT(rows));
}

Test(http_cases, targets_have_one_of_four_forms)
{
    static const struct http_case rows[] = {
        {"3.2.1: a query", "GET /ping?a=1&b=%20 HTTP/1.1\r\n" HOST "\r\n", "200"},
        {"3.2.1: no slash", "GET ping HTTP/1.1\r\n" HOST "\r\n", "400c"},
        {"3.2: a fragment", "GET /ping#a HTTP/1.1\r\n" HOST "\r\n", "400c"},
        {"3986 2.1: a broken percent", "GET /ping?%2 HTTP/1.1\r\n" HOST "\r\n", "400c"},
        {"3986 2.1: percent without hex", "GET /%zz HTTP/1.1\r\n" HOST "\r\n", "400c"},
        {"3987: UTF-8 is a path of its own", "GET /\xc3\xa4 HTTP/1.1\r\n" HOST "\r\n", "404"},
        {"3986 2.1: so is its percent-encoding", "GET /%C3%A4 HTTP/1.1\r\n" HOST "\r\n", "404"},
        {"3986 6.2.2: nothing is normalised", "GET /%70ing HTTP/1.1\r\n" HOST "\r\n", "404"},
        {"3629: an overlong slash is none", "GET /\xc0\xafping HTTP/1.1\r\n" HOST "\r\n", "404"},
        {"3986 3.2.2: a host beyond ASCII", "GET http://\xc3\xa4/ping HTTP/1.1\r\n" HOST "\r\n",
         "400c"},
        {"3986 2: DEL", "GET /\x7f HTTP/1.1\r\n" HOST "\r\n", "400c"},
        {"3986 2: a control", "GET /\x01 HTTP/1.1\r\n" HOST "\r\n", "400c"},
        {"3986 2: a backslash", "GET /\\ping HTTP/1.1\r\n" HOST "\r\n", "400c"},
        {"3.2.2: absolute form", "GET http://a/ping HTTP/1.1\r\n" HOST "\r\n", "200"},
        {"3986 3.1: schemes have no case", "GET HTTP://a/ping HTTP/1.1\r\n" HOST "\r\n", "200"},
        {"3.2.2: absolute form with port and query",
         "GET http://a:80/ping?q HTTP/1.1\r\n" HOST "\r\n", "200"},
        {"9110 4.2.1: an empty path is \"/\"", "GET http://a HTTP/1.1\r\n" HOST "\r\n", "200"},
        {"9110 4.2.1: with a query, too", "GET http://a?q HTTP/1.1\r\n" HOST "\r\n", "200"},
        {"9110 4.2.1: an empty host", "GET http:///ping HTTP/1.1\r\n" HOST "\r\n", "400c"},
        {"9110 4.2.4: userinfo", "GET http://u@a/ping HTTP/1.1\r\n" HOST "\r\n", "400c"},
        {"another scheme", "GET ftp://a/ping HTTP/1.1\r\n" HOST "\r\n", "400c"},
        {"3.2.2: Host is required all the same", "GET http://a/ping HTTP/1.1\r\n\r\n", "400c"},
        {"3.2.4: asterisk form", "OPTIONS * HTTP/1.1\r\n" HOST "\r\n", "200"},
        {"3.2.4: of OPTIONS alone", "GET * HTTP/1.1\r\n" HOST "\r\n", "400c"},
        {"3.2.3: CONNECT without a port", "CONNECT a HTTP/1.1\r\n" HOST "\r\n", "400c"},
        {"3.2.3: CONNECT with a path", "CONNECT /ping HTTP/1.1\r\n" HOST "\r\n", "400c"},
        {"OPTIONS of a path", "OPTIONS /echo HTTP/1.1\r\n" HOST "\r\n", "200"},
        {"OPTIONS of no path", "OPTIONS /nothing HTTP/1.1\r\n" HOST "\r\n", "404"},
    };
    cases_check(rows, ARRAY_COUNT(rows));
}

Test(http_cases, fields_have_a_token_a_colon_and_a_value_without_controls)
{
    static const struct http_case rows[] = {
        {"5: white space around the value", GET "Host: \t a \t\r\n\r\n", "200"},
        {"5: none", GET "Host:a\r\n\r\n", "200"},
        {"5.1: names have no case", GET "hOST: a\r\n\r\n", "200"},
        {"5.1: a space before the colon", GET "Host : a\r\n\r\n", "400c"},
        {"5.1: a tab before the colon", GET HOST "X\t: a\r\n\r\n", "400c"},
        {"5: no colon", GET HOST "X\r\n\r\n", "400c"},
        {"5: no name", GET HOST ": a\r\n\r\n", "400c"},
        {"9110 5.6.2: a name with a parenthesis", GET HOST "X(: a\r\n\r\n", "400c"},
        {"9110 5.6.2: a name with a space", GET HOST "X Y: a\r\n\r\n", "400c"},
        {"9110 5.6.2: a name beyond ASCII", GET HOST "\xc3\xa4: a\r\n\r\n", "400c"},
        {"9110 5.6.2: a name with a control", GET HOST "X\x01: a\r\n\r\n", "400c"},
        {"9110 5.5: a value with a control", GET HOST "X: a\x01\r\n\r\n", "400c"},
        {"9110 5.5: a value with DEL", GET HOST "X: a\x7f\r\n\r\n", "400c"},
        {"9110 5.5: obs-text", GET HOST "X: \xc3\xa4\r\n\r\n", "200"},
        {"9110 5.5: an empty value", GET HOST "X:\r\n\r\n", "200"},
        {"3.2: no Host", GET "\r\n", "400c"},
        {"3.2: Host twice", GET HOST HOST "\r\n", "400c"},
        {"3.2: two different Hosts", GET HOST "Host: b\r\n\r\n", "400c"},
        {"9110 4.2.1: an empty Host", GET "Host:\r\n\r\n", "400c"},
        {"9110 7.2: Host with a port", GET "Host: a:8080\r\n\r\n", "200"},
        {"9110 7.2: an empty port", GET "Host: a:\r\n\r\n", "200"},
        {"9110 7.2: a port of letters", GET "Host: a:b\r\n\r\n", "400c"},
        {"9110 7.2: IPv6", GET "Host: [::1]:80\r\n\r\n", "200"},
        {"9110 7.2: an open bracket", GET "Host: [::1\r\n\r\n", "400c"},
        {"9110 7.2: empty brackets", GET "Host: []\r\n\r\n", "400c"},
        {"9110 7.2: userinfo", GET "Host: u@a\r\n\r\n", "400c"},
        {"9110 7.2: a path", GET "Host: a/b\r\n\r\n", "400c"},
        {"stricter: a comma", GET "Host: a,b\r\n\r\n", "400c"},
        {"9110 7.2: a space", GET "Host: a b\r\n\r\n", "400c"},
        {"3.2: HTTP/1.0 needs no Host", "GET /ping HTTP/1.0\r\n\r\n", "200c"},
        {"3.2: and may not have two", "GET /ping HTTP/1.0\r\n" HOST HOST "\r\n", "400c"},
        {"9110 10.1.1: an unknown expectation", GET HOST "Expect: tea\r\n\r\n", "417c"},
    };
    cases_check(rows, ARRAY_COUNT(rows));
}

Test(http_cases, no_body_is_framed_in_two_ways)
{
    static const struct http_case rows[] = {
        {"6.2: a length", POST "Content-Length: 3\r\n\r\nabc" NEXT, "200 200"},
        {"6.2: nothing", POST "Content-Length: 0\r\n\r\n" NEXT, "200 200"},
        {"6.3: neither", POST "\r\n" NEXT, "200 200"},
        {"6.3: GET may have a body", GET HOST "Content-Length: 3\r\n\r\nabc" NEXT, "200 200"},
        {"6.1: length and coding",
         POST "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400c"},
        {"6.1: coding and length",
         POST "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", "400c"},
        {"6.1: the same with Connection: close",
         POST
         "Connection: close\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
         "400c"},
        {"6.3: two lengths", POST "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc", "400c"},
        {"stricter: the same length twice",
         POST "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", "400c"},
        {"stricter: the same length in a list", POST "Content-Length: 3, 3\r\n\r\nabc", "400c"},
        {"6.3: two lengths in a list", POST "Content-Length: 3, 4\r\n\r\nabc", "400c"},
        {"9110 8.6: a plus", POST "Content-Length: +3\r\n\r\nabc", "400c"},
        {"9110 8.6: a minus", POST "Content-Length: -3\r\n\r\nabc", "400c"},
        {"9110 8.6: minus nothing", POST "Content-Length: -0\r\n\r\n", "400c"},
        {"9110 8.6: hex", POST "Content-Length: 0x3\r\n\r\nabc", "400c"},
        {"9110 8.6: two numbers", POST "Content-Length: 3 0\r\n\r\nabc", "400c"},
        {"9110 8.6: a fraction", POST "Content-Length: 3.0\r\n\r\nabc", "400c"},
        {"9110 8.6: an exponent", POST "Content-Length: 3e0\r\n\r\nabc", "400c"},
        {"9110 8.6: nothing", POST "Content-Length:\r\n\r\n", "400c"},
        {"stricter: leading zeros", POST "Content-Length: 03\r\n\r\nabc", "400c"},
        {"9110 8.6: 2^63", POST "Content-Length: 9223372036854775808\r\n\r\n", "400c"},
        {"9110 8.6: 2^64 + 3", POST "Content-Length: 18446744073709551619\r\n\r\nabc", "400c"},
        {"9110 15.5.14: one byte above the limit", POST "Content-Length: 1048577\r\n\r\n", "413c"},
        {"2.2: a length behind a bare LF", POST "X: a\nContent-Length: 3\r\n\r\nabc", "400c"},
        {"5.1: a length with a space before the colon", POST "Content-Length : 3\r\n\r\nabc",
         "400c"},
        {"a body that is not there yet", POST "Content-Length: 3\r\n\r\nab", ""},
        {"7: chunked", CHUNKS "3\r\nabc\r\n0\r\n\r\n" NEXT, "200 200"},
        {"7: codings have no case", POST "Transfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n", "200"},
        {"6.3: a final coding that is not chunked", POST "Transfer-Encoding: gzip\r\n\r\n", "400c"},
        {"6.3: a name like it", POST "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "400c"},
        {"6.3: identity", POST "Transfer-Encoding: identity\r\n\r\n", "400c"},
        {"6.3: chunked first", POST "Transfer-Encoding: chunked, gzip\r\n\r\n", "400c"},
        {"6.1: an unknown coding before chunked", POST "Transfer-Encoding: gzip, chunked\r\n\r\n",
         "501c"},
        {"6.1: chunked twice", POST "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", "400c"},
        {"stricter: two fields",
         POST "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n", "400c"},
        {"6.1: chunked in two fields",
         POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400c"},
        {"6.1: the second field is identity",
         POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n", "400c"},
        {"an empty coding", POST "Transfer-Encoding:\r\n\r\n", "400c"},
        {"stricter: a leading comma", POST "Transfer-Encoding: , chunked\r\n\r\n0\r\n\r\n", "400c"},
        {"stricter: a final comma", POST "Transfer-Encoding: chunked,\r\n\r\n0\r\n\r\n", "400c"},
        {"stricter: a space behind", POST "Transfer-Encoding: chunked \r\n\r\n0\r\n\r\n", "400c"},
        {"5.1: a space before the colon", POST "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
         "400c"},
        {"5.2: a folded value", POST "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n", "400c"},
        {"9110 5.5: VT", POST "Transfer-Encoding: \vchunked\r\n\r\n0\r\n\r\n", "400c"},
        {"9110 5.5: FF", POST "Transfer-Encoding: chunked\f\r\n\r\n0\r\n\r\n", "400c"},
        {"quotes", POST "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n", "400c"},
        {"a parameter", POST "Transfer-Encoding: chunked;q=1\r\n\r\n0\r\n\r\n", "400c"},
        {"6.1: in HTTP/1.0",
         "POST /echo HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400c"},
    };
    cases_check(rows, ARRAY_COUNT(rows));
}

Test(http_cases, chunks_are_read_to_the_letter)
{
    static const struct http_case rows[] = {
        {"7.1: upper and lower case hex", CHUNKS "A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n",
         "200"},
        {"7.1: leading zeros", CHUNKS "0003\r\nabc\r\n000\r\n\r\n", "200"},
        {"7.1: too many", CHUNKS "00000000000000003\r\nabc\r\n0\r\n\r\n", "400c"},
        {"A16 7.1.1: extensions are ignored", CHUNKS "3;x=y;z;q=\"a;\\\"b\"\r\nabc\r\n0;e\r\n\r\n",
         "200"},
        {"7.1.1: bad white space is removed", CHUNKS "3 ; x = y\r\nabc\r\n0\r\n\r\n", "200"},
        {"7.1.1: a bare semicolon", CHUNKS "3;\r\nabc\r\n0\r\n\r\n", "400c"},
        {"7.1.1: an extension without a value", CHUNKS "3;a=\r\nabc\r\n0\r\n\r\n", "400c"},
        {"7.1.1: an open quote", CHUNKS "3;a=\"b\r\nabc\r\n0\r\n\r\n", "400c"},
        {"7.1.1: a control", CHUNKS "3;a\x01\r\nabc\r\n0\r\n\r\n", "400c"},
        {"7.1.1: a bare LF in an extension", CHUNKS "3;a\nabc\r\n0\r\n\r\n", "400c"},
        {"7.1.1: a bare CR in an extension", CHUNKS "3;a\rb\r\nabc\r\n0\r\n\r\n", "400c"},
        {"7.1: a space behind the size", CHUNKS "3 \r\nabc\r\n0\r\n\r\n", "400c"},
        {"7.1: a space before the size", CHUNKS " 3\r\nabc\r\n0\r\n\r\n", "400c"},
        {"7.1: a tab behind the size", CHUNKS "3\t\r\nabc\r\n0\r\n\r\n", "400c"},
        {"7.1: a prefix", CHUNKS "0x3\r\nabc\r\n0\r\n\r\n", "400c"},
        {"7.1: a plus", CHUNKS "+3\r\nabc\r\n0\r\n\r\n", "400c"},
        {"7.1: a minus", CHUNKS "-3\r\nabc\r\n0\r\n\r\n", "400c"},
        {"7.1: an underscore", CHUNKS "1_0\r\n0123456789abcdef\r\n0\r\n\r\n", "400c"},
        {"7.1: a letter that is no digit", CHUNKS "g\r\nabc\r\n0\r\n\r\n", "400c"},
        {"7.1: no size", CHUNKS "\r\nabc\r\n0\r\n\r\n", "400c"},
        {"7.1: LF behind the size", CHUNKS "3\nabc\r\n0\r\n\r\n", "400c"},
        {"7.1: CR behind the size", CHUNKS "3\rabc\r\n0\r\n\r\n", "400c"},
        {"7.1: LF behind the data", CHUNKS "3\r\nabc\n0\r\n\r\n", "400c"},
        {"7.1: CR behind the data", CHUNKS "3\r\nabc\rX0\r\n\r\n", "400c"},
        {"7.1: nothing behind the data", CHUNKS "3\r\nabc0\r\n\r\n", "400c"},
        {"7.1: more data than announced", CHUNKS "3\r\nabcd\r\n0\r\n\r\n", "400c"},
        {"7.1: less data than announced", CHUNKS "5\r\nabc\r\n0\r\n\r\n", "400c"},
        {"A16 7.1: the largest size", CHUNKS "FFFFFFFFFFFFFFFF\r\nabc\r\n0\r\n\r\n", "400c"},
        {"9110 15.5.14: a size above the limit", CHUNKS "100001\r\n", "413c"},
        {"9110 15.5.14: 2^63 - 1", CHUNKS "7FFFFFFFFFFFFFFF\r\nabc", "413c"},
        {"7.1.2: trailer fields", CHUNKS "3\r\nabc\r\n0\r\nETag: x\r\nX: y\r\n\r\n" NEXT,
         "200 200"},
        {"9110 6.5.1: a trailer cannot frame anything",
         CHUNKS "0\r\nContent-Length: 50\r\nTransfer-Encoding: gzip\r\nHost: b\r\n\r\n" NEXT,
         "200 200"},
        {"7.1.2: a trailer that is no field", CHUNKS "0\r\nX\r\n\r\n", "400c"},
        {"7.1.2: a folded trailer", CHUNKS "0\r\nX: a\r\n b\r\n\r\n", "400c"},
        {"7.1.2: LF in the trailer", CHUNKS "0\r\nX: a\n\r\n", "400c"},
        {"7.1: LF at the end", CHUNKS "0\r\n\n", "400c"},
        {"7.1: no last chunk waits", CHUNKS "3\r\nabc\r\n", ""},
        {"7.1: no end of the trailer waits", CHUNKS "3\r\nabc\r\n0\r\n", ""},
    };
    cases_check(rows, ARRAY_COUNT(rows));
}

Test(http_cases, connections_last_as_long_as_both_sides_say)
{
    static const struct http_case rows[] = {
        {"9.3: 1.1 stays", NEXT NEXT NEXT, "200 200 200"},
        {"9.6: close", GET HOST "Connection: close\r\n\r\n" NEXT, "200c"},
        {"9110 7.6.1: no case", GET HOST "Connection: CLOSE\r\n\r\n" NEXT, "200c"},
        {"9110 7.6.1: in a list", GET HOST "Connection: x, close ,y\r\n\r\n" NEXT, "200c"},
        {"9110 7.6.1: in the second field",
         GET HOST "Connection: keep-alive\r\nConnection: close\r\n\r\n" NEXT, "200c"},
        {"9110 7.6.1: only the whole word", GET HOST "Connection: closed\r\n\r\n" NEXT, "200 200"},
        {"9.3: 1.0 closes", "GET /ping HTTP/1.0\r\n\r\n" NEXT, "200c"},
        {"9.3: 1.0 with keep-alive stays",
         "GET /ping HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n" NEXT, "200 200"},
        {"9.3: close wins", "GET /ping HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n" NEXT,
         "200c"},
        {"a 404 keeps it", "GET /x HTTP/1.1\r\n" HOST "\r\n" NEXT, "404 200"},
        {"a 405 reads the body away",
         "POST /ping HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nabc" NEXT, "405 200"},
        {"9110 10.1.1: continue", POST "Expect: 100-continue\r\nContent-Length: 3\r\n\r\nabc" NEXT,
         "100 200 200"},
        {"9110 10.1.1: no case", POST "Expect: 100-Continue\r\nContent-Length: 3\r\n\r\n", "100"},
        {"9110 10.1.1: without a body there is nothing to continue",
         POST "Expect: 100-continue\r\n\r\n" NEXT, "200 200"},
        {"9110 10.1.1: a final status instead",
         "POST /x HTTP/1.1\r\n" HOST "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n", "404c"},
        {"9110 10.1.1: too large", POST "Expect: 100-continue\r\nContent-Length: 1048577\r\n\r\n",
         "413c"},
        {"9110 10.1.1: ignored in 1.0",
         "POST /echo HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc", "200c"},
    };
    cases_check(rows, ARRAY_COUNT(rows));
}

static void nul_check(const char *why, const char *input, size_t length)
{
    struct http_run run;
    char got[64];

    http_run_init(&run, input, length, NULL, 0);
    http_run_summarise(&run, got, sizeof(got));
    cr_expect_str_eq(got, "400c", "%s: %s", why, got);
    http_run_release(&run);
}

Test(http_cases, a_nul_is_refused_wherever_it_stands)
{
    static const struct {
        const char *why, *input;
        size_t length;
    } rows[] = {
#define NUL_ROW(why, text) {why, text, sizeof(text) - 1}
        NUL_ROW("in the method", "GE\0T /ping HTTP/1.1\r\nHost: a\r\n\r\n"),
        NUL_ROW("in the target", "GET /ping\0 HTTP/1.1\r\nHost: a\r\n\r\n"),
        NUL_ROW("in the version", "GET /ping HTTP/1.1\0\r\nHost: a\r\n\r\n"),
        NUL_ROW("in a name", "GET /ping HTTP/1.1\r\nHost: a\r\nX\0: a\r\n\r\n"),
        NUL_ROW("in a value", "GET /ping HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n"),
        NUL_ROW("in Host", "GET /ping HTTP/1.1\r\nHost: a\0\r\n\r\n"),
        NUL_ROW("behind the coding", POST "Transfer-Encoding: chunked\0\r\n\r\n0\r\n\r\n"),
        NUL_ROW("in a length", POST "Content-Length: 3\0\r\n\r\nabc"),
        NUL_ROW("in a chunk size", CHUNKS "3\0\r\nabc\r\n0\r\n\r\n"),
        NUL_ROW("in an extension", CHUNKS "3;a=\"\0\"\r\nabc\r\n0\r\n\r\n"),
        NUL_ROW("behind a backslash", CHUNKS "3;a=\"\\\0\"\r\nabc\r\n0\r\n\r\n"),
        NUL_ROW("in a trailer", CHUNKS "0\r\nX: \0\r\n\r\n"),
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        nul_check(rows[i].why, rows[i].input, rows[i].length);
    }
}
