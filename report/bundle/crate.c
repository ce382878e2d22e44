// SPDX-License-Identifier: Apache-2.0
// RO-Crate 1.2 metadata with a Process Run Crate 0.5.
#include "report/bundle/crate.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/digest.h"
#include "engines/base/clock.h"

#define PREFIX_LENGTH 5 /* of "data/": the root of the crate */
#define SIZE_BYTES    24
#define ORIGINAL_ID   "#original"
#define LICENSE_ID    "https://spdx.org/licenses/Apache-2.0"
#define PROFILE_ID    "https://w3id.org/ro/wfrun/process/0.5"

/* As the crate names a file of data/. */
static const char *name_of(const char *path)
{
    return path + PREFIX_LENGTH;
}

static bool is_described(const struct file_tree_entry *entry)
{
    return !entry->is_folder && strncmp(entry->path, "data/", PREFIX_LENGTH) == 0 &&
           strcmp(entry->path, CRATE_PATH) != 0;
}

static const char *media_type_of(const char *path)
{
    static const struct {
        const char *ending, *type;
    } types[] = {{".md", "text/markdown"},
                 {".html", "text/html"},
                 {".json", "application/json"},
                 {".csv", "text/csv"},
                 {".tsv", "text/tab-separated-values"},
                 {".svg", "image/svg+xml"},
                 {".yaml", "application/yaml"},
                 {".cff", "application/yaml"},
                 {".db", "application/vnd.sqlite3"}};
    const char *ending = strrchr(path, '.');

    for (size_t i = 0; ending && i < ARRAY_COUNT(types); i++) {
        if (strcmp(ending, types[i].ending) == 0) {
            return types[i].type;
        }
    }
    return "text/plain";
}

/* Size and digest as the metadata spells them. */
static enum err_code entry_measure(const struct file_tree_entry *entry, char size_out[SIZE_BYTES],
                                   char hex_out[DIGEST_HEX_BYTES], struct err *e)
{
    snprintf(size_out, SIZE_BYTES, "%zu", entry->length);
    return file_tree_digest(entry, hex_out, e);
}

static enum err_code files_add(const struct file_tree *tree, json_t *graph, struct err *e)
{
    enum err_code code = ERR_OK;

    for (size_t i = 0; i < tree->count && code == ERR_OK; i++) {
        const struct file_tree_entry *entry = &tree->entries[i];
        const char *name = name_of(entry->path);
        char size[SIZE_BYTES], hex[DIGEST_HEX_BYTES];

        if (!is_described(entry)) {
            continue;
        }
        code = entry_measure(entry, size, hex, e);
        if (code == ERR_OK) {
            json_array_append_new(graph,
                                  json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "@id", name, "@type",
                                            "File", "name", name, "contentSize", size,
                                            "encodingFormat", media_type_of(name), "sha256", hex));
        }
    }
    return code;
}

/* [{"@id": …}, …] of the files whose path begins so. */
static json_t *references_make(const struct file_tree *tree, const char *prefix)
{
    json_t *references = json_array();

    for (size_t i = 0; i < tree->count; i++) {
        const struct file_tree_entry *entry = &tree->entries[i];
        if (is_described(entry) && strncmp(entry->path, prefix, strlen(prefix)) == 0) {
            json_array_append_new(references, json_pack("{s:s}", "@id", name_of(entry->path)));
        }
    }
    return references;
}

/* RO-Crate's own way to write a time. */
static void time_format(int64_t wall_ns, char out[CLOCK_TEXT_BYTES])
{
    char text[CLOCK_TEXT_BYTES];

    clock_format_utc(wall_ns, text);
    snprintf(out, CLOCK_TEXT_BYTES, "%.19s+00:00", text);
}

static void roots_add(const struct content_config *config, const struct file_tree *tree,
                      json_t *graph)
{
    char date[CLOCK_TEXT_BYTES], digest[DIGEST_HEX_BYTES + 8];

    clock_format_utc(content_time_s(config->results) * CLOCK_NS_PER_S, date);
    date[10] = '\0'; /* the day */
    snprintf(digest, sizeof(digest), "sha256:%s", config->samples_digest);
    json_array_append_new(graph,
                          json_pack("{s:s, s:s, s:{s:s}, s:{s:s}}", "@id", "ro-crate-metadata.json",
                                    "@type", "CreativeWork", "conformsTo", "@id",
                                    "https://w3id.org/ro/crate/1.2", "about", "@id", "./"));
    json_array_append_new(
        graph,
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:{s:s}, s:{s:s}, s:{s:s}, s:o, s:[{s:s}, "
                  "{s:s}]}",
                  "@id", "./", "@type", "Dataset", "name", config->results->title, "description",
                  "Evidence of a benchmark of HTTP servers: plan, facts of the machine, sources of "
                  "the servers, every sample, report.",
                  "datePublished", date, "identifier", digest, "author", "@id", "#publisher",
                  "license", "@id", LICENSE_ID, "conformsTo", "@id", PROFILE_ID, "hasPart",
                  references_make(tree, "data/"), "mentions", "@id", "#measurement", "@id",
                  "#report"));
    if (config->based_on) {
        json_t *root = json_array_get(graph, json_array_size(graph) - 1);

        snprintf(digest, sizeof(digest), "sha256:%s", config->based_on);
        json_object_set_new(root, "isBasedOn", json_pack("{s:s}", "@id", ORIGINAL_ID));
        json_array_append_new(
            graph, json_pack("{s:s, s:s, s:s, s:s}", "@id", ORIGINAL_ID, "@type", "CreativeWork",
                             "name", "The bundle that this one reproduces", "identifier", digest));
    }
}

