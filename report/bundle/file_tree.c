// SPDX-License-Identifier: Apache-2.0
// The files of a bundle, and the rules that their names follow.
#include "report/bundle/file_tree.h"

#include <stdlib.h>
#include <string.h>

#define SLUG_LENGTH_MAX 40

void file_tree_init(struct file_tree *tree)
{
    memset(tree, 0, sizeof(*tree));
    tree->store_fd = -1;
    tree->file_bytes_max = FILE_TREE_FILE_BYTES_MAX;
    tree->total_bytes_max = FILE_TREE_TOTAL_BYTES_MAX;
}

static void entry_release(struct file_tree_entry *entry)
{
    free(entry->path);
    free(entry->bytes);
    free(entry->disk_path);
}

void file_tree_release(struct file_tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        entry_release(&tree->entries[i]);
    }
    free(tree->entries);
    file_tree_init(tree);
}

static bool byte_allowed(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || (byte != '\0' && strchr("._+-", byte) != NULL);
}

static bool component_ends_with(const char *component, size_t length, const char *ending)
{
    size_t ending_bytes = strlen(ending);

    return length >= ending_bytes &&
           memcmp(component + length - ending_bytes, ending, ending_bytes) == 0;
}

static enum err_code component_check(const char *component, size_t length, struct err *e)
{
    static const char *const reserved[] = {"-wal", "-shm", "-journal", ".sig"};

    if (length == 0 || component[0] == '.' || component[0] == '-') {
        return err_set(e, ERR_FORMAT, "a part of the path is empty or begins with '.' or '-'");
    }
    if (length > FILE_TREE_COMPONENT_BYTES_MAX) {
        return err_set(e, ERR_FORMAT, "a part of the path is longer than %d bytes",
                       FILE_TREE_COMPONENT_BYTES_MAX);
    }
    for (size_t i = 0; i < length; i++) {
        if (!byte_allowed(component[i])) {
            return err_set(e, ERR_FORMAT, "the path holds the byte 0x%02x",
                           (unsigned)(unsigned char)component[i]);
        }
    }
    for (size_t i = 0; i < ARRAY_COUNT(reserved); i++) {
        if (component_ends_with(component, length, reserved[i])) {
            return err_set(e, ERR_FORMAT, "the path ends in %s, which is reserved", reserved[i]);
        }
    }
    return ERR_OK;
}

enum err_code file_tree_check_path(const char *path, struct err *e)
{
    size_t depth = 0;

    if (strlen(path) > FILE_TREE_PATH_BYTES_MAX) {
        return err_set(e, ERR_FORMAT, "the path is longer than %d bytes", FILE_TREE_PATH_BYTES_MAX);
    }
    for (const char *component = path;; component++) {
        size_t length = strcspn(component, "/");
        enum err_code code = component_check(component, length, e);

        if (code != ERR_OK) {
            return code;
        }
        if (++depth > FILE_TREE_DEPTH_MAX) {
            return err_set(e, ERR_FORMAT, "the path has more than %d parts", FILE_TREE_DEPTH_MAX);
        }
        component += length;
        if (*component == '\0') {
            return ERR_OK;
        }
    }
}

/* Room for one more entry; NULL when there is none. */
static struct file_tree_entry *entry_append(struct file_tree *tree)
{
    if (tree->count == tree->capacity) {
        size_t capacity = tree->capacity ? 2 * tree->capacity : 64;
        struct file_tree_entry *entries = realloc(tree->entries, capacity * sizeof(*entries));

        if (!entries) {
            return NULL;
        }
        tree->entries = entries;
        tree->capacity = capacity;
    }
    struct file_tree_entry *entry = &tree->entries[tree->count];
    memset(entry, 0, sizeof(*entry));
    return entry;
}

static enum err_code entry_add(struct file_tree *tree, const char *path,
                               const struct file_tree_entry *like, struct err *e)
{
    enum err_code code = file_tree_check_path(path, e);

    if (code != ERR_OK) {
        return code;
    }
    if (tree->count >= FILE_TREE_ENTRY_COUNT_MAX || like->length > tree->file_bytes_max ||
        like->length > tree->total_bytes_max - tree->total_bytes) {
        return err_set(e, ERR_LIMIT, "%s: more files or bytes than a bundle may have", path);
    }
    struct file_tree_entry *entry = entry_append(tree);
    if (!entry) {
        return err_set(e, ERR_LIMIT, "no memory for the files of a bundle");
    }
    *entry = *like;
    entry->path = strdup(path);
    entry->bytes = like->bytes ? malloc(like->length + 1) : NULL;
    entry->disk_path = like->disk_path ? strdup(like->disk_path) : NULL;
    if (!entry->path || (like->bytes && !entry->bytes) || (like->disk_path && !entry->disk_path)) {
        entry_release(entry);
        return err_set(e, ERR_LIMIT, "no memory for the files of a bundle");
    }
    if (entry->bytes) {
        memcpy(entry->bytes, like->bytes, like->length);
        entry->bytes[like->length] = '\0';
    }
    tree->total_bytes += like->length;
    tree->count++;
    return ERR_OK;
}

enum err_code file_tree_add_file(struct file_tree *tree, const char *path, const void *bytes,
                                 size_t length, struct err *e)
{
    struct file_tree_entry like = {.length = length};
    const char *text = length ? bytes : "";

    /* Only read from: entry_add copies. */
    memcpy(&like.bytes, &text, sizeof(text));
    return entry_add(tree, path, &like, e);
}

