// SPDX-License-Identifier: Apache-2.0
// Errors as values.
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "collector/plan/plan_utf8.h"
#include "engines/base/err.h"

Test(err, carries_its_code_and_text)
{
    struct err e = {.sys_errno = 5};

    cr_expect_eq(err_set(&e, ERR_LIMIT, "%d of %s", 3, "x"), ERR_LIMIT);
    cr_expect_eq(e.code, ERR_LIMIT);
    cr_expect_eq(e.sys_errno, 0);
    cr_expect_str_eq(e.text, "3 of x");
}

Test(err, of_a_system_call_names_the_cause_and_keeps_errno)
{
    struct err e = {0};

    errno = ENOENT;
    cr_expect_eq(err_set_sys(&e, "opening %s", "a"), ERR_SYS);
    cr_expect_eq(errno, ENOENT);
    cr_expect_eq(e.sys_errno, ENOENT);
    cr_expect_str_eq(e.text, "opening a: No such file or directory");
}

Test(err, tells_whether_there_is_no_room)
{
    static const struct {
        int number;
        bool is_no_space;
    } rows[] = {{ENOSPC, true}, {EDQUOT, true}, {EFBIG, true}, {EIO, false}, {0, false}};

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const struct err e = {.code = ERR_DB, .sys_errno = rows[i].number};
        cr_expect_eq(err_is_no_space(&e), rows[i].is_no_space, "%d", rows[i].number);
    }
}

Test(err, gains_context_on_its_way_up)
{
    struct err e = {0};

    err_set(&e, ERR_FORMAT, "line 3");
    cr_expect_eq(err_wrap(&e, "plan %s", "a.yaml"), ERR_FORMAT);
    cr_expect_eq(err_wrap(&e, "run"), ERR_FORMAT);
    cr_expect_str_eq(e.text, "run: plan a.yaml: line 3");
}

Test(err, is_cut_at_its_buffer_and_always_ends)
{
    struct err e = {0};
    char long_text[2000];

    memset(long_text, 'x', sizeof(long_text) - 1);
    long_text[sizeof(long_text) - 1] = '\0';
    err_set(&e, ERR_USAGE, "%s", long_text);
    cr_expect_eq(strlen(e.text), ERR_TEXT_BYTES - 1);
    errno = EIO;
    err_set_sys(&e, "%s", long_text);
    cr_expect_eq(strlen(e.text), ERR_TEXT_BYTES - 1);
    cr_expect_str_eq(e.text + strlen(e.text) - strlen("…: Input/output error"),
                     "…: Input/output error", "the reason is not what is cut");
    err_wrap(&e, "%s", long_text);
    cr_expect_eq(strlen(e.text), ERR_TEXT_BYTES - 1);
    err_set(&e, ERR_USAGE, "short");
    err_wrap(&e, "%s", long_text + 1500);
    cr_expect_eq(strlen(e.text), 506, "499 bytes, \": \" and \"short\"");
    for (size_t i = 0; i + 2 <= sizeof(long_text); i += 2) {
        memcpy(long_text + i, "\xc3\xa9", 2);
    }
    long_text[sizeof(long_text) - 2] = '\0';
    errno = EIO;
    err_set_sys(&e, "x%s", long_text);
    cr_expect_eq(plan_utf8_repair(e.text), 0, "no letter is cut in two");
}

Test(err, needs_no_place_to_be_written_to)
{
    cr_expect_eq(err_set(NULL, ERR_DB, "x"), ERR_DB);
    cr_expect_eq(err_set_sys(NULL, "x"), ERR_SYS);
    cr_expect_neq(err_wrap(NULL, "x"), ERR_OK);
}

Test(err, stays_one_line_whatever_a_name_holds)
{
    struct err e = {0};

    err_set(&e, ERR_USAGE, "--only %s", "a\n\033[31mb\x7f\t");
    cr_expect_str_eq(e.text, "--only a\\x0a\\x1b[31mb\\x7f\\x09");
    err_wrap(&e, "%s", "plan\r\n");
    cr_expect_str_eq(e.text, "plan\\x0d\\x0a: --only a\\x0a\\x1b[31mb\\x7f\\x09");
    errno = ENOENT;
    err_set_sys(&e, "\xc3\xa9\n.yaml");
    cr_expect_str_eq(e.text, "\xc3\xa9\\x0a.yaml: No such file or directory", "UTF-8 is kept");
}
