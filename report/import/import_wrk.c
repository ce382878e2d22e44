// SPDX-License-Identifier: Apache-2.0
// Runs of wrk as a published file.
#include "report/import/import_wrk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/run/wrk_text.h"
#include "engines/base/fs.h"
#include "report/published/published.h"

#define NAME_BYTES  200
#define TITLE_BYTES 280
#define DIGITS      12

/* The lists of the file, which `root` owns. */
struct importing {
    json_t *root, *engines, *workloads, *figures;
    struct buf source, title;
    struct buf *warnings;
    struct err *e;
};

/* "results/epoll.txt" is "epoll". */
static void name_engine(const char *path, char out[NAME_BYTES])
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);

    snprintf(out, NAME_BYTES, "%.*s", (int)(length < NAME_BYTES ? length : NAME_BYTES - 1), base);
}

/* "/ping -t20 -c400 -d30s" */
static void name_workload(const struct wrk_run *run, char out[2 * NAME_BYTES])
{
    char load[64] = "";

    if (run->connection_count > 0) {
        snprintf(load, sizeof(load), " -t%lld -c%lld", (long long)run->thread_count,
                 (long long)run->connection_count);
    }
    snprintf(out, 2 * NAME_BYTES, "%s%s%s%s", *run->path ? run->path : "wrk", load,
             *run->duration ? " -d" : "", run->duration);
}

static json_t *find_named(json_t *list, const char *name)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *item = json_array_get(list, i);

        if (strcmp(json_string_value(json_object_get(item, "name")), name) == 0) {
            return item;
        }
    }
    return NULL;
}

static bool has_figure(const struct importing *importing, const char *engine, const char *workload)
{
    for (size_t i = 0; i < json_array_size(importing->figures); i++) {
        json_t *figure = json_array_get(importing->figures, i);

        if (strcmp(json_string_value(json_object_get(figure, "engine")), engine) == 0 &&
            strcmp(json_string_value(json_object_get(figure, "workload")), workload) == 0) {
            return true;
        }
    }
    return false;
}

static enum err_code fail_memory(const struct importing *importing)
{
    return err_set(importing->e, ERR_LIMIT, "no memory for the imported runs");
}

static enum err_code add_engine(const struct importing *importing, const char *name)
{
    if (find_named(importing->engines, name)) {
        return ERR_OK;
    }
    return json_array_append_new(importing->engines, json_pack("{s:s}", "name", name)) == 0
               ? ERR_OK
               : err_set(importing->e, ERR_FORMAT,
                         "%.100s: the name of this file is not UTF-8; rename it", name);
}

static enum err_code add_workload(const struct importing *importing, const struct wrk_run *run,
                                  const char *name)
{
    if (find_named(importing->workloads, name)) {
        return ERR_OK;
    }
    json_t *workload = json_pack("{s:s, s:i}", "name", name, "runs", 1);

    if (workload && run->connection_count > 0) {
        json_object_set_new(workload, "connections", json_integer(run->connection_count));
        json_object_set_new(workload, "threads", json_integer(run->thread_count));
    }
    if (workload && !isnan(run->duration_s)) {
        json_object_set_new(workload, "duration_s", json_real(run->duration_s));
    }
    return json_array_append_new(importing->workloads, workload) == 0
               ? ERR_OK
               : err_set(importing->e, ERR_FORMAT, "\"%.100s\" is not UTF-8", name);
}

/* Engine and workload come first for a person who reads it. */
static enum err_code add_figure(const struct importing *importing, const struct wrk_run *run,
                                const char *engine, const char *workload)
{
    json_t *figure = json_pack("{s:s, s:s}", "engine", engine, "workload", workload);

    if (!figure || json_object_update(figure, run->figure) != 0) {
        json_decref(figure);
        return fail_memory(importing);
    }
    return json_array_append_new(importing->figures, figure) == 0 ? ERR_OK : fail_memory(importing);
}

static enum err_code add_run(struct importing *importing, const char *path,
                             const struct wrk_run *run)
{
    char engine[NAME_BYTES], workload[2 * NAME_BYTES];

    name_engine(path, engine);
    name_workload(run, workload);
    if (has_figure(importing, engine, workload)) {
        return err_set(importing->e, ERR_FORMAT,
                       "%.200s: a second run of \"%.60s\" under the same load; rename the file or "
                       "leave one out",
                       path, engine);
    }
    enum err_code code = add_engine(importing, engine);
    if (code == ERR_OK) {
        code = add_workload(importing, run, workload);
    }
    if (code == ERR_OK) {
        code = add_figure(importing, run, engine, workload);
    }
    buf_addf(&importing->source, "%s%s", importing->source.length ? ", " : "", engine);
    return code;
}

static enum err_code add_file(struct importing *importing, const char *path)
{
    struct wrk_run run;
    struct buf text;

    buf_init(&text, WRK_TEXT_BYTES_MAX);
    enum err_code code = fs_read_file(path, &text, importing->e);
    if (code == ERR_OK) {
        code =
            wrk_text_parse(path, text.bytes, text.length, &run, importing->warnings, importing->e);
    }
    buf_release(&text);
    if (code == ERR_OK) {
        code = add_run(importing, path, &run);
        wrk_run_release(&run);
    }
    return code;
}

static int add_bytes(const char *bytes, size_t length, void *out)
{
    buf_add(out, bytes, length);
    return 0;
}

/* What was made must be what tacho report takes. */
static enum err_code finish(struct importing *importing, const char *title, struct buf *out)
{
    struct published *published = NULL;
    char made[TITLE_BYTES];

    snprintf(made, sizeof(made), "wrk: %.240s", importing->source.bytes);
    json_object_set_new(importing->root, "title", json_string(title ? title : made));
    buf_addf(&importing->title, "Output of wrk, imported: %.3900s", importing->source.bytes);
    json_object_set_new(importing->root, "source", json_string(importing->title.bytes));
    if (json_dump_callback(importing->root, add_bytes, out,
                           JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS)) != 0) {
        return fail_memory(importing);
    }
    buf_add_char(out, '\n');
    enum err_code code = buf_check(out, "the imported runs", importing->e);
    if (code == ERR_OK) {
        code =
            published_parse("the imported runs", out->bytes, out->length, &published, importing->e);
    }
    published_free(published);
    return code;
}

enum err_code import_wrk(const char *const *paths, size_t path_count, const char *title,
                         struct buf *out, struct buf *warnings, struct err *e)
{
    struct importing importing = {.warnings = warnings, .e = e};

    importing.root = json_pack("{s:s, s:s, s:s, s:{s:s}, s:[], s:[], s:[]}", "format",
                               "tachograph-published-1", "title", "", "source", "", "conditions",
                               "tool", "wrk", "engines", "workloads", "figures");
    if (!importing.root) {
        return fail_memory(&importing);
    }
    importing.engines = json_object_get(importing.root, "engines");
    importing.workloads = json_object_get(importing.root, "workloads");
    importing.figures = json_object_get(importing.root, "figures");
    buf_init(&importing.source, PUBLISHED_TEXT_BYTES_MAX);
    buf_init(&importing.title, PUBLISHED_TEXT_BYTES_MAX);
    enum err_code code = ERR_OK;
    for (size_t i = 0; i < path_count && code == ERR_OK; i++) {
        code = add_file(&importing, paths[i]);
    }
    if (code == ERR_OK) {
        code = finish(&importing, title, out);
    }
    buf_release(&importing.source);
    buf_release(&importing.title);
    json_decref(importing.root);
    return code;
}
