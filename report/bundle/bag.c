// SPDX-License-Identifier: Apache-2.0
// BagIt 1.0: tag files and manifests.
#include "report/bundle/bag.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/clock.h"

#define HEX_DIGITS         (DIGEST_HEX_BYTES - 1)
#define TAG_BYTES_MAX      ((size_t)16 << 20)
#define MANIFEST_LINES_MAX ((size_t)2 * FILE_TREE_ENTRY_COUNT_MAX)
#define PAYLOAD            "data/"

const char bag_declaration_text[] = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n";

static bool is_payload(const char *path)
{
    return strncmp(path, PAYLOAD, strlen(PAYLOAD)) == 0;
}

void bag_measure_payload(const struct file_tree *tree, uint64_t *bytes_out, uint64_t *files_out)
{
    uint64_t bytes = 0, files = 0;

    for (size_t i = 0; i < tree->count; i++) {
        if (!tree->entries[i].is_folder && is_payload(tree->entries[i].path)) {
            bytes += tree->entries[i].length;
            files++;
        }
    }
    *bytes_out = bytes;
    *files_out = files;
}

static int pointer_compare(const void *left, const void *right)
{
    return strcmp((*(const struct file_tree_entry *const *)left)->path,
                  (*(const struct file_tree_entry *const *)right)->path);
}

/* Appends "HEX  PATH\n" for the files of data/, or for those beside it, by bytes of the path. */
static enum err_code manifest_format(const struct file_tree *tree, bool payload, struct buf *out,
                                     struct err *e)
{
    const struct file_tree_entry **files = malloc((tree->count + 1) * sizeof(*files));
    size_t file_count = 0;
    enum err_code code = ERR_OK;

    if (!files) {
        return err_set(e, ERR_LIMIT, "no memory for a manifest");
    }
    for (size_t i = 0; i < tree->count; i++) {
        const struct file_tree_entry *entry = &tree->entries[i];
        if (!entry->is_folder && is_payload(entry->path) == payload) {
            files[file_count++] = entry;
        }
    }
    qsort(files, file_count, sizeof(*files), pointer_compare);
    for (size_t i = 0; i < file_count && code == ERR_OK; i++) {
        char hex[DIGEST_HEX_BYTES] = "";
        code = file_tree_digest(files[i], hex, e);
        buf_addf(out, "%s  %s\n", hex, files[i]->path);
    }
    free(files);
    return code == ERR_OK ? buf_check(out, "a manifest", e) : code;
}

/* Formats one manifest and adds it to the tree. */
static enum err_code manifest_add(struct file_tree *tree, bool payload, const char *name,
                                  struct err *e)
{
    struct buf text;

    buf_init(&text, TAG_BYTES_MAX);
    enum err_code code = manifest_format(tree, payload, &text, e);
    if (code == ERR_OK) {
        code = file_tree_add_file(tree, name, text.bytes, text.length, e);
    }
    buf_release(&text);
    return code;
}

static enum err_code info_add(struct file_tree *tree, struct bag_info *info, struct err *e)
{
    struct buf text;

    bag_measure_payload(tree, &info->payload_bytes, &info->payload_files);
    buf_init(&text, TAG_BYTES_MAX);
    bag_format_info(info, &text);
    enum err_code code = buf_check(&text, BAG_INFO, e);
    if (code == ERR_OK) {
        code = file_tree_add_file(tree, BAG_INFO, text.bytes, text.length, e);
    }
    buf_release(&text);
    return code;
}

enum err_code bag_seal(struct file_tree *tree, struct bag_info *info, const char *slug,
                       char id_out[DIGEST_HEX_BYTES], struct err *e)
{
    char id[DIGEST_HEX_BYTES] = "";

    enum err_code code = file_tree_add_file(tree, BAG_DECLARATION, bag_declaration_text,
                                            strlen(bag_declaration_text), e);
    if (code == ERR_OK) {
        code = info_add(tree, info, e);
    }
    if (code == ERR_OK) {
        code = manifest_add(tree, true, BAG_MANIFEST, e);
    }
    if (code == ERR_OK) {
        code = manifest_add(tree, false, BAG_TAG_MANIFEST, e);
    }
    if (code == ERR_OK) {
        code = file_tree_complete(tree, e);
    }
    const struct file_tree_entry *tags =
        code == ERR_OK ? file_tree_find(tree, BAG_TAG_MANIFEST) : NULL;
    if (tags) {
        code = file_tree_digest(tags, id, e);
    }
    if (code == ERR_OK) {
        snprintf(tree->top, sizeof(tree->top), "%.60s-%.16s", slug, id);
        memcpy(id_out, id, sizeof(id));
    }
    return code;
}