/* What was run on what, and what came out of it. */
static void actions_add(const struct content_config *config, const struct file_tree *tree,
                        json_t *graph)
{
    const struct results *results = config->results;
    bool finished = results->state && strcmp(results->state, "finished") == 0;
    char began[CLOCK_TEXT_BYTES], ended[CLOCK_TEXT_BYTES];
    json_t *objects = references_make(tree, CONTENT_PLANS);
    json_t *made = references_make(tree, CONTENT_REPORT "/");

    json_t *servers = references_make(tree, CONTENT_SERVERS);

    json_array_extend(objects, servers);
    json_decref(servers);
    json_array_append_new(made, json_pack("{s:s}", "@id", name_of(CONTENT_SAMPLES)));
    time_format(results->started_utc_ns, began);
    time_format(content_time_s(results) * CLOCK_NS_PER_S, ended);
    json_array_append_new(
        graph,
        json_pack("{s:s, s:s, s:s, s:{s:s}, s:{s:s}, s:o, s:[{s:s}, {s:s}], s:s, s:s, s:s}", "@id",
                  "#measurement", "@type", "CreateAction", "name", "tacho run", "instrument", "@id",
                  "#tacho-measured", "agent", "@id", "#publisher", "object", objects, "result",
                  "@id", name_of(CONTENT_RESULTS), "@id", name_of(CONTENT_FACTS), "startTime",
                  began, "endTime", ended, "actionStatus",
                  finished ? "http://schema.org/CompletedActionStatus"
                           : "http://schema.org/FailedActionStatus"));
    json_array_append_new(graph, json_pack("{s:s, s:s, s:s, s:{s:s}, s:{s:s}, s:[{s:s}], s:o}",
                                           "@id", "#report", "@type", "CreateAction", "name",
                                           "tacho bundle", "instrument", "@id", "#tacho-bundled",
                                           "agent", "@id", "#publisher", "object", "@id",
                                           name_of(CONTENT_RESULTS), "result", made));
}

static void contexts_add(const struct content_config *config, json_t *graph)
{
    const char *measured = config->results->program_version;

    json_array_append_new(graph, json_pack("{s:s, s:s, s:s, s:s}", "@id", "#tacho-measured",
                                           "@type", "SoftwareApplication", "name", "tacho",
                                           "softwareVersion", measured ? measured : "unknown"));
    json_array_append_new(graph, json_pack("{s:s, s:s, s:s, s:s}", "@id", "#tacho-bundled", "@type",
                                           "SoftwareApplication", "name", "tacho",
                                           "softwareVersion", config->program_version));
    json_array_append_new(graph, json_pack("{s:s, s:s, s:s}", "@id", "#publisher", "@type",
                                           "Person", "name", "The publisher of this bundle"));
    json_array_append_new(graph, json_pack("{s:s, s:s, s:s, s:s}", "@id", LICENSE_ID, "@type",
                                           "CreativeWork", "name", "Apache License 2.0",
                                           "identifier", "Apache-2.0"));
    json_array_append_new(graph,
                          json_pack("{s:s, s:s, s:s, s:s}", "@id", PROFILE_ID, "@type",
                                    "CreativeWork", "name", "Process Run Crate", "version", "0.5"));
}

/* Entities beside the files: 2 roots, 2 actions, 5 contexts. Fewer means that one was not made. */
#define ENTITY_COUNT_FIXED 9

static size_t described_count(const struct file_tree *tree)
{
    size_t count = 0;

    for (size_t i = 0; i < tree->count; i++) {
        count += is_described(&tree->entries[i]);
    }
    return count;
}

enum err_code crate_format(const struct content_config *config, const struct file_tree *tree,
                           struct buf *out, struct err *e)
{
    json_t *graph = json_array();
    char *text = NULL;

