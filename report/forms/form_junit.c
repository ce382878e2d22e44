// SPDX-License-Identifier: Apache-2.0
// JUnit XML for the test pages of CI systems: what was claimed, compared and measured, as test
// cases. The baseline stands for the reference.
//
//   failure   a claim is REFUTED; an engine is DIFFERENT from the baseline and slower
//   error     nothing was measured, or no trial of an engine at a load point is counted
//   skipped   INCONCLUSIVE, too few blocks, or an unfit session
//
// source    the description of the format by Testmo ("JUnit XML file format", 2022)
#include <math.h>
#include <string.h>

#include "engines/base/clock.h"
#include "report/compose/compose_parts.h"
#include "report/forms/form.h"
#include "report/forms/form_rows.h"
#include "report/render/number.h"
#include "report/render/text_safe.h"

#define UTC_BYTES 19 /* "2026-11-01T00:00:00", without the zone */

enum case_end { PASSED, FAILED, ERROR, SKIPPED, CASE_END_COUNT };

struct junit {
    struct compose *compose;
    struct buf cases; /* of the suite that is being written */
    size_t counts[CASE_END_COUNT], totals[CASE_END_COUNT];
    struct buf suites;
};

static void add_attribute(struct buf *out, const char *name, const char *text)
{
    struct buf plain;

    buf_init(&plain, out->limit_bytes);
    text_add_sentence(&plain, text);
    buf_addf(out, " %s=\"", name);
    text_add_attribute(out, plain.bytes);
    buf_add_char(out, '"');
    buf_release(&plain);
}

static double case_s(const struct compose *compose, const struct analysis_row *row)
{
    struct analysis_trials trials = {0};
    int64_t ns = 0;

    if (row) {
        trials = analysis_row_trials(compose->analysis, row);
    }
    for (size_t i = 0; i < trials.count; i++) {
        const struct results_trial *trial = &compose->results->trials[trials.indices[i]];

        if (trial->ended_utc_ns > trial->started_utc_ns) {
            ns += (trial->ended_utc_ns - trial->started_utc_ns) / CLOCK_NS_PER_MS;
        }
    }
    return (double)ns / 1e3;
}

/* row   whose trials took the time; NULL: none */
static void add_case(struct junit *junit, const char *suite, const char *name,
                     const struct analysis_row *row, enum case_end end, const char *message)
{
    static const char *const elements[] = {
        [FAILED] = "failure", [ERROR] = "error", [SKIPPED] = "skipped"};
    struct buf *out = &junit->cases;
    char text[NUMBER_TEXT_BYTES];

    junit->counts[end]++;
    buf_add_text(out, "    <testcase");
    add_attribute(out, "classname", suite);
    add_attribute(out, "name", name);
    buf_addf(out, " time=\"%s\"", number_format_fixed(case_s(junit->compose, row), 3, 0, text));
    if (end == PASSED) {
        buf_add_text(out, "/>\n");
        return;
    }
    buf_addf(out, ">\n      <%s", elements[end]);
    add_attribute(out, "message", message);
    buf_add_text(out, "/>\n    </testcase>\n");
}

static void end_suite(struct junit *junit, const char *name)
{
    char started[CLOCK_TEXT_BYTES];
    size_t count = 0;

    for (int i = 0; i < CASE_END_COUNT; i++) {
        count += junit->counts[i];
        junit->totals[i] += junit->counts[i];
    }
    if (count > 0) {
        clock_format_utc(junit->compose->results->started_utc_ns, started);
        buf_add_text(&junit->suites, "  <testsuite");
        add_attribute(&junit->suites, "name", name);
        buf_addf(&junit->suites,
                 " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" "
                 "timestamp=\"%.*s\">\n",
                 count, junit->counts[FAILED], junit->counts[ERROR], junit->counts[SKIPPED],
                 UTC_BYTES, started);
        buf_add(&junit->suites, junit->cases.bytes, junit->cases.length);
        buf_add_text(&junit->suites, "  </testsuite>\n");
    }
    junit->suites.failed = junit->suites.failed || junit->cases.failed;
    buf_clear(&junit->cases);
    memset(junit->counts, 0, sizeof(junit->counts));
}

