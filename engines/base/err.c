// SPDX-License-Identifier: Apache-2.0
// Errors as values.
#include "engines/base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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
