// SPDX-License-Identifier: Apache-2.0
// Look-up in the table of embedded files.
#include "collector/asset.h"

#include <string.h>

const struct asset *asset_find(const char *name)
{
    for (const struct asset *asset = assets; asset->name; asset++) {
        if (strcmp(asset->name, name) == 0) {
            return asset;
        }
    }
    return NULL;
}
