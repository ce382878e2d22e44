// SPDX-License-Identifier: Apache-2.0
// The former values of tuned settings as a text: a head, the boot, and a line for each change.
#include <ctype.h>
#include <string.h>

#include "collector/probe/tune.h"

static const char head[] = "tacho tuned 1\n";

void tune_state_format(const struct tune *tune, struct buf *out)
{
    buf_addf(out, "%sboot %s\n", head, tune->boot_id);
    for (size_t i = 0; i < tune->count; i++) {
        const struct tune_change *change = &tune->changes[i];

        if (change->outcome == TUNE_DONE || change->outcome == TUNE_PLANNED) {
            buf_addf(out, "%s\t%s\t%s\t%s\n", change->is_sys ? "sys" : "proc", change->path,
                     change->former, change->tuned);
        }
    }
}

struct cursor_text {
    const char *at, *end;
};

/* What is before `stop`, which is skipped. False: no such byte, nothing before it when there must
 * be, no room, or a byte that is no letter, digit or one of "/_-." */
static bool word_take(struct cursor_text *text, char stop, char *out, size_t capacity,
                      bool may_be_empty)
{
    const char *found = memchr(text->at, stop, (size_t)(text->end - text->at));
    size_t bytes = found ? (size_t)(found - text->at) : 0;

    if (!found || bytes >= capacity || (bytes == 0 && !may_be_empty)) {
        return false;
    }
    for (size_t i = 0; i < bytes; i++) {
        char byte = text->at[i];

        if (!isalnum((unsigned char)byte) && (!byte || !strchr("/_-.", byte))) {
            return false;
        }
    }
    memcpy(out, text->at, bytes);
    out[bytes] = '\0';
    text->at = found + 1;
    return true;
}

static bool text_skip(struct cursor_text *text, const char *expected)
{
    size_t bytes = strlen(expected);

    if ((size_t)(text->end - text->at) < bytes || memcmp(text->at, expected, bytes) != 0) {
        return false;
    }
    text->at += bytes;
    return true;
}

static bool change_take(struct cursor_text *text, struct tune_change *change_out)
{
    struct tune_change change = {.outcome = TUNE_PLANNED};
    char root[8];

    if (!word_take(text, '\t', root, sizeof(root), false) ||
        !word_take(text, '\t', change.path, sizeof(change.path), false) ||
        !word_take(text, '\t', change.former, sizeof(change.former), false) ||
        !word_take(text, '\n', change.tuned, sizeof(change.tuned), false)) {
        return false;
    }
    change.is_sys = strcmp(root, "sys") == 0;
    if ((!change.is_sys && strcmp(root, "proc") != 0) || !tune_knows(change.is_sys, change.path)) {
        return false;
    }
    *change_out = change;
    return true;
}

enum err_code tune_state_parse(const char *bytes, size_t length, struct tune *tune_out,
                               struct err *e)
{
    struct cursor_text text = {bytes, bytes + length};

    tune_out->count = 0;
    if (!text_skip(&text, head) || !text_skip(&text, "boot ") ||
        !word_take(&text, '\n', tune_out->boot_id, sizeof(tune_out->boot_id), true)) {
        return err_set(e, ERR_FORMAT, "not what tacho doctor --tune has written; remove it");
    }
    while (text.at < text.end) {
        if (tune_out->count == TUNE_CHANGE_COUNT_MAX ||
            !change_take(&text, &tune_out->changes[tune_out->count])) {
            return err_set(e, ERR_FORMAT, "change %zu is none of a setting that tacho knows",
                           tune_out->count + 1);
        }
        tune_out->count++;
    }
    return ERR_OK;
}
