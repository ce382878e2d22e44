// SPDX-License-Identifier: Apache-2.0
// The payload that is made from the results.
#include "report/bundle/content.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/asset.h"
#include "collector/digest.h"
#include "engines/base/buf.h"
#include "engines/base/clock.h"
#include "engines/base/units.h"
#include "report/bundle/content_claims.h"
#include "report/bundle/content_readme.h"
#include "report/bundle/spool.h"
#include "report/judge/analysis_load.h"
#include "report/query/results_logs.h"
#include "report/query/results_pass.h"

#define TEXT_BYTES_MAX ((size_t)16 << 20)
#define PIECE_BYTES    ((size_t)64 << 10)

int64_t content_time_s(const struct results *results)
{
    int64_t last_ns = METRIC_UNKNOWN;

    for (size_t i = 0; i < results->trial_count; i++) {
        if (results->trials[i].ended_utc_ns > last_ns) {
            last_ns = results->trials[i].ended_utc_ns;
        }
    }
    if (last_ns == METRIC_UNKNOWN) {
        last_ns = results->started_utc_ns;
    }
    return last_ns > 0 ? last_ns / CLOCK_NS_PER_S : 0;
}

/* Whether the program that was measured is the one that our build record makes. */
static bool is_own_program(const struct results *results)
{
    const struct asset *asset = asset_find("build.json");
    json_t *record =
        asset ? json_loadb(asset->bytes, asset->length, JSON_REJECT_DUPLICATES, NULL) : NULL;
    const char *sha256 =
        json_string_value(json_object_get(json_object_get(record, "product"), "sha256"));
    bool is_own = sha256 && results->engine_count > 0;

    for (size_t i = 0; i < results->engine_count && is_own; i++) {
        const struct results_engine *engine = &results->engines[i];

        /* A server that is not built in is not of this program in any case. */
        is_own = strcmp(engine->kind, "builtin") != 0 ||
                 (engine->binary_sha256 && strcmp(engine->binary_sha256, sha256) == 0);
    }
    json_decref(record);
    return is_own;
}

bool content_has_sources(const struct content_config *config)
{
    return config->results->program_version &&
           strcmp(config->results->program_version, config->program_version) == 0 &&
           is_own_program(config->results);
}

const char *content_sources_words(const struct results *results)
{
    bool has_builtin = false, has_foreign = false;

    for (size_t i = 0; i < results->engine_count; i++) {
        const struct results_engine *engine = &results->engines[i];
        bool is_builtin = strcmp(engine->kind, "builtin") == 0;

        has_foreign = has_foreign || !is_builtin;
        has_builtin = has_builtin || (is_builtin && strcmp(engine->role, "limit") != 0);
    }
    if (!has_builtin) {
        return "";
    }
    return has_foreign ? "sources of the built-in servers, " : "server sources, ";
}

uint64_t content_count_samples(const struct results *results)
{
    uint64_t count = 0;

    for (size_t i = 0; i < results->trial_count; i++) {
        count += results->trials[i].sample_count;
    }
    return count;
}

/* --- samples.csv --------------------------------------------------------------------------------
 */

static void cell_add(struct buf *out, int64_t value)
{
    buf_add_char(out, ',');
    if (value != METRIC_UNKNOWN) {
        buf_add_integer(out, value);
    }
}

static void sample_add(struct buf *out, int64_t trial_id, const struct sample *sample)
{
    buf_addf(out, "%" PRId64 ",%" PRIu32 ",%s,%" PRId64 ",%" PRId64, trial_id, sample->index,
             sample_phase_names[sample->phase], sample->start_ns, sample->end_ns);
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        cell_add(out, sample->metrics[i]);
    }
    for (size_t i = 0; i < OUTCOME_COUNT; i++) {
        cell_add(out, (int64_t)sample->outcomes[i]);
    }
    buf_add_char(out, '\n');
}

/* samples.csv while the file is read a trial at a time. */
struct samples_writer {
    struct spool *spool;
    struct buf text;
};

static enum err_code samples_flush(struct samples_writer *writer, struct err *e)
{
    enum err_code code = buf_check(&writer->text, CONTENT_SAMPLES, e);

    spool_add(writer->spool, writer->text.bytes, writer->text.length);
    buf_clear(&writer->text);
    return code;
}

