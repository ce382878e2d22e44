// SPDX-License-Identifier: Apache-2.0
// Which gnuplot draws the figures here.
#include "report/bundle/renderer.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "engines/base/buf.h"
#include "engines/base/fs.h"
#include "report/plot/gnuplot.h"

static const char script[] =
    "set print 'version.txt'\nprint 'gnuplot ', GPVAL_VERSION, ' patchlevel ', GPVAL_PATCHLEVEL\n";

/* One line of printable ASCII that begins as the script prints it. */
static void version_take(const struct buf *text, char out[RENDERER_BYTES])
{
    size_t length = strcspn(text->bytes, "\n");

    snprintf(out, RENDERER_BYTES, "%s", RENDERER_NONE);
    if (strncmp(text->bytes, "gnuplot ", 8) != 0 || length >= RENDERER_BYTES) {
        return;
    }
    for (size_t i = 0; i < length; i++) {
        if (text->bytes[i] < 0x20 || text->bytes[i] > 0x7e) {
            return;
        }
    }
    snprintf(out, RENDERER_BYTES, "%.*s", (int)length, text->bytes);
}

enum err_code renderer_find(const char *folder, char out[RENDERER_BYTES], struct err *e)
{
    static const char *const names[] = {"version"};
    char path[PATH_MAX];
    bool available = false;
    struct buf text;

    if (snprintf(path, sizeof(path), "%s/version.gp", folder) >= (int)sizeof(path) - 1) {
        return err_set(e, ERR_LIMIT, "%s: the path is too long", folder);
    }
    enum err_code code = fs_write_derived(path, script, strlen(script), e);
    if (code != ERR_OK) {
        return code;
    }
    code = gnuplot_run(NULL, folder, names, 1, GNUPLOT_QUIET_MS, &available, e);
    if (code == ERR_FORMAT || (code == ERR_OK && !available)) {
        snprintf(out, RENDERER_BYTES, "%s", RENDERER_NONE);
        return ERR_OK;
    }
    buf_init(&text, 4096);
    snprintf(path, sizeof(path), "%s/version.txt", folder);
    if (code == ERR_OK) {
        code = fs_read_file(path, &text, e);
    }
    if (code == ERR_OK) {
        version_take(&text, out);
    }
    buf_release(&text);
    return code;
}
