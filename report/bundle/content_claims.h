// SPDX-License-Identifier: Apache-2.0
// What a bundle says of the plan's claims: for a program in claims.json, for a reader in the
// README.
#ifndef REPORT_BUNDLE_CONTENT_CLAIMS_H
#define REPORT_BUNDLE_CONTENT_CLAIMS_H

#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"
#include "report/bundle/file_tree.h"
#include "report/judge/analysis.h"

#define CONTENT_CLAIMS "data/plan/claims.json"

/*
 * Adds claims.json: each claim, its experiments (a cell, one engine or a pair) and the numbers to
 * expect of them, as decimal strings.
 *
 * errors   ERR_LIMIT; ERR_FORMAT: a text that is not UTF-8
 */
enum err_code content_claims_add(const struct analysis *analysis, struct file_tree *tree,
                                 struct err *e) ATTR_MUST_USE;

/* The same as a table of Markdown; nothing when the plan has no claims. */
void content_claims_format(const struct analysis *analysis, struct buf *out);

#endif
