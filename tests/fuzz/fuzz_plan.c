// SPDX-License-Identifier: Apache-2.0
// Any bytes as a plan: refused with a position, or read, and then its canonical text is a fixed
// point.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/plan/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct plan *plan = NULL;
    struct plan *again = NULL;
    struct buf first;
    struct buf second;
    struct err e = {0};

    if (plan_parse_claims("fuzz", (const char *)bytes, length, &plan, &e) == ERR_OK) {
        plan_free(plan);
    }
    if (plan_parse("fuzz", "/nonexistent", (const char *)bytes, length, &plan, &e) != ERR_OK) {
        assert(strncmp(e.text, "fuzz", 4) == 0 || e.code == ERR_LIMIT);
        return 0;
    }
    buf_init(&first, 2 << 20);
    buf_init(&second, 2 << 20);
    plan_format(plan, &first);
    if (plan_parse("fuzz", "/nonexistent", first.bytes, first.length, &again, &e) != ERR_OK) {
        abort();
    }
    plan_format(again, &second);
    if (first.length != second.length || memcmp(first.bytes, second.bytes, first.length) != 0) {
        abort();
    }
    buf_release(&first);
    buf_release(&second);
    plan_free(plan);
    plan_free(again);
    return 0;
}
