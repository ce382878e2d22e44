// SPDX-License-Identifier: Apache-2.0
// Looks for what nobody means to publish.
#include "report/bundle/secret.h"

#include <stdint.h>
#include <stdlib.h>
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

static bool is_base64(char byte)
{
    return is_token(byte) || byte == '+' || byte == '/' || byte == '=' || byte == '.';
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

/* "://USER:PASSWORD@", "://:PASSWORD@" */
static bool is_password(struct rest rest, size_t after)
{
    size_t user = run_length(rest, after, is_user);
    size_t password = run_length(rest, after + user + 1, is_user);

    return password && is_byte(rest, after + user, ':') &&
           is_byte(rest, after + user + 1 + password, '@');
}

/* What stands between a name and its value: a quote, blanks, '=' or ':', blanks, a quote. */
static size_t assignment_length(struct rest rest, size_t after)
{
    size_t at = after;

    while (at < rest.length && at - after < LINE_BYTES_MAX && strchr("\"' ", rest.bytes[at]) &&
           rest.bytes[at]) {
        at++;
    }
    if (!is_byte(rest, at, '=') && !is_byte(rest, at, ':')) {
        return 0;
    }
    at++;
    while (at < rest.length && at - after < LINE_BYTES_MAX && strchr("\"' ", rest.bytes[at]) &&
           rest.bytes[at]) {
        at++;
    }
    return at - after;
}

/* Of a secret that somebody typed: what ends a word in texts, URLs and programs is not in it. */
static bool is_secret(char byte)
{
    return byte > ' ' && byte < 0x7f && !strchr("\"'`,;&<>()[]{}\\|", byte);
}

/* A value that is no placeholder and no piece of a program: six bytes, letters and digits. */
static bool is_assigned(struct rest rest, size_t after)
{
    size_t gap = assignment_length(rest, after), begin = after + gap;
    size_t length = gap ? run_length(rest, begin, is_secret) : 0;
    bool has_letter = false, has_digit = false;

    for (size_t i = 0; i < length; i++) {
        char byte = rest.bytes[begin + i];

        has_digit = has_digit || (byte >= '0' && byte <= '9');
        has_letter = has_letter || (is_alnum(byte) && !(byte >= '0' && byte <= '9'));
    }
    bool is_call = is_byte(rest, begin + length, '(') || is_byte(rest, begin + length, '[');

    return length >= 6 && has_letter && has_digit && !is_call && !strchr("$%*", rest.bytes[begin]);
}

/* The 40 bytes that go with an access key. */
static bool is_secret_key(struct rest rest, size_t after)
{
    size_t gap = assignment_length(rest, after);

    return gap && run_length(rest, after + gap, is_base64) == 40;
}

/* "Basic dXNlcjpw…", "Bearer TOKEN" */
static bool is_authorization(struct rest rest, size_t after)
{
    return run_length(rest, after, is_base64) >= 8;
}

/* "hooks.slack.com/services/T…/B…/…" */
static bool is_hook(struct rest rest, size_t after)
{
    size_t team = run_length(rest, after, is_alnum);

    return team >= 8 && is_byte(rest, after + team, '/') &&
           run_length(rest, after + team + 1, is_alnum) >= 8;
}

static bool is_google_key(struct rest rest, size_t after)
{
    return run_length(rest, after, is_token) == 35;
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
                {"/var/home/", "a folder of a person", is_person, true},
                {"/usr/home/", "a folder of a person", is_person, true},
                {"/export/home/", "a folder of a person", is_person, true},
                {":\\Users\\", "a folder of a person", is_file, false},
                {"HOME=/", "a folder of a person", is_file, true},
                {"PuTTY-User-Key-File-", "a private key", is_file, true},
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
                {"gldt-", "an access token", is_long_token, true},
                {"glrt-", "an access token", is_long_token, true},
                {"npm_", "an access token", is_long_token, true},
                {"pypi-AgE", "an access token", is_long_token, true},
                {"hf_", "an access token", is_long_token, true},
                {"sk-ant-", "an access token", is_long_token, true},
                {"sk-proj-", "an access token", is_long_token, true},
                {"sk_live_", "an access token", is_long_token, true},
                {"rk_live_", "an access token", is_long_token, true},
                {"AIza", "an access key", is_google_key, true},
                {"xoxa-", "an access token", is_long_token, true},
                {"xoxb-", "an access token", is_long_token, true},
                {"xoxe-", "an access token", is_long_token, true},
                {"xoxp-", "an access token", is_long_token, true},
                {"xoxr-", "an access token", is_long_token, true},
                {"xoxs-", "an access token", is_long_token, true},
                {"xapp-", "an access token", is_long_token, true},
                {"hooks.slack.com/services/", "an access token", is_hook, false},
                {"uthorization: Basic ", "a password", is_authorization, false},
                {"uthorization: Bearer ", "an access token", is_authorization, false},
                {"aws_secret_access_key", "an access key", is_secret_key, false},
                {"AWS_SECRET_ACCESS_KEY", "an access key", is_secret_key, false},
                {"password", "a password", is_assigned, false},
                {"PASSWORD", "a password", is_assigned, false},
                {"Password", "a password", is_assigned, false},
                {"passwd", "a password", is_assigned, false},
                {"PASSWD", "a password", is_assigned, false},
                {"secret", "a password", is_assigned, false},
                {"SECRET", "a password", is_assigned, false},
                {"api_key", "an access key", is_assigned, false},
                {"API_KEY", "an access key", is_assigned, false},
                {"access_token", "an access token", is_assigned, false},
                {"ACCESS_TOKEN", "an access token", is_assigned, false}};

/* Whether the place is in the middle of a word or a path. "-I/home/…" is not. */
static bool is_glued(const char *bytes, size_t at)
{
    bool is_option = bytes[at] == '/' && at >= 2 && bytes[at - 2] == '-' && is_alnum(bytes[at - 1]);

    return at && is_name(bytes[at - 1]) && !is_option;
}

/* The first and the second pair of bytes of each pattern: a look every two bytes finds one of them,
 * since bundles are large and candidates rare. */
struct pairs {
    uint64_t bits[1024];
    uint64_t first_bits[1024]; /* of the first pairs alone */
};

static unsigned pair_at(const char *at)
{
    return (unsigned)(unsigned char)at[0] << 8 | (unsigned char)at[1];
}

static bool bits_have(const uint64_t bits[1024], const char *at)
{
    unsigned pair = pair_at(at);

    return bits[pair / 64] >> (pair % 64) & 1;
}

static void pairs_make(struct pairs *pairs)
{
    memset(pairs, 0, sizeof(*pairs));
    for (size_t i = 0; i < ARRAY_COUNT(patterns); i++) {
        for (size_t j = 0; j < 2; j++) {
            unsigned pair = pair_at(patterns[i].begin + j);

            pairs->bits[pair / 64] |= UINT64_C(1) << (pair % 64);
        }
        unsigned first = pair_at(patterns[i].begin);
        pairs->first_bits[first / 64] |= UINT64_C(1) << (first % 64);
    }
}

/* The pattern that matches at a place; NULL: none. */
static const struct pattern *pattern_at(const struct pairs *pairs, const char *bytes, size_t length,
                                        size_t at)
{
    const struct rest rest = {bytes + at, length - at};

    if (rest.length < 2 || !bits_have(pairs->first_bits, bytes + at)) {
        return NULL;
    }
    for (size_t i = 0; i < ARRAY_COUNT(patterns); i++) {
        const struct pattern *pattern = &patterns[i];
        if (*pattern->begin != bytes[at]) {
            continue;
        }
        size_t begin = strlen(pattern->begin);

        if (rest.length > begin && memcmp(rest.bytes, pattern->begin, begin) == 0 &&
            !(pattern->whole && is_glued(bytes, at)) && pattern->is_match(rest, begin)) {
            return pattern;
        }
    }
    return NULL;
}

static size_t lines_count(const char *bytes, size_t length)
{
    const char *end = bytes + length;
    size_t count = 0;

    while ((bytes = memchr(bytes, '\n', (size_t)(end - bytes)))) {
        count++;
        bytes++;
    }
    return count;
}

/* Looks at the places from `from` up to `to`, with all of `length` bytes in sight. */
static bool range_find(const struct pairs *pairs, const char *bytes, size_t from, size_t to,
                       size_t length, struct secret_hit *hit)
{
    for (size_t at = from; at < to; at += 2) {
        if (at + 1 < length && !bits_have(pairs->bits, bytes + at)) {
            continue;
        }
        /* A pattern begins here, or one byte before. */
        for (size_t place = at > from ? at - 1 : at; place <= at; place++) {
            const struct pattern *pattern = pattern_at(pairs, bytes, length, place);

            if (pattern) {
                hit->what = pattern->what;
                hit->offset = place;
                return true;
            }
        }
    }
    const struct pattern *last = to > from ? pattern_at(pairs, bytes, length, to - 1) : NULL;
    if (last) {
        hit->what = last->what;
        hit->offset = to - 1;
    }
    return last;
}

bool secret_find(const char *bytes, size_t length, struct secret_hit *hit_out)
{
    struct secret_hit hit = {0};
    struct pairs pairs;

    pairs_make(&pairs);
    if (!range_find(&pairs, bytes, 0, length, length, &hit)) {
        return false;
    }
    hit.line = 1 + lines_count(bytes, hit.offset + 1);
    *hit_out = hit;
    return true;
}

/* --- trees --------------------------------------------------------------------------------------
 */

/* A file that is looked at piece by piece. A place is decided once AHEAD_BYTES after it are there,
 * and BEHIND_BYTES before it still are. */
#define AHEAD_BYTES  ((size_t)4 * LINE_BYTES_MAX)
#define BEHIND_BYTES 2
#define WINDOW_BYTES ((size_t)256 << 10)

struct scan {
    struct pairs pairs;
    char window[WINDOW_BYTES];
    size_t begin, length; /* of the window: its place in the file, what it holds */
    size_t decided;       /* bytes of the window that were looked at */
    size_t line_feeds;    /* of the file before the window */
    struct secret_hit hit;
    bool found, has_nul;
};

static void window_look(struct scan *scan, size_t ahead)
{
    size_t to = scan->length > ahead ? scan->length - ahead : 0;

    if (to > scan->decided && !scan->found) {
        scan->found =
            range_find(&scan->pairs, scan->window, scan->decided, to, scan->length, &scan->hit);
        if (scan->found) {
            scan->hit.line = 1 + scan->line_feeds + lines_count(scan->window, scan->hit.offset + 1);
            scan->hit.offset += scan->begin;
        }
        scan->decided = to;
    }
}

static enum err_code scan_add(void *self, const char *bytes, size_t length, struct err *e)
{
    struct scan *scan = self;

    (void)e;
    scan->has_nul = scan->has_nul || memchr(bytes, '\0', length);
    while (length && !scan->found) {
        size_t room = sizeof(scan->window) - scan->length;
        size_t taken = length < room ? length : room;

        memcpy(scan->window + scan->length, bytes, taken);
        scan->length += taken;
        bytes += taken;
        length -= taken;
        if (scan->length < sizeof(scan->window)) {
            break;
        }
        window_look(scan, AHEAD_BYTES);
        size_t gone = scan->decided - BEHIND_BYTES;
        scan->line_feeds += lines_count(scan->window, gone);
        memmove(scan->window, scan->window + gone, scan->length - gone);
        scan->begin += gone;
        scan->length -= gone;
        scan->decided = BEHIND_BYTES;
    }
    return ERR_OK;
}

static enum err_code file_scan(struct scan *scan, const struct file_tree *tree,
                               const struct file_tree_entry *entry, struct err *e)
{
    const struct file_tree_sink sink = {scan_add, scan};

    scan->begin = scan->length = scan->decided = 0;
    scan->hit = (struct secret_hit){0};
    scan->line_feeds = 0;
    scan->found = scan->has_nul = false;
    enum err_code code = file_tree_read(tree, entry, &sink, e);
    window_look(scan, 0);
    if (code != ERR_OK || !scan->found) {
        return code;
    }
    return scan->has_nul ? err_set(e, ERR_FORMAT, "%s: byte %zu: %s", entry->path, scan->hit.offset,
                                   scan->hit.what)
                         : err_set(e, ERR_FORMAT, "%s: line %zu: %s", entry->path, scan->hit.line,
                                   scan->hit.what);
}

enum err_code secret_check_tree(const struct file_tree *tree, struct err *e)
{
    struct scan *scan = malloc(sizeof(*scan));
    enum err_code code = scan ? ERR_OK : err_set(e, ERR_LIMIT, "no memory to look for secrets");

    if (scan) {
        pairs_make(&scan->pairs);
    }
    for (size_t i = 0; i < tree->count && code == ERR_OK; i++) {
        if (!tree->entries[i].is_folder) {
            code = file_scan(scan, tree, &tree->entries[i], e);
        }
    }
    free(scan);
    return code;
}
