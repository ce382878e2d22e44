// SPDX-License-Identifier: Apache-2.0
// The strings of a report in another language: a catalogue in the form of GNU gettext (PO), which
// is part of the program. English is the key.
#ifndef REPORT_RENDER_CATALOGUE_H
#define REPORT_RENDER_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

struct catalogue;

#define CATALOGUE_ENGLISH "en"

/* "en", "pt-BR": what catalogue_open knows, and English, however it is written: "PT_br"; NULL. */
const char *catalogue_name(const char *language);

/* errors   ERR_LIMIT: memory; ERR_FORMAT: no catalogue of that language, or it is damaged */
enum err_code catalogue_open(const char *language, struct catalogue **catalogue_out,
                             struct err *e) ATTR_MUST_USE;

/*
 * Reads PO text: comments, msgid and msgstr with their continuation lines and the escapes \n \t \"
 * \\. The entry of the empty key is the head. An entry that is marked "#, c-format" is a format for
 * printf; one whose conversions are not those of its key, in their places or by number ("%2$s"), is
 * refused.
 */
enum err_code catalogue_parse(const char *text, size_t length, struct catalogue **catalogue_out,
                              struct err *e) ATTR_MUST_USE;
void catalogue_free(struct catalogue *catalogue);

/* NULL: there is no such key of that kind. Lives as long as the catalogue. */
const char *catalogue_find(const struct catalogue *catalogue, const char *key, bool is_format);
size_t catalogue_count(const struct catalogue *catalogue);

#endif
