// SPDX-License-Identifier: Apache-2.0
// How tacho-engine was built, as the Makefile wrote it and a bundle carries it. Foreign bytes: what
// is read here is executed in a sandbox or not at all.
#ifndef REPORT_REPRODUCE_BUILD_RECORD_H
#define REPORT_REPRODUCE_BUILD_RECORD_H

#include <stddef.h>

#include "collector/digest.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"

#define BUILD_RECORD_FORMAT      "tacho-build-1"
#define BUILD_RECORD_BYTES_MAX   ((size_t)4 << 20)
#define BUILD_TOOL_COUNT_MAX     8
#define BUILD_STEP_COUNT_MAX     2000
#define BUILD_WORD_COUNT_MAX     4000
#define BUILD_VARIABLE_COUNT_MAX 16
#define BUILD_TEXT_BYTES_MAX     4096

/* Stands in a word for the folder that holds engines/. */
#define BUILD_FOLDER_MARK "{folder}"

struct build_step {
    const char *const *arguments; /* NULL-terminated; at least one */
    size_t count;
};

struct build_tool {
    const char *name; /* "compiler" */
    struct build_step step;
    const char *says; /* the first line that it printed */
};

struct build_record {
    struct build_tool tools[BUILD_TOOL_COUNT_MAX];
    size_t tool_count;
    const char *environment[BUILD_VARIABLE_COUNT_MAX + 1]; /* "NAME=value" */
    struct build_step *steps; /* in order, each in the folder that holds engines/ */
    size_t step_count;
    const char *product_path; /* from the folder above that one: "bin/tacho-engine" */
    char product_sha256[DIGEST_HEX_BYTES];
    void *memory;
};

/*
 * Reads a record.
 *
 * errors   ERR_FORMAT: not such a record, with what is wrong; ERR_LIMIT: memory
 */
enum err_code build_record_parse(const char *bytes, size_t length, struct build_record *record_out,
                                 struct err *e) ATTR_MUST_USE;
void build_record_release(struct build_record *record);

#endif
