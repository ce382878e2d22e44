// SPDX-License-Identifier: Apache-2.0
// Stages V9 and V10: the results file, and what was made from it.
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engines/base/fs.h"
#include "report/bundle/bundle.h"
#include "report/bundle/content.h"
#include "report/bundle/content_claims.h"
#include "report/bundle/crate.h"
#include "report/bundle/export.h"
#include "report/bundle/verify_work.h"
#include "report/query/results_pass.h"

#define RECORD_BYTES_MAX ((size_t)1 << 20) /* of a build record */
#define CLAIMS_BYTES_MAX ((size_t)8 << 20)

/* --- V9 -----------------------------------------------------------------------------------------
 */

/* What a second export of the file says: rows that the schema does not allow, other bytes. */
static enum err_code rows_compare(struct verify_work *work, const char **fault_out, struct err *e)
{
    bool differs = false;
    enum err_code code = export_compare(work->results_path, &differs, e);

    if (code != ERR_OK) {
        *fault_out = "db-rows";
    } else if (differs) {
        *fault_out = "db-non-canonical";
        code = err_set(e, ERR_FORMAT, "exported again, the rows give another results.db");
    }
    return code;
}

/* As rows_compare, for a file that another version of SQLite wrote. */
static enum err_code rows_copy(struct verify_work *work, const char **fault_out, struct err *e)
{
    char path[PATH_MAX];

    *fault_out = "db-rows";
    enum err_code code = work_folder_join(&work->folder, "again.db", path, e);
    if (code == ERR_OK) {
        code = export_write(work->results_path, true, path, e);
    }
    if (code == ERR_OK) {
        verify_add_note(work, "another version of SQLite wrote results.db: its pages were not "
                              "compared, its rows were");
        unlink(path);
    }
    return code;
}

/* Nothing hides in free space or in odd cells, and every row is one that the schema allows. A file
 * whose pages are those of a fresh export needs no further look at them. */
static enum err_code pages_check(struct verify_work *work, const char **fault_out, struct err *e)
{
    bool is_same_sqlite = export_is_by_this_sqlite(work->results_path);
    enum err_code code = is_same_sqlite ? rows_compare(work, fault_out, e) : ERR_OK;
    struct err cause = {0};
    const char *fault = NULL;

    if (code == ERR_OK && is_same_sqlite) {
        return export_check(work->results_path, EXPORT_LINKS, fault_out, e);
    }
    if (export_check(work->results_path, EXPORT_PAGES, &fault, &cause) != ERR_OK) {
        *fault_out = fault;
        return err_set(e, cause.code, "%s", cause.text);
    }
    return code == ERR_OK ? rows_copy(work, fault_out, e) : code;
}

/* The rows, their digest and whether they agree, on a thread of its own: it takes as long as the
 * rest. */
struct reading {
    const char *path;
    struct soundness_pass *soundness;
    struct results *results;
    char hex[DIGEST_HEX_BYTES];
    enum err_code code;
    struct err e;
};

static void *reading_main(void *self)
{
    struct reading *reading = self;
    const struct results_pass pass = {.visit = soundness_pass_visit,
                                      .self = reading->soundness,
                                      .digest_hex = reading->hex,
                                      .is_checked = true};

    reading->code = results_load_each(reading->path, true, &pass, &reading->results, &reading->e);
    if (reading->code == ERR_OK) {
        reading->code = soundness_pass_end(reading->soundness, reading->results, &reading->e);
    }
    return NULL;
}

/* The heap of SQLite, which a hostile file would like to fill. */
#define SQLITE_HEAP_BYTES_MAX (INT64_C(192) << 20)

static enum err_code database_read(struct verify_work *work, struct err *e)
{
    const char *fault = "db-rows";
    struct err cause = {0};
    pthread_t thread;
    enum err_code made = soundness_pass_new(work->config->program_version, &work->soundness, e);

    if (made != ERR_OK) {
        return made;
    }
    struct reading reading = {.path = work->results_path, .soundness = work->soundness};
    int failure = pthread_create(&thread, NULL, reading_main, &reading);
    if (failure) {
        return err_set(e, ERR_SYS, "no thread to read results.db: %s", strerror(failure));
    }
    enum err_code code = pages_check(work, &fault, &cause);
    pthread_join(thread, NULL);
    if (code == ERR_OK && reading.code != ERR_OK) {
        fault = "db-rows";
        code = reading.code;
        cause = reading.e;
    }
    if (code != ERR_OK) {
        results_free(reading.results);
        verify_add_finding(work, fault, "%s", cause.text);
        return ERR_OK;
    }
    work->results = reading.results;
    memcpy(work->result->samples_digest, reading.hex, sizeof(reading.hex));
    if (strcmp(reading.hex, work->info.samples_digest) != 0) {
        verify_add_finding(work, "samples-digest", "the rows' digest is %s, bag-info.txt says %s",
                           reading.hex, work->info.samples_digest);
    }
    return ERR_OK;
}

