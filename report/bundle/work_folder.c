// SPDX-License-Identifier: Apache-2.0
// A private folder that is removed at the end, also when a signal is the end, and by the next run
// when even that was not possible.
#include "report/bundle/work_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engines/base/fs.h"
#include "report/bundle/work_guard.h"

#define SUFFIX_BYTES 7 /* "-XXXXXX" */

/* Whether a folder is one that a killed program of this user left: its lock is free. */
static bool is_left(int parent_fd, const char *name)
{
    struct stat status;
    int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0) {
        return false;
    }
    /* mkdtemp's mode: a folder that a person made under such a name has another one. */
    bool is_ours = fstat(fd, &status) == 0 && status.st_uid == geteuid() &&
                   (status.st_mode & 07777) == S_IRWXU;
    bool is_free = is_ours && flock(fd, LOCK_EX | LOCK_NB) == 0;

    close(fd);
    return is_free;
}

static void left_remove(const char *parent, int parent_fd, const char *name)
{
    size_t name_bytes = strlen(name);
    DIR *folder = fdopendir(dup(parent_fd));
    const struct dirent *entry;
    char path[PATH_MAX];

    while (folder && (entry = readdir(folder))) {
        if (strncmp(entry->d_name, name, name_bytes) == 0 && entry->d_name[name_bytes] == '-' &&
            strlen(entry->d_name) == name_bytes + SUFFIX_BYTES &&
            is_left(parent_fd, entry->d_name) &&
            snprintf(path, sizeof(path), "%s/%s", parent, entry->d_name) < (int)sizeof(path) &&
            fs_remove_tree(path, NULL) != ERR_OK) {
            continue; /* it stays for the next one */
        }
    }
    if (folder) {
        closedir(folder);
    }
}

/* mkdtemp and its lock; while the parent is locked nobody takes the folder for a left one. */
static enum err_code folder_make(struct work_folder *folder, const char *parent, const char *name,
                                 struct err *e)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof(path), "%s/%s-XXXXXX", parent, name) >= (int)sizeof(path)) {
        return err_set(e, ERR_LIMIT, "%s: the path is too long", parent);
    }
    if (!mkdtemp(path)) {
        return err_set_sys(e, "%s", parent);
    }
    folder->lock_fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder->lock_fd < 0 || flock(folder->lock_fd, LOCK_EX | LOCK_NB) < 0) {
        return err_set_sys(e, "%s", path);
    }
    memcpy(folder->path, path, sizeof(path));
    return ERR_OK;
}

static enum err_code open_in(struct work_folder *folder, const char *parent, size_t parent_count,
                             const char *name, struct err *e)
{
    int parent_fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    sigset_t before;

    folder->path[0] = '\0';
    folder->lock_fd = folder->guard = -1;
    if (parent_fd < 0) {
        return err_set_sys(e, "%s", parent);
    }
    /* A parent that cannot be locked (a network disk) is used without. */
    if (flock(parent_fd, LOCK_EX) == 0) {
        left_remove(parent, parent_fd, name);
    }
    work_guard_hold_signals(&before); /* one that came between the two would leave the folder */
    enum err_code code = folder_make(folder, parent, name, e);
    close(parent_fd);
    if (code == ERR_OK) {
        code = work_guard_start(folder->path, parent_count, &folder->guard, e);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

enum err_code work_folder_open(struct work_folder *folder, const char *parent, const char *name,
                               struct err *e)
{
    return open_in(folder, parent, 0, name, e);
}

/* Of the folders that a path names, from the innermost. */
static size_t count_missing(const char *path)
{
    size_t count = 0, length = strlen(path);
    char at[PATH_MAX];

    while (length > 0 && length < sizeof(at)) {
        memcpy(at, path, length);
        at[length] = '\0';
        if (fs_exists(at)) {
            break;
        }
        count++;
        while (length > 0 && path[length - 1] == '/') {
            length--;
        }
        while (length > 0 && path[length - 1] != '/') {
            length--;
        }
    }
    return count;
}

enum err_code work_folder_open_in_new(struct work_folder *folder, const char *parent,
                                      const char *name, struct err *e)
{
    size_t parent_count = count_missing(parent);
    char path[PATH_MAX];
    sigset_t before;

    folder->path[0] = '\0';
    folder->lock_fd = folder->guard = -1;
    work_guard_hold_signals(&before);
    enum err_code code = fs_make_directories(parent, e);
    if (code == ERR_OK) {
        code = open_in(folder, parent, parent_count, name, e);
    }
    if (folder->guard < 0 && snprintf(path, sizeof(path), "%s/x", parent) < (int)sizeof(path)) {
        work_guard_remove_parents(path, parent_count);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

enum err_code work_folder_join(const struct work_folder *folder, const char *name,
                               char out[PATH_MAX], struct err *e)
{
    return snprintf(out, PATH_MAX, "%s/%s", folder->path, name) >= PATH_MAX
               ? err_set(e, ERR_LIMIT, "%s: the path is too long", folder->path)
               : ERR_OK;
}

enum err_code work_folder_close(struct work_folder *folder, struct err *e)
{
    enum err_code code = ERR_OK;

    if (folder->path[0]) {
        code = fs_remove_tree(folder->path, e);
        folder->path[0] = '\0';
        work_guard_end(folder->guard);
        folder->guard = -1;
    }
    if (folder->lock_fd >= 0) {
        close(folder->lock_fd);
        folder->lock_fd = -1;
    }
    return code;
}
