// SPDX-License-Identifier: Apache-2.0
// wrk's report, line by line.
#include "collector/run/wrk_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/plan/plan_yaml.h"
#include "engines/base/attr.h"

#define LINE_BYTES 512
#define WORD_BYTES 64
#define WORDS_MAX  8
#define COUNT_MAX  1000000
#define DIGITS_MAX 15

/* A line in words, without what is around it. */
struct line {
    const char *file;
    size_t number;
    char text[LINE_BYTES];
    char words[WORDS_MAX][WORD_BYTES];
    size_t word_count;
};

struct reading {
    struct wrk_run run;
    struct line line;
    bool is_begun;  /* "… threads and … connections" or, where that is cut off, has_stats */
    bool has_stats; /* "Thread Stats" */
    bool is_ended;  /* "Requests/sec:" */
    bool failed;    /* memory ran out */
    double error_count;
    struct buf *warnings;
    struct err *e;
};

/* How a number ends, and what the key of the figure ends with then. */
struct ending {
    const char *text, *key;
    double factor;
};
static const struct ending times[] = {
    {"us", "_us", 1}, {"ms", "_ms", 1}, {"s", "_s", 1}, {"m", "_s", 60}, {"h", "_s", 3600}};
static const struct ending sizes[] = {{"B", "_bytes", 1},
                                      {"KB", "_kib", 1},
                                      {"MB", "_mib", 1},
                                      {"GB", "_gib", 1},
                                      {"TB", "_gib", 1024}};
static const struct ending counts[] = {
    {"", "", 1}, {"k", "", 1e3}, {"M", "", 1e6}, {"G", "", 1e9}, {"T", "", 1e12}};

struct units {
    const char *what;
    const struct ending *endings;
    size_t count;
    const char *suffix; /* behind the unit: "_per_s" */
};
static const struct units time_units = {"a time", times, ARRAY_COUNT(times), ""};
static const struct units size_units = {"a size", sizes, ARRAY_COUNT(sizes), ""};
static const struct units rate_units = {"a size", sizes, ARRAY_COUNT(sizes), "_per_s"};
static const struct units count_units = {"a count", counts, ARRAY_COUNT(counts), ""};

static enum err_code fail(struct reading *reading, const char *what, const char *word)
{
    char quote[PLAN_QUOTE_BYTES];

    return err_set(reading->e, ERR_FORMAT, "%.100s:%zu: %s%s%s", reading->line.file,
                   reading->line.number, what, word ? " " : "",
                   word ? plan_quote(word, strlen(word), quote) : "");
}

static void warn(struct reading *reading, const char *what, const char *word)
{
    char quote[PLAN_QUOTE_BYTES];

    buf_addf(reading->warnings, "%.100s:%zu: %s %s\n", reading->line.file, reading->line.number,
             what, plan_quote(word, strlen(word), quote));
}

static bool is_nan(const char *word)
{
    return strncmp(word, "nan", 3) == 0 || strncmp(word, "-nan", 4) == 0 ||
           strncmp(word, "inf", 3) == 0;
}

/* Digits with at most one point. Returns how many bytes the number takes, 0 for none. */
static size_t scan_number(const char *word, double *number_out)
{
    size_t whole = strspn(word, "0123456789");
    size_t fraction = word[whole] == '.' ? strspn(word + whole + 1, "0123456789") : 0;
    char digits[2 * DIGITS_MAX + 2];
    size_t length = whole + (fraction ? 1 + fraction : 0);

    if (whole == 0 || whole > DIGITS_MAX || fraction > DIGITS_MAX) {
        return 0;
    }
    memcpy(digits, word, length);
    digits[length] = '\0';
    *number_out = strtod(digits, NULL); /* no program here changes the locale from "C" */
    return length;
}

static void set(struct reading *reading, const char *key, double value)
{
    if (json_object_set_new(reading->run.figure, key,
                            value == floor(value) && value < 9e15 ? json_integer((json_int_t)value)
                                                                  : json_real(value)) != 0) {
        reading->failed = true;
    }
}

/*
 * A number with a unit under its key. A word that stands for no number, and with `zero_is_none` a
 * zero, is left out silently; one without a unit, with a warning.
 */
static enum err_code take(struct reading *reading, const char *key, const struct units *units,
                          const char *word, bool zero_is_none)
{
    double number = 0;
    size_t length = scan_number(word, &number);
    char full_key[WORD_BYTES];

    if (is_nan(word) || (length > 0 && number == 0 && zero_is_none)) {
        return ERR_OK;
    }
    if (length == 0) {
        return fail(reading, "this is not a number:", word);
    }
    for (size_t i = 0; i < units->count; i++) {
        if (strcmp(word + length, units->endings[i].text) == 0) {
            snprintf(full_key, sizeof(full_key), "%s%s%s", key, units->endings[i].key,
                     units->suffix);
            set(reading, full_key, number * units->endings[i].factor);
            return ERR_OK;
        }
    }
    if (word[length] == '\0') {
        warn(reading, "left out, because it has no unit:", word);
        return ERR_OK;
    }
    char what[WORD_BYTES];
    snprintf(what, sizeof(what), "an unknown unit of %s:", units->what);
    return fail(reading, what, word);
}

