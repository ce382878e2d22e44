// SPDX-License-Identifier: Apache-2.0
// Any bytes as a picture: refused, or finished into something that is accepted again.
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "report/plot/plot_svg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf first, second;
    struct err e;

    buf_init(&first, 1 << 22);
    buf_init(&second, 1 << 23);
    if (plot_svg_finish((const char *)data, size, "fuzz", &first, &e) == ERR_OK) {
        enum err_code again = plot_svg_finish(first.bytes, first.length, "fuzz", &second, &e);

        assert(again == ERR_OK);
    }
    buf_release(&first);
    buf_release(&second);
    return 0;
}
