// SPDX-License-Identifier: Apache-2.0
// Files of the repository carried in the program (.incbin, made by the Makefile): SQL, templates,
// plots, plans, engine sources.
#ifndef COLLECTOR_ASSET_H
#define COLLECTOR_ASSET_H

#include <stddef.h>

struct asset {
    const char *name;  /* path in the repository: "report/render/templates/page.html" */
    const char *bytes; /* followed by a NUL that does not count */
    size_t length;
};

/* All assets, ascending by name; the last one has a NULL name. */
extern const struct asset assets[];

/* NULL when there is none. */
const struct asset *asset_find(const char *name);

#endif
