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

enum err_code err_set(struct err *e, enum err_code code, const char *format, ...)
{
    va_list arguments;

    if (e) {
        e->code = code;
        e->sys_errno = 0;
        va_start(arguments, format);
        vsnprintf(e->text, sizeof(e->text), format, arguments);
        va_end(arguments);
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
        if (length >= 0 && (size_t)length < sizeof(e->text)) {
            snprintf(e->text + length, sizeof(e->text) - (size_t)length, ": %s",
                     strerror(saved_errno));
        }
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
    if (length >= 0 && (size_t)length < sizeof(e->text)) {
        snprintf(e->text + length, sizeof(e->text) - (size_t)length, ": %s", old_text);
    }
    return e->code;
}
