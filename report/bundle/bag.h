// SPDX-License-Identifier: Apache-2.0
// BagIt 1.0 (RFC 8493): the tag files around data/, and the manifests by which sha256sum alone can
// check them.
#ifndef REPORT_BUNDLE_BAG_H
#define REPORT_BUNDLE_BAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/digest.h"
#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"
#include "report/bundle/file_tree.h"

#define BAG_FORMAT      1
#define BAG_VALUE_BYTES 128

/* bag-info.txt: these keys in this order, one line each. */
struct bag_info {
    char software_agent[BAG_VALUE_BYTES];      /* "tacho 0.1.0+abc123": who wrote the bundle */
    char external_identifier[BAG_VALUE_BYTES]; /* of the session */
    char renderer[BAG_VALUE_BYTES]; /* of the figures: "gnuplot 5.4 patchlevel 4", "none" */
    char samples_digest[DIGEST_HEX_BYTES], plan_digest[DIGEST_HEX_BYTES];
    char based_on[DIGEST_HEX_BYTES];       /* id of the bundle that this one reproduces; "": none */
    int64_t time_s;                        /* of every entry: end of the last trial */
    uint64_t payload_bytes, payload_files; /* Payload-Oxum */
};

/* The names of the four files beside data/. */
#define BAG_DECLARATION  "bagit.txt"
#define BAG_INFO         "bag-info.txt"
#define BAG_MANIFEST     "manifest-sha256.txt"
#define BAG_TAG_MANIFEST "tagmanifest-sha256.txt"
extern const char bag_declaration_text[]; /* the two lines of bagit.txt */

/*
 * Adds the tag files to a tree that holds data/ whole, completes it and names the top folder
 * SLUG-ID16.
 *
 * info     payload_bytes and payload_files are filled in
 * id_out   the bundle's id: SHA-256 of the tag manifest
 */
enum err_code bag_seal(struct file_tree *tree, struct bag_info *info, const char *slug,
                       char id_out[DIGEST_HEX_BYTES], struct err *e) ATTR_MUST_USE;

/* Bytes and number of the files below data/. */
void bag_measure_payload(const struct file_tree *tree, uint64_t *bytes_out, uint64_t *files_out);

void bag_format_info(const struct bag_info *info, struct buf *out);

/*
 * Reads what bag_format_info writes and nothing else.
 *
 * errors   ERR_FORMAT: the first line that is not as written; ERR_MISMATCH: Tacho-Format is another
 *          number, i.e. made by a newer program
 */
enum err_code bag_parse_info(const char *bytes, size_t length, struct bag_info *info_out,
                             struct err *e) ATTR_MUST_USE;

struct bag_line {
    char hex[DIGEST_HEX_BYTES]; /* lower case */
    char *path;                 /* unescaped; may hold any byte but NUL */
};

struct bag_manifest {
    struct bag_line *lines;
    size_t count;
    bool is_canonical; /* every line "HEX  PATH\n" in lower case, no escapes, no BOM */
    void *memory;      /* freed by bag_release_manifest */
};

/*
 * Reads the output of sha256sum in the spellings that are about: LF or CRLF, one or two separators
 * (space, '*'), either case, a BOM, no final newline, GNU's escapes (\\ \n \r after a leading \).
 * Foreign bytes.
 *
 * errors   ERR_FORMAT: "line N: …"; ERR_LIMIT
 */
enum err_code bag_parse_manifest(const char *bytes, size_t length,
                                 struct bag_manifest *manifest_out, struct err *e) ATTR_MUST_USE;
void bag_release_manifest(struct bag_manifest *manifest);

/* 64 hex digits of either case, made lower-case; false when it is anything else. */
bool bag_parse_hex(const char *text, size_t length, char hex_out[DIGEST_HEX_BYTES]);

#endif
