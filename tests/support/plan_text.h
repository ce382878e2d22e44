// SPDX-License-Identifier: Apache-2.0
// The text of a plan as a session stores it.
#ifndef TESTS_SUPPORT_PLAN_TEXT_H
#define TESTS_SUPPORT_PLAN_TEXT_H

#include "engines/base/buf.h"

/* Adds the builder's engines and workload to the text of a plan that has none, and puts the
 * canonical text in its place. Aborts the test when it cannot be read. */
void plan_text_make_whole(struct buf *text);

#endif
