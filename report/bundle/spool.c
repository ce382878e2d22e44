// SPDX-License-Identifier: Apache-2.0
// Makes large files of a tree piece by piece.
#include "report/bundle/spool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_BYTES 65536

struct spool {
    struct file_tree *tree;
    struct digest *digest;
    size_t begin, length; /* of the file that is made, in the store */
    size_t held;          /* bytes of the block that are not written yet */
    int failure;          /* errno of the first write that failed */
    char block[BLOCK_BYTES];
};

enum err_code spool_new(struct file_tree *tree, struct spool **spool_out, struct err *e)
{
    struct spool *spool = calloc(1, sizeof(*spool));

    if (!spool || digest_new(&spool->digest, NULL) != ERR_OK) {
        free(spool);
        return err_set(e, ERR_LIMIT, "no memory to make a file");
    }
    spool->tree = tree;
    *spool_out = spool;
    return ERR_OK;
}

void spool_free(struct spool *spool)
{
    if (spool) {
        digest_free(spool->digest);
        free(spool);
    }
}

static void block_write(struct spool *spool)
{
    const char *at = spool->block;

    digest_add(spool->digest, at, spool->held);
    while (spool->held && spool->tree->store_fd >= 0 && !spool->failure) {
        ssize_t count = write(spool->tree->store_fd, at, spool->held);

        if (count < 0 && errno != EINTR) {
            spool->failure = errno;
        } else if (count > 0) {
            at += count;
            spool->held -= (size_t)count;
        }
    }
    spool->held = 0;
}

void spool_add(struct spool *spool, const void *bytes, size_t length)
{
    const char *at = bytes;

    spool->length += length;
    while (length) {
        size_t room = sizeof(spool->block) - spool->held;
        size_t taken = length < room ? length : room;

        memcpy(spool->block + spool->held, at, taken);
        spool->held += taken;
        at += taken;
        length -= taken;
        if (spool->held == sizeof(spool->block)) {
            block_write(spool);
        }
    }
}

enum err_code spool_end_file(struct spool *spool, const char *path, struct err *e)
{
    struct file_tree_entry like = {.offset = spool->begin, .length = spool->length};

    block_write(spool);
    digest_finish(spool->digest, like.sha256);
    spool->begin += spool->length;
    spool->length = 0;
    if (spool->failure) {
        errno = spool->failure;
        return err_set_sys(e, "%s", path);
    }
    return file_tree_add_stored(spool->tree, path, &like, e);
}
