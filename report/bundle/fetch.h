// SPDX-License-Identifier: Apache-2.0
// A bundle from the web: https, a cap on the bytes, no decoding, taken up again where it was cut.
#ifndef REPORT_BUNDLE_FETCH_H
#define REPORT_BUNDLE_FETCH_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "collector/digest.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"

struct fetch_config {
    const char *url;
    const char *folder;  /* made when missing */
    const char *sha256;  /* 64 lower-case digits that it must have; NULL: not known */
    bool insecure_http;  /* http from other machines too */
    uint64_t bytes_max;  /* 0: as much as verify takes */
    unsigned patience_s; /* how long nothing may come; 0: 30 */
};

struct fetch_result {
    char path[PATH_MAX]; /* FOLDER/NAME, the name being the last part of the URL's path */
    char sha256[DIGEST_HEX_BYTES];
    uint64_t bytes;
    uint64_t resumed_bytes; /* that were there from an earlier time */
};

/*
 * Fetches. What is at the final name is whole and has the SHA-256; until then it is NAME.part,
 * which the next call of the same URL goes on with when the server still has the same file (ETag).
 *
 * errors   ERR_USAGE: the URL, or a redirect, is neither https nor http of this machine; the file
 * is there already, or being fetched; the server answers 4xx; ERR_FORMAT: another answer than the
 * file (a web page, say), or one with a Content-Encoding; ERR_LIMIT: more than bytes_max, too many
 * redirects; ERR_MISMATCH: another SHA-256; ERR_SYS: the network, a server that answers 5xx, the
 * disk
 */
enum err_code fetch_bundle(const struct fetch_config *config, struct fetch_result *result_out,
                           struct err *e) ATTR_MUST_USE;

#endif
