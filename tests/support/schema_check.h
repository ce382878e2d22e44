// SPDX-License-Identifier: Apache-2.0
// A JSON document held against a JSON Schema of this repository, for tests.
#ifndef TESTS_SUPPORT_SCHEMA_CHECK_H
#define TESTS_SUPPORT_SCHEMA_CHECK_H

#include <jansson.h>

/* Fails the test when the value is not by the rule. Knows $ref into $defs, type, const, enum,
 * minimum, required, properties, additionalProperties false, items, and anyOf or oneOf as "one of
 * them". */
void schema_check(const json_t *schema, json_t *value);

#endif
