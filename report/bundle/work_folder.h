// SPDX-License-Identifier: Apache-2.0
// A private folder that is removed at the end, also when a signal is the end, and by the next run
// when even that was not possible.
#ifndef REPORT_BUNDLE_WORK_FOLDER_H
#define REPORT_BUNDLE_WORK_FOLDER_H

#include <limits.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

struct work_folder {
    char path[PATH_MAX]; /* "" while there is none */
    int lock_fd;         /* held as long as the folder is used */
    int guard;           /* of work_guard_start; negative while there is none */
};

/*
 * Makes PARENT/NAME-XXXXXX, mode 0700, after removing those of the same name whose makers are gone.
 *
 * errors   ERR_SYS: no such parent, a full disk; ERR_LIMIT: the path is too long
 */
enum err_code work_folder_open(struct work_folder *folder, const char *parent, const char *name,
                               struct err *e) ATTR_MUST_USE;

/* The same in a parent that is made when it is missing; what was made of its path, and is empty
 * when the folder is gone, goes with it. errors as above, and those of fs_make_directories */
enum err_code work_folder_open_in_new(struct work_folder *folder, const char *parent,
                                      const char *name, struct err *e) ATTR_MUST_USE;

/* "PATH/NAME". errors ERR_LIMIT: too long */
enum err_code work_folder_join(const struct work_folder *folder, const char *name,
                               char out[PATH_MAX], struct err *e) ATTR_MUST_USE;

/* Removes it with all that is in it. Safe for one that was not opened. errors ERR_SYS */
enum err_code work_folder_close(struct work_folder *folder, struct err *e);

#endif
