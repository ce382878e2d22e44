// SPDX-License-Identifier: Apache-2.0
// A recorded verdict, judged again: by what it recorded of the original and by the session that it
// is about. Foreign text.
#ifndef REPORT_REPRODUCE_VERDICT_READ_H
#define REPORT_REPRODUCE_VERDICT_READ_H

#include <jansson.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/judge/analysis.h"
#include "report/reproduce/reproduce.h"

struct verdict_record;

/*
 * Takes from a verdict.json what cannot be had otherwise: the original's names and digests, its
 * estimates and words, what was rebuilt and asked, its machine's facts. All else follows from
 * `here` and is judged again, so that verdict_json_format and compose_reproduction of the state
 * give what an honest record says.
 *
 * here           the session that was measured; must live as long as the record
 * samples_digest of `here`
 * errors         ERR_FORMAT: no such verdict, or not about this session's claims, with what is
 * wrong; ERR_LIMIT: memory
 */
enum err_code verdict_record_read(json_t *document, const struct analysis *here,
                                  const char *samples_digest, struct verdict_record **record_out,
                                  struct err *e) ATTR_MUST_USE;
void verdict_record_free(struct verdict_record *record); /* NULL is accepted */

const struct reproduce_state *verdict_record_state(const struct verdict_record *record);

#endif
