// SPDX-License-Identifier: Apache-2.0
// Stages V3, V9, V10, V12: the results file, what was made from it, the report.
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
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
#include "report/report.h"

static enum err_code path_in_folder(const struct verify_work *work, const char *name,
                                    char out[PATH_MAX], struct err *e)
{
    return snprintf(out, PATH_MAX, "%s/%s", work->folder, name) >= PATH_MAX
               ? err_set(e, ERR_LIMIT, "%s: the path is too long", work->folder)
               : ERR_OK;
}

/* Writes into the private folder, which nobody else can: an existing name would be an attack. */
static enum err_code private_write(const char *folder, const char *name, const char *bytes,
                                   size_t length, struct err *e)
{
    int parent = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int fd = parent < 0
                 ? -1
                 : openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    enum err_code code = fd < 0 ? err_set_sys(e, "%s/%s", folder, name) : ERR_OK;

    while (length && code == ERR_OK) {
        ssize_t count = write(fd, bytes, length);
        if (count < 0 && errno != EINTR) {
            code = err_set_sys(e, "%s/%s", folder, name);
        } else if (count > 0) {
            bytes += count;
            length -= (size_t)count;
        }
    }
    if (fd >= 0 && close(fd) < 0 && code == ERR_OK) {
        code = err_set_sys(e, "%s/%s", folder, name);
    }
    if (parent >= 0) {
        close(parent);
    }
    return code;
}

enum err_code verify_write_private(struct verify_work *work, const char *name,
                                   const struct buf *bytes, char path_out[PATH_MAX], struct err *e)
{
    char path[PATH_MAX];
    enum err_code code = path_in_folder(work, name, path, e);

    if (code == ERR_OK) {
        code = private_write(work->folder, name, bytes->bytes, bytes->length, e);
    }
    if (code == ERR_OK) {
        memcpy(path_out, path, sizeof(path));
    }
    return code;
}

/* SQLite reads files: the one file that is needed as such gets out, under a name of ours. */
enum err_code verify_extract(struct verify_work *work, struct err *e)
{
    const struct file_tree_entry *results = file_tree_find(&work->tree, CONTENT_RESULTS);
    char folder[PATH_MAX];

    if (!results || results->is_folder) {
        verify_add_finding(work, "missing-file", "%s is not there", CONTENT_RESULTS);
        return ERR_OK;
    }
    if (snprintf(folder, sizeof(folder), "%s/tacho-verify-XXXXXX",
                 work->config->temporary_folder) >= (int)sizeof(folder)) {
        return err_set(e, ERR_LIMIT, "the temporary folder's path is too long");
    }
    if (!mkdtemp(folder)) {
        return err_set_sys(e, "%s", folder);
    }
    memcpy(work->folder, folder, sizeof(folder));
    enum err_code code = path_in_folder(work, "results.db", work->results_path, e);
    return code == ERR_OK ? private_write(folder, "results.db", results->bytes, results->length, e)
                          : code;
}

/* --- V9 -----------------------------------------------------------------------------------------
 */

/* A second export of the file is the file: nothing hides in free space or in odd cells. */
static enum err_code export_compare(struct verify_work *work, struct err *e)
{
    const struct file_tree_entry *given = file_tree_find(&work->tree, CONTENT_RESULTS);
    char path[PATH_MAX];
    struct err cause = {0};
    struct buf again;

    enum err_code code = path_in_folder(work, "again.db", path, e);
    if (code != ERR_OK) {
        return code;
    }
    if (export_write(work->results_path, true, path, &cause) != ERR_OK) {
        verify_add_finding(work, "db-rows", "%s", cause.text);
        return ERR_OK;
    }
    buf_init(&again, FILE_TREE_FILE_BYTES_MAX);
    code = fs_read_file(path, &again, e);
    if (code == ERR_OK && (again.length < 100 || given->length < 100)) {
        code = err_set(e, ERR_DB, "%s: shorter than a header", path);
    }
    if (code == ERR_OK && memcmp(again.bytes + 96, given->bytes + 96, 4) != 0) {
        verify_add_note(work, "another version of SQLite wrote results.db: its pages were not "
                              "compared, its rows were");
    } else if (code == ERR_OK && (again.length != given->length ||
                                  memcmp(again.bytes, given->bytes, again.length) != 0)) {
        verify_add_finding(work, "db-non-canonical",
                           "exported again, the rows give another results.db");
    }
    buf_release(&again);
    return code;
}

enum err_code verify_database(struct verify_work *work, struct err *e)
{
    const char *fault = "db-header";
    char digest[DIGEST_HEX_BYTES] = "";
    struct err cause = {0};

    if (export_check(work->results_path, &fault, &cause) != ERR_OK) {
        verify_add_finding(work, fault, "%s", cause.text);
        return ERR_OK;
    }
    enum err_code code = export_compare(work, e);
    if (code != ERR_OK || work->result->finding_count) {
        return code;
    }
    if (results_digest(work->results_path, true, digest, &cause) != ERR_OK ||
        results_load(work->results_path, true, &work->results, &cause) != ERR_OK) {
        verify_add_finding(work, "db-rows", "%s", cause.text);
        return ERR_OK;
    }
    memcpy(work->result->samples_digest, digest, sizeof(digest));
    if (strcmp(digest, work->info.samples_digest) != 0) {
        verify_add_finding(work, "samples-digest", "the rows' digest is %s, bag-info.txt says %s",
                           digest, work->info.samples_digest);
    }
    return ERR_OK;
}

