// SPDX-License-Identifier: Apache-2.0
// Errors as values: a code to branch on and one line of text for a person. Never prints, never
// exits.
#ifndef ENGINES_BASE_ERR_H
#define ENGINES_BASE_ERR_H

#include <stdbool.h>

#include "engines/base/attr.h"

enum err_code {
    ERR_OK = 0,
    ERR_USAGE,    /* the caller's input is wrong: an option, a plan, an address */
    ERR_SYS,      /* a system call failed; sys_errno says how */
    ERR_FORMAT,   /* foreign bytes are not what they claim to be */
    ERR_LIMIT,    /* a stated limit was reached (size, count, memory) */
    ERR_DB,       /* SQLite refused */
    ERR_MISMATCH, /* two things that must agree do not */
};

#define ERR_TEXT_BYTES 512

struct err {
    enum err_code code;
    int sys_errno; /* errno of the failing call with ERR_SYS, and with ERR_DB where one is known;
                      else 0 */
    char text[ERR_TEXT_BYTES];
};

/*
 * Records an error and returns its code, so that a failing function ends with `return err_set(e,
 * …)`.
 *
 * e        may be NULL: then only the code is returned
 * format   one line without a final newline; longer text is cut at the buffer, and control
 *          characters (of a file's name, say) become \xHH
 */
enum err_code err_set(struct err *e, enum err_code code, const char *format, ...) ATTR_PRINTF(3, 4);

/* As err_set with ERR_SYS: keeps errno and ends the text with ": " and strerror(errno), for which a
 * longer text is cut. */
enum err_code err_set_sys(struct err *e, const char *format, ...) ATTR_PRINTF(2, 3);

/* Puts "context: " before the text of an error that is already set; returns its code. */
enum err_code err_wrap(struct err *e, const char *format, ...) ATTR_PRINTF(2, 3);

/* There is no room for what was to be written: a full disk, a quota, a limit of a file's size. */
bool err_is_no_space(const struct err *e);

#ifdef __clang_analyzer__
/* The static analyser sees no other file: this tells it that these never return ERR_OK. */
#define err_set(e, code, ...) ((err_set)(e, code, __VA_ARGS__), (code))
#define err_set_sys(e, ...)   ((err_set_sys)(e, __VA_ARGS__), ERR_SYS)
#define err_wrap(e, ...)      ((err_wrap)(e, __VA_ARGS__), ERR_SYS)
#endif

#endif
