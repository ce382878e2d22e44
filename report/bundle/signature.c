// SPDX-License-Identifier: Apache-2.0
// Detached signatures by ssh-keygen -Y.
#include "report/bundle/signature.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engines/base/fs.h"
#include "report/bundle/filter.h"

#define CHECK_TIMEOUT_MS 30000
#define SIGN_TIMEOUT_MS  300000 /* a person types a passphrase or touches a token */
#define KEY_BYTES_MAX    ((size_t)1 << 20)
#define OUTPUT_BYTES_MAX ((size_t)64 << 10)

/* Verification depends on nothing of the caller's surroundings. */
static const char *const check_environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC",
                                                "HOME=/nonexistent", NULL};

/* What one call of ssh-keygen gave. */
struct call {
    int status;
    struct buf output, complaint;
};

static const char *program_find(void)
{
    static const char *const places[] = {"/usr/local/bin/ssh-keygen", "/usr/bin/ssh-keygen",
                                         "/bin/ssh-keygen"};

    for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
        if (access(places[i], X_OK) == 0) {
            return places[i];
        }
    }
    return NULL;
}

static void call_release(struct call *call)
{
    buf_release(&call->output);
    buf_release(&call->complaint);
}

/* arguments[0] is filled in. call_release it in any case. */
static enum err_code call_run(struct call *call, const char **arguments,
                              const struct filter_config *shape, struct err *e)
{
    struct filter_config config = *shape;

    buf_init(&call->output, OUTPUT_BYTES_MAX);
    buf_init(&call->complaint, OUTPUT_BYTES_MAX);
    arguments[0] = program_find();
    if (!arguments[0]) {
        return err_set(e, ERR_SYS, "there is no ssh-keygen here (package openssh-client)");
    }
    config.arguments = arguments;
    return filter_run(&config, &call->output, &call->complaint, &call->status, e);
}

/* The last line of what ssh-keygen said, as printable ASCII. */
static void text_take(const struct buf *text, char out[SIGNATURE_TEXT_BYTES])
{
    size_t end = text->length, length = 0;

    while (end && (text->bytes[end - 1] == '\n' || text->bytes[end - 1] == '\r')) {
        end--;
    }
    size_t begin = end;
    while (begin && text->bytes[begin - 1] != '\n') {
        begin--;
    }
    for (size_t i = begin; i < end && length + 1 < SIGNATURE_TEXT_BYTES; i++) {
        unsigned char byte = (unsigned char)text->bytes[i];
        if (byte != '\r') {
            out[length++] = byte < 0x20 || byte >= 0x7f ? '?' : text->bytes[i];
        }
    }
    out[length] = '\0';
}

/* "Good … with ED25519 key SHA256:…" → from the key's type on. */
static void key_take(const struct buf *output, char out[SIGNATURE_TEXT_BYTES])
{
    char line[SIGNATURE_TEXT_BYTES];
    const char *key = NULL;

    text_take(output, line);
    for (const char *at = line; (at = strstr(at, " with ")) != NULL; at += strlen(" with ")) {
        key = at + strlen(" with ");
    }
    snprintf(out, SIGNATURE_TEXT_BYTES, "%s", key ? key : "");
}

enum err_code signature_make(const char *key_path, const void *bytes, size_t length,
                             struct buf *signature_out, struct err *e)
{
    const char *arguments[] = {NULL, "-Y", "sign", "-f", key_path, "-n", SIGNATURE_NAMESPACE, NULL};
    const struct filter_config shape = {
        .input = bytes, .input_length = length, .timeout_ms = SIGN_TIMEOUT_MS};
    char reason[SIGNATURE_TEXT_BYTES];
    struct call call = {0};
    enum err_code code = fs_check_regular(key_path, KEY_BYTES_MAX, e);