static enum err_code take_percent(struct reading *reading, const char *word)
{
    double number = 0;
    size_t length = scan_number(word, &number);

    if (is_nan(word)) {
        return ERR_OK;
    }
    if (length == 0 || strcmp(word + length, "%") != 0) {
        return fail(reading, "this is not a percentage:", word);
    }
    set(reading, "latency_within_stdev_percent", number);
    return ERR_OK;
}

static bool scan_count(const char *word, int64_t *count_out)
{
    double number = 0;
    size_t length = scan_number(word, &number);

    if (length == 0 || (word[length] != '\0' && word[length] != ',') || number != floor(number)) {
        return false;
    }
    *count_out = (int64_t)number;
    return true;
}

/* --- lines --- */

/* "Running 30s test @ http://127.0.0.1:8080/?name=test" */
static enum err_code read_head(struct reading *reading)
{
    const struct line *line = &reading->line;
    struct wrk_run *run = &reading->run;
    const char *url = strstr(line->text, " @ ");
    double number = 0;
    size_t length = scan_number(line->words[1], &number);

    if (reading->is_begun || *run->duration) {
        return fail(reading, "a second run; write each run into a file of its own", NULL);
    }
    for (size_t i = 0; i < ARRAY_COUNT(times) && length > 0; i++) {
        if (strcmp(line->words[1] + length, times[i].text) == 0) {
            double unit_s = i == 0 ? 1e-6 : i == 1 ? 1e-3 : times[i].factor;

            run->duration_s = number * unit_s;
            snprintf(run->duration, sizeof(run->duration), "%.15s", line->words[1]);
        }
    }
    if (!*run->duration) {
        return fail(reading, "an unknown unit of a time:", line->words[1]);
    }
    const char *host = url ? strstr(url, "://") : NULL;
    const char *path = host ? strchr(host + 3, '/') : NULL;
    snprintf(run->path, sizeof(run->path), "%.*s", WRK_PATH_BYTES - 1, path ? path : "/");
    return ERR_OK;
}

/* "10 threads and 200 connections" */
static enum err_code read_load(struct reading *reading)
{
    const struct line *line = &reading->line;
    struct wrk_run *run = &reading->run;

    if (reading->is_begun) {
        return fail(reading, "a second run; write each run into a file of its own", NULL);
    }
    if (!scan_count(line->words[0], &run->thread_count) ||
        !scan_count(line->words[3], &run->connection_count) || run->thread_count < 1 ||
        run->connection_count < 1 || run->thread_count > COUNT_MAX ||
        run->connection_count > COUNT_MAX) {
        return fail(reading, "no such numbers of threads and connections", NULL);
    }
    reading->is_begun = true;
    return ERR_OK;
}

/* "Latency     2.11ms  698.32us  26.64ms   85.35%". A mean of 0: nothing was recorded. */
static enum err_code read_latency(struct reading *reading)
{
    const struct line *line = &reading->line;
    double mean = 0;
    enum err_code code = ERR_OK;

    if (scan_number(line->words[1], &mean) > 0 && mean == 0) {
        return ERR_OK;
    }
    code = take(reading, "latency_mean", &time_units, line->words[1], true);
    if (code == ERR_OK) {
        code = take(reading, "latency_stdev", &time_units, line->words[2], false);
    }
    if (code == ERR_OK) {
        code = take(reading, "latency_max", &time_units, line->words[3], true);
    }
    return code == ERR_OK ? take_percent(reading, line->words[4]) : code;
}

/* "Req/Sec     9.59k     1.28k   19.71k    85.35%" */
static enum err_code read_thread_rate(struct reading *reading)
{
    static const char *const keys[] = {"thread_requests_per_s_mean", "thread_requests_per_s_stdev",
                                       "thread_requests_per_s_max"};
    enum err_code code = ERR_OK;

    for (size_t i = 0; i < ARRAY_COUNT(keys) && code == ERR_OK; i++) {
        code = take(reading, keys[i], &count_units, reading->line.words[i + 1], i == 0);
    }
    return code;
}

/* "99%   38.39ms"; quantiles that no figure has are passed over. */
static enum err_code read_quantile(struct reading *reading)
{
    static const char *const known[][2] = {{"50%", "latency_p50"},
                                           {"75%", "latency_p75"},
                                           {"90%", "latency_p90"},
                                           {"99%", "latency_p99"}};