    roots_add(config, tree, graph);
    actions_add(config, tree, graph);
    contexts_add(config, graph);
    enum err_code code = files_add(tree, graph, e);
    size_t entity_count = ENTITY_COUNT_FIXED + (config->based_on ? 1u : 0u) + described_count(tree);
    if (code == ERR_OK && json_array_size(graph) == entity_count) {
        json_t *document = json_pack("{s:s, s:O}", "@context",
                                     "https://w3id.org/ro/crate/1.2/context", "@graph", graph);
        text = document ? json_dumps(document, JSON_INDENT(2)) : NULL;
        json_decref(document);
    }
    json_decref(graph);
    if (code != ERR_OK) {
        return code;
    }
    if (!text) {
        return err_set(e, ERR_FORMAT, "%s: a text that is not UTF-8, or no memory", CRATE_PATH);
    }
    buf_addf(out, "%s\n", text);
    free(text);
    return buf_check(out, CRATE_PATH, e);
}

/* --- check --------------------------------------------------------------------------------------
 */

/* One entity; those that are no files have nothing to be checked. */
static enum err_code entity_check(const struct file_tree *tree, const json_t *entity,
                                  size_t *file_count, struct err *e)
{
    const char *type = json_string_value(json_object_get(entity, "@type"));
    const char *id = json_string_value(json_object_get(entity, "@id"));
    const char *size = json_string_value(json_object_get(entity, "contentSize"));
    const char *sha256 = json_string_value(json_object_get(entity, "sha256"));
    char path[FILE_TREE_PATH_BYTES_MAX + 1], own_size[SIZE_BYTES], own_sha256[DIGEST_HEX_BYTES];

    if (!type || strcmp(type, "File") != 0) {
        return ERR_OK;
    }
    if (!id || !size || !sha256) {
        return err_set(e, ERR_FORMAT, "a File without @id, contentSize or sha256");
    }
    const struct file_tree_entry *entry =
        snprintf(path, sizeof(path), "data/%s", id) < (int)sizeof(path) ? file_tree_find(tree, path)
                                                                        : NULL;
    if (!entry || !is_described(entry)) {
        return err_set(e, ERR_FORMAT, "%.200s is not in the bundle", id);
    }
    enum err_code code = entry_measure(entry, own_size, own_sha256, e);
    if (code == ERR_OK && (strcmp(size, own_size) != 0 || strcmp(sha256, own_sha256) != 0)) {
        code = err_set(e, ERR_FORMAT, "%.200s has another size or SHA-256", id);
    }
    *file_count += code == ERR_OK;
    return code;
}

static enum err_code graph_check(const struct file_tree *tree, const json_t *document,
                                 struct err *e)
{
    const json_t *graph = json_object_get(document, "@graph");
    json_t *seen = json_object();
    size_t file_count = 0;
    enum err_code code = ERR_OK;

    if (!json_is_array(graph) || !seen) {
        json_decref(seen);
        return err_set(e, ERR_FORMAT, "no @graph");
    }
    for (size_t i = 0; i < json_array_size(graph) && code == ERR_OK; i++) {
        const json_t *entity = json_array_get(graph, i);
        const char *id = json_string_value(json_object_get(entity, "@id"));

        if (!id || json_object_get(seen, id) || json_object_set_new(seen, id, json_true()) < 0) {
            code = err_set(e, ERR_FORMAT, "an entity without @id, or two with the same: %.200s",
                           id ? id : "");
        } else {
            code = entity_check(tree, entity, &file_count, e);
        }
    }
    json_decref(seen);
    if (code == ERR_OK && file_count != described_count(tree)) {
        code = err_set(e, ERR_FORMAT, "tells of %zu files, there are %zu", file_count,
                       described_count(tree));
    }
    return code;
}

enum err_code crate_check(const struct file_tree *tree, struct err *e)
{
    const struct file_tree_entry *entry = file_tree_find(tree, CRATE_PATH);
    json_error_t cause;
    struct buf text;

    if (!entry || entry->is_folder) {
        return err_set(e, ERR_FORMAT, "%s is not there", CRATE_PATH);
    }
    if (entry->length > CRATE_BYTES_MAX) {
        return err_set(e, ERR_FORMAT, "%s: larger than %zu bytes", CRATE_PATH, CRATE_BYTES_MAX);
    }
    buf_init(&text, CRATE_BYTES_MAX);
    enum err_code code = file_tree_load(tree, entry, &text, e);
    if (code != ERR_OK) {
        buf_release(&text);
        return code;
    }
    json_t *document = json_loadb(text.bytes, text.length, JSON_REJECT_DUPLICATES, &cause);
    buf_release(&text);
    if (!document) {
        return err_set(e, ERR_FORMAT, "%s: line %d: %s", CRATE_PATH, cause.line, cause.text);
    }
    struct err inner = {0};

    code = graph_check(tree, document, &inner);

    json_decref(document);
    return code == ERR_OK ? ERR_OK : err_set(e, code, "%s: %s", CRATE_PATH, inner.text);
}
