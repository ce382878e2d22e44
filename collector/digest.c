// SPDX-License-Identifier: Apache-2.0
// SHA-256 by libcrypto.
#include "collector/digest.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct digest {
    EVP_MD_CTX *context;
};

enum err_code digest_new(struct digest **digest_out, struct err *e)
{
    struct digest *digest = calloc(1, sizeof(*digest));

    if (digest) {
        digest->context = EVP_MD_CTX_new();
    }
    if (!digest || !digest->context ||
        EVP_DigestInit_ex(digest->context, EVP_sha256(), NULL) != 1) {
        digest_free(digest);
        return err_set(e, ERR_LIMIT, "no memory for a SHA-256");
    }
    *digest_out = digest;
    return ERR_OK;
}

void digest_add(struct digest *digest, const void *bytes, size_t length)
{
    int done = EVP_DigestUpdate(digest->context, bytes, length);

    assert(done == 1);
}

void digest_finish(struct digest *digest, char hex_out[DIGEST_HEX_BYTES])
{
    unsigned char raw[EVP_MAX_MD_SIZE];
    unsigned int raw_bytes = 0;
    int done = EVP_DigestFinal_ex(digest->context, raw, &raw_bytes);

    assert(done == 1 && raw_bytes == 32);
    for (unsigned int i = 0; i < raw_bytes; i++) {
        snprintf(hex_out + 2 * (size_t)i, 3, "%02x", raw[i]);
    }
    done = EVP_DigestInit_ex(digest->context, EVP_sha256(), NULL);
    assert(done == 1);
}

void digest_free(struct digest *digest)
{
    if (digest) {
        EVP_MD_CTX_free(digest->context);
        free(digest);
    }
}

enum err_code digest_bytes(const void *bytes, size_t length, char hex_out[DIGEST_HEX_BYTES],
                           struct err *e)
{
    struct digest *digest = NULL;
    enum err_code code = digest_new(&digest, e);

    if (code == ERR_OK) {
        digest_add(digest, bytes, length);
        digest_finish(digest, hex_out);
        digest_free(digest);
    }
    return code;
}

enum err_code digest_descriptor(int fd, const char *path, uint64_t *length_out,
                                char hex_out[DIGEST_HEX_BYTES], struct err *e)
{
    struct digest *digest = NULL;
    uint64_t length = 0;
    struct stat status;
    char block[65536];

    if (fstat(fd, &status) < 0) {
        return err_set_sys(e, "%s", path);
    }
    if (!S_ISREG(status.st_mode)) {
        return err_set(e, ERR_FORMAT, "%s: not a regular file", path);
    }
    enum err_code code = digest_new(&digest, e);
    while (code == ERR_OK) {
        ssize_t count = read(fd, block, sizeof(block));
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            code = err_set_sys(e, "%s", path);
        }
        if (count == 0) {
            digest_finish(digest, hex_out);
            if (length_out) {
                *length_out = length;
            }
            break;
        }
        if (count > 0) {
            length += (uint64_t)count;
            digest_add(digest, block, (size_t)count);
        }
    }
    digest_free(digest);
    return code;
}

enum err_code digest_file(const char *path, char hex_out[DIGEST_HEX_BYTES], struct err *e)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);

    if (fd < 0) {
        return err_set_sys(e, "%s", path);
    }
    enum err_code code = digest_descriptor(fd, path, NULL, hex_out, e);
    close(fd);
    return code;
}
