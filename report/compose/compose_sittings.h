// SPDX-License-Identifier: Apache-2.0
// Two sittings as a document.
#ifndef REPORT_COMPOSE_COMPOSE_SITTINGS_H
#define REPORT_COMPOSE_COMPOSE_SITTINGS_H

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/judge/sittings.h"
#include "report/render/document.h"

/* language   "en", "pt-BR". document_out   document_free. errors   ERR_LIMIT: memory; those of
 * document_set_language */
enum err_code compose_sittings(const struct sittings *sittings, const char *language,
                               struct document **document_out, struct err *e) ATTR_MUST_USE;

#endif
