// SPDX-License-Identifier: Apache-2.0
// The state of a reproduction out of its verdict.json and the session that it measured.
#include "report/reproduce/verdict_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/bundle/bag.h"
#include "report/reproduce/verdict_json.h"

struct verdict_record {
    json_t *document; /* its texts are pointed to */
    const struct analysis *here;
    struct reproduce_config config;
    struct verify_result *verified;
    struct results results;         /* the published session's, as far as it is known */
    struct results_engine *engines; /* of it */
    struct analysis published;
    struct claim_result *claims;
    struct claim_part *parts; /* of all claims */
    struct build_record build;
    struct reproduce_state state;
};

/* --- JSON --- */

static enum err_code refuse(struct err *e, const char *what)
{
    return err_set(e, ERR_FORMAT, "verdict.json: %s", what);
}

/* A text or null. False: neither. */
static bool text_get(const json_t *object, const char *key, const char **text_out)
{
    const json_t *value = json_object_get(object, key);

    *text_out = json_string_value(value);
    return json_is_string(value) || json_is_null(value);
}

static bool hex_get(const json_t *object, const char *key, char out[DIGEST_HEX_BYTES])
{
    const char *text = json_string_value(json_object_get(object, key));

    return text && bag_parse_hex(text, strlen(text), out);
}

/* A count, or a time: not below 0. */
static bool count_get(const json_t *object, const char *key, int64_t *count_out)
{
    const json_t *value = json_object_get(object, key);

    *count_out = json_integer_value(value);
    return json_is_integer(value) && *count_out >= 0;
}

/* A number or null, which is NaN. */
static bool number_get(const json_t *object, const char *key, double *number_out)
{
    const json_t *value = json_object_get(object, key);

    *number_out = json_is_number(value) ? json_number_value(value) : (double)NAN;
    return json_is_number(value) || json_is_null(value);
}

/* The place of a text among words; false: it is none of them. */
static bool word_get(const json_t *object, const char *key, const char *const *words, size_t count,
                     size_t *index_out)
{
    const char *text = json_string_value(json_object_get(object, key));

    for (size_t i = 0; text && i < count; i++) {
        if (strcmp(words[i], text) == 0) {
            *index_out = i;
            return true;
        }
    }
    return false;
}

/* --- original --- */

/* Names, workloads and cells are those of the plan, which is the same here. */
static bool original_take(struct verdict_record *record)
{
    const json_t *original = json_object_get(record->document, "original");
    const char *archive = json_string_value(json_object_get(original, "archive_sha256"));
    struct results *results = &record->results;
    int64_t trial_count = 0;
    size_t trust = 0;

    *results = *record->here->results;
    results->engines = record->engines;
    results->session_uid = json_string_value(json_object_get(original, "session_uid"));
    results->plan_digest = json_string_value(json_object_get(original, "plan_digest"));
    const char *problem = NULL;
    bool is_right =
        text_get(original, "program_version", &results->program_version) &&
        text_get(original, "claims_problem", &problem) &&
        hex_get(original, "bundle_id", record->verified->id) &&
        hex_get(original, "samples_digest", record->verified->samples_digest) &&
        count_get(original, "started_utc_ns", &results->started_utc_ns) &&
        count_get(original, "trial_count", &trial_count) &&
        word_get(original, "trust", trust_names, TRUST_NOTHING + 1, &trust) &&
        results->session_uid && results->plan_digest && archive &&
        /* of an unpacked bundle there is none */
        (!*archive || hex_get(original, "archive_sha256", record->verified->archive_sha256));

    results->trial_count = (size_t)trial_count;
    record->published.results = results;
    record->published.trust = (enum trust)trust;
    snprintf(record->published.claims_problem, sizeof(record->published.claims_problem), "%s",
             problem ? problem : "");
    return is_right;
}

/* --- program --- */

static bool tool_take(struct verdict_record *record, const json_t *tool)
{
    struct rebuild_result *rebuilt = &record->state.rebuilt;
    struct build_tool *own = &record->build.tools[record->build.tool_count];
    char *here = rebuilt->tools[record->build.tool_count++];
    const char *says = NULL;

    own->name = json_string_value(json_object_get(tool, "name"));
    own->says = json_string_value(json_object_get(tool, "published"));
    if (!own->name || !own->says || !text_get(tool, "here", &says) ||
        (says && strlen(says) >= REBUILD_TEXT_BYTES)) {
        return false;
    }
    snprintf(here, REBUILD_TEXT_BYTES, "%s", says ? says : "");
    rebuilt->same_toolchain = rebuilt->same_toolchain && strcmp(own->says, here) == 0;
    return true;
}

/* What came out of the build is what was measured; its outcome follows from the digests and the
 * tools. */
