// SPDX-License-Identifier: Apache-2.0
// A bundle from the web, by libcurl. Redirects are followed by hand: each address is looked at
// before anybody is asked there.
#include "report/bundle/fetch.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engines/base/fs.h"
#include "report/bundle/file_tree.h"

#define URL_BYTES       2048
#define ETAG_BYTES      256
#define REDIRECTS_MAX   5
#define ATTEMPTS_MAX    4 /* of which all but the first go on after a cut */
#define PATIENCE_S      30
#define NAME_LENGTH_MAX 200

/* One fetch on its way. */
struct fetch {
    const struct fetch_config *config;
    struct fetch_result result;
    char url[URL_BYTES]; /* that is asked now */
    char part_path[PATH_MAX], etag_path[PATH_MAX];
    char etag[ETAG_BYTES]; /* of what lies in the part; "": cannot be gone on with */
    int fd;
    uint64_t bytes_max, stored_bytes;
    struct digest *digest; /* of what is stored */
    CURL *curl;
    /* of the answer that comes */
    long status;
    char new_etag[ETAG_BYTES];
    int64_t range_begin, range_total; /* of Content-Range; -1: none, not told */
    bool was_ranged, began, is_encoded, is_looked_at, is_complete, wants_all;
    enum err_code code;
    struct err *e;
};

/* --- addresses --- */

static bool host_is_here(const char *host)
{
    struct in_addr address;

    return (inet_pton(AF_INET, host, &address) == 1 && ntohl(address.s_addr) >> 24 == 127) ||
           strcmp(host, "[::1]") == 0 || strcmp(host, "localhost") == 0;
}

static bool url_allows(const char *scheme, const char *host, bool insecure_http)
{
    return strcmp(scheme, "https") == 0 ||
           (strcmp(scheme, "http") == 0 && (insecure_http || host_is_here(host)));
}

/* The last part of the path as a name of ours: no byte that a file system or a shell minds. */
static void name_make(const char *path, char name[NAME_LENGTH_MAX + 1])
{
    const char *last = strrchr(path, '/');
    size_t length = 0;

    last = last ? last + 1 : path;
    for (; *last && length < NAME_LENGTH_MAX; last++) {
        bool plain = isalnum((unsigned char)*last) || (length && strchr("._+-", *last));
        name[length++] = (char)(plain ? *last : '_');
    }
    name[length] = '\0';
    if (length == 0) {
        memcpy(name, "bundle.tar", sizeof("bundle.tar"));
    }
}

/* Whether the URL may be asked; its file's name when `name` is not NULL. */
static enum err_code url_check(const char *url, bool insecure_http, char *name, struct err *e)
{
    CURLU *parts = curl_url();
    char *scheme = NULL, *host = NULL, *path = NULL;
    enum err_code code = ERR_OK;

    if (!parts || curl_url_set(parts, CURLUPART_URL, url, CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK ||
        curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
        curl_url_get(parts, CURLUPART_HOST, &host, 0) != CURLUE_OK ||
        curl_url_get(parts, CURLUPART_PATH, &path, 0) != CURLUE_OK || strlen(url) >= URL_BYTES) {
        code = err_set(e, ERR_USAGE, "%.200s: no URL: https://HOST/NAME.tar is wanted", url);
    } else if (!url_allows(scheme, host, insecure_http)) {
        code = err_set(e, ERR_USAGE,
                       "%.200s: only https, or http of this machine (127.0.0.1, [::1]); "
                       "--insecure-http takes http from elsewhere",
                       url);
    } else if (name) {
        name_make(path, name);
    }
    curl_free(scheme);
    curl_free(host);
    curl_free(path);
    curl_url_cleanup(parts);
    return code;
}

/* --- the part --- */

static enum err_code part_restart(struct fetch *fetch, struct err *e)
{
    char unused[DIGEST_HEX_BYTES];

    digest_finish(fetch->digest, unused); /* makes it fresh */
    fetch->stored_bytes = 0;
    fetch->result.resumed_bytes = 0;
    if (ftruncate(fetch->fd, 0) < 0 || lseek(fetch->fd, 0, SEEK_SET) < 0) {
        return err_set_sys(e, "%s", fetch->part_path);
    }
    return ERR_OK;
}

/* What an earlier call left of the same URL: its bytes go through the digest. */
static enum err_code part_read(struct fetch *fetch, struct err *e)
{
    char block[65536];