void bag_format_info(const struct bag_info *info, struct buf *out)
{
    char utc[CLOCK_TEXT_BYTES];

    clock_format_utc(info->time_s * CLOCK_NS_PER_S, utc);
    buf_addf(out, "Bag-Software-Agent: %s\n", info->software_agent);
    buf_addf(out, "Bagging-Date: %.10s\n", utc);
    buf_addf(out, "External-Identifier: %s\n", info->external_identifier);
    buf_addf(out, "Payload-Oxum: %" PRIu64 ".%" PRIu64 "\n", info->payload_bytes,
             info->payload_files);
    buf_addf(out, "Tacho-Format: %d\n", BAG_FORMAT);
    buf_addf(out, "Tacho-Renderer: %s\n", info->renderer);
    buf_addf(out, "Tacho-Time: %" PRId64 "\n", info->time_s);
    buf_addf(out, "Tacho-Samples-Digest: %s\n", info->samples_digest);
    buf_addf(out, "Tacho-Plan-Digest: %s\n", info->plan_digest);
    if (*info->based_on) {
        buf_addf(out, "Tacho-Based-On: %s\n", info->based_on);
    }
}

/* The value of "KEY: VALUE\n" at *cursor, which moves behind it. */
static enum err_code info_line(const char **cursor, const char *end, const char *key,
                               char value_out[BAG_VALUE_BYTES], struct err *e)
{
    size_t key_bytes = strlen(key), left = (size_t)(end - *cursor);
    const char *newline = left ? memchr(*cursor, '\n', left) : NULL;

    if (!newline || (size_t)(newline - *cursor) < key_bytes + 2 ||
        memcmp(*cursor, key, key_bytes) != 0 || memcmp(*cursor + key_bytes, ": ", 2) != 0) {
        return err_set(e, ERR_FORMAT, "no line \"%s: ...\" where it belongs", key);
    }
    const char *value = *cursor + key_bytes + 2;
    size_t value_bytes = (size_t)(newline - value);
    if (value_bytes >= BAG_VALUE_BYTES || memchr(value, '\0', value_bytes)) {
        return err_set(e, ERR_FORMAT, "the value of %s is too long or holds a NUL", key);
    }
    memcpy(value_out, value, value_bytes);
    value_out[value_bytes] = '\0';
    *cursor = newline + 1;
    return ERR_OK;
}

/* Numbers and digests out of the lines; what does not fit shows when the text is made again. */
static void info_take(struct bag_info *info, const char (*values)[BAG_VALUE_BYTES])
{
    char *end = NULL;

    memcpy(info->software_agent, values[0], BAG_VALUE_BYTES);
    memcpy(info->external_identifier, values[2], BAG_VALUE_BYTES);
    info->payload_bytes = strtoull(values[3], &end, 10);
    info->payload_files = *end == '.' ? strtoull(end + 1, NULL, 10) : 0;
    info->time_s = strtoll(values[6], NULL, 10);
    memcpy(info->renderer, values[5], BAG_VALUE_BYTES);
    bag_parse_hex(values[7], strlen(values[7]), info->samples_digest);
    bag_parse_hex(values[8], strlen(values[8]), info->plan_digest);
}

enum err_code bag_parse_info(const char *bytes, size_t length, struct bag_info *info_out,
                             struct err *e)
{
    static const char *const keys[] = {
        "Bag-Software-Agent", "Bagging-Date",         "External-Identifier",
        "Payload-Oxum",       "Tacho-Format",         "Tacho-Renderer",
        "Tacho-Time",         "Tacho-Samples-Digest", "Tacho-Plan-Digest"};
    char values[ARRAY_COUNT(keys)][BAG_VALUE_BYTES];
    struct bag_info info = {.based_on = ""};
    const char *cursor = bytes, *end = bytes + length;
    struct buf again;

    for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
        enum err_code code = info_line(&cursor, end, keys[i], values[i], e);
        if (code != ERR_OK) {
            return code;
        }
    }
    if (cursor != end) { /* only of a bundle that reproduces another */
        char id[BAG_VALUE_BYTES];
        enum err_code code = info_line(&cursor, end, "Tacho-Based-On", id, e);

        if (code != ERR_OK) {
            return code;
        }
        bag_parse_hex(id, strlen(id), info.based_on);
    }
    if (strcmp(values[4], "1") != 0) {
        return err_set(e, ERR_MISMATCH, "format %.20s; this program reads format %d", values[4],
                       BAG_FORMAT);
    }
    info_take(&info, (const char(*)[BAG_VALUE_BYTES])values);
    if (info.time_s < 0 || info.time_s > INT64_C(077777777777)) {
        return err_set(e, ERR_FORMAT, "Tacho-Time is out of range");
    }
    buf_init(&again, length + 1);
    bag_format_info(&info, &again);
    bool same = !again.failed && again.length == length && memcmp(again.bytes, bytes, length) == 0;
    buf_release(&again);
    if (!same) {
        return err_set(e, ERR_FORMAT, "a value is not spelled as it is written");
    }
    *info_out = info;
    return ERR_OK;
}

/* --- manifests ----------------------------------------------------------------------------------
 */

