// SPDX-License-Identifier: Apache-2.0
// Makes a tree of a folder of the disk.
#include "report/bundle/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/digest.h"

struct walk {
    struct file_tree *tree;
    const char *root;    /* of the disk */
    size_t prefix_bytes; /* of a path of the tree, up to what is below the root */
    const char *fault;
    struct err *e;
};

static enum err_code walk_fail(struct walk *walk, const char *fault, const char *path,
                               const char *text)
{
    walk->fault = fault;
    return err_set(walk->e, ERR_FORMAT, "%s: %s", path, text);
}

static enum err_code file_check(struct walk *walk, const char *path, const struct stat *status)
{
    if (!S_ISREG(status->st_mode)) {
        return walk_fail(walk, "not-regular", path, "neither a regular file nor a folder");
    }
    if (status->st_nlink != 1) {
        return walk_fail(walk, "not-regular", path, "a file with several names (hard links)");
    }
    if (status->st_mode & 07111) {
        return walk_fail(walk, "mode", path, "an executable or set-id file");
    }
    if ((size_t)status->st_size > walk->tree->file_bytes_max) {
        return err_set(walk->e, ERR_LIMIT, "%s: larger than a bundle's file may be", path);
    }
    return ERR_OK;
}

/* `path` is that of the tree, `disk_path` where it lies. */
static enum err_code file_add(struct walk *walk, int parent, const char *name, const char *path)
{
    int fd = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char disk_path[PATH_MAX];
    struct file_tree_entry like = {.disk_path = disk_path};
    struct stat status;
    uint64_t length = 0;

    if (fd < 0) {
        return err_set_sys(walk->e, "%s", path);
    }
    enum err_code code =
        fstat(fd, &status) < 0 ? err_set_sys(walk->e, "%s", path) : file_check(walk, path, &status);
    if (code == ERR_OK && snprintf(disk_path, sizeof(disk_path), "%s/%s", walk->root,
                                   path + walk->prefix_bytes) >= (int)sizeof(disk_path)) {
        code = err_set(walk->e, ERR_LIMIT, "%s: the path is too long", path);
    }
    if (code == ERR_OK) {
        code = digest_descriptor(fd, path, &length, like.sha256, walk->e);
    }
    close(fd);
    like.length = (size_t)length;
    return code == ERR_OK ? file_tree_add_stored(walk->tree, path, &like, walk->e) : code;
}

static enum err_code folder_walk(struct walk *walk, int fd, const char *path);

static enum err_code folder_enter(struct walk *walk, int parent, const char *name, const char *path)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0) {
        return err_set_sys(walk->e, "%s", path);
    }
    enum err_code code = file_tree_add_folder(walk->tree, path, walk->e);
    return code == ERR_OK ? folder_walk(walk, fd, path) : (close(fd), code);
}

static enum err_code entry_visit(struct walk *walk, int parent, const char *name,
                                 const char *folder_path)
{
    char path[PATH_MAX];
    struct stat status;
    struct err cause;

    snprintf(path, sizeof(path), "%s%s%s", folder_path, *folder_path ? "/" : "", name);
    if (file_tree_check_path(path, &cause) != ERR_OK) {
        return walk_fail(walk, "bad-path", path, cause.text);
    }
    /* Looked at before it is opened: opening a device may do something. */
    if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) < 0) {
        return err_set_sys(walk->e, "%s", path);
    }
    if (S_ISDIR(status.st_mode)) {
        return folder_enter(walk, parent, name, path);
    }
    enum err_code code = file_check(walk, path, &status);
    return code == ERR_OK ? file_add(walk, parent, name, path) : code;
}

/* Takes over `fd`. The depth is bounded by file_tree_check_path. */
static enum err_code folder_walk(struct walk *walk, int fd, const char *path)
{
    DIR *folder = fdopendir(fd);
    enum err_code code = ERR_OK;

    if (!folder) {
        code = err_set_sys(walk->e, "%s", path);
        close(fd);
        return code;
    }
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(folder);
        if (!entry) {
            code = errno ? err_set_sys(walk->e, "%s", path) : ERR_OK;
            break;
        }
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        code = entry_visit(walk, dirfd(folder), entry->d_name, path);
        if (code != ERR_OK) {
            break;
        }
    }
    closedir(folder);
    return code;
}

enum err_code folder_read(const char *path, const char *prefix, struct file_tree *tree,
                          const char **fault_out, struct err *e)
{
    struct walk walk = {
        .tree = tree, .root = path, .prefix_bytes = *prefix ? strlen(prefix) + 1 : 0, .e = e};
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0) {
        return err_set_sys(e, "%s", path);
    }
    enum err_code code = folder_walk(&walk, fd, prefix);
    file_tree_sort(tree);
    if (walk.fault) {
        *fault_out = walk.fault;
    }
    return code;
}