static void samples_add_head(struct buf *out)
{
    buf_add_text(out, "trial_id,sample_index,phase,start_ns,end_ns");
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        buf_addf(out, ",%s", metric_infos[i].name);
    }
    for (size_t i = 0; i < OUTCOME_COUNT; i++) {
        buf_addf(out, ",outcome_%s", outcome_infos[i].name);
    }
    buf_add_char(out, '\n');
}

static enum err_code samples_visit(void *self, const struct results *results, size_t trial_index,
                                   struct err *e)
{
    struct samples_writer *writer = self;
    const struct results_trial *trial = &results->trials[trial_index];
    enum err_code code = ERR_OK;

    for (size_t i = 0; i < trial->sample_count && code == ERR_OK; i++) {
        sample_add(&writer->text, trial->trial_id, &trial->samples[i]);
        code = writer->text.length > PIECE_BYTES ? samples_flush(writer, e) : ERR_OK;
    }
    return code;
}

/* --- JSON ---------------------------------------------------------------------------------------
 */

/* Adds a JSON document (taken over; NULL: making it failed) in its one spelling. */
static enum err_code json_add(struct file_tree *tree, const char *path, json_t *document,
                              struct err *e)
{
    char *text = document ? json_dumps(document, JSON_INDENT(2)) : NULL;
    struct buf out;

    json_decref(document);
    if (!text) {
        return err_set(e, ERR_FORMAT, "%s: a text that is not UTF-8, or no memory", path);
    }
    buf_init(&out, TEXT_BYTES_MAX);
    buf_addf(&out, "%s\n", text);
    free(text);
    enum err_code code = buf_check(&out, path, e);
    if (code == ERR_OK) {
        code = file_tree_add_file(tree, path, out.bytes, out.length, e);
    }
    buf_release(&out);
    return code;
}

static json_t *facts_of_moment(const struct results *results, const char *moment)
{
    json_t *facts = json_object();

    for (size_t i = 0; facts && i < results->fact_count; i++) {
        const struct results_fact *fact = &results->facts[i];
        if (strcmp(fact->moment, moment) != 0) {
            continue;
        }
        if (json_object_set_new(facts, fact->name,
                                fact->value ? json_string(fact->value) : json_null()) < 0) {
            json_decref(facts);
            return NULL;
        }
    }
    return facts;
}

static enum err_code facts_add(const struct results *results, struct file_tree *tree, struct err *e)
{
    return json_add(tree, CONTENT_FACTS,
                    json_pack("{s:o, s:o}", "start", facts_of_moment(results, "start"), "end",
                              facts_of_moment(results, "end")),
                    e);
}

/* --- servers ------------------------------------------------------------------------------------
 */

enum err_code content_format_build_path(const char *engine_name, char out[CONTENT_PATH_BYTES],
                                        struct err *e)
{
    char slug[FILE_TREE_SLUG_BYTES], hex[DIGEST_HEX_BYTES];
    enum err_code code = digest_bytes(engine_name, strlen(engine_name), hex, e);

    if (code == ERR_OK) {
        file_tree_format_slug(engine_name, slug);
        snprintf(out, CONTENT_PATH_BYTES, CONTENT_SERVERS "%s-%.8s/build.json", slug, hex);
    }
    return code;
}

/* A stored JSON text as JSON, or as a string when it is none. */
static json_t *command_of(const struct results_engine *engine)
{
    json_t *command = json_loads(engine->command_json, JSON_REJECT_DUPLICATES, NULL);

    return command ? command : json_string(engine->command_json);
}

static enum err_code engine_add(const struct content_config *config,
                                const struct results_engine *engine, struct file_tree *tree,
                                struct err *e)
{
    char path[CONTENT_PATH_BYTES];
    enum err_code code = content_format_build_path(engine->name, path, e);

    if (code != ERR_OK) {
        return code;
    }
    return json_add(tree, path,
                    json_pack("{s:s, s:s, s:s, s:s, s:I, s:o, s:s?, s:s, s:s?, s:s?}", "name",
                              engine->name, "role", engine->role, "kind", engine->kind, "runs",
                              engine->source, "thread_count", (json_int_t)engine->thread_count,
                              "command", command_of(engine), "binary_sha256", engine->binary_sha256,
                              "program_version", config->results->program_version, "source",
                              content_has_sources(config) ? CONTENT_SOURCES : NULL, "build",
                              content_has_sources(config) ? CONTENT_BUILD : NULL),
                    e);
}

