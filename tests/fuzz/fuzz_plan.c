// SPDX-License-Identifier: Apache-2.0
// Any bytes as a plan: refused with a position, or read, and then its canonical text is a fixed
// point.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/plan/plan_stored.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* As what a session keeps of the files of a plan, which may be anybody's. */
static void source_read(const uint8_t *bytes, size_t length)
{
    static const struct plan nothing;
    char *source = malloc(length + 1);
    struct plan *plan = NULL;
    struct err e = {0};

    if (!source) {
        abort();
    }
    memcpy(source, bytes, length);
    source[length] = '\0';
    for (size_t count = plan_source_setting_count(source) + 1; count-- > 0;) {
        if (plan_parse_source("fuzz", source, count, &nothing, &plan, &e) == ERR_OK) {
            plan_free(plan);
        }
    }
    free(source);
}

/* What was written gives the same plan once more. */
static void source_compare(const struct plan *plan, const struct buf *text)
{
    struct plan *again = NULL;
    struct buf second;

    if (plan_parse_source("fuzz", plan->source, 0, plan, &again, NULL) != ERR_OK) {
        abort();
    }
    buf_init(&second, 2 << 20);
    plan_format(again, &second);
    assert(second.length == text->length && memcmp(second.bytes, text->bytes, text->length) == 0);
    buf_release(&second);
    plan_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct plan *plan = NULL;
    struct plan *again = NULL;
    struct buf first;
    struct buf second;
    struct err e = {0};

    source_read(bytes, length);
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
    if (plan->source) {
        source_compare(plan, &first);
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
