// SPDX-License-Identifier: Apache-2.0
// Errors as values.
#include "engines/base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define CUT_MARK "…"

#undef err_set
#undef err_set_sys
#undef err_wrap

/* One line for a terminal: names of files and options may hold line breaks and escapes, which
 * become \xHH; what then has no room is cut. */
static void text_flatten(struct err *e)
{
    char flat[sizeof(e->text)];
    size_t length = 0;

    for (const char *at = e->text; *at; at++) {
        unsigned char byte = (unsigned char)*at;
        bool is_control = byte < ' ' || byte == 0x7f;

        if (length + (is_control ? sizeof("\\xHH") : sizeof("c")) > sizeof(flat)) {
            break;
        }
        if (is_control) {
            length += (size_t)snprintf(flat + length, sizeof("\\xHH"), "\\x%02x", byte);
        } else {
            flat[length++] = *at;
        }
    }
    memcpy(e->text, flat, length);
    e->text[length] = '\0';
}

/* Puts ": " and `more` after the error's text. What has no room is cut: of the text first, so that
 * a long name leaves the reason behind it. */
static void text_append(struct err *e, const char *more)
{
    const char *const parts[] = {": ", more};
    size_t used = strlen(e->text);
    size_t more_bytes = strnlen(more, sizeof(e->text) / 2);
    size_t room = sizeof(e->text) - 1 - strlen(parts[0]) - more_bytes;

    if (used > room) {
        used = room - strlen(CUT_MARK);
        while (used && ((unsigned char)e->text[used] & 0xc0) == 0x80) { /* not within a letter */
            used--;
        }
        memcpy(e->text + used, CUT_MARK, strlen(CUT_MARK));
        used += strlen(CUT_MARK);
    }
    for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
        size_t bytes = strnlen(parts[i], sizeof(e->text) - 1 - used);
        memcpy(e->text + used, parts[i], bytes);
        used += bytes;
    }
    e->text[used] = '\0';
}

enum err_code err_set(struct err *e, enum err_code code, const char *format, ...)
{
    va_list arguments;

    if (e) {
        e->code = code;
        e->sys_errno = 0;
        va_start(arguments, format);
        vsnprintf(e->text, sizeof(e->text), format, arguments);
        va_end(arguments);
        text_flatten(e);
    }
    return code;
}

enum err_code err_set_sys(struct err *e, const char *format, ...)
{
    int saved_errno = errno;
    va_list arguments;

    if (e) {
        e->code = ERR_SYS;
        e->sys_errno = saved_errno;
        va_start(arguments, format);
        vsnprintf(e->text, sizeof(e->text), format, arguments);
        va_end(arguments);
        text_append(e, strerror(saved_errno));
        text_flatten(e);
    }
    errno = saved_errno;
    return ERR_SYS;
}

enum err_code err_wrap(struct err *e, const char *format, ...)
{
    if (!e) {
        return ERR_SYS;
    }
    char old_text[ERR_TEXT_BYTES];
    va_list arguments;

    memcpy(old_text, e->text, sizeof(old_text));
    va_start(arguments, format);
    vsnprintf(e->text, sizeof(e->text), format, arguments);
    va_end(arguments);
    text_append(e, old_text);
    text_flatten(e);
    return e->code;
}

bool err_is_no_space(const struct err *e)
{
    return e->sys_errno == ENOSPC || e->sys_errno == EDQUOT || e->sys_errno == EFBIG;
}
