// SPDX-License-Identifier: Apache-2.0
// Writes the evidence bundle of a results file.
#include "report/bundle/bundle.h"

#include <assert.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/side_digest.h"
#include "engines/base/fs.h"
#include "report/bundle/bag.h"
#include "report/bundle/content.h"
#include "report/bundle/crate.h"
#include "report/bundle/export.h"
#include "report/bundle/folder.h"
#include "report/bundle/renderer.h"
#include "report/bundle/rows_check.h"
#include "report/bundle/secret.h"
#include "report/bundle/signature.h"
#include "report/bundle/tar.h"
#include "report/bundle/work_folder.h"
#include "report/forms/form.h"
#include "report/judge/soundness_pass.h"
#include "report/query/results.h"
#include "report/query/results_pass.h"
#include "report/report.h"

_Static_assert(BUNDLE_KEY_BYTES == SIGNATURE_TEXT_BYTES, "a key's text is taken over");

/* Everything that one bundle is made of on its way. */
struct bundle_work {
    const struct bundle_config *config;
    struct work_folder folder;
    char results_path[PATH_MAX], report_path[PATH_MAX];
    struct results *results;
    struct file_tree tree;
    struct bag_info info;
    struct buf signature;
    struct bundle_result result;
};

void bundle_format_agent(const char *program_version, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "tacho %s", program_version);
}

static enum err_code path_join(char out[PATH_MAX], const char *folder, const char *name,
                               const char *ending, struct err *e)
{
    return snprintf(out, PATH_MAX, "%s/%s%s", folder, name, ending) >= PATH_MAX
               ? err_set(e, ERR_LIMIT, "%s: the path is too long", folder)
               : ERR_OK;
}

/* A private folder beside the result: the same disk, so that a full one shows early. */
static enum err_code work_open(struct bundle_work *work, struct err *e)
{
    char store_path[PATH_MAX];
    enum err_code code =
        work_folder_open_in_new(&work->folder, work->config->folder, ".tacho-bundle", e);

    if (code == ERR_OK) {
        code = work_folder_join(&work->folder, "results.db", work->results_path, e);
    }
    if (code == ERR_OK) {
        code = work_folder_join(&work->folder, "report", work->report_path, e);
    }
    if (code == ERR_OK) {
        code = work_folder_join(&work->folder, "store", store_path, e);
    }
    if (code == ERR_OK) {
        work->tree.store_fd = open(store_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        code = work->tree.store_fd < 0 ? err_set_sys(e, "%s", store_path) : ERR_OK;
    }
    return code;
}

static void work_close(struct bundle_work *work)
{
    if (work->tree.store_fd >= 0) {
        close(work->tree.store_fd);
    }
    results_free(work->results);
    file_tree_release(&work->tree);
    buf_release(&work->signature);
    if (work_folder_close(&work->folder, NULL) != ERR_OK) {
        snprintf(work->result.notice, sizeof(work->result.notice),
                 "a temporary folder could not be removed");
    }
}

static void refusal_add(struct bundle_result *result, const char *stage, const char *code,
                        const char *text)
{
    if (result->refusal_count < BUNDLE_REFUSAL_COUNT_MAX) {
        struct bundle_refusal *refusal = &result->refusals[result->refusal_count];

        refusal->stage = stage;
        refusal->code = code;
        verify_escape_text(text, refusal->text);
    }
    result->refusal_count++;
}

static void rows_refusal_take(void *self, const char *code, const char *text)
{
    struct bundle_result *result = self;

    refusal_add(result, "V10", code, text);
    result->rows_disagree = true;
}

static void policy_refusal_take(void *self, const char *code, const char *text)
{
    refusal_add(self, "V11", code, text);
}

/* Loads the newest session, and tells what does not agree in any. */
static enum err_code rows_read(struct bundle_work *work, struct err *e)
{
    static const struct verify_policy usual = VERIFY_POLICY_USUAL;
    const struct rows_check check = {.results_path = work->results_path,
                                     .program_version = work->config->program_version,
                                     .policy = &usual,
                                     .tell = rows_refusal_take,
                                     .self = &work->result};
    struct soundness_pass *pass = NULL;
    enum err_code code = soundness_pass_new(check.program_version, &pass, e);