static void add_session(struct junit *junit)
{
    const struct analysis *analysis = junit->compose->analysis;
    enum case_end end = analysis->trust == TRUST_NOTHING ? ERROR
                        : analysis->trust == TRUST_UNFIT ? SKIPPED
                                                         : PASSED;

    add_case(junit, "session", "fit to measure", NULL, end, trust_names[analysis->trust]);
    end_suite(junit, "session");
}

static void add_measurements(struct junit *junit, const struct form_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct analysis_row *row = rows->items[i].row;

        add_case(junit, "measured", rows->items[i].name, row, row->valid_count > 0 ? PASSED : ERROR,
                 document_format(junit->compose->document, "none of %zu trials is counted",
                                 row->trial_count));
    }
    end_suite(junit, "measured");
}

static enum case_end comparison_end(const struct analysis_row *row)
{
    switch (row->verdict) {
    case VERDICT_DIFFERENT:
        return row->ratio.value < 1 ? FAILED : PASSED;
    case VERDICT_SMALL:
    case VERDICT_EQUIVALENT:
        return PASSED;
    case VERDICT_NONE:
    case VERDICT_TOO_FEW:
    case VERDICT_INCONCLUSIVE:
        break;
    }
    return SKIPPED;
}

static void add_comparisons(struct junit *junit, const struct form_rows *rows)
{
    struct compose *compose = junit->compose;

    for (size_t i = 0; i < rows->count; i++) {
        const struct analysis_row *row = rows->items[i].row;

        if (!compose_engine_is(compose, row->engine_index, "subject") ||
            compose->analysis->baseline_index == SIZE_MAX) {
            continue;
        }
        add_case(junit, "throughput against the baseline", rows->items[i].name, NULL,
                 comparison_end(row), compose_comparison(compose, row));
    }
    end_suite(junit, "throughput against the baseline");
}

static void add_claim_part(struct junit *junit, const struct claim_result *claim,
                           const struct claim_part *part)
{
    static const enum case_end ends[] = {
        [CLAIM_SUPPORTED] = PASSED, [CLAIM_REFUTED] = FAILED, [CLAIM_INCONCLUSIVE] = SKIPPED};

    add_case(junit, "claims", compose_claim_title(junit->compose, claim->claim, part), NULL,
             ends[part->word], compose_claim_sentence(junit->compose, claim->claim, part));
}

static void add_claims(struct junit *junit)
{
    const struct analysis *analysis = junit->compose->analysis;

    for (size_t i = 0; i < analysis->claim_count; i++) {
        for (size_t k = 0; k < analysis->claims[i].part_count; k++) {
            add_claim_part(junit, &analysis->claims[i], &analysis->claims[i].parts[k]);
        }
        if (analysis->claims[i].part_count == 0) {
            add_case(junit, "claims", analysis->claims[i].claim->id, NULL, SKIPPED,
                     "the session has nothing that it is about");
        }
    }
    if (*analysis->claims_problem) {
        add_case(junit, "claims", "claims of the plan", NULL, ERROR, analysis->claims_problem);
    }
    end_suite(junit, "claims");
}

static void add_root(struct junit *junit, struct buf *out)
{
    size_t count = 0;

    for (int i = 0; i < CASE_END_COUNT; i++) {
        count += junit->totals[i];
    }
    buf_add_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    add_attribute(out, "name", junit->compose->document->title);
    buf_addf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n", count,
             junit->totals[FAILED], junit->totals[ERROR], junit->totals[SKIPPED]);
    buf_add(out, junit->suites.bytes, junit->suites.length);
    buf_add_text(out, "</testsuites>\n");
    out->failed = out->failed || junit->suites.failed;
}

enum err_code form_junit(struct compose *compose, struct form_folder *folder, struct err *e)
{
    struct junit junit = {.compose = compose};
    const struct form_rows rows = form_rows_make(compose);
    struct buf out;

    buf_init(&junit.cases, FORM_BYTES_MAX);
    buf_init(&junit.suites, FORM_BYTES_MAX);
    buf_init(&out, FORM_BYTES_MAX);
    add_session(&junit);
    add_claims(&junit);
    add_comparisons(&junit, &rows);
    add_measurements(&junit, &rows);
    add_root(&junit, &out);
    enum err_code code = form_write(folder, "junit.xml", &out, e);
    buf_release(&out);
    buf_release(&junit.suites);
    buf_release(&junit.cases);
    return code;
}