/* --- V10 ----------------------------------------------------------------------------------------
 */

static bool made_by_this_program(const struct verify_work *work)
{
    char agent[BAG_VALUE_BYTES];

    bundle_format_agent(work->config->program_version, agent, sizeof(agent));
    return strcmp(agent, work->info.software_agent) == 0;
}

static void entry_compare(struct verify_work *work, const struct file_tree_entry *own)
{
    const struct file_tree_entry *given = file_tree_find(&work->tree, own->path);

    if (!given || given->is_folder) {
        verify_add_finding(work, "missing-file", "%s is not there", own->path);
    } else if (given->length != own->length || memcmp(given->bytes, own->bytes, own->length) != 0) {
        verify_add_finding(work, "content", "%s is not what the results file gives", own->path);
    }
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

/* The verdict names the bundle that bag-info.txt names, and the measurements that are in this one.
 */
static void reproduction_check(struct verify_work *work)
{
    const struct file_tree_entry *entry = file_tree_find(&work->tree, CONTENT_REPRODUCTION_VERDICT);
    json_t *verdict = entry && !entry->is_folder
                          ? json_loadb(entry->bytes, entry->length, JSON_REJECT_DUPLICATES, NULL)
                          : NULL;
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
    json_t *record = entry && !entry->is_folder
                         ? json_loadb(entry->bytes, entry->length, JSON_REJECT_DUPLICATES, NULL)
                         : NULL;
    const char *name = json_string_value(json_object_get(record, "name"));
    const char *sha256 = json_string_value(json_object_get(record, "binary_sha256"));
    if (!name || !sha256 || strcmp(name, engine->name) != 0 ||
        strcmp(sha256, engine->binary_sha256) != 0) {
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
        entry_compare(work, &own);
    }
    buf_release(&text);
    return code;
}

static enum err_code content_compare(struct verify_work *work, struct err *e)
{
    const struct content_config config = {.results = work->results,
                                          .program_version = work->config->program_version,
                                          .samples_digest = work->result->samples_digest,
                                          .based_on =
                                              *work->info.based_on ? work->info.based_on : NULL};
    static const char *const always[] = {CONTENT_SAMPLES, CONTENT_PLAN, CONTENT_FACTS};
    struct file_tree own;

    file_tree_init(&own);
    enum err_code code = content_add(&config, &own, e);
    if (code == ERR_OK && made_by_this_program(work)) {
        for (size_t i = 0; i < own.count; i++) {
            if (!own.entries[i].is_folder) {
                entry_compare(work, &own.entries[i]);
            }
        }
        strangers_find(work, &own);
    } else if (code == ERR_OK) {
        verify_add_note(work,
                        "made by %s: README, sources and build records were compared with "
                        "the manifests alone",
                        work->info.software_agent);
        for (size_t i = 0; i < ARRAY_COUNT(always); i++) {
            entry_compare(work, file_tree_find(&own, always[i]));
        }
    }
    file_tree_release(&own);
    return code == ERR_OK ? crate_compare(work, &config, e) : code;
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
static void report_compare(struct verify_work *work, const struct file_tree *own,
                           bool others_differ, bool is_none)
{
    for (size_t i = 0; i < own->count; i++) {
        const struct file_tree_entry *entry = &own->entries[i];
        if (!entry->is_folder && !(others_differ && depends_on_renderer(entry->path, is_none))) {
            entry_compare(work, entry);
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
}

/* The report is `own`; says so when its figures cannot be those of the bundle. */
static enum err_code renderers_compare(struct verify_work *work, const struct file_tree *own,
                                       struct err *e)
{
    char renderer[RENDERER_BYTES] = "";
    enum err_code code = renderer_find(work->folder, renderer, e);

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
    report_compare(work, own, differ, is_none);
    return ERR_OK;
}

enum err_code verify_report(struct verify_work *work, struct err *e)
{
    char path[PATH_MAX];
    const struct report_config config = {
        .results_path = work->results_path, .immutable = true, .folder = path, .forms = FORM_ALL};
    const char *notice = NULL, *fault = NULL;
    struct file_tree own;

    if (!made_by_this_program(work)) {
        verify_add_note(work,
                        "made by %s, this is tacho %s: the report was not compared with one "
                        "made again",
                        work->info.software_agent, work->config->program_version);
        return ERR_OK;
    }
    file_tree_init(&own);
    enum err_code code = path_in_folder(work, "report", path, e);
    if (code == ERR_OK) {
        code = report_write(&config, &notice, e);
    }
    if (code == ERR_OK) {
        code = folder_read(path, CONTENT_REPORT, &own, &fault, e);
    }
    if (code == ERR_OK) {
        code = renderers_compare(work, &own, e);
    }
    file_tree_release(&own);
    return code;
}
