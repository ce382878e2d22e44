// SPDX-License-Identifier: Apache-2.0
// The outcome of a verification for programs.
#ifndef REPORT_BUNDLE_VERIFY_JSON_H
#define REPORT_BUNDLE_VERIFY_JSON_H

#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"
#include "report/bundle/verify.h"

/*
 * Appends one JSON object and a line feed. Members are only ever added, codes never change:
 *   format "tacho-verify-1"; verdict "VERIFIED" or "REFUSED";
 *   stages [{code, name, state}], state "ok" "failed" "not-asked" "not-reached",
 *   of V12 also "partly" and "differs";
 *   findings [{stage, code, text}], findings_left_out; notes [text];
 *   report_level, one of verify_result's; policy {min_trials, min_window_ns (null: the plan's),
 *   spacing_percent, allow_gaps, allow_failed}, null when V11 was not asked;
 *   archive_sha256, bundle_id, samples_digest, signature, signer, signer_key: null when not known
 *
 * errors   ERR_LIMIT
 */
enum err_code verify_format_json(const struct verify_config *config,
                                 const struct verify_result *result, struct buf *out,
                                 struct err *e) ATTR_MUST_USE;

#endif
