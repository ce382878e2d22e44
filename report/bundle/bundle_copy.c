// SPDX-License-Identifier: Apache-2.0
// The files of a bundle that was verified.
#include "report/bundle/bundle_copy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "collector/digest.h"
#include "engines/base/buf.h"
#include "engines/base/fs.h"
#include "report/bundle/bag.h"
#include "report/bundle/folder.h"
#include "report/bundle/tar.h"

/* The bytes of the archive that the folder was in. */
static enum err_code folder_pack(const char *path, struct file_tree *tree, struct buf *archive,
                                 struct err *e)
{
    const char *fault = NULL;
    char *real = realpath(path, NULL);
    struct bag_info info = {0};
    enum err_code code = real ? folder_read(real, "", tree, &fault, e) : err_set_sys(e, "%s", path);
    const struct file_tree_entry *tags = code == ERR_OK ? file_tree_find(tree, BAG_INFO) : NULL;

    if (code == ERR_OK) {
        const char *slash = strrchr(real, '/');

        snprintf(tree->top, sizeof(tree->top), "%s", slash + 1);
        code = tags && !tags->is_folder ? bag_parse_info(tags->bytes, tags->length, &info, e)
                                        : err_set(e, ERR_FORMAT, "%s: no " BAG_INFO, path);
    }
    if (code == ERR_OK) {
        code = tar_write(tree, info.time_s, archive, e);
    }
    free(real);
    return code;
}

static enum err_code archive_unpack(const char *path, struct file_tree *tree, struct buf *archive,
                                    struct err *e)
{
    const char *fault = NULL;
    int64_t time_s = 0;
    enum err_code code = fs_read_file(path, archive, e);

    return code == ERR_OK ? tar_read(archive->bytes, archive->length, tree, &time_s, &fault, e)
                          : code;
}

enum err_code bundle_copy(const char *path, const char *archive_sha256, struct file_tree *tree,
                          struct err *e)
{
    char sha256[DIGEST_HEX_BYTES] = "";
    struct buf archive;
    struct stat status;

    if (stat(path, &status) < 0) {
        return err_set_sys(e, "%s", path);
    }
    buf_init(&archive, FILE_TREE_TOTAL_BYTES_MAX);
    enum err_code code = S_ISDIR(status.st_mode) ? folder_pack(path, tree, &archive, e)
                                                 : archive_unpack(path, tree, &archive, e);
    if (code == ERR_OK) {
        code = digest_bytes(archive.bytes, archive.length, sha256, e);
    }
    buf_release(&archive);
    if (code == ERR_OK && strcmp(sha256, archive_sha256) != 0) {
        code = err_set(e, ERR_MISMATCH, "%s: changed after it was verified", path);
    }
    return code;
}