/* The sources of tacho-engine and what is needed to build it again, which the Makefile wrote. */
static enum err_code sources_add(struct file_tree *tree, struct err *e)
{
    const struct asset *record = asset_find("build.json");
    enum err_code code =
        record ? file_tree_add_file(tree, CONTENT_BUILD, record->bytes, record->length, e)
               : err_set(e, ERR_FORMAT, "the program carries no build.json");

    for (const struct asset *asset = assets; asset->name && code == ERR_OK; asset++) {
        char path[FILE_TREE_PATH_BYTES_MAX + 1];

        if (strncmp(asset->name, "engines/", strlen("engines/")) == 0) {
            snprintf(path, sizeof(path), CONTENT_SOURCES "%s", asset->name);
            code = file_tree_add_file(tree, path, asset->bytes, asset->length, e);
        }
    }
    return code;
}

static enum err_code servers_add(const struct content_config *config, struct file_tree *tree,
                                 struct err *e)
{
    enum err_code code = ERR_OK;

    for (size_t i = 0; i < config->results->engine_count && code == ERR_OK; i++) {
        code = engine_add(config, &config->results->engines[i], tree, e);
    }
    return code == ERR_OK && content_has_sources(config) ? sources_add(tree, e) : code;
}

/* --- texts --------------------------------------------------------------------------------------
 */

static enum err_code text_add(struct file_tree *tree, const char *path, struct buf *text,
                              struct err *e)
{
    enum err_code code = buf_check(text, path, e);

    if (code == ERR_OK) {
        code = file_tree_add_file(tree, path, text->bytes, text->length, e);
    }
    buf_release(text);
    return code;
}

static enum err_code readme_add(const struct content_review *review,
                                const struct analysis *analysis, size_t log_count,
                                struct file_tree *tree, struct err *e)
{
    struct buf text;

    buf_init(&text, TEXT_BYTES_MAX);
    content_readme_format(review, analysis, log_count, &text);
    return text_add(tree, CONTENT_README, &text, e);
}

static enum err_code trial_review(void *self, const struct results *results, size_t trial_index,
                                  struct err *e)
{
    const struct content_review *review = self;

    (void)e;
    policy_check_trial(&review->look, results, trial_index);
    return ERR_OK;
}

/* What needs the session's numbers: claims and README. */
static enum err_code judged_add(const struct content_config *config, size_t log_count,
                                struct file_tree *tree, struct err *e)
{
    struct content_review review;
    const struct results_pass pass = {.visit = trial_review, .self = &review, .is_checked = true};
    struct analysis *analysis = NULL;
    struct results *results = NULL;

    content_review_begin(&review, config);
    enum err_code code = analysis_load(config->results_path, true, &pass, &results, &analysis, e);
    if (code == ERR_OK) {
        code = content_review_finish(&review, e);
    }
    if (code == ERR_OK) {
        code = content_claims_add(analysis, tree, e);
    }
    if (code == ERR_OK) {
        code = readme_add(&review, analysis, log_count, tree, e);
    }
    analysis_free(analysis);
    results_free(results);
    content_review_release(&review);
    return code;
}

/* The load driver's own sources. */
static enum err_code driver_add(const struct content_config *config, struct file_tree *tree,
                                struct err *e)
{
    static const char prefix[] = "collector/driver/";
    enum err_code code = ERR_OK;

    for (const struct asset *asset = assets; asset->name && code == ERR_OK; asset++) {
        char path[FILE_TREE_PATH_BYTES_MAX + 1];

        if (content_has_sources(config) && strncmp(asset->name, prefix, sizeof(prefix) - 1) == 0) {
            snprintf(path, sizeof(path), CONTENT_DRIVER "%s", asset->name);
            code = file_tree_add_file(tree, path, asset->bytes, asset->length, e);
        }
    }
    return code;
}

/* CITATION.cff 1.2.0. A YAML double-quoted string: JSON's spelling of a text is one. */
static enum err_code citation_add(const struct content_config *config, struct file_tree *tree,
                                  struct err *e)
{
    json_t *title = json_string(config->results->title);
    char *quoted = title ? json_dumps(title, JSON_ENCODE_ANY) : NULL;
    char date[CLOCK_TEXT_BYTES];
    struct buf text;

