// SPDX-License-Identifier: Apache-2.0
// Whole files and folders.
#include "engines/base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool fs_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static enum err_code descriptor_read_all(int fd, const char *path, struct buf *out, struct err *e)
{
    for (;;) {
        char block[65536];
        ssize_t count = read(fd, block, sizeof(block));

        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return err_set_sys(e, "%s", path);
        }
        if (count == 0) {
            return buf_check(out, path, e);
        }
        buf_add(out, block, (size_t)count);
        if (out->failed) {
            return buf_check(out, path, e);
        }
    }
}

enum err_code fs_read_file(const char *path, struct buf *out, struct err *e)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;

    if (fd < 0) {
        return err_set_sys(e, "%s", path);
    }
    enum err_code code;
    if (fstat(fd, &status) < 0) {
        code = err_set_sys(e, "%s", path);
    } else if (!S_ISREG(status.st_mode)) {
        code = err_set(e, ERR_FORMAT, "%s: not a regular file", path);
    } else {
        code = descriptor_read_all(fd, path, out, e);
    }
    close(fd);
    return code;
}

enum err_code fs_writer_open(struct fs_writer *writer_out, const char *path, struct err *e)
{
    struct fs_writer writer = {.code = ERR_OK};

    if (snprintf(writer.path, sizeof(writer.path), "%s", path) >= (int)sizeof(writer.path) ||
        snprintf(writer.partial_path, sizeof(writer.partial_path), "%s.partial-%ld", path,
                 (long)getpid()) >= (int)sizeof(writer.partial_path)) {
        return err_set(e, ERR_LIMIT, "%s: the path is too long", path);
    }
    writer.fd =
        open(writer.partial_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (writer.fd < 0) {
        return err_set_sys(e, "%s", path);
    }
    *writer_out = writer;
    return ERR_OK;
}

enum err_code fs_writer_add(struct fs_writer *writer, const void *bytes, size_t length,
                            struct err *e)
{
    const char *at = bytes;

    while (length && writer->code == ERR_OK) {
        ssize_t count = write(writer->fd, at, length);

        if (count < 0 && errno != EINTR) {
            writer->code = err_set_sys(e, "%s", writer->path);
        } else if (count > 0) {
            at += count;
            length -= (size_t)count;
        }
    }
    return writer->code;
}

enum err_code fs_writer_finish(struct fs_writer *writer, struct err *e)
{
    enum err_code code = writer->code;

    if (close(writer->fd) < 0 && code == ERR_OK) {
        code = err_set_sys(e, "%s", writer->path);
    }
    writer->fd = -1;
    if (code == ERR_OK && rename(writer->partial_path, writer->path) < 0) {
        code = err_set_sys(e, "%s", writer->path);
    }
    if (code != ERR_OK) {
        unlink(writer->partial_path);
    }
    return code;
}

/* The name itself; a folder that cannot be synced is no failure. */
static void folder_sync(const char *path)
{
    char folder[FS_PATH_BYTES];
    const char *slash = strrchr(path, '/');
    int length = slash == path ? 1 : slash ? (int)(slash - path) : 0;

    snprintf(folder, sizeof(folder), "%.*s", length ? length : 1, length ? path : ".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}

enum err_code fs_writer_commit(struct fs_writer *writer, struct err *e)
{
    if (writer->code == ERR_OK && fsync(writer->fd) < 0) {
        writer->code = err_set_sys(e, "%s", writer->path);
    }
    enum err_code code = fs_writer_finish(writer, e);
    if (code == ERR_OK) {
        folder_sync(writer->path);
    }
    return code;
}

void fs_writer_abandon(struct fs_writer *writer)
{
    if (writer->fd >= 0) {
        close(writer->fd);
        unlink(writer->partial_path);
        writer->fd = -1;
    }
}

enum err_code fs_write_file(const char *path, const void *bytes, size_t length, struct err *e)
{
    struct fs_writer writer;
    enum err_code code = fs_writer_open(&writer, path, e);

    if (code != ERR_OK) {
        return code;
    }
    code = fs_writer_add(&writer, bytes, length, e);
    if (code != ERR_OK) {
        fs_writer_abandon(&writer);
        return code;
    }
    return fs_writer_commit(&writer, e);
}

enum err_code fs_make_directories(const char *path, struct err *e)
{
    char prefix[PATH_MAX];
    size_t length = strlen(path);

    if (length == 0 || length >= sizeof(prefix)) {
        return err_set(e, ERR_LIMIT, "%s: the path is empty or too long", path);
    }
    memcpy(prefix, path, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (prefix[i] != '/' && prefix[i] != '\0') {
            continue;
        }
        char kept = prefix[i];
        prefix[i] = '\0';
        if (mkdir(prefix, 0755) < 0 && errno != EEXIST) {
            return err_set_sys(e, "%s", prefix);
        }
        prefix[i] = kept;
    }
    struct stat status;
    if (stat(path, &status) < 0 || !S_ISDIR(status.st_mode)) {
        errno = ENOTDIR;
        return err_set_sys(e, "%s", path);
    }
    return ERR_OK;
}

static int entry_remove(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

enum err_code fs_remove_tree(const char *path, struct err *e)
{
    if (nftw(path, entry_remove, 16, FTW_DEPTH | FTW_PHYS) < 0 && errno != ENOENT) {
        return err_set_sys(e, "%s", path);
    }
    return ERR_OK;
}