    for (;;) {
        ssize_t count = read(fetch->fd, block, sizeof(block));

        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return err_set_sys(e, "%s", fetch->part_path);
        }
        if (count == 0) {
            fetch->result.resumed_bytes = fetch->stored_bytes;
            return ERR_OK;
        }
        digest_add(fetch->digest, block, (size_t)count);
        fetch->stored_bytes += (uint64_t)count;
    }
}

/* The note beside the part: "URL\nETAG\n". */
static bool note_read(struct fetch *fetch)
{
    char want[URL_BYTES + 2];
    struct buf text;

    buf_init(&text, URL_BYTES + ETAG_BYTES + 2);
    bool is_ours = fs_read_file(fetch->etag_path, &text, NULL) == ERR_OK;
    int length = snprintf(want, sizeof(want), "%s\n", fetch->config->url);
    is_ours = is_ours && strncmp(text.bytes, want, (size_t)length) == 0;
    if (is_ours) {
        snprintf(fetch->etag, sizeof(fetch->etag), "%.*s", (int)strcspn(text.bytes + length, "\n"),
                 text.bytes + length);
    }
    buf_release(&text);
    return is_ours && *fetch->etag;
}

static enum err_code note_write(struct fetch *fetch, struct err *e)
{
    char text[URL_BYTES + ETAG_BYTES + 3];

    memcpy(fetch->etag, fetch->new_etag, sizeof(fetch->etag));
    int length = snprintf(text, sizeof(text), "%s\n%s\n", fetch->config->url, fetch->etag);
    return fs_write_file(fetch->etag_path, text, (size_t)length, e);
}

static enum err_code part_open(struct fetch *fetch, struct err *e)
{
    fetch->fd = open(fetch->part_path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fetch->fd < 0) {
        return err_set_sys(e, "%s", fetch->part_path);
    }
    if (flock(fetch->fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
        close(fetch->fd);
        fetch->fd = -1;
        return err_set(e, ERR_USAGE, "%s: another tacho is fetching it", fetch->part_path);
    }
    return note_read(fetch) ? part_read(fetch, e) : part_restart(fetch, e);
}

/* --- the answer --- */

/* The value of a header with this name; NULL: it is another one. */
static const char *header_value(const char *line, size_t length, const char *name,
                                size_t *value_bytes)
{
    size_t name_bytes = strlen(name);

    if (length <= name_bytes || strncasecmp(line, name, name_bytes) != 0 ||
        line[name_bytes] != ':') {
        return NULL;
    }
    const char *value = line + name_bytes + 1;
    const char *end = line + length;
    while (value < end && (*value == ' ' || *value == '\t')) {
        value++;
    }
    while (end > value && isspace((unsigned char)end[-1])) {
        end--;
    }
    *value_bytes = (size_t)(end - value);
    return value;
}

/* "4-9/10"; "*" + "/10" when the range cannot be had. */
static void range_read(struct fetch *fetch, const char *value, size_t value_bytes)
{
    char text[64];

    snprintf(text, sizeof(text), "%.*s", (int)value_bytes, value);
    const char *slash = strchr(text, '/');
    if (isdigit((unsigned char)*text)) {
        fetch->range_begin = strtoll(text, NULL, 10);
    }
    if (slash && isdigit((unsigned char)slash[1])) {
        fetch->range_total = strtoll(slash + 1, NULL, 10);
    }
}

static size_t header_take(char *line, size_t size, size_t count, void *self)
{
    struct fetch *fetch = self;
    size_t length = size * count, value_bytes = 0;
    const char *value;

    if ((value = header_value(line, length, "etag", &value_bytes)) && value_bytes < ETAG_BYTES &&
        value_bytes && *value == '"') { /* a weak one ("W/…") says nothing of the bytes */
        snprintf(fetch->new_etag, sizeof(fetch->new_etag), "%.*s", (int)value_bytes, value);
    }
    if ((value = header_value(line, length, "content-encoding", &value_bytes)) &&
        !(value_bytes == 8 && strncasecmp(value, "identity", 8) == 0)) {
        fetch->is_encoded = true;
    }
    if ((value = header_value(line, length, "content-range", &value_bytes)) && value_bytes > 6 &&
        strncasecmp(value, "bytes ", 6) == 0) {
        range_read(fetch, value + 6, value_bytes - 6);
    }
    return length;
}

/* What a person can do about an answer that is not the file. */
static enum err_code status_fail(const struct fetch *fetch)
{
    static const struct {
        long status;
        const char *advice;
    } rows[] = {
        {401,
         "it wants a login, and tacho gives none: fetch it by other means, then `tacho verify` it"},
        {403, "it gives this file to others only: fetch it by other means, then `tacho verify` it"},
        {404, "it has no such file: is the address whole?"},
        {407, "a proxy wants a login"},
        {410, "the file is not there any more"},
        {429, "too many were asked for: try again later"},
    };
    bool is_server = fetch->status >= 500;
    const char *advice =
        is_server ? "it cannot give the file now: try again later" : "that is not the file";

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        advice = rows[i].status == fetch->status ? rows[i].advice : advice;
    }
    /* A 2xx that was not asked for is no answer to this request: evidence of nothing. */
    return err_set(fetch->e,
                   is_server              ? ERR_SYS
                   : fetch->status >= 400 ? ERR_USAGE
                                          : ERR_FORMAT,
                   "%.200s: the server answers %ld: %s", fetch->url, fetch->status, advice);
}

