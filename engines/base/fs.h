// SPDX-License-Identifier: Apache-2.0
// Whole files and folders. Writing is to a temporary name, fsync where it is promised, rename: a
// reader never sees half a file.
#ifndef ENGINES_BASE_FS_H
#define ENGINES_BASE_FS_H

#include <stdbool.h>
#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"

#define FS_PATH_BYTES 4096

/*
 * Opens a file for reading. Refuses what is not a regular file without blocking on it.
 *
 * errors   ERR_USAGE: the name is empty; ERR_SYS: cannot be opened; ERR_FORMAT: a folder, a pipe, a
 * device
 */
enum err_code fs_open_regular(const char *path, int *fd_out, struct err *e) ATTR_MUST_USE;

/* The same question about a file that another library or program opens. bytes_max 0: of any size.
 */
enum err_code fs_check_regular(const char *path, size_t bytes_max, struct err *e) ATTR_MUST_USE;

/*
 * Appends the whole file to `out`.
 *
 * errors   those of fs_open_regular; ERR_FORMAT: larger than the buffer's limit; ERR_LIMIT: no
 * memory
 */
enum err_code fs_read_file(const char *path, struct buf *out, struct err *e) ATTR_MUST_USE;

/* Replaces `path` atomically, mode 0644 less the umask. What is there and is no regular file (a
 * link, a device) is left alone. errors ERR_USAGE: the name, or what is there; ERR_SYS; then
 * nothing is at the final name that was not before. */
enum err_code fs_write_file(const char *path, const void *bytes, size_t length,
                            struct err *e) ATTR_MUST_USE;
/* The same without fsync, for what can be made again: one of hundreds of files costs no disk's
 * time. */
enum err_code fs_write_derived(const char *path, const void *bytes, size_t length,
                               struct err *e) ATTR_MUST_USE;

/*
 * The same for what is too large to hold in memory: add, then finish, which renames. Whatever is
 * refused is refused at the end as well. Not fsynced: for what can be made again.
 */
struct fs_writer {
    int fd;
    enum err_code code; /* of the first failure */
    char path[FS_PATH_BYTES], partial_path[FS_PATH_BYTES];
};
enum err_code fs_writer_open(struct fs_writer *writer_out, const char *path,
                             struct err *e) ATTR_MUST_USE;
enum err_code fs_writer_add(struct fs_writer *writer, const void *bytes, size_t length,
                            struct err *e) ATTR_MUST_USE;
enum err_code fs_writer_finish(struct fs_writer *writer, struct err *e) ATTR_MUST_USE;
/* As fs_writer_finish, and on the disk: for what must outlive a power cut. */
enum err_code fs_writer_commit(struct fs_writer *writer, struct err *e) ATTR_MUST_USE;
/* Leaves nothing behind; without effect after fs_writer_finish. */
void fs_writer_abandon(struct fs_writer *writer);

/* mkdir -p, mode 0755 less the umask. */
enum err_code fs_make_directories(const char *path, struct err *e) ATTR_MUST_USE;

/* rm -r of a folder that this program made; follows no symbolic link. A path that is not there is
 * no error. */
enum err_code fs_remove_tree(const char *path, struct err *e) ATTR_MUST_USE;

bool fs_exists(const char *path);

#endif
