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

static const char *kind_name(mode_t mode)
{
    return S_ISDIR(mode)    ? "a folder"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISCHR(mode)  ? "a device"
           : S_ISBLK(mode)  ? "a device"
           : S_ISLNK(mode)  ? "a symbolic link"
                            : "a socket";
}

static enum err_code name_check(const char *path, struct err *e)
{
    return *path ? ERR_OK : err_set(e, ERR_USAGE, "an empty file name; name a file");
}

static enum err_code kind_check(const char *path, const struct stat *status, struct err *e)
{
    return S_ISREG(status->st_mode)
               ? ERR_OK
               : err_set(e, ERR_FORMAT, "%s: not a regular file but %s; name a file", path,
                         kind_name(status->st_mode));
}

enum err_code fs_open_regular(const char *path, int *fd_out, struct err *e)
{
    struct stat status;

    if (name_check(path, e) != ERR_OK) {
        return ERR_USAGE;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return err_set_sys(e, "%s", path);
    }
    enum err_code code =
        fstat(fd, &status) < 0 ? err_set_sys(e, "%s", path) : kind_check(path, &status, e);
    if (code != ERR_OK) {
        close(fd);
        return code;
    }
    *fd_out = fd;
    return ERR_OK;
}

static enum err_code size_fail(const char *path, size_t bytes_max, struct err *e)
{
    size_t mib = bytes_max >> 20;

    return err_set(e, ERR_FORMAT, "%s: larger than %zu %s; name a smaller file", path,
                   mib ? mib : bytes_max, mib ? "MiB" : "bytes");
}

enum err_code fs_check_regular(const char *path, size_t bytes_max, struct err *e)
{
    struct stat status;

    if (name_check(path, e) != ERR_OK) {
        return ERR_USAGE;
    }
    if (stat(path, &status) < 0 || access(path, R_OK) < 0) {
        return err_set_sys(e, "%s", path);
    }
    if (kind_check(path, &status, e) != ERR_OK) {
        return ERR_FORMAT;
    }
    return bytes_max && status.st_size > (off_t)bytes_max ? size_fail(path, bytes_max, e) : ERR_OK;
}

static enum err_code descriptor_read_all(int fd, const char *path, struct buf *out, struct err *e)
{
    struct stat status;

    if (fstat(fd, &status) == 0 && status.st_size > (off_t)(out->limit_bytes - out->length)) {
        return size_fail(path, out->limit_bytes, e);
    }
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
        if ((size_t)count > out->limit_bytes - out->length) { /* it grew, or tells no size */
            return size_fail(path, out->limit_bytes, e);
        }
        buf_add(out, block, (size_t)count);
    }
}

enum err_code fs_read_file(const char *path, struct buf *out, struct err *e)
{
    int fd = -1;
    enum err_code code = fs_open_regular(path, &fd, e);

    if (code == ERR_OK) {
        code = descriptor_read_all(fd, path, out, e);
        close(fd);
    }
    return code;
}

/* The rename would put a file in the place of a device or a link, whose owner wanted neither. */
static enum err_code place_check(const char *path, struct err *e)
{
    struct stat status;

    if (name_check(path, e) != ERR_OK) {
        return ERR_USAGE;
    }
    if (lstat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        return err_set(e, ERR_USAGE, "%s: %s is there and not replaced; choose another name", path,
                       kind_name(status.st_mode));
    }
    return ERR_OK;
}

enum err_code fs_writer_open(struct fs_writer *writer_out, const char *path, struct err *e)
{
    struct fs_writer writer = {.code = ERR_OK};

    if (place_check(path, e) != ERR_OK) {
        return ERR_USAGE;
    }
    if (snprintf(writer.path, sizeof(writer.path), "%s", path) >= (int)sizeof(writer.path) ||
        snprintf(writer.partial_path, sizeof(writer.partial_path), "%s.partial-%ld", path,
                 (long)getpid()) >= (int)sizeof(writer.partial_path)) {
        return err_set(e, ERR_USAGE, "%.80s…: the path is too long", path);
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

static enum err_code write_whole(const char *path, const void *bytes, size_t length,
                                 enum err_code (*end)(struct fs_writer *, struct err *),
                                 struct err *e)
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
    return end(&writer, e);
}

enum err_code fs_write_file(const char *path, const void *bytes, size_t length, struct err *e)
{
    return write_whole(path, bytes, length, fs_writer_commit, e);
}

enum err_code fs_write_derived(const char *path, const void *bytes, size_t length, struct err *e)
{
    return write_whole(path, bytes, length, fs_writer_finish, e);
}

enum err_code fs_make_directories(const char *path, struct err *e)
{
    char prefix[PATH_MAX];
    size_t length = strlen(path);

    if (length == 0 || length >= sizeof(prefix)) {
        return err_set(e, ERR_USAGE, "%.80s%s", length ? path : "an empty name of a folder",
                       length ? "…: the path is too long" : "; name one");
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
