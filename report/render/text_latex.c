// SPDX-License-Identifier: Apache-2.0
// Foreign text and sentences for LaTeX.
#include "report/render/text_latex.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "engines/base/attr.h"
#include "report/render/text_safe.h"

/* What cannot stand as it is. "" leaves it out. */
static const struct {
    uint32_t code_point;
    const char *command;
} commands[] = {
    {'\\', "\\textbackslash{}"},
    {'{', "\\{"},
    {'}', "\\}"},
    {'$', "\\$"},
    {'&', "\\&"},
    {'#', "\\#"},
    {'%', "\\%"},
    {'_', "\\_"},
    {'^', "\\textasciicircum{}"},
    {'~', "\\textasciitilde{}"},
    {'"', "\\textquotedbl{}"},
    {'\'', "\\textquotesingle{}"},
    {'`', "\\textasciigrave{}"},
    {'<', "\\textless{}"},
    {'>', "\\textgreater{}"},
    {'|', "\\textbar{}"},
    {'-', "{-}"}, /* two are not a dash */
    {'[', "{[}"}, /* after \\ it would be an option */
    {']', "{]}"},
    {'*', "{*}"},
    {'?', "{?}"}, /* ?` and !` are ligatures */
    {'!', "{!}"},
    {0x00A0, "~"},
    {0x00B1, "\\ensuremath{\\pm}"},
    {0x00B5, "\\textmu{}"},
    {0x00D7, "\\ensuremath{\\times}"},
    {0x2013, "\\textendash{}"},
    {0x2014, "\\textemdash{}"},
    {0x2018, "\\textquoteleft{}"},
    {0x2019, "\\textquoteright{}"},
    {0x201C, "\\textquotedblleft{}"},
    {0x201D, "\\textquotedblright{}"},
    {0x2026, "\\textellipsis{}"},
    {0x202F, "\\,"},
    {0x2212, "\\ensuremath{-}"},
    {0x2264, "\\ensuremath{\\le}"},
    {0x2265, "\\ensuremath{\\ge}"},
    {0x25B2, "\\ensuremath{\\triangle}"},
    {0x2714, "\\ensuremath{\\surd}"},
    {0x2718, "\\ensuremath{\\times}"},
    {TEXT_ISOLATE, ""},
    {TEXT_ISOLATE_POP, ""},
};

static const char *find_command(uint32_t code_point)
{
    for (size_t i = 0; i < ARRAY_COUNT(commands); i++) {
        if (commands[i].code_point == code_point) {
            return commands[i].command;
        }
    }
    return NULL;
}

/* Latin letters with accents, which the T1 fonts have; × and ÷ are not letters. */
static bool is_letter(uint32_t code_point)
{
    return (code_point >= 0xC0 && code_point <= 0xFF && code_point != 0xD7 && code_point != 0xF7) ||
           (code_point >= 0x20 && code_point < 0x7F);
}

/* Where a line may end within a word that is too long for it: a digest, a path. */
#define WORD_PART_LENGTH 16

void text_add_latex(struct buf *out, const char *text)
{
    struct buf clean;
    size_t word_length = 0;

    buf_init(&clean, out->limit_bytes);
    text_add_sentence(&clean, text);
    for (size_t i = 0; i < clean.length;) {
        uint32_t code_point;
        size_t step = text_decode(clean.bytes + i, clean.length - i, &code_point);
        const char *command = find_command(code_point);

        word_length = code_point == ' ' ? 0 : word_length + 1;
        if (word_length > WORD_PART_LENGTH) {
            buf_add_text(out, "\\allowbreak{}");
            word_length = 1;
        }
        if (command) {
            buf_add_text(out, command);
        } else if (is_letter(code_point)) {
            buf_add(out, clean.bytes + i, step);
        } else {
            buf_addf(out, "{[}U+%04X{]}\\allowbreak{}", (unsigned)code_point);
        }
        i += step;
    }
    out->failed = out->failed || clean.failed;
    buf_release(&clean);
}
