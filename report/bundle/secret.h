// SPDX-License-Identifier: Apache-2.0
// Looks for what nobody means to publish: private keys, tokens, passwords in addresses, folders of
// persons.
#ifndef REPORT_BUNDLE_SECRET_H
#define REPORT_BUNDLE_SECRET_H

#include <stdbool.h>
#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/bundle/file_tree.h"

struct secret_hit {
    const char *what; /* "a private key"; static */
    size_t offset;    /* of its first byte */
    size_t line;      /* from 1 */
};

/* The first one in these bytes. Foreign bytes: nothing beyond `length` is touched. */
bool secret_find(const char *bytes, size_t length, struct secret_hit *hit_out);

/* errors   ERR_FORMAT: "PATH: line N: WHAT", for a file with NUL bytes "PATH: byte N: WHAT" */
enum err_code secret_check_tree(const struct file_tree *tree, struct err *e) ATTR_MUST_USE;

#endif
