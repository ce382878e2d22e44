// SPDX-License-Identifier: Apache-2.0
// What nobody means to publish. The keys and tokens here are made up.
#include <criterion/criterion.h>
#include <string.h>

#include "report/bundle/secret.h"
#include "tests/support/edge_buf.h"

/* In two parts, so that nobody's scanner stops at this file. */
#define TWENTY "abcdefghij0123456789"

static const struct {
    const char *text, *what; /* what: NULL when it is harmless */
    size_t line, offset;
} rows[] = {
    {"-----BEGIN OPENSSH "
     "PRIVATE KEY-----",
     "a private key", 1, 0},
    {"a\nb\n-----BEGIN EC "
     "PRIVATE KEY-----\n",
     "a private key", 3, 4},
    {"-----BEGIN CERTIFICATE-----", NULL, 0, 0},
    {"-----BEGIN CERTIFICATE-----\nPRIVATE KEY", NULL, 0, 0},
    {"-----BEGIN ", NULL, 0, 0},
    {"key=AKIA"
     "ABCDEFGHIJ234567",
     "an access key", 1, 4},
    {"AKIAABC", NULL, 0, 0},
    {"xAKIA"
     "ABCDEFGHIJ234567",
     NULL, 0, 0},
    {"AKIA"
     "ABCDEFGHIJ2345678",
     NULL, 0, 0},
    {"\nghp_" TWENTY, "an access token", 2, 1},
    {"ghp_short", NULL, 0, 0},
    {"github_pat_" TWENTY, "an access token", 1, 0},
    {"eyJhbGciOiJIUzI1NiJ9"
     ".eyJzdWIiOiIxIn0",
     "a web token", 1, 0},
    {"eyJhbGciOiJIUzI1NiJ9 eyJzdWIiOiIxIn0", NULL, 0, 0},
    {"see https://me:"
     "secret@example.org/",
     "a password in an address", 1, 9},
    {"http://127.0.0.1:8080/", NULL, 0, 0},
    {"http://[::1]:8080/a@b", NULL, 0, 0},
    {"https://example.org/@name:x", NULL, 0, 0},
    {"-I/home/"
     "jane/include",
     "a folder of a person", 1, 2},
    {"\"/home/"
     "jane/include",
     "a folder of a person", 1, 1},
    {"file:///home/"
     "jane/x",
     "a folder of a person", 1, 7},
    {"GET /home/ HTTP/1.1", NULL, 0, 0},
    {"GET /home/index.html", NULL, 0, 0},
    {"/srv/home/jane/x", NULL, 0, 0},
    {" /root/"
     ".ssh",
     "a folder of a person", 1, 1},
    {" /root/", NULL, 0, 0},
    {"/var/home/"
     "jane/x",
     "a folder of a person", 1, 0},
    {"C:\\Users\\"
     "jane\\x",
     "a folder of a person", 1, 1},
    {"HOME="
     "/srv/people/jane",
     "a folder of a person", 1, 0},
    {"HOME=/", NULL, 0, 0},
    {"JAVA_HOME=/usr/lib/jvm", NULL, 0, 0},
    {"redis://:"
     "secret@example.org/",
     "a password in an address", 1, 5},
    {"PuTTY-User-Key-"
     "File-3: ssh-ed25519",
     "a private key", 1, 0},
    {"-----BEGIN PGP "
     "PRIVATE KEY BLOCK-----",
     "a private key", 1, 0},
    {"xoxs-" TWENTY, "an access token", 1, 0},
    {"xapp-1-" TWENTY, "an access token", 1, 0},
    {"https://hooks.slack.com/"
     "services/T00000000/B00000000/x",
     "an access token", 1, 8},
    {"https://hooks.slack.com/services/T1/B1", NULL, 0, 0},
    {"glrt-" TWENTY, "an access token", 1, 0},
    {"sk-ant-" TWENTY, "an access token", 1, 0},
    {"task-ant-" TWENTY, NULL, 0, 0},
    {"hf_" TWENTY, "an access token", 1, 0},
    {"AIza"
     "abcdefghij0123456789abcdefghij01234",
     "an access key", 1, 0},
    {"aws_secret_access_key = "
     "abcdefghij0123456789ABCDEFGHIJ+/cdefghij",
     "an access key", 1, 0},
    {"aws_secret_access_key = $KEY", NULL, 0, 0},
    {"Authorization: Basic "
     "dXNlcjpwYXNz",
     "a password", 1, 1},
    {"Authorization: Bearer "
     "abcdefgh",
     "an access token", 1, 1},
    {"Authorization: Bearer", NULL, 0, 0},
    {"--db-password="
     "hunter22",
     "a password", 1, 5},
    {"DB_PASSWORD: "
     "\"hunter22\"",
     "a password", 1, 3},
    {"{\"client_secret\": \""
     "a1b2c3d4\"}",
     "a password", 1, 9},
    {"?api_key="
     "0123abcd&x=1",
     "an access key", 1, 1},
    {"the password: as you like it", NULL, 0, 0},
    {"password=$PASSWORD1", NULL, 0, 0},
    {"password = read_line2(file)", NULL, 0, 0},
    {"password=12345678", NULL, 0, 0},
    {"password=<your-1st>", NULL, 0, 0},
    {"secret = keys[12];", NULL, 0, 0},
    {"passwords 2024 of all users", NULL, 0, 0},
    {"", NULL, 0, 0},
};