    json_decref(title);
    if (!quoted) {
        return err_set(e, ERR_FORMAT, "the title is not UTF-8");
    }
    clock_format_utc(content_time_s(config->results) * CLOCK_NS_PER_S, date);
    buf_init(&text, TEXT_BYTES_MAX);
    buf_addf(&text,
             "cff-version: 1.2.0\nmessage: If you use these measurements, please cite them.\n"
             "type: dataset\ntitle: %s\nauthors:\n  - name: The publisher of this bundle\n"
             "date-released: %.10s\nlicense: Apache-2.0\nidentifiers:\n  - type: other\n"
             "    value: \"sha256:%s\"\n    description: SHA-256 over the measurements\n",
             quoted, date, config->samples_digest);
    free(quoted);
    return text_add(tree, "data/CITATION.cff", &text, e);
}

static enum err_code samples_add(const struct content_config *config, struct spool *spool,
                                 struct err *e)
{
    struct samples_writer writer = {.spool = spool};
    const struct results_pass pass = {.visit = samples_visit, .self = &writer, .is_checked = true};
    struct results *results = NULL;

    buf_init(&writer.text, TEXT_BYTES_MAX);
    samples_add_head(&writer.text);
    enum err_code code = results_load_each(config->results_path, true, &pass, &results, e);
    if (code == ERR_OK) {
        results_free(results);
        code = samples_flush(&writer, e);
    }
    buf_release(&writer.text);
    return code == ERR_OK ? spool_end_file(spool, CONTENT_SAMPLES, e) : code;
}

struct log_writer {
    struct spool *spool;
    size_t count;
};

/* A log as a file: what was left out of its middle is said there. */
static enum err_code log_add(void *self, const struct results_log *log, struct err *e)
{
    struct log_writer *writer = self;
    struct spool *spool = writer->spool;
    char path[CONTENT_PATH_BYTES], gap[80];
    int64_t left_out = log->written_bytes - (int64_t)(log->head_bytes + log->tail_bytes);

    spool_add(spool, log->head, log->head_bytes);
    if (left_out) {
        int length =
            snprintf(gap, sizeof(gap), "\n[tacho kept no more: %" PRId64 " bytes]\n", left_out);
        spool_add(spool, gap, (size_t)length);
    }
    spool_add(spool, log->tail, log->tail_bytes);
    writer->count++;
    snprintf(path, sizeof(path), CONTENT_LOGS "trial-%05" PRId64 "/server.txt", log->trial_id);
    return spool_end_file(spool, path, e);
}

/* What is large, piece by piece. */
static enum err_code large_add(const struct content_config *config, size_t *log_count_out,
                               struct file_tree *tree, struct err *e)
{
    struct log_writer writer = {0};
    enum err_code code = spool_new(tree, &writer.spool, e);

    if (code == ERR_OK) {
        code = samples_add(config, writer.spool, e);
    }
    if (code == ERR_OK) {
        code = results_visit_logs(config->results_path, true, log_add, &writer, e);
    }
    spool_free(writer.spool);
    *log_count_out = writer.count;
    return code;
}

static enum err_code license_add(struct file_tree *tree, struct err *e)
{
    const struct asset *license = asset_find("LICENSE");

    return license ? file_tree_add_file(tree, "data/LICENSES/Apache-2.0.txt", license->bytes,
                                        license->length, e)
                   : err_set(e, ERR_FORMAT, "the program carries no LICENSE");
}

enum err_code content_add(const struct content_config *config, struct file_tree *tree,
                          struct err *e)
{
    const struct results *results = config->results;
    size_t log_count = 0;
    enum err_code code =
        file_tree_add_file(tree, CONTENT_PLAN, results->plan_text, strlen(results->plan_text), e);

    if (code == ERR_OK && results->plan_source) {
        code = file_tree_add_file(tree, CONTENT_WRITTEN, results->plan_source,
                                  strlen(results->plan_source), e);
    }
    if (code == ERR_OK) {
        code = large_add(config, &log_count, tree, e);
    }
    if (code == ERR_OK) {
        code = judged_add(config, log_count, tree, e);
    }
    if (code == ERR_OK) {
        code = citation_add(config, tree, e);
    }
    if (code == ERR_OK) {
        code = license_add(tree, e);
    }
    if (code == ERR_OK) {
        code = facts_add(results, tree, e);
    }
    if (code == ERR_OK) {
        code = servers_add(config, tree, e);
    }
    if (code == ERR_OK) {
        code = driver_add(config, tree, e);
    }
    return code == ERR_OK ? file_tree_complete(tree, e) : code;
}
