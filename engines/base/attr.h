// SPDX-License-Identifier: Apache-2.0
// The few compiler attributes that this project uses, behind names of its own.
#ifndef ENGINES_BASE_ATTR_H
#define ENGINES_BASE_ATTR_H

#define ATTR_MUST_USE __attribute__((warn_unused_result))
#define ATTR_PRINTF(format_index, first_index)                                                     \
    __attribute__((format(printf, format_index, first_index)))
#define ATTR_CLEANUP(function) __attribute__((cleanup(function)))

#define ARRAY_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