    for (size_t i = 0; i < ARRAY_COUNT(known); i++) {
        if (strcmp(reading->line.words[0], known[i][0]) == 0) {
            return take(reading, known[i][1], &time_units, reading->line.words[1], true);
        }
    }
    return ERR_OK;
}

/* "2461459 requests in 30.10s, 467.14MB read" */
static enum err_code read_total(struct reading *reading)
{
    struct line *line = &reading->line;
    int64_t requests = 0;

    if (!scan_count(line->words[0], &requests)) {
        return fail(reading, "no number of requests:", line->words[0]);
    }
    line->words[3][strcspn(line->words[3], ",")] = '\0';
    set(reading, "request_count", (double)requests);
    enum err_code code = take(reading, "duration", &time_units, line->words[3], true);
    return code == ERR_OK ? take(reading, "transfer", &size_units, line->words[4], false) : code;
}

/* "Socket errors: connect 0, read 83, write 0, timeout 0" */
static enum err_code read_socket_errors(struct reading *reading)
{
    const char *at = strchr(reading->line.text, ':');
    size_t count = 0;

    for (at = at ? at + 1 : ""; *at;) {
        double number = 0;
        size_t digits = scan_number(at, &number);

        reading->error_count += digits ? number : 0;
        if (digits && count++ == 0 && number > 0) {
            set(reading, "connect_error_count", number);
        }
        at += digits ? digits : 1;
    }
    return ERR_OK;
}

/* "Non-2xx or 3xx responses: 2556" */
static enum err_code read_wrong_answers(struct reading *reading)
{
    int64_t count = 0;

    if (!scan_count(reading->line.words[4], &count)) {
        return fail(reading, "no number of responses:", reading->line.words[4]);
    }
    reading->error_count += (double)count;
    reading->run.wrong_count = count;
    return ERR_OK;
}

static enum err_code read_rate(struct reading *reading)
{
    reading->is_ended = true;
    return take(reading, "requests_per_s", &count_units, reading->line.words[1], false);
}

static enum err_code read_byte_rate(struct reading *reading)
{
    return take(reading, "transfer", &rate_units, reading->line.words[1], false);
}

static enum err_code read_nothing(struct reading *reading)
{
    (void)reading;
    return ERR_OK;
}

/* "Thread Stats   Avg      Stdev     Max   +/- Stdev" */
static enum err_code read_stats(struct reading *reading)
{
    if (reading->has_stats) {
        return fail(reading, "a second run; write each run into a file of its own", NULL);
    }
    reading->is_begun = reading->has_stats = true;
    return ERR_OK;
}

static enum err_code read_failure(struct reading *reading)
{
    return fail(reading, "wrk could not connect: a failed run is no result", NULL);
}

/* An open loop, whose rate the text does not tell. */
static enum err_code read_calibration(struct reading *reading)
{
    return fail(reading, "this is wrk2: an open loop whose rate it does not print", NULL);
}

/* A line begins so and has so many words. Where `is_inside`, it counts between begin and end. */
static const struct {
    const char *prefix;
    size_t word_count;
    bool is_inside;
    enum err_code (*read)(struct reading *reading);
} lines[] = {
    {"Running ", 5, false, read_head},
    {"unable to connect", 3, false, read_failure},
    {"Thread calibration", 3, true, read_calibration},
    {"Thread Stats ", 2, false, read_stats},
    {"Latency Distribution", 2, true, read_nothing},
    {"Latency ", 5, true, read_latency},
    {"Req/Sec ", 5, true, read_thread_rate},
    {"Socket errors: ", 8, true, read_socket_errors},
    {"Non-2xx or 3xx responses: ", 5, true, read_wrong_answers},
    {"Requests/sec: ", 2, true, read_rate},
};

static bool begins(const struct line *line, const char *prefix, size_t word_count)
{
    return strncmp(line->text, prefix, strlen(prefix)) == 0 && line->word_count >= word_count;
}

/* Lines that begin with a number are told by their other words. */
static bool word_is(const struct line *line, size_t index, const char *word)
{
    return index < line->word_count && strcmp(line->words[index], word) == 0;
}

static enum err_code read_numbered(struct reading *reading, bool *known_out)
{
    const struct line *line = &reading->line;
    bool is_inside = reading->is_begun && !reading->is_ended;
    size_t length = strlen(line->words[0]);

    *known_out = true;
    if (word_is(line, 1, "threads") && word_is(line, 2, "and") && word_is(line, 4, "connections")) {
        return read_load(reading);
    }
    if (is_inside && word_is(line, 1, "requests") && word_is(line, 2, "in") &&
        word_is(line, 5, "read")) {
        return read_total(reading);
    }
    if (is_inside && line->word_count == 2 && line->words[0][length - 1] == '%') {
        return read_quantile(reading);
    }
    *known_out = false;
    return ERR_OK;
}