enum err_code file_tree_add_stored(struct file_tree *tree, const char *path,
                                   const struct file_tree_entry *like, struct err *e)
{
    struct file_tree_entry stored = *like;

    stored.bytes = NULL;
    stored.is_folder = false;
    return entry_add(tree, path, &stored, e);
}

enum err_code file_tree_add_folder(struct file_tree *tree, const char *path, struct err *e)
{
    return entry_add(tree, path, &(struct file_tree_entry){.is_folder = true}, e);
}

int file_tree_compare_paths(const char *left, const char *right)
{
    while (*left && *left == *right) {
        left++;
        right++;
    }
    /* '/' counts as the end of a component: it sorts before every byte of a longer one. */
    int left_rank = *left == '/' ? 1 : *left ? (unsigned char)*left + 1 : 0;
    int right_rank = *right == '/' ? 1 : *right ? (unsigned char)*right + 1 : 0;
    return left_rank - right_rank;
}

static int entry_compare(const void *left, const void *right)
{
    return file_tree_compare_paths(((const struct file_tree_entry *)left)->path,
                                   ((const struct file_tree_entry *)right)->path);
}

void file_tree_sort(struct file_tree *tree)
{
    if (tree->count > 1) {
        qsort(tree->entries, tree->count, sizeof(*tree->entries), entry_compare);
    }
}

const struct file_tree_entry *file_tree_find(const struct file_tree *tree, const char *path)
{
    size_t low = 0, high = tree->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = file_tree_compare_paths(tree->entries[middle].path, path);

        if (order == 0) {
            return &tree->entries[middle];
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

/* Adds the folders of one path; some may be added several times. */
static enum err_code parents_add(struct file_tree *tree, const char *path, struct err *e)
{
    char parent[FILE_TREE_PATH_BYTES_MAX + 1];
    size_t length = strlen(path);

    memcpy(parent, path, length + 1);
    for (char *slash = strrchr(parent, '/'); slash; slash = strrchr(parent, '/')) {
        *slash = '\0';
        enum err_code code = file_tree_add_folder(tree, parent, e);
        if (code != ERR_OK) {
            return code;
        }
    }
    return ERR_OK;
}

/* Of equal neighbours that are folders only the first stays. */
static void folders_unite(struct file_tree *tree)
{
    size_t kept = 0;

    for (size_t i = 0; i < tree->count; i++) {
        struct file_tree_entry *entry = &tree->entries[i];

        if (kept && entry->is_folder && strcmp(tree->entries[kept - 1].path, entry->path) == 0) {
            entry_release(entry);
            continue;
        }
        tree->entries[kept++] = *entry;
    }
    tree->count = kept;
}

static void folders_drop(struct file_tree *tree)
{
    size_t kept = 0;

    for (size_t i = 0; i < tree->count; i++) {
        if (tree->entries[i].is_folder) {
            entry_release(&tree->entries[i]);
        } else {
            tree->entries[kept++] = tree->entries[i];
        }
    }
    tree->count = kept;
}

enum err_code file_tree_complete(struct file_tree *tree, struct err *e)
{
    folders_drop(tree);
    size_t file_count = tree->count;

    for (size_t i = 0; i < file_count; i++) {
        enum err_code code = parents_add(tree, tree->entries[i].path, e);

        if (code != ERR_OK) {
            return code;
        }
    }
    file_tree_sort(tree);
    folders_unite(tree);
    return ERR_OK;
}

static int byte_fold(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? byte + ('a' - 'A') : (unsigned char)byte;
}

static int folded_compare(const void *left, const void *right)
{
    const char *a = (*(const struct file_tree_entry *const *)left)->path;
    const char *b = (*(const struct file_tree_entry *const *)right)->path;

    while (*a && byte_fold(*a) == byte_fold(*b)) {
        a++;
        b++;
    }
    return byte_fold(*a) - byte_fold(*b);
}

const struct file_tree_entry *file_tree_find_collision(const struct file_tree *tree, struct err *e)
{
    const struct file_tree_entry **sorted = malloc((tree->count + 1) * sizeof(*sorted));
    const struct file_tree_entry *found = NULL;

    if (!sorted) {
        err_set(e, ERR_LIMIT, "no memory to compare names");
        return tree->entries;
    }
    for (size_t i = 0; i < tree->count; i++) {
        sorted[i] = &tree->entries[i];
    }
    qsort(sorted, tree->count, sizeof(*sorted), folded_compare);
    for (size_t i = 1; i < tree->count && !found; i++) {
        if (folded_compare(&sorted[i - 1], &sorted[i]) == 0) {
            found = sorted[i];
            err_set(e, ERR_FORMAT, "%s and %s are one name where case is ignored",
                    sorted[i - 1]->path, found->path);
        }
    }
    free(sorted);
    return found;
}

void file_tree_format_slug(const char *text, char out[FILE_TREE_SLUG_BYTES])
{
    size_t length = 0;
    bool gap = false;

    for (; *text && length < SLUG_LENGTH_MAX; text++) {
        char byte = (char)(*text >= 'A' && *text <= 'Z' ? *text + ('a' - 'A') : *text);

        if (!((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9'))) {
            gap = length > 0;
            continue;
        }
        if (gap && length + 1 < SLUG_LENGTH_MAX) {
            out[length++] = '-';
        }
        gap = false;
        out[length++] = byte;
    }
    out[length] = '\0';
    if (length == 0) {
        memcpy(out, "bundle", sizeof("bundle"));
    }
}