/* Each text ends at an unreadable page, and so does each of its beginnings. */
Test(secret, is_found_with_its_line_and_its_place)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct secret_hit hit = {0};
        struct edge_buf edge;

        edge_buf_init(&edge, rows[i].text, strlen(rows[i].text));
        bool found = secret_find(edge.bytes, edge.length, &hit);
        edge_buf_release(&edge);
        cr_expect_eq(found, rows[i].what != NULL, "%s", rows[i].text);
        if (found && rows[i].what) {
            cr_expect_str_eq(hit.what, rows[i].what, "%s", rows[i].text);
            cr_expect_eq(hit.line, rows[i].line, "%s: %zu", rows[i].text, hit.line);
            cr_expect_eq(hit.offset, rows[i].offset, "%s: %zu", rows[i].text, hit.offset);
        }
        for (size_t length = 0; length < strlen(rows[i].text); length++) {
            edge_buf_init(&edge, rows[i].text, length);
            found = secret_find(edge.bytes, edge.length, &hit);
            /* The access key that is too long has one of the right length in it, and what is called
             * is no value as long as nobody sees that it is called. */
            cr_expect(rows[i].what || !found || strstr(rows[i].text, "AKIA") ||
                          strchr(rows[i].text, '('),
                      "%zu of %s", length, rows[i].text);
            edge_buf_release(&edge);
        }
    }
}

Test(secret, of_a_tree_is_told_with_the_file)
{
    struct file_tree tree;
    struct err e = {0};

    file_tree_init(&tree);
    cr_assert_eq(file_tree_add_file(&tree, "data/a", "fine\n", 5, NULL), ERR_OK);
    cr_expect_eq(secret_check_tree(&tree, &e), ERR_OK);
    cr_assert_eq(file_tree_add_file(&tree, "data/b",
                                    "fine\n /root/"
                                    "x",
                                    13, NULL),
                 ERR_OK);
    cr_expect_eq(secret_check_tree(&tree, &e), ERR_FORMAT);
    cr_expect_str_eq(e.text, "data/b: line 2: a folder of a person");
    file_tree_release(&tree);
    file_tree_init(&tree);
    cr_assert_eq(file_tree_add_file(&tree, "data/c.db",
                                    "\0\n /root/"
                                    "x",
                                    10, NULL),
                 ERR_OK);
    cr_expect_eq(secret_check_tree(&tree, &e), ERR_FORMAT);
    cr_expect_str_eq(e.text, "data/c.db: byte 3: a folder of a person");
    file_tree_release(&tree);
}