enum err_code verify_database(struct verify_work *work, struct err *e)
{
    const char *fault = "db-header";
    struct err cause = {0};

    if (export_check(work->results_path, EXPORT_SCHEMA, &fault, &cause) != ERR_OK) {
        verify_add_finding(work, fault, "%s", cause.text);
        return ERR_OK;
    }
    int64_t before = sqlite3_hard_heap_limit64(SQLITE_HEAP_BYTES_MAX);
    enum err_code code = database_read(work, e);
    sqlite3_hard_heap_limit64(before);
    return code;
}

/* --- V10 ----------------------------------------------------------------------------------------
 */

bool verify_made_by_this_program(const struct verify_work *work)
{
    char agent[BAG_VALUE_BYTES];

    bundle_format_agent(work->config->program_version, agent, sizeof(agent));
    return strcmp(agent, work->info.software_agent) == 0;
}

enum err_code verify_compare_entry(struct verify_work *work, const struct file_tree_entry *own,
                                   struct err *e)
{
    const struct file_tree_entry *given = file_tree_find(&work->tree, own->path);
    char given_hex[DIGEST_HEX_BYTES] = "", own_hex[DIGEST_HEX_BYTES] = "";

    if (!given || given->is_folder) {
        verify_add_finding(work, "missing-file", "%s is not there", own->path);
        return ERR_OK;
    }
    enum err_code code = file_tree_digest(given, given_hex, e);
    if (code == ERR_OK) {
        code = file_tree_digest(own, own_hex, e);
    }
    if (code == ERR_OK && (given->length != own->length || strcmp(given_hex, own_hex) != 0)) {
        verify_add_finding(work, "content", "%s is not what the results file gives", own->path);
    }
    return code;
}

