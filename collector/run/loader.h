// SPDX-License-Identifier: Apache-2.0
// What the dynamic loader passes over with no more than a word in a server's output: libraries that
// are none, tunables that it does not know.
#ifndef COLLECTOR_RUN_LOADER_H
#define COLLECTOR_RUN_LOADER_H

#include <stdbool.h>
#include <stddef.h>

#define LOADER_NAME_BYTES 120

/* Where this machine's loader is, by which this program was started; NULL: by none. */
const char *loader_path(void);

/* Whether the file begins like a shared object (ELF, ET_DYN). */
bool loader_is_library(const char *path);

/* The next of the libraries of LD_PRELOAD, which stand between colons or blanks: its length; 0: no
 * more. *list moves behind it. */
size_t loader_next(const char **list, const char **word_out);

/* Whether a library as LD_PRELOAD names it is in a map of memory (/proc/PID/maps): by its real path
 * when it has a slash, else by its name in any folder. folder: where the process was started. */
bool loader_is_mapped(const char *maps, const char *word, const char *folder);

/* What the loader would pass over. */
struct loader_refusal {
    char name[LOADER_NAME_BYTES];   /* of the tunable, cut */
    char limits[LOADER_NAME_BYTES]; /* "min: 0x1, max: 0x10"; "": it knows none of that name */
};

/*
 * Whether all of "NAME=VALUE:NAME=VALUE" stand in what the loader's --list-tunables prints ("NAME:
 * VALUE (min: LOW, max: HIGH)" a line, for some without the limits), with values between the
 * limits.
 *
 * refusal_out   the first that does not; untouched otherwise
 */
bool loader_takes_tunables(const char *known, const char *tunables,
                           struct loader_refusal *refusal_out);

#endif
