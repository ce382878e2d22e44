// SPDX-License-Identifier: Apache-2.0
#include <criterion/criterion.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "engines/base/sha256.h"
#include "tests/support/edge_buf.h"

Test(sha256, gives_the_published_digests)
{
    /* NIST, "SHA-256 examples": one block and two. */
    static const char *const rows[][2] = {
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    char text[SHA256_TEXT_BYTES];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        sha256_hex(rows[i][0], strlen(rows[i][0]), text);
        cr_expect_str_eq(text, rows[i][1]);
    }
}

/* Every length around the borders of blocks, against libcrypto. */
Test(sha256, agrees_with_libcrypto_and_reads_no_byte_too_far)
{
    char bytes[300];

    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (char)(i * 7 + 200);
    }
    for (size_t length = 0; length <= sizeof(bytes); length++) {
        unsigned char digest[EVP_MAX_MD_SIZE];
        char want[SHA256_TEXT_BYTES], got[SHA256_TEXT_BYTES];
        struct edge_buf edge;

        edge_buf_init(&edge, bytes, length);
        cr_assert_eq(EVP_Digest(bytes, length, digest, NULL, EVP_sha256(), NULL), 1);
        for (size_t i = 0; i < 32; i++) {
            snprintf(want + 2 * i, 3, "%02x", digest[i]);
        }
        sha256_hex(edge.bytes, length, got);
        cr_expect_str_eq(got, want, "length %zu", length);
        edge_buf_release(&edge);
    }
}
