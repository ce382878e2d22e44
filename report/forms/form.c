// SPDX-License-Identifier: Apache-2.0
// The table of the forms, and what they share.
#include "report/forms/form.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "engines/base/fs.h"

const struct form forms[FORM_COUNT] = {
#define FORM(name, first_file, is_for_reader, help)                                                \
    {#name, first_file, is_for_reader, help, form_##name},
#include "report/forms/forms.def"
#undef FORM
};

static const char names[] =
#define FORM(name, ...) " " #name
#include "report/forms/forms.def"
#undef FORM
    ;

static size_t form_find(const char *name, size_t length)
{
    size_t found = 0;

    while (found < FORM_COUNT &&
           (strlen(forms[found].name) != length || memcmp(name, forms[found].name, length) != 0)) {
        found++;
    }
    return found;
}

enum err_code form_parse(const char *list, uint64_t *set_out, struct err *e)
{
    uint64_t set = 0;

    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ","), found = form_find(at, length);

        if (found == FORM_COUNT) {
            return err_set(e, ERR_USAGE, "--format %.60s: it is a list, with commas, of%s", list,
                           names);
        }
        set |= UINT64_C(1) << found;
        at += length;
        if (*at == '\0') {
            break;
        }
    }
    *set_out = set;
    return ERR_OK;
}

enum err_code form_write(const struct form_folder *folder, const char *name,
                         const struct buf *content, struct err *e)
{
    char path[PATH_MAX];

    if (buf_check(content, name, e) != ERR_OK) {
        return ERR_LIMIT;
    }
    int length = snprintf(path, sizeof(path), "%s/%s", folder->path, name);
    if (length >= (int)sizeof(path)) {
        return err_set(e, ERR_LIMIT, "the path of %s is too long", name);
    }
    char *slash = strrchr(path, '/');
    *slash = '\0';
    enum err_code code = fs_make_directories(path, e);
    *slash = '/';
    return code == ERR_OK ? fs_write_derived(path, content->bytes, content->length, e) : code;
}