/* Of a request that goes on: the same file, from where the part ends. */
static bool is_continuation(const struct fetch *fetch)
{
    return fetch->status == 206 && fetch->stored_bytes &&
           fetch->range_begin == (int64_t)fetch->stored_bytes &&
           (!*fetch->new_etag || strcmp(fetch->new_etag, fetch->etag) == 0);
}

/* Before the first byte is stored: the answer is the file, or goes on where the part ends. What
 * else comes of going on is not for the part: it is asked for anew, from the beginning. */
static enum err_code answer_begin(struct fetch *fetch)
{
    curl_easy_getinfo(fetch->curl, CURLINFO_RESPONSE_CODE, &fetch->status);
    fetch->began = true;
    if (fetch->status >= 300 && fetch->status < 400) {
        return ERR_OK;
    }
    if (fetch->is_encoded && (fetch->status == 200 || fetch->status == 206)) {
        return err_set(fetch->e, ERR_FORMAT,
                       "%.200s: the server compresses it (Content-Encoding): what comes is not the "
                       "file that was published",
                       fetch->url);
    }
    if (is_continuation(fetch)) {
        fetch->is_looked_at = true; /* its beginning was */
        return ERR_OK;
    }
    if (fetch->was_ranged && fetch->status == 416 &&
        fetch->range_total == (int64_t)fetch->stored_bytes) {
        fetch->is_complete = true; /* nothing was missing but the name */
        return ERR_OK;
    }
    if (fetch->was_ranged && (fetch->status == 206 || fetch->status == 416)) {
        fetch->wants_all = true;
        return ERR_OK;
    }
    if (fetch->status != 200) {
        return status_fail(fetch);
    }
    enum err_code code = part_restart(fetch, fetch->e);
    return code == ERR_OK ? note_write(fetch, fetch->e) : code;
}

/* A bundle begins with the name of a folder. Markup is what servers give instead of files. */
static enum err_code body_look(struct fetch *fetch, const char *bytes, size_t length)
{
    size_t begin = 0;

    while (begin < length && isspace((unsigned char)bytes[begin])) {
        begin++;
    }
    fetch->is_looked_at = true;
    return begin < length && bytes[begin] == '<'
               ? err_set(fetch->e, ERR_FORMAT,
                         "%.200s: a web page came and not a bundle: the page about the file, or "
                         "one that wants a login; nothing was kept",
                         fetch->url)
               : ERR_OK;
}

/* The cap counts here: a server need not tell a length, and libcurl's own limit believes it. */
static enum err_code body_store(struct fetch *fetch, const char *bytes, size_t length)
{
    if (fetch->stored_bytes > fetch->bytes_max || length > fetch->bytes_max - fetch->stored_bytes) {
        return err_set(fetch->e, ERR_LIMIT, "%.200s: more than %" PRIu64 " bytes (--max-size)",
                       fetch->url, fetch->bytes_max);
    }
    for (size_t done = 0; done < length;) {
        ssize_t written = write(fetch->fd, bytes + done, length - done);
        if (written < 0 && errno != EINTR) {
            return err_set_sys(fetch->e, "%s", fetch->part_path);
        }
        done += written > 0 ? (size_t)written : 0;
    }
    digest_add(fetch->digest, bytes, length);
    fetch->stored_bytes += length;
    return ERR_OK;
}

static size_t body_take(char *bytes, size_t size, size_t count, void *self)
{
    struct fetch *fetch = self;
    size_t length = size * count;

    if (!fetch->began) {
        fetch->code = answer_begin(fetch);
    }
    if (fetch->code == ERR_OK && (fetch->status >= 300 || fetch->wants_all || fetch->is_complete)) {
        return fetch->wants_all ? 0 : length; /* nobody reads it */
    }
    if (fetch->code == ERR_OK && !fetch->is_looked_at) {
        fetch->code = body_look(fetch, bytes, length);
    }
    if (fetch->code == ERR_OK) {
        fetch->code = body_store(fetch, bytes, length);
    }
    return fetch->code == ERR_OK ? length : 0;
}

