// SPDX-License-Identifier: Apache-2.0
// Feeds bytes to one HTTP connection.
#include "tests/support/http_run.h"

#include <stdio.h>
#include <string.h>

#include "engines/app/routes.h"
#include "tests/support/edge_buf.h"

#define ROUND_COUNT_MAX 1000000

/* One piece behind what was kept; the rest replaces it. */
static void piece_feed(struct http_run *run, struct http_conn *conn, struct http_output *out,
                       struct buf *kept, const char *piece, size_t length)
{
    struct edge_buf edge;
    enum http_action action = HTTP_ACTION_FLUSH;

    buf_add(kept, piece, length);
    edge_buf_init(&edge, kept->bytes, kept->length);
    struct http_input in = {.bytes = edge.bytes, .length = edge.length};
    for (int i = 0; i < ROUND_COUNT_MAX && action == HTTP_ACTION_FLUSH; i++) {
        action = http_conn_feed(conn, &app_routes, &in, out);
        buf_add(&run->output, out->bytes, out->length);
        run->answer_count += out->answer_count;
        run->error_count += out->error_count;
        http_output_clear(out);
    }
    run->is_closed = action == HTTP_ACTION_CLOSE;
    buf_clear(kept);
    buf_add(kept, in.bytes + in.start, in.length - in.start);
    run->left_bytes = kept->length;
    if (kept->length > run->most_kept_bytes) {
        run->most_kept_bytes = kept->length;
    }
    edge_buf_release(&edge);
}

void http_run_init(struct http_run *run, const char *input, size_t length, const size_t *cuts,
                   size_t cut_count)
{
    struct http_conn conn;
    struct http_output out;
    struct byte_pool pool;
    struct http_date date = {.second = -1};
    struct buf kept;
    size_t start = 0;

    *run = (struct http_run){0};
    buf_init(&run->output, (size_t)256 << 20);
    buf_init(&kept, (size_t)256 << 20);
    http_conn_init(&conn);
    byte_pool_init(&pool);
    http_output_init(&out, &pool, &date);
    http_date_set(&date, INT64_C(784111777) * 1000000000);
    for (size_t i = 0; i <= cut_count && !run->is_closed; i++) {
        size_t end = i < cut_count ? cuts[i] : length;

        piece_feed(run, &conn, &out, &kept, input + start, end - start);
        start = end;
    }
    http_output_release(&out);
    byte_pool_release(&pool);
    buf_release(&kept);
}

void http_run_release(struct http_run *run)
{
    buf_release(&run->output);
}

void http_text_summarise(const char *bytes, size_t length, bool is_closed, char *text,
                         size_t text_bytes)
{
    size_t used = 0;
    const char *at = bytes;
    const char *end = at + length;

    text[0] = '\0';
    while ((at = memmem(at, (size_t)(end - at), "HTTP/1.1 ", 9)) && used + 6 < text_bytes) {
        used += (size_t)snprintf(text + used, text_bytes - used, "%s%.3s", used ? " " : "", at + 9);
        at += 9;
    }
    if (is_closed) {
        snprintf(text + used, text_bytes - used, "c");
    }
}

void http_run_summarise(const struct http_run *run, char *text, size_t text_bytes)
{
    http_text_summarise(run->output.bytes, run->output.length, run->is_closed, text, text_bytes);
}
