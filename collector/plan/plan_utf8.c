// SPDX-License-Identifier: Apache-2.0
// Strict UTF-8, after table 3-7 of the Unicode standard.
#include "collector/plan/plan_utf8.h"

#include <string.h>

#include "engines/base/attr.h"

struct utf8_form {
    uint8_t mask, lead; /* a first byte of this form: (byte & mask) == lead */
    uint32_t smallest;  /* a smaller character would be written overlong */
};

static const struct utf8_form utf8_forms[] = {
    {0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};

size_t plan_utf8_decode(const char *bytes, size_t length, uint32_t *character_out)
{
    for (size_t extra = 0; extra < ARRAY_COUNT(utf8_forms) && extra < length; extra++) {
        const struct utf8_form *form = &utf8_forms[extra];
        uint8_t first = (uint8_t)bytes[0];

        if ((first & form->mask) != form->lead) {
            continue;
        }
        uint32_t character = first & (uint32_t)(uint8_t)~form->mask;
        for (size_t i = 1; i <= extra; i++) {
            if (((uint8_t)bytes[i] & 0xc0) != 0x80) {
                return 0;
            }
            character = character << 6 | ((uint8_t)bytes[i] & 0x3f);
        }
        if (character < form->smallest || character > 0x10ffff ||
            (character >= 0xd800 && character <= 0xdfff)) {
            return 0;
        }
        *character_out = character;
        return extra + 1;
    }
    return 0;
}

size_t plan_utf8_repair(char *text)
{
    size_t left = strlen(text), wrong_count = 0;
    uint32_t ignored;

    while (left > 0) {
        size_t length = plan_utf8_decode(text, left, &ignored);

        if (length == 0) {
            *text = '?';
            length = 1;
            wrong_count++;
        }
        text += length;
        left -= length;
    }
    return wrong_count;
}

bool plan_utf8_is_control(uint32_t character)
{
    return character < 0x20 || (character >= 0x7f && character <= 0x9f) || character == 0x2028 ||
           character == 0x2029;
}
