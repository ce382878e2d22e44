// SPDX-License-Identifier: Apache-2.0
// What makes two machines the same for a benchmark: one SHA-256 over the facts that matter and
// stay, so that two results files can be told apart at a glance.
#ifndef COLLECTOR_PROBE_FINGERPRINT_H
#define COLLECTOR_PROBE_FINGERPRINT_H

#include <stdbool.h>

#include "collector/digest.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"

#define FINGERPRINT_FACT "machine.fingerprint" /* under which it is stored itself */

/* Whether a fact counts: CPU, kernel, memory, network settings, control group; none of the boot, of
 * how much is free, of frequencies, temperatures or names. */
bool fingerprint_has_fact(const char *name);

struct fingerprint;

/* errors ERR_LIMIT: memory */
enum err_code fingerprint_new(struct fingerprint **fingerprint_out, struct err *e) ATTR_MUST_USE;

/* Takes a fact when it counts. value NULL: not known, which is a value as well. A name that comes
 * twice has its last value. */
void fingerprint_add(struct fingerprint *fingerprint, const char *name, const char *value);

/*
 * SHA-256 of the canonical JSON (RFC 8785): one object, names in order, no blanks.
 * `jq -cSj . FACTS.json | sha256sum` gives the same.
 *
 * errors   ERR_LIMIT: memory
 */
enum err_code fingerprint_finish(const struct fingerprint *fingerprint,
                                 char hex_out[DIGEST_HEX_BYTES], struct err *e) ATTR_MUST_USE;
void fingerprint_free(struct fingerprint *fingerprint);

#endif