bool bag_parse_hex(const char *text, size_t length, char hex_out[DIGEST_HEX_BYTES])
{
    char hex[DIGEST_HEX_BYTES];

    if (length != HEX_DIGITS) {
        return false;
    }
    for (size_t i = 0; i < HEX_DIGITS; i++) {
        char digit = text[i];
        if (digit >= 'A' && digit <= 'F') {
            digit = (char)(digit - 'A' + 'a');
        }
        if (!((digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f'))) {
            return false;
        }
        hex[i] = digit;
    }
    hex[HEX_DIGITS] = '\0';
    memcpy(hex_out, hex, sizeof(hex));
    return true;
}

/* GNU's escapes: "\\\\" is '\\', "\\n" a line feed, "\\r" a carriage return. False: another one. */
static bool path_unescape(const char *text, size_t length, char *out)
{
    for (size_t i = 0; i < length; i++) {
        char byte = text[i];

        if (byte == '\\') {
            if (++i == length) {
                return false;
            }
            byte = text[i] == 'n' ? '\n' : text[i] == 'r' ? '\r' : text[i] == '\\' ? '\\' : '\0';
            if (byte == '\0') {
                return false;
            }
        }
        *out++ = byte;
    }
    *out = '\0';
    return true;
}

/* Bytes between digits and name, of at least two: a space or tab, then perhaps a space or '*'. */
static size_t separator_measure(const char *text)
{
    if (*text != ' ' && *text != '\t') {
        return 0;
    }
    return text[1] == ' ' || text[1] == '*' ? 2 : 1;
}

/* One line without its line feed. `path` has room for the whole line. */
static const char *line_parse(const char *text, size_t length, char *path, struct bag_line *line,
                              bool *canonical)
{
    bool escaped = length && text[0] == '\\';
    char hex[DIGEST_HEX_BYTES];

    if (length && text[length - 1] == '\r') {
        length--;
        *canonical = false;
    }
    if (escaped) {
        text++;
        length--;
        *canonical = false;
    }
    if (length < HEX_DIGITS + 2 || !bag_parse_hex(text, HEX_DIGITS, hex)) {
        return "does not begin with 64 hex digits";
    }
    *canonical = *canonical && memcmp(hex, text, HEX_DIGITS) == 0;
    const char *rest = text + HEX_DIGITS;
    size_t separator_bytes = separator_measure(rest);
    if (separator_bytes == 0) {
        return "has no space after the digits";
    }
    *canonical = *canonical && memcmp(rest, "  ", 2) == 0;
    rest += separator_bytes;
    size_t rest_bytes = length - HEX_DIGITS - separator_bytes;
    if (rest_bytes == 0 || memchr(rest, '\0', rest_bytes)) {
        return "has no name, or one with a NUL";
    }
    if (!escaped) {
        memcpy(path, rest, rest_bytes);
        path[rest_bytes] = '\0';
    } else if (!path_unescape(rest, rest_bytes, path)) {
        return "has an unknown escape";
    }
    memcpy(line->hex, hex, sizeof(hex));
    line->path = path;
    return NULL;
}

static size_t lines_count(const char *bytes, size_t length)
{
    size_t count = length && bytes[length - 1] != '\n' ? 1 : 0;

    for (size_t i = 0; i < length; i++) {
        count += bytes[i] == '\n';
    }
    return count;
}

enum err_code bag_parse_manifest(const char *bytes, size_t length,
                                 struct bag_manifest *manifest_out, struct err *e)
{
    static const char bom[] = "\xef\xbb\xbf";
    struct bag_manifest manifest = {.is_canonical = true};

    if (length > TAG_BYTES_MAX || lines_count(bytes, length) > MANIFEST_LINES_MAX) {
        return err_set(e, ERR_LIMIT, "a manifest of more than %zu bytes or %zu lines",
                       TAG_BYTES_MAX, MANIFEST_LINES_MAX);
    }
    if (length >= 3 && memcmp(bytes, bom, 3) == 0) {
        bytes += 3;
        length -= 3;
        manifest.is_canonical = false;
    }
    size_t line_count = lines_count(bytes, length);
    size_t table_bytes = line_count * sizeof(struct bag_line);
    manifest.memory = malloc(table_bytes + length + line_count + 1);
    if (!manifest.memory) {
        return err_set(e, ERR_LIMIT, "no memory for a manifest");
    }
    manifest.lines = manifest.memory;
    char *paths = (char *)manifest.memory + table_bytes;
    while (length) {
        const char *newline = memchr(bytes, '\n', length);
        size_t line_bytes = newline ? (size_t)(newline - bytes) : length;
        const char *fault = line_parse(bytes, line_bytes, paths, &manifest.lines[manifest.count],
                                       &manifest.is_canonical);
        if (fault) {
            size_t number = manifest.count + 1;
            free(manifest.memory);
            return err_set(e, ERR_FORMAT, "line %zu %s", number, fault);
        }
        manifest.is_canonical = manifest.is_canonical && newline;
        paths += strlen(paths) + 1;
        manifest.count++;
        bytes += line_bytes + (newline ? 1 : 0);
        length -= line_bytes + (newline ? 1 : 0);
    }
    *manifest_out = manifest;
    return ERR_OK;
}

void bag_release_manifest(struct bag_manifest *manifest)
{
    free(manifest->memory);
    memset(manifest, 0, sizeof(*manifest));
}
