// SPDX-License-Identifier: Apache-2.0
// Go's benchmark format, a line a counted trial: `benchstat -col /engine benchstat.txt` compares
// the engines with Go's own statistics.
//
// source   golang/proposal, design/14313-benchmark-format.md; golang.org/x/perf/benchfmt
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/forms/form.h"
#include "report/forms/form_rows.h"
#include "report/render/number.h"
#include "report/render/text_safe.h"

/* A name of the format ends at a space, its parts at '/' and '='; "-8" at the end would be a count
 * of processors. Only signs of ASCII are sure to be taken alike. */
static void add_word(const char *text, struct buf *out)
{
    for (const char *at = text; *at;) {
        uint32_t code_point;
        size_t step = text_decode(at, strnlen(at, 4), &code_point);
        bool is_kept = code_point > ' ' && code_point < 0x7f && !strchr("/=-", (int)code_point);

        if (is_kept) {
            buf_add_char(out, (char)code_point);
        } else if (code_point < 0x80) {
            buf_add_char(out, '_');
        } else {
            buf_addf(out, "U+%04X", (unsigned)(code_point == TEXT_INVALID ? 0xFFFD : code_point));
        }
        at += step;
    }
}

static void add_value(double value, const char *unit, struct buf *out)
{
    char text[NUMBER_TEXT_BYTES];

    if (isfinite(value)) {
        buf_addf(out, " %s %s", number_format_plain(value, text), unit);
    }
}

static void add_trial(const struct form_row *item, const struct trial_summary *trial,
                      struct buf *out)
{
    buf_add_text(out, "BenchmarkHTTP/workload=");
    add_word(item->workload, out);
    buf_add_text(out, "/engine=");
    add_word(item->engine, out);
    buf_addf(out, "/connections=%lld %" PRIu64, item->connection_count,
             trial->outcomes[OUTCOME_OK]);
    add_value(trial->ok_per_s, "req/s", out);
    add_value(trial->latency_ns[0], "p50-ns", out);
    add_value(trial->latency_ns[2], "p99-ns", out);
    add_value(trial->server_cpu_us_per_request * 1e3, "server-cpu-ns/req", out);
    if (trial->rss_kib_peak != METRIC_UNKNOWN) {
        add_value((double)trial->rss_kib_peak * 1024, "peak-rss-B", out);
    }
    buf_add_char(out, '\n');
}

enum err_code form_benchstat(struct compose *compose, struct form_folder *folder, struct err *e)
{
    const struct form_rows rows = form_rows_make(compose);
    struct buf out;

    buf_init(&out, FORM_BYTES_MAX);
    buf_addf(&out,
             "samples: %s\nverdict: %s\nUnit req/s better=higher\n"
             "Unit p50-ns better=lower\nUnit p99-ns better=lower\n"
             "Unit server-cpu-ns/req better=lower\nUnit peak-rss-B better=lower\n",
             compose->samples_digest, trust_names[compose->analysis->trust]);
    for (size_t i = 0; i < rows.count; i++) {
        const struct analysis_row *row = rows.items[i].row;

        const struct analysis_trials trials = analysis_row_trials(compose->analysis, row);

        for (size_t k = 0; k < trials.count; k++) {
            const struct trial_summary *trial = &compose->analysis->trials[trials.indices[k]];

            if (trial->valid) {
                add_trial(&rows.items[i], trial, &out);
            }
        }
    }
    enum err_code code = form_write(folder, "benchstat.txt", &out, e);
    buf_release(&out);
    return code;
}