    /* It would wait for a pipe, and read a device for ever; of a key that is not there it may know
     * the public half, with an agent for the other. */
    if (code != ERR_OK && code != ERR_SYS) {
        return code;
    }
    code = call_run(&call, arguments, &shape, e);
    if (code == ERR_OK && call.status != 0) {
        text_take(&call.complaint, reason);
        code = err_set(e, ERR_USAGE, "%s: ssh-keygen cannot sign with it: %s", key_path, reason);
    }
    if (code == ERR_OK) {
        buf_add(signature_out, call.output.bytes, call.output.length);
        code = buf_check(signature_out, "the signature", e);
    }
    call_release(&call);
    return code;
}

static struct filter_config check_shape(const struct signature_check *check)
{
    return (struct filter_config){.environment = check_environment,
                                  .input = check->bytes,
                                  .input_length = check->length,
                                  .timeout_ms = CHECK_TIMEOUT_MS};
}

/* Whether the signature fits the bytes, whoever made it. */
static enum err_code fit_check(const struct signature_check *check, struct signature_answer *answer,
                               struct err *e)
{
    const char *arguments[] = {
        NULL, "-Y", "check-novalidate", "-n", SIGNATURE_NAMESPACE, "-s", check->signature_path,
        NULL};
    const struct filter_config shape = check_shape(check);
    struct call call = {0};
    enum err_code code = call_run(&call, arguments, &shape, e);

    if (code == ERR_OK && call.status == 0) {
        answer->verdict = SIGNATURE_UNKNOWN;
        key_take(&call.output, answer->key);
    } else if (code == ERR_OK) {
        answer->verdict = SIGNATURE_BAD;
        text_take(&call.complaint, answer->reason);
    }
    call_release(&call);
    return code;
}

/* Whether the signers' file lets this identity sign bundles with this key now. */
static enum err_code identity_check(const struct signature_check *check, const char *identity,
                                    struct signature_answer *answer, struct err *e)
{
    const char *arguments[] = {NULL,
                               "-Y",
                               "verify",
                               "-f",
                               check->signers_path,
                               "-I",
                               identity,
                               "-n",
                               SIGNATURE_NAMESPACE,
                               "-s",
                               check->signature_path,
                               NULL};
    const struct filter_config shape = check_shape(check);
    struct call call = {0};
    enum err_code code = call_run(&call, arguments, &shape, e);

    if (code == ERR_OK && call.status == 0) {
        answer->verdict = SIGNATURE_TRUSTED;
        snprintf(answer->identity, sizeof(answer->identity), "%s", identity);
    } else if (code == ERR_OK) {
        text_take(call.complaint.length ? &call.complaint : &call.output, answer->reason);
    }
    call_release(&call);
    return code;
}

/* Tries the names of the first line of the signers' file that has the key: ssh-keygen tells no
 * more. */
static enum err_code signers_check(const struct signature_check *check,
                                   struct signature_answer *answer, struct err *e)
{
    const char *arguments[] = {
        NULL, "-Y", "find-principals", "-f", check->signers_path, "-s", check->signature_path,
        NULL};
    const struct filter_config shape = check_shape(check);
    struct call call = {0};
    enum err_code code = call_run(&call, arguments, &shape, e);

    if (code == ERR_OK && call.status != 0) {
        snprintf(answer->reason, sizeof(answer->reason), "no signer has this key today");
    }
    for (char *line = call.output.bytes, *rest = NULL;
         code == ERR_OK && call.status == 0 && answer->verdict != SIGNATURE_TRUSTED &&
         (line = strtok_r(line, "\r\n", &rest)) != NULL;
         line = NULL) {
        code = identity_check(check, line, answer, e);
    }
    call_release(&call);
    return code;
}

enum err_code signature_check(const struct signature_check *check,
                              struct signature_answer *answer_out, struct err *e)
{
    struct signature_answer answer = {0};
    enum err_code code = fit_check(check, &answer, e);

    if (code == ERR_OK && answer.verdict == SIGNATURE_UNKNOWN && check->signers_path) {
        code = check->identity ? identity_check(check, check->identity, &answer, e)
                               : signers_check(check, &answer, e);
    }
    if (code == ERR_OK) {
        *answer_out = answer;
    }
    return code;
}
