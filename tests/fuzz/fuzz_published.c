// SPDX-License-Identifier: Apache-2.0
// A published file that is taken can be checked and composed whatever its numbers are.
#include <stdint.h>
#include <stdlib.h>

#include "report/compose/compose_published.h"
#include "report/render/render.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct published *published = NULL;
    struct published_analysis analysis;
    struct document *document = NULL;
    struct buf out;
    struct err e;

    if (published_parse("fuzz", (const char *)bytes, length, &published, &e) != ERR_OK) {
        return 0;
    }
    if (published_analyse(published, &analysis, &e) == ERR_OK) {
        buf_init(&out, (size_t)64 << 20);
        if (compose_published(&analysis,
                              &(struct compose_published_config){.digest = "d", .version = "0"},
                              &document, &e) == ERR_OK) {
            render_html(document, &out);
            buf_clear(&out);
            if (render_json(document, &out, &e) == ERR_OK && out.length == 0) {
                abort();
            }
        }
        buf_release(&out);
        document_free(document);
        published_analysis_release(&analysis);
    }
    published_free(published);
    return 0;
}
