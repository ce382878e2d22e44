// SPDX-License-Identifier: Apache-2.0
// Looks for what nobody means to publish.
#include "report/bundle/secret.h"

#include <string.h>

#define LINE_BYTES_MAX 256 /* how far a pattern looks ahead */

/* What is left of the bytes from the place that is looked at. */
struct rest {
    const char *bytes;
    size_t length;
};

static bool is_alnum(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= 'a' && byte <= 'z');
}

/* Of tokens: base64url. */
static bool is_token(char byte)
{
    return is_alnum(byte) || byte == '_' || byte == '-';
}

static bool is_upper_or_digit(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z');
}

/* Of a file's or user's name. */
static bool is_name(char byte)
{
    return is_token(byte) || byte == '.';
}

/* Of user and password in an address. */
static bool is_user(char byte)
{
    return byte > ' ' && byte < 0x7f && !strchr("/:@\"'<>\\`", byte);
}

/* How many bytes from `from` on are of a kind. */
static size_t run_length(struct rest rest, size_t from, bool (*is_kind)(char))
{
    size_t length = 0;

    while (from + length < rest.length && length < LINE_BYTES_MAX &&
           is_kind(rest.bytes[from + length])) {
        length++;
    }
    return length;
}

static bool is_byte(struct rest rest, size_t at, char byte)
{
    return at < rest.length && rest.bytes[at] == byte;
}

/* "-----BEGIN … PRIVATE KEY" on one line. */
static bool is_private_key(struct rest rest, size_t after)
{
    size_t length = rest.length < LINE_BYTES_MAX ? rest.length : LINE_BYTES_MAX;
    const char *end = memchr(rest.bytes, '\n', length);

    length = end ? (size_t)(end - rest.bytes) : length;
    return memmem(rest.bytes + after, length - after, "PRIVATE KEY", 11) != NULL;
}

static bool is_access_key(struct rest rest, size_t after)
{
    return run_length(rest, after, is_upper_or_digit) == 16;
}

static bool is_long_token(struct rest rest, size_t after)
{
    return run_length(rest, after, is_token) >= 20;
}

/* HEADER.PAYLOAD: both are base64url of an object. */
static bool is_web_token(struct rest rest, size_t after)
{
    size_t dot = after + run_length(rest, after, is_token);

    return dot > after + 8 && is_byte(rest, dot, '.') && is_byte(rest, dot + 1, 'e') &&
           is_byte(rest, dot + 2, 'y') && is_byte(rest, dot + 3, 'J');
}

/* "://USER:PASSWORD@" */
static bool is_password(struct rest rest, size_t after)
{
    size_t user = run_length(rest, after, is_user);
    size_t password = run_length(rest, after + user + 1, is_user);

    return user && password && is_byte(rest, after + user, ':') &&
           is_byte(rest, after + user + 1 + password, '@');
}

/* "/home/NAME/…" */
static bool is_person(struct rest rest, size_t after)
{
    size_t name = run_length(rest, after, is_name);

    return name && is_byte(rest, after + name, '/');
}

static bool is_file(struct rest rest, size_t after)
{
    return run_length(rest, after, is_name) > 0;
}

/* `whole`: no letter, digit, '_', '-' or '.' stands before it; of folders an option's letter may.
 */
static const struct pattern {
    const char *begin, *what;
    bool (*is_match)(struct rest rest, size_t after);
    bool whole;
} patterns[] = {{"-----BEGIN ", "a private key", is_private_key, false},
                {"/Users/", "a folder of a person", is_person, true},
                {"/home/", "a folder of a person", is_person, true},
                {"/root/", "a folder of a person", is_file, true},
                {"://", "a password in an address", is_password, false},
                {"AGE-SECRET-KEY-1", "a private key", is_long_token, true},
                {"AKIA", "an access key", is_access_key, true},
                {"ASIA", "an access key", is_access_key, true},
                {"eyJ", "a web token", is_web_token, true},
                {"ghp_", "an access token", is_long_token, true},
                {"gho_", "an access token", is_long_token, true},
                {"ghs_", "an access token", is_long_token, true},
                {"ghu_", "an access token", is_long_token, true},
                {"ghr_", "an access token", is_long_token, true},
                {"github_pat_", "an access token", is_long_token, true},
                {"glpat-", "an access token", is_long_token, true},
                {"npm_", "an access token", is_long_token, true},
                {"sk_live_", "an access token", is_long_token, true},
                {"xoxb-", "an access token", is_long_token, true},
                {"xoxp-", "an access token", is_long_token, true}};

/* Whether the place is in the middle of a word or a path. "-I/home/…" is not. */
static bool is_glued(const char *bytes, size_t at)
{
    bool is_option = bytes[at] == '/' && at >= 2 && bytes[at - 2] == '-' && is_alnum(bytes[at - 1]);

    return at && is_name(bytes[at - 1]) && !is_option;
}

/* The pattern that matches at a place; NULL: none. */
static const struct pattern *pattern_at(const char *bytes, size_t length, size_t at)
{
    const struct rest rest = {bytes + at, length - at};

    for (size_t i = 0; i < ARRAY_COUNT(patterns); i++) {
        const struct pattern *pattern = &patterns[i];
        size_t begin = strlen(pattern->begin);

        if (rest.length > begin && memcmp(rest.bytes, pattern->begin, begin) == 0 &&
            !(pattern->whole && is_glued(bytes, at)) && pattern->is_match(rest, begin)) {
            return pattern;
        }
    }
    return NULL;
}

bool secret_find(const char *bytes, size_t length, struct secret_hit *hit_out)
{
    bool begins[256] = {false}; /* one look a byte: bundles are large, candidates rare */
    size_t line = 1;

    for (size_t i = 0; i < ARRAY_COUNT(patterns); i++) {
        begins[(unsigned char)*patterns[i].begin] = true;
    }
    for (size_t at = 0; at < length; at++) {
        line += bytes[at] == '\n';
        if (!begins[(unsigned char)bytes[at]]) {
            continue;
        }
        const struct pattern *pattern = pattern_at(bytes, length, at);
        if (pattern) {
            *hit_out = (struct secret_hit){.what = pattern->what, .offset = at, .line = line};
            return true;
        }
    }
    return false;
}

enum err_code secret_check_tree(const struct file_tree *tree, struct err *e)
{
    for (size_t i = 0; i < tree->count; i++) {
        const struct file_tree_entry *entry = &tree->entries[i];
        struct secret_hit hit;

        if (entry->is_folder || !secret_find(entry->bytes, entry->length, &hit)) {
            continue;
        }
        return memchr(entry->bytes, '\0', entry->length)
                   ? err_set(e, ERR_FORMAT, "%s: byte %zu: %s", entry->path, hit.offset, hit.what)
                   : err_set(e, ERR_FORMAT, "%s: line %zu: %s", entry->path, hit.line, hit.what);
    }
    return ERR_OK;
}