    if (code != ERR_OK) {
        return code;
    }
    const struct results_pass reading = {
        .visit = soundness_pass_visit, .self = pass, .digest_hex = work->info.samples_digest};
    code = results_load_each(work->results_path, true, &reading, &work->results, e);
    if (code == ERR_OK) {
        code = soundness_pass_end(pass, work->results, e);
    }
    if (code == ERR_OK) {
        rows_check_tell(&check, soundness_pass_get(pass), "");
        code = rows_check_others(&check, work->results, e);
    }
    soundness_pass_free(pass);
    return code;
}

static enum err_code results_add(struct bundle_work *work, struct err *e)
{
    enum err_code code = export_write(work->config->results_path, false, work->results_path, e);

    if (code != ERR_OK) {
        return code;
    }
    code = rows_read(work, e);
    if (code != ERR_OK) {
        /* The same fault, told of the file that the caller named. */
        struct results *named = NULL;
        if (results_load(work->config->results_path, false, &named, e) == ERR_OK) {
            results_free(named);
            code = err_set(e, code, "%s changed while it was read", work->config->results_path);
        }
        return code;
    }
    return file_tree_add_disk(&work->tree, CONTENT_RESULTS, work->results_path, e);
}

static enum err_code report_add(struct bundle_work *work, struct err *e)
{
    struct report_config config = {.results_path = work->results_path,
                                   .immutable = true,
                                   .folder = work->report_path,
                                   .forms = FORM_ALL};
    const char *fault = NULL;
    enum err_code code = report_write(&config, NULL, work->result.notice, e);

    /* Why a gnuplot failed is of this machine alone: nobody else could make that report again. */
    if (code == ERR_OK && *work->result.notice) {
        config.figures = FORM_FIGURES_NONE;
        code = report_write(&config, NULL, NULL, e);
    }
    return code == ERR_OK ? folder_read(work->report_path, CONTENT_REPORT, &work->tree, &fault, e)
                          : code;
}

/* The metadata tell of all other files: they come last. */
static enum err_code crate_add(const struct content_config *content, struct file_tree *tree,
                               struct err *e)
{
    struct buf text;

    buf_init(&text, CRATE_BYTES_MAX);
    enum err_code code = crate_format(content, tree, &text, e);
    if (code == ERR_OK) {
        code = file_tree_add_file(tree, CRATE_PATH, text.bytes, text.length, e);
    }
    buf_release(&text);
    return code;
}

/* Before the metadata, which tell of these files too. */
static enum err_code reproduction_add(struct bundle_work *work, struct err *e)
{
    const struct bundle_reproduction *tells = work->config->reproduction;

    if (!tells) {
        return ERR_OK;
    }
    const struct {
        const char *path;
        const struct buf *text;
    } files[] = {{CONTENT_REPRODUCTION_VERDICT, tells->verdict},
                 {CONTENT_REPRODUCTION_MARKDOWN, tells->markdown},
                 {CONTENT_REPRODUCTION_HTML, tells->html}};
    enum err_code code = ERR_OK;

    for (size_t i = 0; i < ARRAY_COUNT(files) && code == ERR_OK; i++) {
        code = file_tree_add_file(&work->tree, files[i].path, files[i].text->bytes,
                                  files[i].text->length, e);
    }
    return code == ERR_OK ? file_tree_complete(&work->tree, e) : code;
}

static enum err_code payload_add(struct bundle_work *work, struct err *e)
{
    struct content_config content = {.results = work->results,
                                     .results_path = work->results_path,
                                     .program_version = work->config->program_version,
                                     .samples_digest = work->info.samples_digest,
                                     .based_on = *work->info.based_on ? work->info.based_on : NULL,
                                     .refusal = policy_refusal_take,
                                     .self = &work->result};

    work->result.has_sources = content_has_sources(&content);
    work->result.sources_words =
        work->result.has_sources ? content_sources_words(work->results) : "";
    work->result.sample_count = content_count_samples(work->results);
    enum err_code code = content_add(&content, &work->tree, e);
    if (code == ERR_OK) {
        code = reproduction_add(work, e);
    }
    return code == ERR_OK ? crate_add(&content, &work->tree, e) : code;
}

static enum err_code tree_scan(struct bundle_work *work, struct err *e)
{
    if (work->config->skip_scan || secret_check_tree(&work->tree, e) == ERR_OK) {
        return ERR_OK;
    }
    return err_wrap(e, "%s: nothing was sealed", work->config->results_path);
}

static enum err_code tree_seal(struct bundle_work *work, struct err *e)
{
    char slug[FILE_TREE_SLUG_BYTES];
    struct bag_info *info = &work->info;
    enum err_code code = digest_bytes(work->results->plan_text, strlen(work->results->plan_text),
                                      info->plan_digest, e);

