// SPDX-License-Identifier: Apache-2.0
// A folder that looks like /proc and /sys, for what reads them below a root.
#ifndef TESTS_SUPPORT_PROC_TREE_H
#define TESTS_SUPPORT_PROC_TREE_H

#include "engines/base/attr.h"

struct proc_tree {
    char root[64];
};

/* An empty folder of its own. */
void proc_tree_init(struct proc_tree *tree);

/* Writes a file and the folders above it. */
void proc_tree_write(const struct proc_tree *tree, const char *path, const char *format, ...)
    ATTR_PRINTF(3, 4);

/* Removes a file or a folder. */
void proc_tree_remove(const struct proc_tree *tree, const char *path);

/* Writes the files of tests/fixtures/NAME.txt: each begins with a line "== PATH". */
void proc_tree_unpack(const struct proc_tree *tree, const char *name);

void proc_tree_release(struct proc_tree *tree);

#endif
