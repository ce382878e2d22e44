// SPDX-License-Identifier: Apache-2.0
// Errors as values.
#include "engines/base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#undef err_set
#undef err_set_sys
#undef err_wrap

/* One line for a terminal: names of files and options may hold line breaks and escapes. */
static void text_flatten(struct err *e)
{
    for (unsigned char *at = (unsigned char *)e->text; *at; at++) {
        if (*at < ' ' || *at == 0x7f) {
            *at = '?';
        }
    }
}

/* Puts ": " and `more` after the `length` bytes of the error's text; cut at the buffer. */
static void text_append(struct err *e, int length, const char *more)
{
    const char *const parts[] = {": ", more};

    if (length < 0 || (size_t)length >= sizeof(e->text)) {
        return;
    }
    size_t used = (size_t)length;
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
        int length = vsnprintf(e->text, sizeof(e->text), format, arguments);
        va_end(arguments);
        text_append(e, length, strerror(saved_errno));
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
    int length = vsnprintf(e->text, sizeof(e->text), format, arguments);
    va_end(arguments);
    text_append(e, length, old_text);
    text_flatten(e);
    return e->code;
}
