// SPDX-License-Identifier: Apache-2.0
// A whole connection: input in two pieces gives the output of one piece.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engines/app/routes.h"
#include "engines/base/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct run {
    struct buf output, kept;
    struct http_conn conn;
    struct byte_pool pool;
    struct http_date date;
    struct http_output out;
    int is_closed;
};

static void run_init(struct run *run)
{
    *run = (struct run){.date = {.second = -1}};
    buf_init(&run->output, (size_t)64 << 20);
    buf_init(&run->kept, (size_t)64 << 20);
    http_conn_init(&run->conn);
    byte_pool_init(&run->pool);
    http_date_set(&run->date, 0);
    http_output_init(&run->out, &run->pool, &run->date);
}

static void run_release(struct run *run)
{
    http_output_release(&run->out);
    byte_pool_release(&run->pool);
    buf_release(&run->output);
    buf_release(&run->kept);
}

static void run_feed(struct run *run, const uint8_t *data, size_t size)
{
    enum http_action action;

    if (run->is_closed) {
        return;
    }
    buf_add(&run->kept, data, size);
    /* Of exact size, so that the sanitizer sees every byte read too far. */
    size_t length = run->kept.length;
    char *bytes = malloc(length + !length);
    if (!bytes) {
        return;
    }
    memcpy(bytes, run->kept.bytes, length);
    struct http_input in = {.bytes = bytes, .length = length};
    do {
        action = http_conn_feed(&run->conn, &app_routes, &in, &run->out);
        buf_add(&run->output, run->out.bytes, run->out.length);
        http_output_clear(&run->out);
    } while (action == HTTP_ACTION_FLUSH);
    run->is_closed = action == HTTP_ACTION_CLOSE;
    if (in.start > in.length || in.length > length) {
        abort();
    }
    buf_clear(&run->kept);
    buf_add(&run->kept, bytes + in.start, in.length - in.start);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct run whole, split;

    if (size < 2 || memmem(data, size, "/delay/", 7)) { /* sleeping finds nothing */
        return 0;
    }
    size_t length = size - 2;
    size_t cut = (size_t)(data[0] << 8 | data[1]) % (length + 1);
    run_init(&whole);
    run_init(&split);
    run_feed(&whole, data + 2, length);
    run_feed(&split, data + 2, cut);
    run_feed(&split, data + 2 + cut, length - cut);
    if (whole.is_closed != split.is_closed || whole.output.length != split.output.length ||
        memcmp(whole.output.bytes, split.output.bytes, whole.output.length) != 0) {
        abort();
    }
    run_release(&whole);
    run_release(&split);
    return 0;
}
