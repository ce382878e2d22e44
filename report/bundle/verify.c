// SPDX-License-Identifier: Apache-2.0
// Runs the stages of a verification in order.
#include "report/bundle/verify.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/bundle/verify_work.h"

static verify_stage *const stage_functions[] = {
    verify_size,      verify_sha256,  verify_form,      verify_extract,   verify_tags,
    verify_manifests, verify_digests, verify_canonical, verify_signature, verify_database,
    verify_cross,     verify_policy,  verify_report};

const struct verify_stage_info verify_stages[] = {
    {"V0", "size and kind"},
    {"V1", "expected SHA-256"},
    {"V2", "form of the archive"},
    {"V3", "private copy of the results"},
    {"V4", "tag files"},
    {"V5", "manifests, complete both ways"},
    {"V6", "digests"},
    {"V7", "canonical bytes"},
    {"V8", "signature"},
    {"V9", "results file"},
    {"V10", "cross checks"},
    {"V11", "policy"},
    {"V12", "report made again"},
    {NULL, NULL},
};
_Static_assert(ARRAY_COUNT(verify_stages) == ARRAY_COUNT(stage_functions) + 1, "one name a stage");

void verify_escape_text(const char *text, char out[VERIFY_TEXT_BYTES])
{
    size_t length = 0;

    for (; *text && length + 5 < VERIFY_TEXT_BYTES; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte >= 0x20 && byte < 0x7f) {
            out[length++] = *text;
        } else {
            length += (size_t)snprintf(out + length, 5, "\\x%02x", byte);
        }
    }
    out[length] = '\0';
}

/* A finding is of the bundle, wherever its private copies lie: "/tmp/tacho-verify-x/results.db" is
 * the name of no file that a reader has. */
ATTR_PRINTF(2, 0)
static void text_set(const struct verify_work *work, const char *format, va_list arguments,
                     char out[VERIFY_TEXT_BYTES])
{
    char text[2 * VERIFY_TEXT_BYTES];
    size_t folder_bytes = strlen(work->folder.path);

    vsnprintf(text, sizeof(text), format, arguments);
    for (char *at = text; folder_bytes && (at = strstr(at, work->folder.path));) {
        size_t cut = folder_bytes + (at[folder_bytes] == '/');

        memmove(at, at + cut, strlen(at + cut) + 1);
    }
    verify_escape_text(text, out);
}

void verify_add_finding(struct verify_work *work, const char *code, const char *format, ...)
{
    struct verify_result *result = work->result;
    va_list arguments;

    if (result->finding_count == VERIFY_FINDING_COUNT_MAX) {
        result->finding_left_out_count++;
        return;
    }
    struct verify_finding *finding = &result->findings[result->finding_count++];
    va_start(arguments, format);
    text_set(work, format, arguments, finding->text);
    va_end(arguments);
    finding->stage = work->stage;
    finding->code = code;
}

void verify_add_note(struct verify_work *work, const char *format, ...)
{
    struct verify_result *result = work->result;
    va_list arguments;

    if (result->note_count == VERIFY_NOTE_COUNT_MAX) {
        return;
    }
    va_start(arguments, format);
    text_set(work, format, arguments, result->notes[result->note_count++]);
    va_end(arguments);
}

size_t verify_total_max(const struct verify_config *config)
{
    return config->bytes_max ? config->bytes_max : FILE_TREE_TOTAL_BYTES_MAX;
}

/* Whether there is something to verify. */
static enum err_code work_open(struct verify_work *work, struct err *e)
{
    const char *path = work->config->path;
    struct stat status;

    if (stat(path, &status) < 0) {
        return err_set_sys(e, "%s", path);
    }
    if (work->config->bytes_max) {
        work->tree.total_bytes_max = work->tree.file_bytes_max = work->config->bytes_max;
    }
    work->is_folder = S_ISDIR(status.st_mode);
    return work->is_folder ? ERR_OK : verify_open_archive(work, e);
}