static void options_set(struct fetch *fetch)
{
    CURL *curl = fetch->curl;
    long patience_s = fetch->config->patience_s ? (long)fetch->config->patience_s : PATIENCE_S;

    curl_easy_reset(curl);
    curl_easy_setopt(curl, CURLOPT_URL, fetch->url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "https,http");
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "127.0.0.1,::1,localhost");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, patience_s);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, patience_s);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, header_take);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, fetch);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, body_take);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, fetch);
    fetch->status = 0;
    fetch->range_begin = fetch->range_total = -1;
    fetch->new_etag[0] = '\0';
    fetch->was_ranged = fetch->began = fetch->is_encoded = false;
    fetch->is_looked_at = fetch->is_complete = fetch->wants_all = false;
    fetch->code = ERR_OK;
}

/* What libcurl made of a request; *cut_out: it began well and ended too early. */
static enum err_code request_judge(struct fetch *fetch, CURLcode outcome, const char *problem,
                                   bool *cut_out, struct err *e)
{
    bool is_short = outcome == CURLE_OK && fetch->status == 206 && fetch->range_total > 0 &&
                    fetch->stored_bytes < (uint64_t)fetch->range_total;

    if (outcome == CURLE_OK && !is_short) {
        return ERR_OK;
    }
    *cut_out = fetch->began && *fetch->etag;
    if (is_short) {
        return err_set(e, ERR_SYS,
                       "%.200s: the server sent %" PRIu64 " of %" PRId64
                       " bytes; the next try goes on from there",
                       fetch->url, fetch->stored_bytes, fetch->range_total);
    }
    return err_set(e, ERR_SYS, "%.200s: %s%s", fetch->url,
                   *problem ? problem : curl_easy_strerror(outcome),
                   fetch->stored_bytes && *fetch->etag ? "; the next try goes on from there" : "");
}

/* One request. cut_out as request_judge's, set before. */
static enum err_code request_run(struct fetch *fetch, bool *cut_out, struct err *e)
{
    char range[32], condition[ETAG_BYTES + 16], problem[CURL_ERROR_SIZE] = "";
    struct curl_slist *headers = NULL;

    options_set(fetch);
    fetch->e = e;
    curl_easy_setopt(fetch->curl, CURLOPT_ERRORBUFFER, problem);
    if (fetch->stored_bytes && *fetch->etag) {
        fetch->was_ranged = true;
        snprintf(range, sizeof(range), "%" PRIu64 "-", fetch->stored_bytes);
        snprintf(condition, sizeof(condition), "If-Range: %s", fetch->etag);
        headers = curl_slist_append(NULL, condition);
        curl_easy_setopt(fetch->curl, CURLOPT_RANGE, range);
        curl_easy_setopt(fetch->curl, CURLOPT_HTTPHEADER, headers);
    }
    CURLcode outcome = curl_easy_perform(fetch->curl);
    curl_slist_free_all(headers);
    if (fetch->code == ERR_OK && outcome == CURLE_OK && !fetch->began) {
        fetch->code = answer_begin(fetch); /* an empty body */
    }
    if (fetch->code == ERR_OK && fetch->wants_all) {
        return part_restart(fetch, e);
    }
    return fetch->code == ERR_OK ? request_judge(fetch, outcome, problem, cut_out, e) : fetch->code;
}

static enum err_code redirect_take(struct fetch *fetch, int *redirects_left, struct err *e)
{
    char *next = NULL;

    curl_easy_getinfo(fetch->curl, CURLINFO_REDIRECT_URL, &next);
    if (!next) {
        return err_set(e, ERR_FORMAT, "%.200s: the server answers %ld without a place to go on",
                       fetch->url, fetch->status);
    }
    if (--*redirects_left < 0) {
        return err_set(e, ERR_LIMIT, "%.200s: more than %d redirects", fetch->config->url,
                       REDIRECTS_MAX);
    }
    enum err_code code = url_check(next, fetch->config->insecure_http, NULL, e);
    if (code != ERR_OK) {
        return err_wrap(e, "redirected");
    }
    snprintf(fetch->url, sizeof(fetch->url), "%s", next);
    return ERR_OK;
}