static bool program_take(struct verdict_record *record)
{
    const json_t *program = json_object_get(record->document, "program");
    const json_t *tools = json_object_get(program, "toolchain");
    struct rebuild_result *rebuilt = &record->state.rebuilt;
    const struct results *here = record->here->results;
    const char *published = NULL;

    if (here->engine_count == 0 || !here->engines[0].binary_sha256 ||
        !text_get(program, "published_sha256", &published) || !json_is_array(tools) ||
        json_array_size(tools) > BUILD_TOOL_COUNT_MAX) {
        return false;
    }
    rebuilt->same_toolchain = true;
    for (size_t i = 0; i < json_array_size(tools); i++) {
        if (!tool_take(record, json_array_get(tools, i))) {
            return false;
        }
    }
    record->engines[0].binary_sha256 = published;
    snprintf(rebuilt->sha256, sizeof(rebuilt->sha256), "%s", here->engines[0].binary_sha256);
    rebuilt->outcome = published && strcmp(published, rebuilt->sha256) == 0 ? REBUILD_IDENTICAL
                       : rebuilt->same_toolchain ? REBUILD_DIFFERS_SAME_TOOLCHAIN
                                                 : REBUILD_DIFFERS_OTHER_TOOLCHAIN;
    return true;
}

/* Nothing is measured of engines that gave wrong answers. */
static bool gate_take(struct verdict_record *record)
{
    const json_t *gate = json_object_get(record->document, "gate");
    const char *text = NULL;

    record->state.gate_was_asked = record->state.gate_passed = true;
    if (!json_is_true(json_object_get(gate, "passed")) || !text_get(gate, "text", &text)) {
        return false;
    }
    buf_add_text(&record->state.gate_text, text ? text : "");
    return true;
}

/* --- machines --- */

/* Facts that differ, by name; what is known here is of the session. */
static bool machines_take(struct verdict_record *record)
{
    const json_t *list = json_object_get(record->document, "environment");
    struct surroundings *surroundings = &record->state.surroundings;
    const char *last = "";

    if (!json_is_array(list) || !surroundings->rows) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(item, "name")), *published = NULL;

        if (!name || strcmp(last, name) >= 0 || !text_get(item, "published", &published)) {
            return false;
        }
        const char *here = results_find_fact(record->here->results, "start", name);

        last = name;
        if (published && here ? strcmp(published, here) != 0 : published != here) {
            surroundings->rows[surroundings->count++] = (struct surrounding){
                name, published, here, published && here, surroundings_matter(name)};
        }
    }
    surroundings->same_class = surroundings_are_same_class(surroundings, record->here->results);
    return true;
}

/* --- claims --- */

static bool engine_find(const struct results *results, const json_t *part, const char *key,
                        size_t *index_out)
{
    const char *name = NULL;

    if (!text_get(part, key, &name)) {
        return false;
    }
    *index_out = SIZE_MAX;
    for (size_t i = 0; name && i < results->engine_count; i++) {
        if (strcmp(results->engines[i].name, name) == 0) {
            *index_out = i;
        }
    }
    return !name || *index_out != SIZE_MAX;
}

static bool cell_find(const struct results *results, const json_t *part, size_t *index_out)
{
    const char *workload = json_string_value(json_object_get(part, "workload"));
    const json_t *rate = json_object_get(part, "rate_per_s");
    int64_t rate_per_s = json_is_integer(rate) ? json_integer_value(rate) : METRIC_UNKNOWN;
    int64_t connection_count = 0;

    if (!workload || !count_get(part, "connections", &connection_count)) {
        return false;
    }
    for (size_t i = 0; i < results->cell_count; i++) {
        const struct results_cell *cell = &results->cells[i];

        if (strcmp(results->workloads[cell->workload_index].name, workload) == 0 &&
            cell->connection_count == connection_count && cell->rate_per_s == rate_per_s) {
            *index_out = i;
            return true;
        }
    }
    return false;
}

static bool part_take(const struct results *results, const json_t *part, struct claim_part *own)
{
    const json_t *estimate = json_object_get(part, "published");
    int64_t count = 0;
    size_t word = 0;
    bool is_right = cell_find(results, part, &own->cell_index) &&
                    engine_find(results, part, "engine", &own->engine_index) &&
                    engine_find(results, part, "over", &own->other_index) &&
                    number_get(estimate, "value", &own->estimate.value) &&
                    number_get(estimate, "low", &own->estimate.low) &&
                    number_get(estimate, "high", &own->estimate.high) &&
                    count_get(estimate, "n", &count) &&
                    word_get(estimate, "word", claim_word_names, CLAIM_INCONCLUSIVE + 1, &word);

    own->estimate.count = (size_t)count;
    own->word = (enum claim_word)word;
    return is_right;
}

static bool claim_take(struct verdict_record *record, const json_t *claim, size_t index,
                       size_t *part_index)
{
    const struct plan_claim *planned = record->here->claims[index].claim;
    const char *id = json_string_value(json_object_get(claim, "id"));
    const json_t *parts = json_object_get(claim, "parts");
    struct claim_result *own = &record->claims[index];

    if (!id || strcmp(id, planned->id) != 0 || !json_is_array(parts)) {
        return false;
    }
    *own = (struct claim_result){.claim = planned, .parts = &record->parts[*part_index]};
    for (size_t i = 0; i < json_array_size(parts); i++) {
        if (!part_take(&record->results, json_array_get(parts, i),
                       &record->parts[(*part_index)++])) {
            return false;
        }
        own->part_count++;
    }
    return true;
}

