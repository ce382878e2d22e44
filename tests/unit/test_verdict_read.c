// SPDX-License-Identifier: Apache-2.0
// A verdict.json read back and judged again is the same text; one that was changed is not.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/attr.h"
#include "engines/base/fs.h"
#include "report/compose/compose_reproduction.h"
#include "report/render/render.h"
#include "report/reproduce/verdict_json.h"
#include "report/reproduce/verdict_read.h"
#include "tests/support/results_builder.h"

#define PROGRAM                                                                                    \
    "0000000000000000000000000000000000000000000000000000000000000007" /* the builder's */
#define OTHER "00000000000000000000000000000000000000000000000000000000000000aa"
#define CLAIMS                                                                                     \
    "claims: [{ id: C1, ratio: throughput, of: epoll, over: blocking, at_least: 1.1 }, { id: C2, " \
    "order: throughput, engines: [epoll, blocking] }, { id: C3, level: throughput, of: blocking, " \
    "value: 31000/s, within: 20% }, { id: C4, no_errors: true }]"

static char folder[] = "/tmp/tacho-verdict-XXXXXX";

struct sitting {
    struct results *results;
    struct analysis *analysis;
};

static void sitting_make(const char *name, const struct results_builder *builder, const char *sql,
                         struct sitting *sitting)
{
    struct err e = {0};
    char path[96];

