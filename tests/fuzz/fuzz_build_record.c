// SPDX-License-Identifier: Apache-2.0
// A build record that is taken can be run: whole commands, a product within the work folder.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/reproduce/build_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Out of the work folder; dots within a name lead nowhere. */
static bool leads_out(const char *path)
{
    char framed[8192];

    return *path == '/' || snprintf(framed, sizeof(framed), "/%s/", path) >= (int)sizeof(framed) ||
           strstr(framed, "/../");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct build_record record;

    if (build_record_parse((const char *)bytes, length, &record, NULL) != ERR_OK) {
        return 0;
    }
    if (record.tool_count == 0 || record.step_count == 0 || leads_out(record.product_path)) {
        abort();
    }
    for (size_t i = 0; i < record.step_count; i++) {
        const struct build_step *step = &record.steps[i];

        if (step->count == 0 || !*step->arguments[0] || step->arguments[step->count]) {
            abort();
        }
    }
    build_record_release(&record);
    return 0;
}
