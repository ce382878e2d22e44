// SPDX-License-Identifier: Apache-2.0
// Fetching from servers that misbehave: what is kept, what is refused, who is asked.
#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engines/base/attr.h"
#include "engines/base/fs.h"
#include "report/bundle/fetch.h"
#include "tests/support/scripted_peer.h"
#include "tests/support/shell_case.h"

#define OK_HEAD "HTTP/1.1 200 OK\r\n"
#define BODY    "0123456789"
#define BODY_SHA                                                                                   \
    "84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882"               /* sha256sum  \
                                                                                      */
#define OTHER_SHA "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" /* of abc */

static char folder[64];

static void folder_make(void)
{
    strcpy(folder, "/tmp/tacho-test-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
}

static void folder_remove(void)
{
    cr_assert_eq(fs_remove_tree(folder, NULL), ERR_OK);
}

/* "x.tar=0123456789 " of each file, in order of the names. Static. */
static const char *files_list(void)
{
    static char text[1000];
    char command[200];

    snprintf(command, sizeof(command),
             "cd %s && for f in *; do test -f $f && printf '%%s=%%s ' $f "
             "\"$(head -c 40 $f | tr '\\n' '|')\"; done",
             folder);
    FILE *pipe = popen(command, "r");
    cr_assert_not_null(pipe);
    size_t length = fread(text, 1, sizeof(text) - 1, pipe);
    text[length] = '\0';
    pclose(pipe);
    return text;
}

struct fetch_case {
    const char *what;
    const char *replies[5]; /* the last one again and again */
    const char *sha256;
    enum err_code code;
    const char *says;  /* of an error */
    const char *files; /* what is in the folder afterwards; NULL: x.tar with the body */
    uint64_t requests; /* how many the server got; 0: any */
};

static void case_run(const struct fetch_case *row)
{
    struct peer_script script = {.order = PEER_BY_REQUEST};
    struct fetch_result result = {.bytes = 77};
    struct err e = {0};
    struct peer peer;
    char url[100];

    for (size_t i = 0; i < ARRAY_COUNT(row->replies) && row->replies[i]; i++) {
        script.replies[script.reply_count++] =
            (struct peer_reply){.bytes = row->replies[i], .after = PEER_CLOSE};
    }
    while (script.reply_count < 8) {
        script.replies[script.reply_count] = script.replies[script.reply_count - 1];
        script.reply_count++;
    }
    folder_make();
    peer_open(&peer, &script);
    snprintf(url, sizeof(url), "http://127.0.0.1:%u/a/x.tar?y=1", peer.port);
    const struct fetch_config config = {
        .url = url, .folder = folder, .sha256 = row->sha256, .bytes_max = 20, .patience_s = 2};
    enum err_code code = fetch_bundle(&config, &result, &e);
    uint64_t requests = peer.stats->request_count;
    cr_expect(!row->requests || requests == row->requests, "%s: %lu", row->what,
              (unsigned long)requests);
    peer_close(&peer);
    cr_expect_eq(code, row->code, "%s: %d %s", row->what, (int)code, e.text);
    cr_expect(!row->says || strstr(e.text, row->says), "%s: %s", row->what, e.text);
    cr_expect_eq(result.bytes, code == ERR_OK ? 10u : 77u, "%s", row->what);
    const char *files = files_list(), *want = row->files ? row->files : "x.tar=" BODY " ";
    bool has_note = strncmp(want, "x.tar.part=", 11) == 0 && strstr(files, ".etag=http://127.");
    cr_expect(has_note ? strncmp(files, want, strlen(want)) == 0 : strcmp(files, want) == 0,
              "%s: %s", row->what, files);
    folder_remove();
}

Test(fetch, keeps_whole_files_of_honest_servers_only, .timeout = 120)
{
    static const struct fetch_case rows[] = {
        {"as it should be",
         {OK_HEAD "Content-Length: 10\r\n\r\n" BODY},
         BODY_SHA,
         ERR_OK,
         NULL,
         NULL,
         0},
        {"chunked",
         {OK_HEAD "Transfer-Encoding: chunked\r\n\r\na\r\n" BODY "\r\n0\r\n\r\n"},
         NULL,
         ERR_OK,
         NULL,
         NULL,
         0},
        {"identity is no encoding",
         {OK_HEAD "Content-Encoding: identity\r\nContent-Length: 10\r\n\r\n" BODY},
         BODY_SHA,
         ERR_OK,
         NULL,
         NULL,
         0},
        {"another file",
         {OK_HEAD "Content-Length: 10\r\n\r\n" BODY},
         OTHER_SHA,
         ERR_MISMATCH,
         BODY_SHA,
         "",
         0},
        {"over the cap",
         {OK_HEAD "Content-Length: 21\r\n\r\n" BODY BODY "x"},
         NULL,
         ERR_LIMIT,
         "more than 20 bytes",
         "",
         0},
        {"over the cap, no length",
         {OK_HEAD "Transfer-Encoding: chunked\r\n\r\n15\r\n" BODY BODY "x\r\n0\r\n\r\n"},
         NULL,
         ERR_LIMIT,
         "more than 20 bytes",
         "",
         0},
        {"compressed",
         {OK_HEAD "Content-Encoding: gzip\r\nContent-Length: 10\r\n\r\n" BODY},
         NULL,
         ERR_FORMAT,
         "Content-Encoding",
         "",
         0},
        {"not there",
         {"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone"},
         NULL,
         ERR_USAGE,
         "answers 404: it has no such file",
         "",
         1},
        {"not there, with a page that is compressed",
         {"HTTP/1.1 404 N\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnone"},
         NULL,
         ERR_USAGE,
         "answers 404",
         "",
         1},
        {"not for everybody",
         {"HTTP/1.1 403 Forbidden\r\nContent-Length: 4\r\n\r\nnone"},
         NULL,
         ERR_USAGE,
         "answers 403: it gives this file to others only",
         "",
         1},
        {"empty and not there",
         {"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"},
         NULL,
         ERR_SYS,
         "answers 500: it cannot give the file now",
         "",
         1},
        {"a page",
         {OK_HEAD "Content-Type: text/html\r\nContent-Length: 16\r\n\r\n\n<!DOCTYPE html>"},
         NULL,
         ERR_FORMAT,
         "a web page came",
         "",
         1},
        {"sent on to a page",
         {"HTTP/1.1 302 F\r\nLocation: /login\r\nContent-Length: 0\r\n\r\n",
          OK_HEAD "Content-Length: 12\r\n\r\n<html>log in"},
         BODY_SHA,
         ERR_FORMAT,
         "/login: a web page came",
         "",
         2},
        {"a part of what was not asked",
         {"HTTP/1.1 206 P\r\nContent-Range: bytes 5-9/10\r\nContent-Length: 5\r\n\r\n56789"},
         NULL,
         ERR_FORMAT,
         "answers 206",
         "",
         0},
        {"cut, without a way to go on",
         {OK_HEAD "Content-Length: 10\r\n\r\n0123"},
         NULL,
         ERR_SYS,
         NULL,
         "",
         1},
        {"cut, with a weak tag",
         {OK_HEAD "ETag: W/\"a\"\r\nContent-Length: 10\r\n\r\n0123"},
         NULL,
         ERR_SYS,
         NULL,
         "",
         1},
        {"cut and gone on with",
         {OK_HEAD "ETag: \"a\"\r\nContent-Length: 10\r\n\r\n0123",
          "HTTP/1.1 206 P\r\nETag: \"a\"\r\nContent-Range: bytes 4-9/10\r\nContent-Length: "
          "6\r\n\r\n456789"},
         BODY_SHA,
         ERR_OK,
         NULL,
         NULL,
         2},
        {"cut, and another file since then",
         {OK_HEAD "ETag: \"a\"\r\nContent-Length: 10\r\n\r\nabcd",
          OK_HEAD "ETag: \"b\"\r\nContent-Length: 10\r\n\r\n" BODY},
         BODY_SHA,
         ERR_OK,
         NULL,
         NULL,
         2},
        {"cut, gone on with elsewhere, then whole",
         {OK_HEAD "ETag: \"a\"\r\nContent-Length: 10\r\n\r\n0123",
          "HTTP/1.1 206 P\r\nETag: \"a\"\r\nContent-Range: bytes 5-9/10\r\nContent-Length: "
          "5\r\n\r\n56789",
          OK_HEAD "Content-Length: 10\r\n\r\n" BODY},
         BODY_SHA,
         ERR_OK,
         NULL,
         NULL,
         3},
        {"cut, and ever gone on with elsewhere",
         {OK_HEAD "ETag: \"a\"\r\nContent-Length: 10\r\n\r\n0123",
          "HTTP/1.1 206 P\r\nETag: \"a\"\r\nContent-Range: bytes 5-9/10\r\nContent-Length: "
          "5\r\n\r\n56789"},
         NULL,
         ERR_FORMAT,
         "answers 206",
         "",
         3},
        {"cut at each try, and at the last gone on with elsewhere",
         {OK_HEAD "ETag: \"a\"\r\nContent-Length: 10\r\n\r\n0123",
          "HTTP/1.1 206 P\r\nETag: \"a\"\r\nContent-Range: bytes 4-9/10\r\nContent-Length: "
          "6\r\n\r\n4",
          "HTTP/1.1 206 P\r\nETag: \"a\"\r\nContent-Range: bytes 5-9/10\r\nContent-Length: "
          "5\r\n\r\n5",
          "HTTP/1.1 206 P\r\nETag: \"a\"\r\nContent-Range: bytes 0-9/10\r\nContent-Length: "
          "10\r\n\r\n" BODY,
          OK_HEAD "Content-Length: 10\r\n\r\n" BODY},
         BODY_SHA,
         ERR_OK,
         NULL,
         NULL,
         5},
        {"cut, gone on with in another file, then whole",
         {OK_HEAD "ETag: \"a\"\r\nContent-Length: 10\r\n\r\nabcd",
          "HTTP/1.1 206 P\r\nETag: \"b\"\r\nContent-Range: bytes 4-9/10\r\nContent-Length: "
          "6\r\n\r\n456789",
          OK_HEAD "Content-Length: 10\r\n\r\n" BODY},
         BODY_SHA,
         ERR_OK,
         NULL,
         NULL,
         3},
        {"cut, gone on with in two pieces",
         {OK_HEAD "ETag: \"a\"\r\nContent-Length: 10\r\n\r\n0123",
          "HTTP/1.1 206 P\r\nETag: \"a\"\r\nContent-Range: bytes 4-5/10\r\nContent-Length: "
          "2\r\n\r\n45",
          "HTTP/1.1 206 P\r\nETag: \"a\"\r\nContent-Range: bytes 6-9/10\r\nContent-Length: "
          "4\r\n\r\n6789"},
         BODY_SHA,
         ERR_OK,
         NULL,
         NULL,
         3},
        {"cut after its last byte",
         {OK_HEAD "ETag: \"a\"\r\nTransfer-Encoding: chunked\r\n\r\na\r\n" BODY,
          "HTTP/1.1 416 R\r\nContent-Range: bytes */10\r\nContent-Length: 4\r\n\r\nnone"},
         BODY_SHA,
         ERR_OK,
         NULL,
         NULL,
         2},
        {"cut, and shorter since then",
         {OK_HEAD "ETag: \"a\"\r\nContent-Length: 12\r\n\r\nabcdefghijk",
          "HTTP/1.1 416 R\r\nContent-Range: bytes */10\r\nContent-Length: 0\r\n\r\n",
          OK_HEAD "Content-Length: 10\r\n\r\n" BODY},
         BODY_SHA,
         ERR_OK,
         NULL,
         NULL,
         3},
        {"cut, then the server is busy",
         {OK_HEAD "ETag: \"a\"\r\nContent-Length: 10\r\n\r\n0123",
          "HTTP/1.1 503 B\r\nContent-Length: 4\r\n\r\nbusy"},
         NULL,
         ERR_SYS,
         "answers 503",
         "x.tar.part=0123 ", /* and its note: the next try goes on with it */
         2},
        {"in a circle",
         {"HTTP/1.1 302 F\r\nLocation: /a/x.tar\r\nContent-Length: 0\r\n\r\n"},
         NULL,
         ERR_LIMIT,
         "more than 5 redirects",
         "",
         6},
        {"to a file",
         {"HTTP/1.1 302 F\r\nLocation: file:///etc/passwd\r\nContent-Length: "
          "0\r\n\r\n"},
         NULL,
         ERR_USAGE,
         "redirected: file:",
         "",
         1},
        {"to http elsewhere",
         {"HTTP/1.1 301 F\r\nLocation: http://192.0.2.1/x.tar\r\n"
          "Content-Length: 0\r\n\r\n"},
         NULL,
         ERR_USAGE,
         "192.0.2.1",
         "",
         1},
        {"to the right place",
         {"HTTP/1.1 307 F\r\nLocation: /b/y\r\nContent-Length: 5\r\n\r\nthere",
          OK_HEAD "Content-Length: 10\r\n\r\n" BODY},
         BODY_SHA,
         ERR_OK,
         NULL,
         NULL,
         2},
        {"no http", {"hello\r\n"}, NULL, ERR_SYS, NULL, "", 0},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        case_run(&rows[i]);
    }
}

/* Nobody is asked: the addresses are of TEST-NET-1 and would take the test's time. */
Test(fetch, asks_no_one_but_https_and_this_machine, .timeout = 20)
{
    static const char *const urls[] = {"http://192.0.2.1/x.tar",
                                       "file:///etc/passwd",
                                       "ftp://127.0.0.1/x.tar",
                                       "http://127.0.0.1.example/x",
                                       "http://[2001:db8::1]/x",
                                       "gopher://127.0.0.1/x",
                                       "dict://127.0.0.1/x",
                                       "http:///x",
                                       "x.tar",
                                       "",
                                       "scp://127.0.0.1/etc/motd",
                                       "http://192.0.2.1@[::2]/x"};

    for (size_t i = 0; i < sizeof(urls) / sizeof(*urls); i++) {
        const struct fetch_config config = {
            .url = urls[i], .folder = "/nonexistent/x", .patience_s = 1};
        struct fetch_result result;
        struct err e = {0};

        enum err_code code = fetch_bundle(&config, &result, &e);
        cr_expect_eq(code, ERR_USAGE, "%s: %d %s", urls[i], (int)code, e.text);
    }
}

/* What an earlier call left of the same URL is gone on with; of another URL it is not. */
Test(fetch, goes_on_where_an_earlier_call_was_cut, .init = folder_make, .fini = folder_remove,
     .timeout = 60)
{
    static const char rest[] =
        "HTTP/1.1 206 P\r\nETag: \"a\"\r\nContent-Range: bytes 4-9/10\r\nContent-Length: "
        "6\r\n\r\n456789";
    struct peer_script script = {.replies = {{.bytes = rest, .after = PEER_CLOSE}},
                                 .reply_count = 1};
    struct fetch_result result;
    struct err e = {0};
    struct peer peer;
    char url[100], path[128], note[200];

    peer_open(&peer, &script);
    snprintf(url, sizeof(url), "http://127.0.0.1:%u/x.tar", peer.port);
    const struct fetch_config config = {
        .url = url, .folder = folder, .sha256 = BODY_SHA, .patience_s = 2};
    for (int is_same = 0; is_same < 2; is_same++) {
        snprintf(path, sizeof(path), "%s/x.tar.part", folder);
        cr_assert_eq(fs_write_file(path, "0123", 4, NULL), ERR_OK);
        snprintf(path, sizeof(path), "%s/x.tar.part.etag", folder);
        snprintf(note, sizeof(note), "%s%s\n\"a\"\n", url, is_same ? "" : "x");
        cr_assert_eq(fs_write_file(path, note, strlen(note), NULL), ERR_OK);
        enum err_code code = fetch_bundle(&config, &result, &e);
        cr_expect_eq(code, is_same ? ERR_OK : ERR_FORMAT, "%s", e.text);
    }
    cr_expect_eq(result.resumed_bytes, 4);
    cr_expect_str_eq(files_list(), "x.tar=" BODY " ");
    cr_expect_eq(fetch_bundle(&config, &result, &e), ERR_USAGE);
    cr_expect_not_null(strstr(e.text, "there already"), "%s", e.text);
    peer_close(&peer);
}

/* The program: a real server of files, a bundle, its hash. */
Test(fetch_program, brings_a_bundle_and_verifies_it, .init = shell_case_make,
     .fini = shell_case_remove, .timeout = 90)
{
    if (system("python3 -c 'import http.server' 2>/dev/null") != 0) {
        cr_skip_test("python3 is not here");
    }
    shell_case_expect(
        "$TACHO bundle r.db -o o && mv o/*.tar o/b.tar && sha=$(sha256sum o/b.tar | cut -c1-64) && "
        "{ python3 -u -m http.server 0 --bind 127.0.0.1 -d o >port 2>/dev/null & server=$!; }; "
        "for i in $(seq 100); do grep -q port port && break; sleep 0.1; done; "
        "url=http://127.0.0.1:$(sed -n 's/.* port \\([0-9]*\\) .*/\\1/p' port)/b.tar; "
        "$TACHO fetch $url -o got --sha256 $sha >told; a=$?; cmp got/b.tar o/b.tar; b=$?; "
        "$TACHO fetch $url -o other --sha256 $(echo x | sha256sum | cut -c1-64); c=$?; "
        "$TACHO fetch ${url%b.tar}none.tar -o other; f=$?; "
        "$TACHO fetch ${url%b.tar} -o other; g=$?; " /* its list of files, a page */
        "test -z \"$(ls other)\"; d=$?; kill $server; tail -n1 told; "
        "test \"$a $b $c $d $f $g $(tail -n1 told)\" = '0 0 5 0 2 5 VERDICT=VERIFIED'");
}