static enum err_code transfer(struct fetch *fetch, struct err *e)
{
    int redirects_left = REDIRECTS_MAX;

    for (int attempt = 1;;) {
        bool is_cut = false;
        enum err_code code = request_run(fetch, &is_cut, e);

        if (code == ERR_OK && fetch->wants_all) {
            continue; /* without a range, which is asked for only after another cut */
        }
        if (code == ERR_OK && fetch->is_complete) {
            return ERR_OK;
        }
        if (code == ERR_OK && fetch->status >= 300) {
            code = redirect_take(fetch, &redirects_left, e);
            if (code != ERR_OK) {
                return code;
            }
            continue;
        }
        if (code == ERR_OK || !is_cut || attempt++ == ATTEMPTS_MAX) {
            return code;
        }
    }
}

/* --- all --- */

static enum err_code paths_make(struct fetch *fetch, struct err *e)
{
    char name[NAME_LENGTH_MAX + 1];
    const char *folder = fetch->config->folder;
    enum err_code code = url_check(fetch->config->url, fetch->config->insecure_http, name, e);

    if (code == ERR_OK) {
        code = fs_make_directories(folder, e);
    }
    if (code != ERR_OK) {
        return code;
    }
    if (snprintf(fetch->result.path, PATH_MAX, "%s/%s", folder, name) >= PATH_MAX - 16) {
        return err_set(e, ERR_LIMIT, "%s: the path is too long", folder);
    }
    snprintf(fetch->part_path, PATH_MAX, "%s/%s.part", folder, name);
    snprintf(fetch->etag_path, PATH_MAX, "%s/%s.part.etag", folder, name);
    return fs_exists(fetch->result.path)
               ? err_set(e, ERR_USAGE, "%s is there already: `tacho verify` it, or remove it",
                         fetch->result.path)
               : ERR_OK;
}

static void part_remove(const struct fetch *fetch)
{
    unlink(fetch->part_path);
    unlink(fetch->etag_path);
}

/* What cannot be gone on with is not left. */
static void part_clean(const struct fetch *fetch, enum err_code code)
{
    bool is_of_server = code == ERR_SYS || code == ERR_USAGE;

    if (code != ERR_OK && (!is_of_server || !*fetch->etag || !fetch->stored_bytes)) {
        part_remove(fetch);
    }
}

/* The whole file is there: its digest decides about the name. */
static enum err_code part_finish(struct fetch *fetch, struct err *e)
{
    const char *want = fetch->config->sha256;

    digest_finish(fetch->digest, fetch->result.sha256);
    fetch->result.bytes = fetch->stored_bytes;
    if (want && strcmp(want, fetch->result.sha256) != 0) {
        part_remove(fetch);
        return err_set(e, ERR_MISMATCH, "%.200s: its SHA-256 is %s, not %s: nothing was kept",
                       fetch->config->url, fetch->result.sha256, want);
    }
    if (fsync(fetch->fd) < 0 || rename(fetch->part_path, fetch->result.path) < 0) {
        return err_set_sys(e, "%s", fetch->result.path);
    }
    unlink(fetch->etag_path);
    return ERR_OK;
}

enum err_code fetch_bundle(const struct fetch_config *config, struct fetch_result *result_out,
                           struct err *e)
{
    struct fetch *fetch = calloc(1, sizeof(*fetch));
    enum err_code code = fetch ? digest_new(&fetch->digest, e)
                               : err_set(e, ERR_LIMIT, "no memory to fetch a bundle");

    if (!fetch || code != ERR_OK) {
        free(fetch);
        return code;
    }
    fetch->config = config;
    fetch->fd = -1;
    fetch->bytes_max = config->bytes_max ? config->bytes_max : FILE_TREE_TOTAL_BYTES_MAX;
    fetch->curl = curl_easy_init();
    code = fetch->curl ? paths_make(fetch, e) : err_set(e, ERR_LIMIT, "no memory for libcurl");
    if (code == ERR_OK) {
        snprintf(fetch->url, sizeof(fetch->url), "%s", config->url);
        code = part_open(fetch, e);
    }
    if (code == ERR_OK) {
        code = transfer(fetch, e);
        part_clean(fetch, code);
    }
    if (code == ERR_OK) {
        code = part_finish(fetch, e);
    }
    if (fetch->fd >= 0) {
        close(fetch->fd);
    }
    if (code == ERR_OK) {
        *result_out = fetch->result;
    }
    curl_easy_cleanup(fetch->curl);
    digest_free(fetch->digest);
    free(fetch);
    return code;
}