    snprintf(path, sizeof(path), "%s/%s.db", folder, name);
    results_builder_make(builder, path);
    results_builder_alter(path, "UPDATE session SET plan_text = '" CLAIMS "', plan_digest = "
                                "printf('%064d', 1)");
    results_builder_alter(path, sql);
    cr_assert_eq(results_load(path, true, &sitting->results, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(analysis_make(sitting->results, &sitting->analysis, &e), ERR_OK, "%s", e.text);
}

static void sitting_release(struct sitting *sitting)
{
    analysis_free(sitting->analysis);
    results_free(sitting->results);
}

/* As reproduce_run leaves it. */
static void state_make(const struct sitting *published, const struct sitting *here, bool is_quick,
                       struct verify_result *verified, struct reproduce_config *config,
                       struct build_record *record, struct reproduce_state *state)
{
    struct err e = {0};

    memset(verified->id, 'a', 64);
    memset(verified->archive_sha256, 'b', 64);
    memset(verified->samples_digest, 'c', 64);
    *config = (struct reproduce_config){
        .verified = verified, .program_version = "0.1.0+test", .is_quick = is_quick};
    *record = (struct build_record){
        .tools = {{.name = "compiler", .says = "gcc 12"}, {.name = "libc", .says = "glibc 2.36"}},
        .tool_count = 2};
    *state = (struct reproduce_state){.config = config,
                                      .published = published->analysis,
                                      .here = here->analysis,
                                      .record = record,
                                      .rebuilt = {.outcome = REBUILD_IDENTICAL,
                                                  .sha256 = PROGRAM,
                                                  .tools = {"gcc 12", "glibc 2.36"}},
                                      .gate_was_asked = true,
                                      .gate_passed = true};
    memset(state->here_samples_digest, 'd', 64);
    buf_init(&state->gate_text, 1000);
    cr_assert_eq(surroundings_make(published->results, here->results, &state->surroundings, &e),
                 ERR_OK);
    const struct replication_options options = {.same_class = state->surroundings.same_class,
                                                .is_quick = is_quick};
    cr_assert_eq(replication_make(state->published, state->here, &options, &state->replication, &e),
                 ERR_OK);
}

static void verdict_write(const struct reproduce_state *state, struct buf *json, struct buf *page)
{
    struct document *document = NULL;
    struct err e = {0};

    buf_init(json, 1 << 20);
    buf_init(page, 1 << 20);
    cr_assert_eq(verdict_json_format(state, json, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(compose_reproduction(state, &document, &e), ERR_OK, "%s", e.text);
    render_markdown(document, page);
    document_free(document);
}

/* What is said of a text: "the same", "differs", or why it cannot be read. */
static const char *text_judge(const char *text, const struct buf *page, const struct sitting *here,
                              const char *samples_digest)
{
    static char says[ERR_TEXT_BYTES];
    json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    struct verdict_record *record = NULL;
    struct buf again, page_again;
    struct err e = {0};

    cr_assert(document, "%s", text);
    snprintf(says, sizeof(says), "the same");
    if (verdict_record_read(document, here->analysis, samples_digest, &record, &e) != ERR_OK) {
        snprintf(says, sizeof(says), "%s", e.text);
        json_decref(document);
        return says;
    }
    verdict_write(verdict_record_state(record), &again, &page_again);
    if (strcmp(again.bytes, text) != 0) {
        snprintf(says, sizeof(says), "differs");
    } else {
        cr_expect_str_eq(page_again.bytes, page->bytes);
    }
    buf_release(&again);
    buf_release(&page_again);
    verdict_record_free(record);
    json_decref(document);
    return says;
}

static void state_release(struct reproduce_state *state)
{
    replication_release(&state->replication);
    surroundings_release(&state->surroundings);
    buf_release(&state->gate_text);
}

Test(verdict_read, of_what_was_written_gives_the_same_text)
{
    static const struct {
        struct results_builder here;
        const char *sql;
        bool is_quick;
        const char *word;
    } rows[] = {
        {{.block_count = 8, .seed = 7}, "SELECT 1", false, "REPRODUCED"},
        {{.block_count = 8, .seed = 7, .epoll_per_s = 40000}, "SELECT 1", false, "PARTIAL"},
        {{.block_count = 6, .trial_noise = 0.08}, "SELECT 1", false, "PARTIAL"},
        {{.block_count = 2}, "SELECT 1", true, "INCONCLUSIVE"},
        {{.block_count = 8, .faults = RESULTS_BUILDER_NOTHING}, "SELECT 1", false, "INVALID"},
        {{.block_count = 8, .seed = 7},
         "UPDATE fact SET value = 'Other CPU' WHERE name = 'cpu.model'; UPDATE fact SET value = "
         "NULL WHERE name = 'os.libc'",
         false,
         "REPRODUCED"},
    };
    struct sitting published;

    cr_assert(mkdtemp(folder));
    sitting_make("published", &(struct results_builder){.block_count = 8}, "SELECT 1", &published);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct verify_result *verified = calloc(1, sizeof(*verified));
        struct reproduce_config config;
        struct build_record record;
        struct reproduce_state state;
        struct buf json, page;
        struct sitting here;

        sitting_make("here", &rows[i].here, rows[i].sql, &here);
        state_make(&published, &here, rows[i].is_quick, verified, &config, &record, &state);
        verdict_write(&state, &json, &page);
        const char *word = replication_word_names[state.replication.word];
        cr_expect_str_eq(word, rows[i].word, "row %zu: %s", i, word);
        const char *says = text_judge(json.bytes, &page, &here, state.here_samples_digest);
        cr_expect_str_eq(says, "the same", "row %zu: %s: %s", i, says, json.bytes);
        buf_release(&json);
        buf_release(&page);
        state_release(&state);
        sitting_release(&here);
        free(verified);
    }
    sitting_release(&published);
    cr_expect_eq(fs_remove_tree(folder, NULL), ERR_OK);
}

static void text_edit(const struct buf *from, const char *what, const char *with, struct buf *out)
{
    const char *at = strstr(from->bytes, what);

    cr_assert(at, "%s", what);
    buf_init(out, 1 << 20);
    buf_add(out, from->bytes, (size_t)(at - from->bytes));
    buf_add_text(out, with);
    buf_add_text(out, at + strlen(what));
}

Test(verdict_read, finds_each_change_of_what_follows_from_the_measurements)
{
    static const struct {
        const char *from, *to, *says;
    } rows[] = {
        {"\"verdict\": \"REPRODUCED\"", "\"verdict\": \"PARTIAL\"", "differs"},
        {"\"kind\": \"ratio\",\n      \"verdict\": \"REPRODUCED\"",
         "\"kind\": \"ratio\",\n      \"verdict\": \"NOT_REPRODUCED\"", "differs"},
        {"\"kind\": \"ratio\"", "\"kind\": \"order\"", "differs"},
        {"\"reason\": null", "\"reason\": \"why\"", "differs"},
        {"\"mode\": \"full\"", "\"mode\": \"quick\"", "differs"},
        {"\"mode\": \"full\"", "\"mode\": \"short\"", "verdict.json: \"mode\""},
        {"\"margin\": 0.1", "\"margin\": 0.2", "differs"},
        {"\"same_machine_class\": true", "\"same_machine_class\": false", "differs"},
        {"\"trust\": \"VALID", "\"trust\": \"UNFIT", "verdict.json: \"original\""},
        {"\"outcome\": \"IDENTICAL\"", "\"outcome\": \"DIFFERS-OTHER-TOOLCHAIN\"", "differs"},
        {"\"published_sha256\": \"" PROGRAM, "\"published_sha256\": \"" OTHER, "differs"},
        {"\"here_sha256\": \"" PROGRAM, "\"here_sha256\": \"" OTHER, "differs"},
        {"\"passed\": true", "\"passed\": false", "verdict.json: \"gate\""},
        {"\"workload\": \"ping\"", "\"workload\": \"pong\"", "verdict.json: \"claims\""},
        {"\"connections\": 125", "\"connections\": 12", "verdict.json: \"claims\""},
        {"\"engine\": \"epoll\"", "\"engine\": \"nobody\"", "verdict.json: \"claims\""},
        {"\"engine\": \"epoll\"", "\"engine\": \"blocking\"", "differs"},
        {"\"id\": \"C2\"", "\"id\": \"C9\"", "verdict.json: \"claims\""},
        /* A published number that was changed does not go with the change that is told. */
        {"\"published\": {\n            \"value\": 1.",
         "\"published\": {\n            \"value\": 2.", "differs"},
        {"\"n\": 8,\n            \"word\": \"SUPPORTED\"",
         "\"n\": 7,\n            \"word\": \"SUPPORTED\"", "differs"},
        {"\"word\": \"SUPPORTED\"", "\"word\": \"REFUTED\"", "differs"},
        {"\"plan_digest\": \"00", "\"plan_digest\": \"10", "verdict.json: \"mode\" is full"},
        {"\"format\": \"tacho-verdict-1\"", "\"format\": \"tacho-verdict-2\"",
         "verdict.json: its format"},
        {"\"bundle_id\": \"aa", "\"bundle_id\": \"a", "verdict.json: \"original\""},
        {"\"trial_count\": ", "\"trial_count\": -", "verdict.json: \"original\""},
        {"\"session_uid\": \"0011", "\"session_id\": \"0011", "verdict.json: \"original\""},
        {"Results Reproduced: yes", "Results Reproduced: no", "differs"},
    };
    struct verify_result *verified = calloc(1, sizeof(*verified));
    struct sitting published, here;
    struct reproduce_config config;
    struct build_record record;
    struct reproduce_state state;
    struct buf json, page;

    cr_assert(mkdtemp(folder));
    sitting_make("published", &(struct results_builder){.block_count = 8}, "SELECT 1", &published);
    sitting_make("here", &(struct results_builder){.block_count = 8, .seed = 7}, "SELECT 1", &here);
    state_make(&published, &here, false, verified, &config, &record, &state);
    verdict_write(&state, &json, &page);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct buf changed;

        text_edit(&json, rows[i].from, rows[i].to, &changed);
        const char *says = text_judge(changed.bytes, &page, &here, state.here_samples_digest);
        cr_expect(strncmp(says, rows[i].says, strlen(rows[i].says)) == 0, "row %zu: %s", i, says);
        buf_release(&changed);
    }
    buf_release(&json);
    buf_release(&page);
    state_release(&state);
    sitting_release(&here);
    sitting_release(&published);
    free(verified);
    cr_expect_eq(fs_remove_tree(folder, NULL), ERR_OK);
}
