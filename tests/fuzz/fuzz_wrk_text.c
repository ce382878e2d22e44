// SPDX-License-Identifier: Apache-2.0
// What is taken for a run of wrk has only keys and numbers that a published file may have.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/run/wrk_text.h"
#include "report/published/published.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct published *published = NULL;
    struct wrk_run run;
    struct buf warnings;
    struct err e;

    buf_init(&warnings, (size_t)1 << 20);
    if (wrk_text_parse("fuzz", (const char *)bytes, length, &run, &warnings, &e) == ERR_OK) {
        json_object_set_new(run.figure, "engine", json_string("a"));
        json_object_set_new(run.figure, "workload", json_string("w"));
        json_t *root =
            json_pack("{s:s, s:s, s:s, s:{}, s:[{s:s}], s:[{s:s}], s:[O]}", "format",
                      "tachograph-published-1", "title", "t", "source", "s", "conditions",
                      "engines", "name", "a", "workloads", "name", "w", "figures", run.figure);
        char *text = json_dumps(root, 0);

        if (text && published_parse("fuzz", text, strlen(text), &published, &e) != ERR_OK &&
            !strstr(e.text, "stands twice") && !strstr(e.text, "a number above")) {
            abort();
        }
        published_free(published);
        free(text);
        json_decref(root);
        wrk_run_release(&run);
    }
    buf_release(&warnings);
    return 0;
}
