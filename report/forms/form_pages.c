// SPDX-License-Identifier: Apache-2.0
// The forms that show the whole document: page, Markdown, text; and all of it as JSON.
#include <assert.h>
#include <limits.h>
#include <stdio.h>

#include "collector/asset.h"
#include "report/forms/form.h"
#include "report/render/render.h"

static enum err_code write_page(void (*render)(const struct document *, struct buf *),
                                const char *name, const struct compose *compose,
                                const struct form_folder *folder, struct err *e)
{
    struct buf out;

    buf_init(&out, FORM_BYTES_MAX);
    render(compose->document, &out);
    enum err_code code = form_write(folder, name, &out, e);
    buf_release(&out);
    return code;
}

enum err_code form_html(struct compose *compose, struct form_folder *folder, struct err *e)
{
    return write_page(render_html, "report.html", compose, folder, e);
}

enum err_code form_md(struct compose *compose, struct form_folder *folder, struct err *e)
{
    return write_page(render_markdown, "report.md", compose, folder, e);
}

static void render_wide(const struct document *document, struct buf *out)
{
    render_text(document, RENDER_TEXT_COLUMNS, out);
}

enum err_code form_text(struct compose *compose, struct form_folder *folder, struct err *e)
{
    return write_page(render_wide, "report.txt", compose, folder, e);
}

enum err_code form_json(struct compose *compose, struct form_folder *folder, struct err *e)
{
    struct buf out;

    buf_init(&out, FORM_BYTES_MAX);
    enum err_code code = render_json(compose->document, &out, e);
    if (code == ERR_OK) {
        code = form_write(folder, "report.json", &out, e);
    }
    if (code == ERR_OK) {
        const struct asset *schema = asset_find("report/render/templates/report.schema.json");

        assert(schema);
        buf_clear(&out);
        buf_add(&out, schema->bytes, schema->length);
        code = form_write(folder, "report.schema.json", &out, e);
    }
    buf_release(&out);
    return code;
}