    file_tree_format_slug(work->results->title, slug);
    bundle_format_agent(work->config->program_version, info->software_agent,
                        sizeof(info->software_agent));
    if (code == ERR_OK && strcmp(info->plan_digest, work->results->plan_digest) != 0) {
        code = err_set(e, ERR_FORMAT,
                       "%s: the plan's SHA-256 is %s and not what the file says, so that the "
                       "bundle would not verify; the file was changed or damaged",
                       work->config->results_path, info->plan_digest);
    }
    snprintf(info->external_identifier, sizeof(info->external_identifier), "%s",
             work->results->session_uid);
    info->time_s = content_time_s(work->results);
    info->scan_skipped = work->config->skip_scan;
    if (code == ERR_OK && *work->result.notice) {
        snprintf(info->renderer, sizeof(info->renderer), "%s", RENDERER_NONE);
    } else if (code == ERR_OK) {
        code = renderer_find(work->folder.path, info->renderer, e);
    }
    if (code == ERR_OK) {
        code = bag_seal(&work->tree, info, slug, work->result.id, e);
    }
    if (code == ERR_OK) {
        memcpy(work->result.samples_digest, info->samples_digest, DIGEST_HEX_BYTES);
        snprintf(work->result.name, sizeof(work->result.name), "%.100s", work->tree.top);
    }
    return code;
}

/* Signs the tag manifest and asks at once whether the signature holds, and by which key. */
static enum err_code tree_sign(struct bundle_work *work, struct err *e)
{
    const struct file_tree_entry *tags = file_tree_find(&work->tree, BAG_TAG_MANIFEST);
    struct signature_answer answer;
    char path[PATH_MAX];

    if (!work->config->key_path) {
        return ERR_OK;
    }
    assert(tags); /* bag_seal added it */
    enum err_code code = work_folder_join(&work->folder, "signature", path, e);
    if (code == ERR_OK) {
        code =
            signature_make(work->config->key_path, tags->bytes, tags->length, &work->signature, e);
    }
    if (code == ERR_OK) {
        code = fs_write_file(path, work->signature.bytes, work->signature.length, e);
    }
    const struct signature_check check = {
        .signature_path = path, .bytes = tags->bytes, .length = tags->length};
    if (code == ERR_OK) {
        code = signature_check(&check, &answer, e);
    }
    if (code == ERR_OK && answer.verdict == SIGNATURE_BAD) {
        code = err_set(e, ERR_MISMATCH, "%s: the signature does not hold: %s",
                       work->config->key_path, answer.reason);
    }
    if (code == ERR_OK) {
        memcpy(work->result.signer_key, answer.key, sizeof(answer.key));
    }
    return code;
}

static enum err_code beside_write(const struct bundle_work *work, const char *ending,
                                  const struct buf *bytes, struct err *e)
{
    char path[PATH_MAX];
    enum err_code code = path_join(path, work->config->folder, work->result.name, ending, e);

    return code == ERR_OK ? fs_write_file(path, bytes->bytes, bytes->length, e) : code;
}

/* An archive on its way to the disk. */
struct archive_writer {
    struct fs_writer file;
    struct side_digest *digest;
    uint64_t bytes;
};

static enum err_code archive_add(void *self, const void *bytes, size_t length, struct err *e)
{
    struct archive_writer *writer = self;

    side_digest_add(writer->digest, bytes, length);
    writer->bytes += length;
    return writer->bytes > FILE_TREE_TOTAL_BYTES_MAX
               ? err_set(e, ERR_LIMIT, "the bundle is larger than %zu bytes",
                         FILE_TREE_TOTAL_BYTES_MAX)
               : fs_writer_add(&writer->file, bytes, length, e);
}

static enum err_code archive_add_piece(void *self, const char *bytes, size_t length, struct err *e)
{
    return archive_add(self, bytes, length, e);
}

static enum err_code archive_add_file(void *self, const struct file_tree *tree,
                                      const struct file_tree_entry *entry, struct err *e)
{
    const struct file_tree_sink sink = {archive_add_piece, self};

    return file_tree_read(tree, entry, &sink, e);
}

/* Into the private folder: it is moved once it is whole. */
static enum err_code archive_write(struct bundle_work *work, const char *path, struct err *e)
{
    struct archive_writer writer = {.file = {.fd = -1}};
    const struct tar_target target = {archive_add, archive_add_file, &writer};
    enum err_code code = side_digest_new(&writer.digest, e);