static void work_close(struct verify_work *work)
{
    results_free(work->results);
    soundness_pass_free(work->soundness);
    file_tree_release(&work->tree);
    if (work->archive_fd >= 0) {
        close(work->archive_fd);
    }
    if (work_folder_close(&work->folder, NULL) != ERR_OK) {
        verify_add_note(work, "a temporary folder below %s could not be removed",
                        work->config->temporary_folder);
    }
    free(work);
}

const char *verify_get_state(const struct verify_config *config, const struct verify_result *result,
                             size_t index)
{
    const char *code = verify_stages[index].code;

    /* Nobody shall read an "ok" about something that was not asked. */
    if ((!config->sha256 && strcmp(code, "V1") == 0) ||
        (!config->signers_path && strcmp(code, "V8") == 0) ||
        (config->policy.is_off && strcmp(code, "V11") == 0)) {
        return "not-asked";
    }
    if (index < result->stage_passed_count && strcmp(code, "V12") == 0 && result->report_level &&
        strcmp(result->report_level, "bytes") != 0) {
        return strcmp(result->report_level, "none") == 0 ? "differs" : "partly";
    }
    if (index < result->stage_passed_count) {
        return "ok";
    }
    return index == result->stage_passed_count && result->finding_count ? "failed" : "not-reached";
}

/* After V9, what cannot be made of the results is a fault of the rows and not of this machine. */
static bool is_of_rows(const struct verify_work *work, enum err_code code)
{
    return work->results && (code == ERR_FORMAT || code == ERR_LIMIT);
}

/* Nothing is made of rows that do not agree. What cannot be made of the others is their fault. */
static enum err_code results_use(struct verify_work *work, struct err *e)
{
    const struct verify_config *config = work->config;
    struct err cause = {0};

    work->stage = "V10";
    enum err_code code = verify_soundness(work, &cause);
    if (code == ERR_OK && work->result->finding_count == 0) {
        code = config->use(work->results_path, config->use_context, &cause);
    }
    if (code == ERR_FORMAT) {
        verify_add_finding(work, "db-rows", "%s", cause.text);
        return ERR_OK;
    }
    if (code != ERR_OK && e) {
        *e = cause;
    }
    return code;
}

static enum err_code stages_run(struct verify_work *work, struct err *e)
{
    struct verify_result *result = work->result;

    for (size_t i = 0; i < ARRAY_COUNT(stage_functions); i++) {
        work->stage = verify_stages[i].code;
        struct err cause = {0};
        enum err_code code = stage_functions[i](work, &cause);

        if (is_of_rows(work, code)) {
            verify_add_finding(work, "db-rows", "%s", cause.text);
        } else if (code != ERR_OK) {
            if (e) {
                *e = cause;
            }
            return err_wrap(e, "%s %s", work->stage, verify_stages[i].name);
        }
        if (result->finding_count) {
            return ERR_OK;
        }
        result->stage_passed_count++;
        if (work->config->use && stage_functions[i] == verify_database) {
            return results_use(work, e);
        }
    }
    result->verified = true;
    return work->config->take
               ? work->config->take(result, &work->tree, work->config->use_context, e)
               : ERR_OK;
}

enum err_code verify_run(const struct verify_config *config, struct verify_result **result_out,
                         struct err *e)
{
    struct verify_work *work = calloc(1, sizeof(*work));
    struct verify_result *result = calloc(1, sizeof(*result));

    if (!work || !result) {
        free(work);
        free(result);
        return err_set(e, ERR_LIMIT, "no memory for a verification");
    }
    work->config = config;
    work->result = result;
    file_tree_init(&work->tree);
    work->archive_fd = work->folder.lock_fd = -1;
    enum err_code code = work_open(work, e);
    if (code == ERR_OK) {
        code = stages_run(work, e);
    }
    work_close(work);
    if (code == ERR_OK) {
        *result_out = result;
    } else {
        free(result);
    }
    return code;
}
