// SPDX-License-Identifier: Apache-2.0
// Stage V8: whether somebody whom the reader trusts signed the bundle.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/fs.h"
#include "report/bundle/signature.h"
#include "report/bundle/verify_work.h"

/* Whether a line of the signers' file could name a signer: "PRINCIPALS [OPTIONS] KEYTYPE KEY". */
static bool line_has_signer(const char *line, size_t length)
{
    static const char *const types[] = {" ssh-",  " ecdsa-",  " sk-ssh-",  " sk-ecdsa-",
                                        "\tssh-", "\tecdsa-", "\tsk-ssh-", "\tsk-ecdsa-"};
    size_t begin = strspn(line, " \t");

    if (begin >= length || line[begin] == '#') {
        return false;
    }
    for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
        if (memmem(line + begin, length - begin, types[i], strlen(types[i]))) {
            return true;
        }
    }
    return false;
}

/* ssh-keygen takes any bytes for a file that nobody is named in: then the mistake of a caller would
 * be told as a fault of the signature. An empty file does name nobody. */
static enum err_code signers_check(const char *path, const struct buf *text, struct err *e)
{
    bool is_empty = true;

    for (const char *line = text->bytes; *line;) {
        size_t length = strcspn(line, "\n"), begin = strspn(line, " \t\r");

        if (line_has_signer(line, length)) {
            return ERR_OK;
        }
        is_empty = is_empty && (begin >= length || line[begin] == '#');
        line += length + (line[length] == '\n');
    }
    return is_empty && memchr(text->bytes, 0, text->length) == NULL
               ? ERR_OK
               : err_set(
                     e, ERR_USAGE,
                     "--signers %.200s: no line names a signer, as \"jane@example.org ssh-ed25519 "
                     "AAAA…\" does (ssh-keygen(1), ALLOWED SIGNERS)",
                     path);
}

/* Copies a file of the reader's into the private folder, so that ssh-keygen reads one content
 * however often it looks. */
static enum err_code bytes_take(struct verify_work *work, const struct buf *bytes, const char *name,
                                char path_out[PATH_MAX], struct err *e)
{
    const struct file_tree_entry copy = {
        .path = (char[]){"a file of the reader's"}, .bytes = bytes->bytes, .length = bytes->length};

    return verify_write_private(work, name, &copy, path_out, e);
}

static enum err_code signers_take(struct verify_work *work, char path_out[PATH_MAX], struct err *e)
{
    const char *path = work->config->signers_path;
    struct buf bytes;

    buf_init(&bytes, SIGNATURE_SIGNERS_MAX);
    enum err_code code = fs_read_file(path, &bytes, e);
    if (code == ERR_OK) {
        code = signers_check(path, &bytes, e);
    }
    if (code == ERR_OK) {
        code = bytes_take(work, &bytes, "signers", path_out, e);
    }
    buf_release(&bytes);
    return code;
}

enum err_code verify_find_beside(const struct verify_work *work, const char *ending,
                                 char path_out[PATH_MAX], struct err *e)
{
    char *real = work->is_folder ? realpath(work->config->path, NULL) : NULL;
    const char *base = real ? real : work->config->path;

    if (work->is_folder && !real) {
        return err_set_sys(e, "%s", base);
    }
    bool fits = snprintf(path_out, PATH_MAX, "%s%s%s", base, real ? ".tar" : "", ending) < PATH_MAX;
    free(real);
    return fits ? ERR_OK : err_set(e, ERR_LIMIT, "%.200s: the path is too long", ending);
}

/* The private copy of the signature; "" and a finding when there is none. */
static enum err_code signature_take(struct verify_work *work, char path_out[PATH_MAX],
                                    struct err *e)
{
    char path[PATH_MAX];
    struct err cause = {0};
    struct buf bytes;
    enum err_code code = verify_find_beside(work, SIGNATURE_ENDING, path, e);

    *path_out = '\0';
    if (code != ERR_OK) {
        return code;
    }
    buf_init(&bytes, SIGNATURE_BYTES_MAX);
    code = fs_read_file(path, &bytes, &cause);
    if (code == ERR_OK) {
        code = bytes_take(work, &bytes, "signature", path_out, &cause);
    }
    buf_release(&bytes);
    if (code == ERR_SYS && cause.sys_errno == ENOENT) {
        work->result->signature = "missing";
        verify_add_finding(work, "signature-missing", "there is no %s", path);
        return ERR_OK;
    }
    if (code == ERR_FORMAT || code == ERR_LIMIT) {
        work->result->signature = "bad";
        verify_add_finding(work, "signature-bad", "%s", cause.text);
        return ERR_OK;
    }
    if (code != ERR_OK) {
        *e = cause;
    }
    return code;
}

static void answer_tell(struct verify_work *work, const struct signature_answer *answer)
{
    struct verify_result *result = work->result;

    snprintf(result->signer, sizeof(result->signer), "%s", answer->identity);
    snprintf(result->signer_key, sizeof(result->signer_key), "%s", answer->key);
    switch (answer->verdict) {
    case SIGNATURE_TRUSTED:
        result->signature = "trusted";
        break;
    case SIGNATURE_UNKNOWN:
        result->signature = "unknown";
        verify_add_finding(work, "signer-unknown",
                           "a valid signature, but not of %s that --signers knows: %s; by %s",
                           work->config->identity ? work->config->identity : "anyone",
                           answer->reason, answer->key);
        break;
    case SIGNATURE_BAD:
        result->signature = "bad";
        verify_add_finding(work, "signature-bad", "not a signature of this bundle: %s",
                           answer->reason);
        break;
    }
}

enum err_code verify_signature(struct verify_work *work, struct err *e)
{
    const struct file_tree_entry *tags = file_tree_find(&work->tree, BAG_TAG_MANIFEST);
    char signature_path[PATH_MAX], signers_path[PATH_MAX];
    struct signature_answer answer;
    struct buf bytes;

    work->result->signature = "not-asked";
    if (!work->config->signers_path || !tags) {
        return ERR_OK;
    }
    enum err_code code = signers_take(work, signers_path, e);
    if (code == ERR_OK) {
        code = signature_take(work, signature_path, e);
    }
    if (code != ERR_OK || !*signature_path) {
        return code;
    }
    buf_init(&bytes, SIGNATURE_SIGNERS_MAX);
    code = file_tree_load(&work->tree, tags, &bytes, e);
    const struct signature_check check = {.signature_path = signature_path,
                                          .signers_path = signers_path,
                                          .identity = work->config->identity,
                                          .bytes = bytes.bytes,
                                          .length = bytes.length};
    if (code == ERR_OK) {
        code = signature_check(&check, &answer, e);
    }
    buf_release(&bytes);
    if (code == ERR_OK) {
        answer_tell(work, &answer);
    }
    return code;
}