/* What tells of a reproduction, which no results file gives. */
static bool is_of_reproduction(const struct verify_work *work, const char *path)
{
    static const char *const paths[] = {"data/reproduction", CONTENT_REPRODUCTION_VERDICT,
                                        CONTENT_REPRODUCTION_MARKDOWN, CONTENT_REPRODUCTION_HTML};

    for (size_t i = 0; i < ARRAY_COUNT(paths) && *work->info.based_on; i++) {
        if (strcmp(path, paths[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Files that no program of format 1 puts below data/. */
static void strangers_find(struct verify_work *work, const struct file_tree *own)
{
    for (size_t i = 0; i < work->tree.count; i++) {
        const char *path = work->tree.entries[i].path;

        if (strncmp(path, "data/", 5) == 0 && strcmp(path, CONTENT_RESULTS) != 0 &&
            strcmp(path, CONTENT_REPORT) != 0 && strcmp(path, CRATE_PATH) != 0 &&
            strncmp(path, CONTENT_REPORT "/", sizeof(CONTENT_REPORT)) != 0 &&
            !is_of_reproduction(work, path) && !file_tree_find(own, path)) {
            verify_add_finding(work, "extra-file", "%s is nothing that this program makes", path);
        }
    }
}

/* A build record names the engine and the program that the rows name. */
static enum err_code build_check(struct verify_work *work, const struct results_engine *engine,
                                 struct err *e)
{
    char path[CONTENT_PATH_BYTES];
    enum err_code code = content_format_build_path(engine->name, path, e);

    if (code != ERR_OK) {
        return code;
    }
    const struct file_tree_entry *entry = file_tree_find(&work->tree, path);
    json_t *record = verify_load_document(&work->tree, entry, RECORD_BYTES_MAX);
    const char *name = json_string_value(json_object_get(record, "name"));
    const char *sha256 = json_string_value(json_object_get(record, "binary_sha256"));
    bool is_same = sha256 && engine->binary_sha256 ? strcmp(sha256, engine->binary_sha256) == 0
                                                   : sha256 == engine->binary_sha256;
    if (!name || !is_same || strcmp(name, engine->name) != 0) {
        verify_add_finding(work, "build-record",
                           "%s is missing or does not name the program that the results name",
                           path);
    }
    json_decref(record);
    return ERR_OK;
}

/* The record of how tacho-engine was built, which names the program that its steps make: the one
 * that was measured. */
static void product_check(struct verify_work *work)
{
    const struct file_tree_entry *entry = file_tree_find(&work->tree, CONTENT_BUILD);
    json_t *record = entry ? verify_load_document(&work->tree, entry, RECORD_BYTES_MAX) : NULL;
    const char *sha256 =
        json_string_value(json_object_get(json_object_get(record, "product"), "sha256"));

    for (size_t i = 0; entry && i < work->results->engine_count; i++) {
        const struct results_engine *engine = &work->results->engines[i];

        if (strcmp(engine->kind, "builtin") == 0 && engine->binary_sha256 &&
            (!sha256 || strcmp(sha256, engine->binary_sha256) != 0)) {
            verify_add_finding(work, "build-record",
                               "%s makes another program than the results name", entry->path);
            break;
        }
    }
    json_decref(record);
}

/* The metadata tell of the files that are there; those of this program are spelled as it does. */
static enum err_code crate_compare(struct verify_work *work, const struct content_config *config,
                                   struct err *e)
{
    struct file_tree_entry own = {.path = (char[]){CRATE_PATH}};
    struct err cause = {0};
    struct buf text;

    if (crate_check(&work->tree, &cause) != ERR_OK) {
        verify_add_finding(work, "crate", "%s", cause.text);
        return ERR_OK;
    }
    if (!verify_made_by_this_program(work)) {
        return ERR_OK;
    }
    buf_init(&text, CRATE_BYTES_MAX);
    enum err_code code = crate_format(config, &work->tree, &text, e);
    if (code == ERR_OK) {
        own.bytes = text.bytes;
        own.length = text.length;
        code = verify_compare_entry(work, &own, e);
    }
    buf_release(&text);
    return code;
}

/* Of another tacho: spelled as it likes, with the numbers that this one finds. */
static void claims_compare(struct verify_work *work, const struct file_tree *own)
{
    json_t *given = verify_load_document(&work->tree, file_tree_find(&work->tree, CONTENT_CLAIMS),
                                         CLAIMS_BYTES_MAX);
    json_t *again =
        verify_load_document(own, file_tree_find(own, CONTENT_CLAIMS), CLAIMS_BYTES_MAX);

    work->claims_differ = !verify_same_numbers(given, again);
    json_decref(given);
    json_decref(again);
}

static enum err_code content_compare(struct verify_work *work, struct err *e)
{
    const struct content_config config = {.results = work->results,
                                          .results_path = work->results_path,
                                          .program_version = work->config->program_version,
                                          .samples_digest = work->result->samples_digest,
                                          .based_on =
                                              *work->info.based_on ? work->info.based_on : NULL};
    static const char *const always[] = {CONTENT_SAMPLES, CONTENT_PLAN, CONTENT_WRITTEN,
                                         CONTENT_FACTS};
    struct file_tree own;

    file_tree_init(&own);
    enum err_code code = content_add(&config, &own, e);
    if (code == ERR_OK && verify_made_by_this_program(work)) {
        for (size_t i = 0; i < own.count && code == ERR_OK; i++) {
            code =
                own.entries[i].is_folder ? ERR_OK : verify_compare_entry(work, &own.entries[i], e);
        }
        strangers_find(work, &own);
    } else if (code == ERR_OK) {
        verify_add_note(work,
                        "made by %s: README, sources and build records were compared with "
                        "the manifests alone",
                        work->info.software_agent);
        for (size_t i = 0; i < ARRAY_COUNT(always) && code == ERR_OK; i++) {
            const struct file_tree_entry *entry = file_tree_find(&own, always[i]);

            code = entry ? verify_compare_entry(work, entry, e)
                         : ERR_OK; /* a plan may have no source */
        }
        claims_compare(work, &own);
    }
    file_tree_release(&own);
    return code == ERR_OK ? crate_compare(work, &config, e) : code;
}

enum err_code verify_cross(struct verify_work *work, struct err *e)
{
    const struct results *results = work->results;
    char digest[DIGEST_HEX_BYTES] = "";
    enum err_code code = digest_bytes(results->plan_text, strlen(results->plan_text), digest, e);

    if (code == ERR_OK) {
        code = verify_soundness(work, e);
    }
    if (code == ERR_OK && strcmp(digest, work->info.plan_digest) != 0) {
        verify_add_finding(work, "plan-digest", "the plan's digest is %s; bag-info.txt says %s",
                           digest, work->info.plan_digest);
    }
    if (content_time_s(results) != work->info.time_s) {
        verify_add_finding(work, "bad-time", "Tacho-Time is not the end of the last trial");
    }
    if (strcmp(results->session_uid, work->info.external_identifier) != 0) {
        verify_add_finding(work, "session", "External-Identifier is not the session's");
    }
    for (size_t i = 0; i < results->engine_count && code == ERR_OK; i++) {
        code = build_check(work, &results->engines[i], e);
    }
    product_check(work);
    if (code == ERR_OK && *work->info.based_on) {
        code = verify_reproduction(work, e);
    }
    return code == ERR_OK ? content_compare(work, e) : code;
}
