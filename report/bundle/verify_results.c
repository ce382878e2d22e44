// SPDX-License-Identifier: Apache-2.0
// Stages V9, V10, V12: the results file, what was made from it, the report.
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
#include "report/bundle/crate.h"
#include "report/bundle/export.h"
#include "report/bundle/folder.h"
#include "report/bundle/renderer.h"
#include "report/bundle/verify_work.h"
#include "report/forms/form.h"
#include "report/judge/plan_rows.h"
#include "report/query/results_pass.h"
#include "report/report.h"

#define RECORD_BYTES_MAX ((size_t)1 << 20) /* of a build record or a verdict */

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

/* The rows and their digest, on a thread of its own: it takes as long as the rest. */
struct reading {
    const char *path;
    struct results *results;
    char hex[DIGEST_HEX_BYTES];
    enum err_code code;
    struct err e;
};

static void *reading_main(void *self)
{
    struct reading *reading = self;
    const struct results_pass pass = {
        .visit = results_visit_nothing, .digest_hex = reading->hex, .is_checked = true};

    reading->code = results_load_each(reading->path, true, &pass, &reading->results, &reading->e);
    return NULL;
}

/* The heap of SQLite, which a hostile file would like to fill. */
#define SQLITE_HEAP_BYTES_MAX (INT64_C(192) << 20)

