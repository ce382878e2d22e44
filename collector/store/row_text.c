// SPDX-License-Identifier: Apache-2.0
// Texts of foreign files: well-formed, and one line in messages.
#include "collector/store/row_text.h"

#include "collector/plan/plan_utf8.h"

bool row_text_is_utf8(const char *bytes, size_t length)
{
    while (length) {
        uint32_t character;
        size_t step = plan_utf8_decode(bytes, length, &character);

        if (!step || character == 0) {
            return false;
        }
        bytes += step;
        length -= step;
    }
    return true;
}
