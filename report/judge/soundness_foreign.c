// SPDX-License-Identifier: Apache-2.0
// The words of wrk against the cell, the window and each other; of a replay, that they name what
// was played.
#include "report/judge/soundness_foreign.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/run/wrk_text.h"
#include "engines/base/buf.h"
#include "engines/base/clock.h"

#define WORD_COUNT 8 /* wrk -tN -cN -dNs --latency --timeout Ns URL */
#define WORD_BYTES 32

/* wrk rounds the time and the rate that it prints. */
#define RATE_SLACK 0.01

struct foreign_check {
    const struct results *results;
    const struct results_trial *trial;
    const struct results_workload *workload;
    char text[SOUNDNESS_TEXT_BYTES]; /* what does not agree; "": nothing so far */
};

static int64_t window_s(const struct results_trial *trial)
{
    int64_t length_ns = 0;

    for (size_t i = 0; i < trial->sample_count; i++) {
        const struct sample *sample = &trial->samples[i];

        if (sample->phase == SAMPLE_PHASE_WINDOW) {
            length_ns += sample->end_ns - sample->start_ns;
        }
    }
    return (length_ns + CLOCK_NS_PER_S - 1) / CLOCK_NS_PER_S;
}

static const char *word_get(const json_t *words, size_t index)
{
    const char *word = json_string_value(json_array_get(words, index));

    return word ? word : "";
}

/* Digits between what is before and behind them; 0: it is not so. */
static int64_t number_read(const char *word, const char *before, const char *behind)
{
    size_t length = strlen(before);
    char *end = NULL;

    if (strncmp(word, before, length) != 0 || word[length] < '1' || word[length] > '9') {
        return 0;
    }
    int64_t number = strtoll(word + length, &end, 10);
    return strcmp(end, behind) == 0 ? number : 0;
}

static int64_t threads_get(const struct foreign_check *check, int64_t connection_count)
{
    const char *said = results_find_fact(check->results, "start", "driver.threads");
    int64_t count = said ? strtoll(said, NULL, 10) : 0;

    return count < connection_count ? count : connection_count; /* 0: not known */
}

static bool url_is_right(const struct foreign_check *check, const char *url)
{
    static const char host[] = "http://127.0.0.1:";
    const char *path = NULL;

    if (strncmp(url, host, sizeof(host) - 1) != 0) {
        return false;
    }
    path = strchr(url + sizeof(host) - 1, '/');
    return path && strcmp(path, check->workload->request.path) == 0;
}

/* The command is the one that the program runs for this cell. */
static void command_check(struct foreign_check *check, const json_t *words)
{
    int64_t connection_count = check->results->cells[check->trial->cell_index].connection_count;
    int64_t threads = threads_get(check, connection_count);
    int64_t length_s = window_s(check->trial);
    const char *wrong = NULL;

    if (json_array_size(words) != WORD_COUNT || strcmp(word_get(words, 0), "wrk") != 0 ||
        strcmp(word_get(words, 4), "--latency") != 0 ||
        strcmp(word_get(words, 5), "--timeout") != 0 ||
        number_read(word_get(words, 6), "", "s") == 0) {
        wrong = "is not one of wrk as it is called here";
    } else if (number_read(word_get(words, 2), "-c", "") != connection_count) {
        wrong = "is for another count of connections";
    } else if (number_read(word_get(words, 1), "-t", "") == 0 ||
               (threads && number_read(word_get(words, 1), "-t", "") != threads)) {
        wrong = "is for another count of threads";
    } else if (number_read(word_get(words, 3), "-d", "s") != length_s) {
        wrong = "is for another window";
    } else if (!url_is_right(check, word_get(words, 7))) {
        wrong = "asks another server or path";
    }
    if (wrong) {
        snprintf(check->text, sizeof(check->text), "its command %s: %.120s", wrong,
                 check->trial->said->command_json);
    }
}

