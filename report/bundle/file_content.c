// SPDX-License-Identifier: Apache-2.0
// The contents of a bundle's files, in memory or on disk; what is read twice is the same twice.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engines/base/fs.h"
#include "report/bundle/file_tree.h"

#define BLOCK_BYTES 65536

/* Never a device, never a pipe that waits. */
static int disk_open(const char *path, struct err *e)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
        err_set(e, ERR_SYS, "%s: %s", path, fd < 0 ? strerror(errno) : "not a regular file");
        if (fd >= 0) {
            close(fd);
        }
        return -1;
    }
    return fd;
}

enum err_code file_tree_add_disk(struct file_tree *tree, const char *path, const char *disk_path,
                                 struct err *e)
{
    char copy[PATH_MAX];
    struct file_tree_entry like = {.disk_path = copy};
    uint64_t length = 0;

    strncpy(copy, disk_path, sizeof(copy) - 1);
    copy[sizeof(copy) - 1] = '\0';
    int fd = disk_open(disk_path, e);
    if (fd < 0) {
        return ERR_SYS;
    }
    enum err_code code = digest_descriptor(fd, disk_path, &length, like.sha256, e);
    close(fd);
    like.length = (size_t)length;
    return code == ERR_OK ? file_tree_add_stored(tree, path, &like, e) : code;
}

/* `length` bytes from `offset` on, through the sink and (not NULL) a digest. */
static enum err_code range_read(int fd, const struct file_tree_entry *entry,
                                const struct file_tree_sink *sink, struct digest *digest,
                                struct err *e)
{
    char block[BLOCK_BYTES];
    size_t done = 0;

    while (done < entry->length) {
        size_t want = entry->length - done < sizeof(block) ? entry->length - done : sizeof(block);
        ssize_t count = pread(fd, block, want, (off_t)(entry->offset + done));

        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return err_set_sys(e, "%s", entry->path);
        }
        if (count == 0) {
            return err_set(e, ERR_MISMATCH, "%s: became shorter while it was used", entry->path);
        }
        if (digest) {
            digest_add(digest, block, (size_t)count);
        }
        enum err_code code = sink->add(sink->self, block, (size_t)count, e);
        if (code != ERR_OK) {
            return code;
        }
        done += (size_t)count;
    }
    return ERR_OK;
}

static enum err_code stored_read(bool is_private, int fd, const struct file_tree_entry *entry,
                                 const struct file_tree_sink *sink, struct err *e)
{
    char hex[DIGEST_HEX_BYTES];
    struct digest *digest = NULL;

    if (is_private) {
        return range_read(fd, entry, sink, NULL, e);
    }
    enum err_code code = digest_new(&digest, e);
    if (code != ERR_OK) {
        return code;
    }
    code = range_read(fd, entry, sink, digest, e);
    digest_finish(digest, hex);
    digest_free(digest);
    if (code == ERR_OK && strcmp(hex, entry->sha256) != 0) {
        code = err_set(e, ERR_MISMATCH, "%s: changed while it was used", entry->path);
    }
    return code;
}

enum err_code file_tree_read(const struct file_tree *tree, const struct file_tree_entry *entry,
                             const struct file_tree_sink *sink, struct err *e)
{
    if (entry->bytes) {
        return sink->add(sink->self, entry->bytes, entry->length, e);
    }
    if (!entry->disk_path) {
        return tree->store_fd < 0 ? err_set(e, ERR_SYS, "%s: the content was not kept", entry->path)
                                  : stored_read(tree->is_private, tree->store_fd, entry, sink, e);
    }
    int fd = disk_open(entry->disk_path, e);
    if (fd < 0) {
        return ERR_SYS;
    }
    enum err_code code = stored_read(tree->is_private, fd, entry, sink, e);
    close(fd);
    return code;
}

static enum err_code buf_take(void *self, const char *bytes, size_t length, struct err *e)
{
    struct buf *out = self;

    buf_add(out, bytes, length);
    return buf_check(out, "a file of the bundle", e);
}

enum err_code file_tree_load(const struct file_tree *tree, const struct file_tree_entry *entry,
                             struct buf *out, struct err *e)
{
    const struct file_tree_sink sink = {buf_take, out};

    if (out->limit_bytes - out->length < entry->length) {
        return err_set(e, ERR_LIMIT, "%s: larger than %zu bytes", entry->path, out->limit_bytes);
    }
    return file_tree_read(tree, entry, &sink, e);
}

static enum err_code writer_take(void *self, const char *bytes, size_t length, struct err *e)
{
    return fs_writer_add(self, bytes, length, e);
}

enum err_code file_tree_write(const struct file_tree *tree, const struct file_tree_entry *entry,
                              const char *path, struct err *e)
{
    struct fs_writer writer;
    const struct file_tree_sink sink = {writer_take, &writer};
    enum err_code code = fs_writer_open(&writer, path, e);

    if (code != ERR_OK) {
        return code;
    }
    code = file_tree_read(tree, entry, &sink, e);
    if (code != ERR_OK) {
        fs_writer_abandon(&writer);
        return code;
    }
    return fs_writer_finish(&writer, e);
}

enum err_code file_tree_digest(const struct file_tree_entry *entry, char hex_out[DIGEST_HEX_BYTES],
                               struct err *e)
{
    if (entry->bytes) {
        return digest_bytes(entry->bytes, entry->length, hex_out, e);
    }
    memcpy(hex_out, entry->sha256, DIGEST_HEX_BYTES);
    return ERR_OK;
}