static bool claims_take(struct verdict_record *record)
{
    const json_t *claims = json_object_get(record->document, "claims");
    size_t part_count = 0, part_index = 0;

    if (json_array_size(claims) != record->here->claim_count) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(claims); i++) {
        part_count += json_array_size(json_object_get(json_array_get(claims, i), "parts"));
    }
    record->claims = calloc(json_array_size(claims) + 1, sizeof(*record->claims));
    record->parts = calloc(part_count + 1, sizeof(*record->parts));
    if (!record->claims || !record->parts) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(claims); i++) {
        if (!claim_take(record, json_array_get(claims, i), i, &part_index)) {
            return false;
        }
    }
    record->published.claims = record->claims;
    record->published.claim_count = json_array_size(claims);
    return true;
}

/* --- all --- */

/* A quick run is of a shortened plan; any other of the very same one. */
static bool mode_take(struct verdict_record *record)
{
    static const char *const modes[] = {"full", "quick"};
    size_t mode = 0;

    if (!word_get(record->document, "mode", modes, ARRAY_COUNT(modes), &mode)) {
        return false;
    }
    record->config.is_quick = mode == 1;
    return mode == 1 ||
           strcmp(record->results.plan_digest, record->here->results->plan_digest) == 0;
}

static enum err_code record_fill(struct verdict_record *record, struct err *e)
{
    static const struct {
        bool (*take)(struct verdict_record *record);
        const char *fault;
    } steps[] = {
        {original_take, "\"original\" is not as it must be"},
        {program_take, "\"program\" is not as it must be"},
        {gate_take, "\"gate\" is not that every engine gave the recorded answers"},
        {machines_take, "\"environment\" is not as it must be"},
        {claims_take, "\"claims\" are not those of the plan"},
        {mode_take, "\"mode\" is full, but the plan is not the one that was published"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(steps); i++) {
        if (!steps[i].take(record)) {
            return refuse(e, steps[i].fault);
        }
    }
    const struct replication_options options = {.same_class = record->state.surroundings.same_class,
                                                .is_quick = record->config.is_quick};
    return replication_make(&record->published, record->here, &options, &record->state.replication,
                            e);
}

/* What the steps fill in. */
static bool record_prepare(struct verdict_record *record)
{
    const struct results *here = record->here->results;
    size_t row_count = json_array_size(json_object_get(record->document, "environment"));

    record->verified = calloc(1, sizeof(*record->verified));
    record->engines = calloc(here->engine_count + 1, sizeof(*record->engines));
    record->state.surroundings.rows =
        calloc(row_count + 1, sizeof(*record->state.surroundings.rows));
    if (!record->verified || !record->engines || !record->state.surroundings.rows) {
        return false;
    }
    if (here->engine_count) {
        memcpy(record->engines, here->engines, here->engine_count * sizeof(*record->engines));
    }
    record->config.verified = record->verified;
    record->config.program_version = here->program_version;
    record->state.config = &record->config;
    record->state.published = &record->published;
    record->state.here = record->here;
    record->state.record = &record->build;
    return true;
}

enum err_code verdict_record_read(json_t *document, const struct analysis *here,
                                  const char *samples_digest, struct verdict_record **record_out,
                                  struct err *e)
{
    const char *format = json_string_value(json_object_get(document, "format"));
    struct verdict_record *record = NULL;

    if (!format || strcmp(format, VERDICT_JSON_FORMAT) != 0) {
        return refuse(e, "its format is not " VERDICT_JSON_FORMAT);
    }
    record = calloc(1, sizeof(*record));
    if (!record) {
        return err_set(e, ERR_LIMIT, "no memory for a recorded verdict");
    }
    record->document = json_incref(document);
    record->here = here;
    buf_init(&record->state.gate_text, (size_t)1 << 20);
    snprintf(record->state.here_samples_digest, sizeof(record->state.here_samples_digest), "%s",
             samples_digest);
    enum err_code code = record_prepare(record)
                             ? record_fill(record, e)
                             : err_set(e, ERR_LIMIT, "no memory for a recorded verdict");
    if (code == ERR_OK) {
        *record_out = record;
    } else {
        verdict_record_free(record);
    }
    return code;
}

void verdict_record_free(struct verdict_record *record)
{
    if (!record) {
        return;
    }
    replication_release(&record->state.replication);
    surroundings_release(&record->state.surroundings);
    buf_release(&record->state.gate_text);
    json_decref(record->document);
    free(record->verified);
    free(record->engines);
    free(record->claims);
    free(record->parts);
    free(record);
}

const struct reproduce_state *verdict_record_state(const struct verdict_record *record)
{
    return &record->state;
}