/* The numbers are of this run, and its rate is its requests by its time. */
static void run_check(struct foreign_check *check, const json_t *words, const struct wrk_run *run)
{
    const char *output = check->trial->said->output;
    const char *url = strstr(output, " test @ ");
    const char *asked = word_get(words, 7);
    double count = wrk_run_number(run, "request_count");
    double rate = wrk_run_number(run, "requests_per_s");
    double by_time = count / (wrk_run_time_ns(run, "duration") / CLOCK_NS_PER_S);

    if (!url || strncmp(url + 8, asked, strlen(asked)) != 0 || url[8 + strlen(asked)] != '\n' ||
        run->connection_count != number_read(word_get(words, 2), "-c", "") ||
        run->thread_count != number_read(word_get(words, 1), "-t", "")) {
        snprintf(check->text, sizeof(check->text), "its output is not of its command");
    } else if (!(count > 0)) {
        snprintf(check->text, sizeof(check->text), "its output tells of no request");
    } else if (!isnan(rate) && !isnan(by_time) && fabs(rate - by_time) > RATE_SLACK * by_time) {
        snprintf(check->text, sizeof(check->text),
                 "its output says %.2f requests a second, its count and time give %.2f", rate,
                 by_time);
    }
}

static enum err_code output_check(struct foreign_check *check, const json_t *words, struct err *e)
{
    const char *output = check->trial->said->output;
    struct buf warnings;
    struct wrk_run run;
    struct err why;

    buf_init(&warnings, WRK_TEXT_BYTES_MAX);
    enum err_code code = wrk_text_parse("wrk", output, strlen(output), &run, &warnings, &why);
    buf_release(&warnings);
    if (code == ERR_LIMIT) {
        return err_set(e, code, "%s", why.text);
    }
    if (code != ERR_OK) {
        snprintf(check->text, sizeof(check->text), "its output cannot be read: %.150s", why.text);
        return ERR_OK;
    }
    run_check(check, words, &run);
    wrk_run_release(&run);
    return ERR_OK;
}

/* ["replay", FILE], and "trial N of session UID, SHA-256 of the file HEX". */
static void replay_check(struct foreign_check *check, const json_t *words)
{
    static const char before[] = "SHA-256 of the file ";
    const char *output = check->trial->said->output;
    const char *hex = strstr(output, before);

    if (json_array_size(words) != 2 || strcmp(word_get(words, 0), "replay") != 0 ||
        !*word_get(words, 1)) {
        snprintf(check->text, sizeof(check->text), "its command is not one of a replay: %.120s",
                 check->trial->said->command_json);
    } else if (strncmp(output, "trial ", 6) != 0 || !hex ||
               strlen(hex += sizeof(before) - 1) != 64 || strspn(hex, "0123456789abcdef") != 64) {
        snprintf(check->text, sizeof(check->text), "it does not say which trial was played");
    }
}

static enum err_code said_check(struct foreign_check *check, struct err *e)
{
    json_t *words = json_loads(check->trial->said->command_json, JSON_REJECT_DUPLICATES, NULL);
    enum err_code code = ERR_OK;

    if (check->workload->is_replay) {
        replay_check(check, words);
        json_decref(words);
        return ERR_OK;
    }
    command_check(check, words);
    if (!*check->text) {
        code = output_check(check, words, e);
    }
    json_decref(words);
    return code;
}

enum err_code soundness_check_foreign(const struct results *results,
                                      const struct results_trial *trial,
                                      struct soundness *soundness, struct err *e)
{
    struct foreign_check check = {
        .results = results,
        .trial = trial,
        .workload = &results->workloads[results->cells[trial->cell_index].workload_index]};
    bool is_finished = strcmp(trial->state, "finished") == 0;
    enum err_code code = ERR_OK;

    if (trial->said && !check.workload->is_foreign) {
        snprintf(check.text, sizeof(check.text),
                 "another driver told of it, though its workload has none");
    } else if (!trial->said && check.workload->is_foreign && is_finished) {
        snprintf(check.text, sizeof(check.text), "its driver told nothing of it");
    } else if (trial->said && is_finished) {
        code = said_check(&check, e);
    }
    if (code == ERR_OK && *check.text) {
        soundness_add(soundness, "foreign_load", trial->order_index, check.text);
    }
    return code;
}