    if (code == ERR_OK) {
        code = fs_writer_open(&writer.file, path, e);
    }
    if (code == ERR_OK) {
        code = tar_write(&work->tree, work->info.time_s, &target, e);
    }
    if (code == ERR_OK) {
        side_digest_finish(writer.digest, work->result.archive_sha256);
        work->result.archive_bytes = writer.bytes;
        code = fs_writer_commit(&writer.file, e);
    }
    fs_writer_abandon(&writer.file);
    side_digest_free(writer.digest);
    return code;
}

/* NAME.publish.md, .html, .json */
static enum err_code texts_write(struct bundle_work *work, const struct catalogue *words,
                                 struct err *e)
{
    const struct bundle_result *result = &work->result;
    struct buf text;

    buf_init(&text, 65536);
    bundle_format_snippet(result, words, &text);
    enum err_code code = beside_write(work, ".publish.md", &text, e);
    if (code == ERR_OK) {
        buf_clear(&text);
        bundle_format_html(result, words, &text);
        code = beside_write(work, ".publish.html", &text, e);
    }
    if (code == ERR_OK) {
        buf_clear(&text);
        code = bundle_format_json(result, &text, e);
    }
    if (code == ERR_OK) {
        code = beside_write(work, ".publish.json", &text, e);
    }
    buf_release(&text);
    return code;
}

static enum err_code words_open(const char *language, struct catalogue **words_out, struct err *e)
{
    return language && strcmp(language, CATALOGUE_ENGLISH) != 0
               ? catalogue_open(language, words_out, e)
               : ERR_OK;
}

/* The archive, then what tells of it: a name that is there never tells of one that is not. */
static enum err_code files_write(struct bundle_work *work, struct err *e)
{
    struct bundle_result *result = &work->result;
    char private_path[PATH_MAX], path[PATH_MAX];
    struct catalogue *words = NULL;
    struct buf text;

    enum err_code code = words_open(work->config->language, &words, e);
    if (code == ERR_OK) {
        code = work_folder_join(&work->folder, "archive", private_path, e);
    }
    if (code == ERR_OK) {
        code = archive_write(work, private_path, e);
    }
    if (code == ERR_OK) {
        code = path_join(path, work->config->folder, result->name, ".tar", e);
    }
    if (code == ERR_OK && rename(private_path, path) < 0) {
        code = err_set_sys(e, "%s", path);
    }
    buf_init(&text, 65536);
    if (code == ERR_OK) {
        buf_addf(&text, "%s  %s.tar\n", result->archive_sha256, result->name);
        code = beside_write(work, ".tar.sha256", &text, e);
    }
    if (code == ERR_OK) {
        code = texts_write(work, words, e);
    }
    if (code == ERR_OK && work->signature.length) {
        code = beside_write(work, ".tar" SIGNATURE_ENDING, &work->signature, e);
    }
    buf_release(&text);
    catalogue_free(words);
    return code;
}

enum err_code bundle_write(const struct bundle_config *config, struct bundle_result *result_out,
                           struct err *e)
{
    static enum err_code (*const steps[])(struct bundle_work *, struct err *) = {
        work_open, results_add, report_add, payload_add,
        tree_scan, tree_seal,   tree_sign,  files_write};
    struct bundle_work *work = calloc(1, sizeof(*work));
    enum err_code code = ERR_OK;

    if (!work) {
        return err_set(e, ERR_LIMIT, "no memory for a bundle");
    }
    work->config = config;
    if (config->reproduction) {
        snprintf(work->info.based_on, sizeof(work->info.based_on), "%s",
                 config->reproduction->original_id);
    }
    file_tree_init(&work->tree);
    work->tree.is_private = true;
    work->folder.lock_fd = -1;
    buf_init(&work->signature, SIGNATURE_BYTES_MAX);
    for (size_t i = 0; i < ARRAY_COUNT(steps) && code == ERR_OK; i++) {
        code = steps[i](work, e);
    }
    work_close(work);
    if (code == ERR_OK) {
        *result_out = work->result;
    }
    free(work);
    return code;
}
