// SPDX-License-Identifier: Apache-2.0
// gnuplot's pictures are read strictly. What is well-formed was checked with xmllint.
#include <criterion/criterion.h>
#include <string.h>

#include "engines/base/attr.h"
#include "report/plot/plot_svg.h"
#include "tests/support/edge_buf.h"

static enum err_code finish(const char *text, size_t length, struct buf *out)
{
    struct edge_buf edge;
    struct err e;
    enum err_code code;

    edge_buf_init(&edge, text, length);
    code = plot_svg_finish(edge.bytes, edge.length, "p", out, &e);
    edge_buf_release(&edge);
    return code;
}

static const char good[] = "<?xml version=\"1.0\" encoding=\"utf-8\"  standalone=\"no\"?>\n"
                           "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\">\n"
                           "<title>p</title>\n<desc>Produced by GNUPLOT 5.4 patchlevel 4 </desc>\n"
                           "<defs><circle id='gpDot' r='0.5'/></defs>\n"
                           "<g id=\"a_plot_1\" ><text>1 &lt; 2 &#38; 3 ]]></text></g>\n"
                           "<g id=\"a_plot_1\"><use xlink:href='#gpDot' x='1'/></g>\n</svg>\n";

Test(plot_svg, takes_out_the_version_and_makes_ids_unique)
{
    struct buf out;

    buf_init(&out, 65536);
    cr_assert_eq(finish(good, sizeof(good) - 1, &out), ERR_OK);
    cr_expect_null(strstr(out.bytes, "GNUPLOT"));
    cr_expect_not_null(strstr(out.bytes, "id=\"p-1\""));
    cr_expect_not_null(strstr(out.bytes, "id=\"p-2\""));
    cr_expect_not_null(strstr(out.bytes, "id='gpDot'"), "what is referred to keeps its name");
    cr_expect_not_null(strstr(out.bytes, "1 &lt; 2 &#38; 3 ]]&gt;<"), "XML 1.0, section 2.4");
    buf_release(&out);
}

Test(plot_svg, refuses_what_is_cut_off_at_any_byte)
{
    /* The last "\n" and the ">" before it: only with the ">" is the picture whole. */
    for (size_t length = 0; length + 2 < sizeof(good); length++) {
        struct buf out;

        buf_init(&out, 65536);
        cr_expect_neq(finish(good, length, &out), ERR_OK, "cut at %zu", length);
        buf_release(&out);
    }
}

Test(plot_svg, refuses_what_no_picture_of_ours_has)
{
    static const char *const rows[] = {
        "<svg><script>alert(1)</script></svg>",
        "<svg onload=\"alert(1)\"></svg>",
        "<svg><g></svg></g>",
        "<svg><g id=\"a\"></svg>",
        "<svg></svg><svg></svg>",
        "<html></html>",
        "<svg>&nbsp;</svg>",
        "<svg>&#x;</svg>",
        "<svg>\x01</svg>",
        "<svg>\xff</svg>",
        "<svg a=b></svg>",
        "<svg a></svg>",
        "<svg id=\"a b\"></svg>",
        "<svg><?php x ?></svg>",
        "<svg><foreignObject/></svg>",
        "<svg a=\"<\"></svg>",
        "text",
        "",
        "<",
        "<svg><desc>never ends</svg>",
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct buf out;

        buf_init(&out, 65536);
        cr_expect_eq(finish(rows[i], strlen(rows[i]), &out), ERR_FORMAT, "row %zu", i);
        buf_release(&out);
    }
}

Test(plot_svg, refuses_deep_nesting)
{
    char text[65536] = "<svg>";
    struct buf out;

    for (int i = 0; i < 200; i++) {
        strcat(text, "<g>");
    }
    buf_init(&out, 65536);
    cr_expect_eq(finish(text, strlen(text), &out), ERR_FORMAT);
    buf_release(&out);
}