static enum err_code read_line(struct reading *reading)
{
    const struct line *line = &reading->line;
    bool is_inside = reading->is_begun && !reading->is_ended;
    bool is_known = false;

    if (line->word_count == 0) {
        return ERR_OK;
    }
    enum err_code code = read_numbered(reading, &is_known);
    if (is_known) {
        return code;
    }
    if (reading->is_begun && begins(line, "Transfer/sec: ", 2) &&
        !json_object_get(reading->run.figure, "transfer_bytes_per_s")) {
        return read_byte_rate(reading);
    }
    for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
        if ((is_inside || !lines[i].is_inside) &&
            begins(line, lines[i].prefix, lines[i].word_count)) {
            return lines[i].read(reading);
        }
    }
    if (is_inside) {
        warn(reading, "left out:", line->text);
    }
    return ERR_OK;
}

/* --- the text --- */

static void split_words(struct line *line)
{
    const char *at = line->text;

    line->word_count = 0;
    while (line->word_count < WORDS_MAX) {
        at += strspn(at, " \t");
        size_t length = strcspn(at, " \t");

        if (length == 0) {
            break;
        }
        snprintf(line->words[line->word_count++], WORD_BYTES, "%.*s",
                 (int)(length < WORD_BYTES ? length : WORD_BYTES - 1), at);
        at += length;
    }
}

/* Without indentation and the end's white space; a NUL ends it as well. */
static void take_line(struct line *line, const char *begin, const char *end)
{
    while (begin < end && (*begin == ' ' || *begin == '\t')) {
        begin++;
    }
    while (end > begin && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) {
        end--;
    }
    size_t length = (size_t)(end - begin);

    length = length < LINE_BYTES ? length : LINE_BYTES - 1;
    memcpy(line->text, begin, length);
    line->text[length] = '\0';
    line->number++;
    split_words(line);
}

static enum err_code check_whole(struct reading *reading)
{
    const char *file = reading->line.file;

    if (!reading->is_begun) {
        return err_set(reading->e, ERR_FORMAT,
                       "%.100s: no output of wrk: neither \"N threads and N connections\" nor "
                       "\"Thread Stats\" is in it",
                       file);
    }
    if (!json_object_get(reading->run.figure, "request_count")) {
        return err_set(reading->e, ERR_FORMAT,
                       "%.100s: the run has no end: no line \"N requests in TIME, SIZE read\"",
                       file);
    }
    if (reading->error_count > 0) {
        set(reading, "error_count", reading->error_count);
    }
    if (reading->failed) {
        return err_set(reading->e, ERR_LIMIT, "no memory for %.100s", file);
    }
    return buf_check(reading->warnings, "the warnings", reading->e);
}

enum err_code wrk_text_parse(const char *name, const char *text, size_t length,
                             struct wrk_run *run_out, struct buf *warnings, struct err *e)
{
    struct reading reading = {.run = {.duration_s = (double)NAN, .figure = json_object()},
                              .line = {.file = name},
                              .warnings = warnings,
                              .e = e};
    const char *end = text + length;
    enum err_code code =
        reading.run.figure ? ERR_OK : err_set(e, ERR_LIMIT, "no memory for %.100s", name);

    for (const char *at = text; at < end && code == ERR_OK;) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));

        line_end = line_end ? line_end : end;
        take_line(&reading.line, at, line_end);
        code = read_line(&reading);
        at = line_end < end ? line_end + 1 : end;
    }
    if (code == ERR_OK) {
        code = check_whole(&reading);
    }
    if (code != ERR_OK) {
        wrk_run_release(&reading.run);
        return code;
    }
    *run_out = reading.run;
    return ERR_OK;
}

void wrk_run_release(struct wrk_run *run)
{
    json_decref(run->figure);
    run->figure = NULL;
}

double wrk_run_number(const struct wrk_run *run, const char *key)
{
    const json_t *value = json_object_get(run->figure, key);

    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

double wrk_run_time_ns(const struct wrk_run *run, const char *key)
{
    static const struct {
        const char *ending;
        double ns;
    } units[] = {{"_us", 1e3}, {"_ms", 1e6}, {"_s", 1e9}};
    char name[64];

    for (size_t i = 0; i < ARRAY_COUNT(units); i++) {
        snprintf(name, sizeof(name), "%s%s", key, units[i].ending);
        if (json_object_get(run->figure, name)) {
            return wrk_run_number(run, name) * units[i].ns;
        }
    }
    return (double)NAN;
}