static enum err_code database_read(struct verify_work *work, struct err *e)
{
    struct reading reading = {.path = work->results_path};
    const char *fault = "db-rows";
    struct err cause = {0};
    pthread_t thread;

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

static bool made_by_this_program(const struct verify_work *work)
{
    char agent[BAG_VALUE_BYTES];

    bundle_format_agent(work->config->program_version, agent, sizeof(agent));
    return strcmp(agent, work->info.software_agent) == 0;
}

static enum err_code entry_compare(struct verify_work *work, const struct file_tree_entry *own,
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

/* The JSON of a file; NULL when it is none, or not there. */
static json_t *document_load(const struct verify_work *work, const struct file_tree_entry *entry)
{
    json_t *document = NULL;
    struct buf text;

    buf_init(&text, RECORD_BYTES_MAX);
    if (entry && !entry->is_folder && file_tree_load(&work->tree, entry, &text, NULL) == ERR_OK) {
        document = json_loadb(text.bytes, text.length, JSON_REJECT_DUPLICATES, NULL);
    }
    buf_release(&text);
    return document;
}

/* The verdict names the bundle that bag-info.txt names, and the measurements that are in this one.
 */
static void reproduction_check(struct verify_work *work)
{
    const struct file_tree_entry *entry = file_tree_find(&work->tree, CONTENT_REPRODUCTION_VERDICT);
    json_t *verdict = document_load(work, entry);
    const char *id =
        json_string_value(json_object_get(json_object_get(verdict, "original"), "bundle_id"));
    const char *samples =
        json_string_value(json_object_get(json_object_get(verdict, "here"), "samples_digest"));

    if (!id || !samples || strcmp(id, work->info.based_on) != 0 ||
        strcmp(samples, work->result->samples_digest) != 0) {
        verify_add_finding(work, "reproduction",
                           "%s is missing, or not about these measurements and the bundle that "
                           "bag-info.txt names",
                           CONTENT_REPRODUCTION_VERDICT);
    }
    json_decref(verdict);
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
    json_t *record = document_load(work, entry);
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
    if (!made_by_this_program(work)) {
        return ERR_OK;
    }
    buf_init(&text, CRATE_BYTES_MAX);
    enum err_code code = crate_format(config, &work->tree, &text, e);
    if (code == ERR_OK) {
        own.bytes = text.bytes;
        own.length = text.length;
        code = entry_compare(work, &own, e);
    }
    buf_release(&text);
    return code;
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
    if (code == ERR_OK && made_by_this_program(work)) {
        for (size_t i = 0; i < own.count && code == ERR_OK; i++) {
            code = own.entries[i].is_folder ? ERR_OK : entry_compare(work, &own.entries[i], e);
        }
        strangers_find(work, &own);
    } else if (code == ERR_OK) {
        verify_add_note(work,
                        "made by %s: README, sources and build records were compared with "
                        "the manifests alone",
                        work->info.software_agent);
        for (size_t i = 0; i < ARRAY_COUNT(always) && code == ERR_OK; i++) {
            const struct file_tree_entry *entry = file_tree_find(&own, always[i]);

            code = entry ? entry_compare(work, entry, e) : ERR_OK; /* a plan may have no source */
        }
    }
    file_tree_release(&own);
    return code == ERR_OK ? crate_compare(work, &config, e) : code;
}

/* Engines, workloads and cells are those of the plan, so that no name stands for another's numbers.
 */
static enum err_code plan_compare(struct verify_work *work, struct err *e)
{
    struct plan_rows rows;
    enum err_code code = plan_rows_compare(work->results, &rows, e);

    if (code == ERR_OK && *rows.difference) {
        verify_add_finding(work, "plan-rows", "%s", rows.difference);
    }
    return code;
}

enum err_code verify_cross(struct verify_work *work, struct err *e)
{
    const struct results *results = work->results;
    char digest[DIGEST_HEX_BYTES] = "";
    enum err_code code = digest_bytes(results->plan_text, strlen(results->plan_text), digest, e);

    if (code == ERR_OK && (strcmp(digest, work->info.plan_digest) != 0 ||
                           strcmp(digest, results->plan_digest) != 0)) {
        verify_add_finding(work, "plan-digest",
                           "the plan's digest is %s; bag-info.txt says %s, the results file %s",
                           digest, work->info.plan_digest, results->plan_digest);
    }
    if (content_time_s(results) != work->info.time_s) {
        verify_add_finding(work, "bad-time", "Tacho-Time is not the end of the last trial");
    }
    if (strcmp(results->session_uid, work->info.external_identifier) != 0) {
        verify_add_finding(work, "session", "External-Identifier is not the session's");
    }
    if (code == ERR_OK) {
        code = plan_compare(work, e);
    }
    for (size_t i = 0; i < results->engine_count && code == ERR_OK; i++) {
        code = build_check(work, &results->engines[i], e);
    }
    if (*work->info.based_on) {
        reproduction_check(work);
    }
    return code == ERR_OK ? content_compare(work, e) : code;
}

/* --- V12 ----------------------------------------------------------------------------------------
 */

/* Whether a file of the report is compared when another gnuplot, or none, drew the figures. */
static bool depends_on_renderer(const char *path, bool is_none)
{
    static const char tables[] = CONTENT_REPORT "/tables/";

    return is_none ? strncmp(path, tables, sizeof(tables) - 1) != 0
                   : strstr(path, ".svg") || strstr(path, ".html");
}

/* others_differ: figures come from another renderer, so that what shows them is not compared. */
static enum err_code report_compare(struct verify_work *work, const struct file_tree *own,
                                    bool others_differ, bool is_none, struct err *e)
{
    enum err_code code = ERR_OK;

    for (size_t i = 0; i < own->count && code == ERR_OK; i++) {
        const struct file_tree_entry *entry = &own->entries[i];
        if (!entry->is_folder && !(others_differ && depends_on_renderer(entry->path, is_none))) {
            code = entry_compare(work, entry, e);
        }
    }
    for (size_t i = 0; i < work->tree.count; i++) {
        const struct file_tree_entry *entry = &work->tree.entries[i];
        if (strncmp(entry->path, CONTENT_REPORT "/", sizeof(CONTENT_REPORT)) == 0 &&
            !entry->is_folder && !file_tree_find(own, entry->path) &&
            !(others_differ && depends_on_renderer(entry->path, is_none))) {
            verify_add_finding(work, "extra-file", "%s is nothing that the report has",
                               entry->path);
        }
    }
    return code;
}

/* The report is `own`; says so when its figures cannot be those of the bundle. */
static enum err_code renderers_compare(struct verify_work *work, const struct file_tree *own,
                                       struct err *e)
{
    char renderer[RENDERER_BYTES] = "";
    enum err_code code = renderer_find(work->folder.path, renderer, e);

    if (code != ERR_OK) {
        return code;
    }
    bool differ = strcmp(renderer, work->info.renderer) != 0;
    bool is_none =
        strcmp(renderer, RENDERER_NONE) == 0 || strcmp(work->info.renderer, RENDERER_NONE) == 0;
    if (differ) {
        verify_add_note(work,
                        "figures by \"%s\", here it is \"%s\": figures and the pages that "
                        "show them were not compared",
                        work->info.renderer, renderer);
    }
    code = report_compare(work, own, differ, is_none, e);
    if (code == ERR_OK && !work->result->finding_count) {
        work->result->report_level = !differ ? "bytes" : is_none ? "tables" : "but-figures";
    }
    return code;
}

/* Of another tacho's bundle: its numbers may be those of this one all the same. */
static enum err_code numbers_compare(struct verify_work *work, const struct file_tree *own,
                                     struct err *e)
{
    static const char path[] = CONTENT_REPORT "/report.json";
    const struct file_tree_entry *given = file_tree_find(&work->tree, path);
    const struct file_tree_entry *again = file_tree_find(own, path);
    char given_hex[DIGEST_HEX_BYTES] = "", own_hex[DIGEST_HEX_BYTES] = "";
    enum err_code code =
        given && !given->is_folder ? file_tree_digest(given, given_hex, e) : ERR_OK;

    if (code == ERR_OK && again) {
        code = file_tree_digest(again, own_hex, e);
    }
    bool is_equal = *own_hex && strcmp(given_hex, own_hex) == 0;
    work->result->report_level = is_equal ? "numbers" : "none";
    verify_add_note(work,
                    "made by %s, this is tacho %s: of the report only report.json was compared, "
                    "and it is %s",
                    work->info.software_agent, work->config->program_version,
                    is_equal ? "the same" : "another one");
    return code;
}

enum err_code verify_report(struct verify_work *work, struct err *e)
{
    bool is_own = made_by_this_program(work);
    char path[PATH_MAX];
    const struct report_config config = {.results_path = work->results_path,
                                         .immutable = true,
                                         .is_checked = true,
                                         .folder = path,
                                         .forms = is_own ? FORM_ALL : FORM_BIT(json)};
    const char *notice = NULL, *fault = NULL;
    struct file_tree own;

    file_tree_init(&own);
    enum err_code code = work_folder_join(&work->folder, "report", path, e);
    if (code == ERR_OK) {
        code = report_write(&config, NULL, &notice, e);
    }
    if (code == ERR_OK) {
        code = folder_read(path, CONTENT_REPORT, &own, &fault, e);
    }
    if (code == ERR_OK) {
        code = is_own ? renderers_compare(work, &own, e) : numbers_compare(work, &own, e);
    }
    file_tree_release(&own);
    return code;
}
