// SPDX-License-Identifier: Apache-2.0
// Runs the stages of a verification in order.
#include "report/bundle/verify.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engines/base/fs.h"
#include "report/bundle/verify_work.h"

#define LOOK_BYTES_MIN (16 << 20) /* smaller files are read, whatever they are */
#define MAGIC_OFFSET   257

static verify_stage *const stage_functions[] = {verify_size,     verify_sha256,    verify_form,
                                                verify_extract,  verify_tags,      verify_manifests,
                                                verify_digests,  verify_canonical, verify_signature,
                                                verify_database, verify_cross,     verify_report};

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
    {"V12", "report made again"},
    {NULL, NULL},
};
_Static_assert(ARRAY_COUNT(verify_stages) == ARRAY_COUNT(stage_functions) + 1, "one name a stage");

/* Foreign names reach a terminal: all but printable ASCII is shown as \xNN. */
static void text_escape(const char *text, char out[VERIFY_TEXT_BYTES])
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

void verify_add_finding(struct verify_work *work, const char *code, const char *format, ...)
{
    struct verify_result *result = work->result;
    char text[2 * VERIFY_TEXT_BYTES];
    va_list arguments;

    if (result->finding_count == VERIFY_FINDING_COUNT_MAX) {
        result->finding_left_out_count++;
        return;
    }
    struct verify_finding *finding = &result->findings[result->finding_count++];
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    finding->stage = work->stage;
    finding->code = code;
    text_escape(text, finding->text);
}

void verify_add_note(struct verify_work *work, const char *format, ...)
{
    struct verify_result *result = work->result;
    char text[2 * VERIFY_TEXT_BYTES];
    va_list arguments;

    if (result->note_count == VERIFY_NOTE_COUNT_MAX) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    text_escape(text, result->notes[result->note_count++]);
}

/* Whether the file cannot be a bundle by its size or by its first block: such a one is not read. */
static enum err_code archive_look(struct verify_work *work, const struct stat *status,
                                  struct err *e)
{
    char head[512] = "";
    int fd;

    work->is_too_large = (uint64_t)status->st_size > FILE_TREE_TOTAL_BYTES_MAX;
    if (work->is_too_large || status->st_size < LOOK_BYTES_MIN || !S_ISREG(status->st_mode)) {
        return ERR_OK;
    }
    fd = open(work->config->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return err_set_sys(e, "%s", work->config->path);
    }
    ssize_t count = pread(fd, head, sizeof(head), 0);
    enum err_code code = count < 0 ? err_set_sys(e, "%s", work->config->path) : ERR_OK;

    close(fd);
    work->is_foreign = memcmp(head + MAGIC_OFFSET, "ustar", 5) != 0;
    if (work->is_foreign) {
        buf_add(&work->archive, head, sizeof(head)); /* enough to tell its kind */
    }
    return code;
}

/* Whether there is something to verify; an archive is read once, here. */
static enum err_code work_open(struct verify_work *work, struct err *e)
{
    const char *path = work->config->path;
    struct stat status;

    if (stat(path, &status) < 0) {
        return err_set_sys(e, "%s", path);
    }
    work->is_folder = S_ISDIR(status.st_mode);
    if (work->is_folder) {
        return ERR_OK;
    }
    enum err_code code = archive_look(work, &status, e);
    if (code != ERR_OK || work->is_too_large || work->is_foreign) {
        return code;
    }
    code = fs_read_file(path, &work->archive, e);
    if (code == ERR_LIMIT) {
        work->is_too_large = true;
        code = ERR_OK;
    }
    return code;
}

static void work_close(struct verify_work *work)
{
    results_free(work->results);
    file_tree_release(&work->tree);
    buf_release(&work->archive);
    if (*work->folder && fs_remove_tree(work->folder, NULL) != ERR_OK) {
        verify_add_note(work, "the temporary folder %s could not be removed", work->folder);
    }
    free(work);
}

const char *verify_get_state(const struct verify_config *config, const struct verify_result *result,
                             size_t index)
{
    const char *code = verify_stages[index].code;

    /* Nobody shall read an "ok" about something that was not asked. */
    if ((!config->sha256 && strcmp(code, "V1") == 0) ||
        (!config->signers_path && strcmp(code, "V8") == 0)) {
        return "not-asked";
    }
    if (index < result->stage_passed_count) {
        return "ok";
    }
    return index == result->stage_passed_count && result->finding_count ? "failed" : "not-reached";
}

static enum err_code stages_run(struct verify_work *work, struct err *e)
{
    struct verify_result *result = work->result;

    for (size_t i = 0; i < ARRAY_COUNT(stage_functions); i++) {
        work->stage = verify_stages[i].code;
        enum err_code code = stage_functions[i](work, e);

        if (code != ERR_OK) {
            return err_wrap(e, "%s %s", work->stage, verify_stages[i].name);
        }
        if (result->finding_count) {
            return ERR_OK;
        }
        result->stage_passed_count++;
        if (work->config->use && stage_functions[i] == verify_database) {
            return work->config->use(work->results_path, work->config->use_context, e);
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
    buf_init(&work->archive, FILE_TREE_TOTAL_BYTES_MAX);
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
