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

static const char good[] =
    "<?xml version=\"1.0\" encoding=\"utf-8\"  standalone=\"no\"?>\n"
    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\">\n"
    "<title>p</title>\n<desc>Produced by GNUPLOT 5.4 patchlevel 4 </desc>\n"
    "<defs><circle id='gpDot' r='0.5'/></defs>\n"
    "<g id=\"a_plot_1\" ><title>data using 1:2</title><text>1 &lt; 2 &#38; 3 ]]></text></g>\n"
    "<g id=\"a_plot_1\"><use xlink:href='#gpDot' x='1'/></g>\n</svg>\n";

Test(plot_svg, takes_out_the_version_and_makes_ids_unique)
{
    struct buf out;

    buf_init(&out, 65536);
    cr_assert_eq(finish(good, sizeof(good) - 1, &out), ERR_OK);
    cr_expect_null(strstr(out.bytes, "GNUPLOT"));
    cr_expect_null(strstr(out.bytes, "data using"), "no line of a script under the pointer");
    cr_expect_not_null(strstr(out.bytes, "<title>p</title>"));
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

/* What a picture says in fewer bytes. The right column was written by hand. */
Test(plot_svg, says_the_same_in_fewer_bytes)
{
#define MARK(x, color)                                                                             \
    "\t<use xlink:href='#gpPt6' transform='translate(" x ",2.50) scale(2.25)' color='" color "'/"  \
    ">\n"
    static const struct {
        const char *given, *want;
    } rows[] = {
        {"<svg a='70.00 0.500 1.05 10 .50 3.x 1.'/>", "<svg a='70 0.5 1.05 10 .50 3.x 1.'/>"},
        {"<svg a='rgb(  0, 114, 178)' b='rgb(0, 1)' c='rgb(256,0,0)' d='Mw 1.0  '/>",
         "<svg a='#0072b2' b='rgb(0, 1)' c='rgb(256,0,0)' d='Mw 1'/>"},
        {"<svg d='M1.0,2.50 L3,4\n\t\tL5,6 7,8  '/>", "<svg d='M1,2.5L3,4L5,6 7,8'/>"},
        {"<svg>\n\t<text>1.00  \n</text>\n\n</svg>", "<svg>\n<text>1.00  \n</text>\n</svg>"},
        {"<svg>\n" MARK("1.00", "red") MARK("2", "red") MARK("3", "rgb(1,2,3)") "<g/></svg>",
         "<svg>\n<defs><use id='m0' xlink:href='#gpPt6' transform='scale(2.25)'/></defs>\n"
         "<g color='red'>\n<use xlink:href='#m0' x='1' y='2.5'/>\n"
         "<use xlink:href='#m0' x='2' y='2.5'/>\n</g>\n"
         "<g color='#010203'>\n<use xlink:href='#m0' x='3' y='2.5'/>\n</g>\n<g/></svg>"},
        {"<svg><use xlink:href='#gpDot' x='1'/>" MARK("-1", "red") "<use id='x'/></svg>",
         "<svg><use xlink:href='#gpDot' x='1'/>"
         "<defs><use id='m0' xlink:href='#gpPt6' transform='scale(2.25)'/></defs>\n"
         "<g color='red'>\n<use xlink:href='#m0' x='-1' y='2.5'/>\n</g>\n<use id='p-1'/></svg>"},
    };
#undef MARK

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct buf out;

        buf_init(&out, 65536);
        cr_assert_eq(finish(rows[i].given, strlen(rows[i].given), &out), ERR_OK, "row %zu", i);
        cr_expect_str_eq(out.bytes, rows[i].want, "row %zu", i);
        buf_release(&out);
    }
}
