// SPDX-License-Identifier: Apache-2.0
// A build record is read whole, or refused with what is wrong.
#include <criterion/criterion.h>
#include <string.h>

#include "collector/asset.h"
#include "engines/base/buf.h"
#include "report/reproduce/build_record.h"
#include "tests/support/edge_buf.h"

#define SHA256 "9795c5ff8937f23526ccb207a5684c1fc94a7854e19c021b39d944e51f5baef2"
#define FORMAT "\"format\":\"tacho-build-1\","
#define TOOLS                                                                                      \
    "\"toolchain\":[{\"name\":\"compiler\",\"argv\":[\"cc\",\"--version\"],\"says\":\"cc 1\"}],"
#define ENVIRONMENT "\"environment\":{\"LC_ALL\":\"C\"},"
#define STEPS       "\"steps\":[[\"cc\",\"-o\",\"{folder}/a\"],[\"ld\"]],"
#define PRODUCT     "\"product\":{\"path\":\"bin/a\",\"sha256\":\"" SHA256 "\"}"
#define WHOLE       "{" FORMAT TOOLS ENVIRONMENT STEPS PRODUCT "}"

Test(build_record, is_read_whole)
{
    struct build_record record;
    struct err e;

    cr_assert_eq(build_record_parse(WHOLE, strlen(WHOLE), &record, &e), ERR_OK, "%s", e.text);
    cr_expect_eq(record.tool_count, 1);
    cr_expect_str_eq(record.tools[0].name, "compiler");
    cr_expect_str_eq(record.tools[0].says, "cc 1");
    cr_expect_str_eq(record.tools[0].step.arguments[1], "--version");
    cr_expect_null(record.tools[0].step.arguments[2]);
    cr_expect_str_eq(record.environment[0], "LC_ALL=C");
    cr_expect_null(record.environment[1]);
    cr_assert_eq(record.step_count, 2);
    cr_expect_eq(record.steps[0].count, 3);
    cr_expect_str_eq(record.steps[0].arguments[2], "{folder}/a");
    cr_expect_str_eq(record.product_path, "bin/a");
    cr_expect_str_eq(record.product_sha256, SHA256);
    build_record_release(&record);
}

Test(build_record, of_this_program_is_one)
{
    const struct asset *asset = asset_find("build.json");
    struct build_record record;
    struct err e;

    cr_assert_not_null(asset);
    cr_assert_eq(build_record_parse(asset->bytes, asset->length, &record, &e), ERR_OK, "%s",
                 e.text);
    cr_expect_eq(record.tool_count, 4);
    for (size_t i = 0; i < record.step_count; i++) {
        for (size_t j = 0; j < record.steps[i].count; j++) {
            /* Flags of this machine mean something else on another. */
            cr_expect_null(strstr(record.steps[i].arguments[j], "=native"));
        }
    }
    build_record_release(&record);
}

Test(build_record, is_refused_with_what_is_wrong)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "line 1"},
        {"[]", "no build record of format"},
        {"{\"format\":\"tacho-build-2\"}", "no build record of format"},
        {"{" FORMAT FORMAT TOOLS STEPS PRODUCT "}", "duplicate"},
        {"{" FORMAT STEPS PRODUCT "}", "toolchain"},
        {"{" FORMAT "\"toolchain\":[3]," STEPS PRODUCT "}", "tool 1 has no name"},
        {"{" FORMAT "\"toolchain\":[{\"name\":\"x\",\"says\":\"y\",\"argv\":[]}]," STEPS PRODUCT
         "}",
         "no list of 1 to"},
        {"{" FORMAT TOOLS "\"environment\":{\"LD_PRELOAD\":\"x\"}," STEPS PRODUCT "}",
         "\"LD_PRELOAD\" may not be set"},
        {"{" FORMAT TOOLS "\"environment\":{\"PATH\":\"x\"}," STEPS PRODUCT "}",
         "\"PATH\" may not be set"},
        {"{" FORMAT TOOLS "\"environment\":{\"A=B\":\"x\"}," STEPS PRODUCT "}", "may not be set"},
        {"{" FORMAT TOOLS "\"environment\":{\"A\":1}," STEPS PRODUCT "}", "may not be set"},
        {"{" FORMAT TOOLS PRODUCT "}", "steps"},
        {"{" FORMAT TOOLS "\"steps\":[[]]," PRODUCT "}", "no list of 1 to"},
        {"{" FORMAT TOOLS "\"steps\":[[\"\"]]," PRODUCT "}", "word 1 is no text"},
        {"{" FORMAT TOOLS "\"steps\":[[\"cc\",1]]," PRODUCT "}", "word 2 is no text"},
        {"{" FORMAT TOOLS "\"steps\":[[\"cc\",\"\\u0000\"]]," PRODUCT "}", "line 1"},
        {"{" FORMAT TOOLS STEPS "\"product\":{\"path\":\"../a\",\"sha256\":\"" SHA256 "\"}}",
         "leads elsewhere"},
        {"{" FORMAT TOOLS STEPS "\"product\":{\"path\":\"/a\",\"sha256\":\"" SHA256 "\"}}",
         "leads elsewhere"},
        {"{" FORMAT TOOLS STEPS "\"product\":{\"path\":\"a\",\"sha256\":\"00\"}}", "no SHA-256"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct build_record record;
        struct edge_buf edge;
        struct err e;

        edge_buf_init(&edge, rows[i].text, strlen(rows[i].text));
        enum err_code code = build_record_parse(edge.bytes, edge.length, &record, &e);
        edge_buf_release(&edge);
        cr_expect_eq(code, ERR_FORMAT, "row %zu: %d", i, code);
        cr_expect_not_null(strstr(e.text, rows[i].says), "row %zu: %s", i, e.text);
    }
}

/* Every cut of a whole record is refused, and nothing behind it is read. */
Test(build_record, is_refused_when_it_is_cut)
{
    for (size_t length = 0; length < strlen(WHOLE); length++) {
        struct build_record record;
        struct edge_buf edge;

        edge_buf_init(&edge, WHOLE, length);
        cr_expect_eq(build_record_parse(edge.bytes, edge.length, &record, NULL), ERR_FORMAT, "%zu",
                     length);
        edge_buf_release(&edge);
    }
}
