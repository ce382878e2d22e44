// SPDX-License-Identifier: Apache-2.0
// What services that follow numbers over commits read: Bencher's metric format (bmf.json) and the
// two files of github-action-benchmark. They cannot carry a warning with a number, so an unfit
// session has no number in them.
//
// source   bencher.dev, "Bencher Metric Format (BMF)"; benchmark-action/github-action-benchmark,
//          README, "customBiggerIsBetter" and "customSmallerIsBetter"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "report/forms/form.h"
#include "report/forms/form_rows.h"
#include "report/render/number.h"

#define REAL_DIGITS 12

struct measure {
    const char *slug, *label, *unit;
    bool bigger_is_better;
};
static const struct measure measures[] = {
    {"throughput", "throughput", "requests/s", true},
    {"latency-p50", "p50", "ns", false},
    {"latency-p99", "p99", "ns", false},
    {"latency-p99-9", "p99.9", "ns", false},
    {"server-cpu", "server CPU", "us/request", false},
    {"peak-memory", "peak memory", "KiB", false},
};

static struct estimate measure_of(const struct analysis_row *row, size_t measure_index)
{
    const struct estimate all[] = {
        row->ok_per_s,
        row->latency_ns[0],
        row->latency_ns[2],
        row->latency_ns[3],
        row->server_cpu_us,
        {row->rss_kib_peak == METRIC_UNKNOWN ? (double)NAN : (double)row->rss_kib_peak, (double)NAN,
         (double)NAN, row->valid_count},
    };

    return all[measure_index];
}

static bool has_interval(const struct estimate *estimate)
{
    return isfinite(estimate->low) && isfinite(estimate->high);
}

/* Which rows: every counted one that is not of the calibration engine alone. */
static bool is_carried(const struct compose *compose, const struct form_row *item)
{
    return form_is_quotable(compose) && item->row->valid_count > 0;
}

/* --- writing ------------------------------------------------------------------------------------
 */

static int add_bytes(const char *bytes, size_t length, void *out)
{
    buf_add(out, bytes, length);
    return 0;
}

/* Takes the document over. */
static enum err_code write_json(const struct form_folder *folder, const char *name, json_t *root,
                                bool failed, struct err *e)
{
    enum err_code code;
    struct buf out;

    buf_init(&out, FORM_BYTES_MAX);
    if (!root || failed ||
        json_dump_callback(root, add_bytes, &out,
                           JSON_INDENT(1) | JSON_PRESERVE_ORDER |
                               JSON_REAL_PRECISION(REAL_DIGITS)) != 0) {
        code = err_set(e, ERR_LIMIT, "no memory for %s", name);
    } else {
        buf_add_char(&out, '\n');
        code = form_write(folder, name, &out, e);
    }
    json_decref(root);
    buf_release(&out);
    return code;
}

enum err_code form_bmf(struct compose *compose, struct form_folder *folder, struct err *e)
{
    const struct form_rows rows = form_rows_make(compose);
    json_t *root = json_object();
    bool failed = false;

    for (size_t i = 0; i < rows.count; i++) {
        json_t *benchmark = json_object();

        for (size_t k = 0; k < ARRAY_COUNT(measures); k++) {
            struct estimate estimate = measure_of(rows.items[i].row, k);
            json_t *metric = isfinite(estimate.value) ? json_object() : NULL;

            if (!metric) {
                continue;
            }
            failed |= json_object_set_new(metric, "value", json_real(estimate.value)) != 0;
            if (has_interval(&estimate)) {
                failed |= json_object_set_new(metric, "lower_value", json_real(estimate.low)) != 0;
                failed |= json_object_set_new(metric, "upper_value", json_real(estimate.high)) != 0;
            }
            failed |= json_object_set_new(benchmark, measures[k].slug, metric) != 0;
        }
        if (is_carried(compose, &rows.items[i])) {
            failed |= json_object_set_new(root, rows.items[i].name, benchmark) != 0;
        } else {
            json_decref(benchmark);
        }
    }
    return write_json(folder, "bmf.json", root, failed, e);
}

/* One entry of a file of github-action-benchmark; the range is the wider side of the interval. */
static json_t *make_entry(struct compose *compose, const struct form_row *item,
                          size_t measure_index)
{
    const struct measure *measure = &measures[measure_index];
    struct estimate estimate = measure_of(item->row, measure_index);
    char text[NUMBER_TEXT_BYTES];

    if (!isfinite(estimate.value)) {
        return NULL;
    }
    json_t *entry =
        json_pack("{s:s, s:s, s:f, s:s}", "name",
                  document_format(compose->document, "%s %s", item->name, measure->label), "unit",
                  measure->unit, "value", estimate.value, "extra",
                  document_format(compose->document, "n = %zu trials", estimate.count));
    if (entry && has_interval(&estimate)) {
        double width = fmax(estimate.high - estimate.value, estimate.value - estimate.low);

        number_format_significant(width, 3, text);
        if (json_object_set_new(
                entry, "range",
                json_string(document_format(compose->document, "\xc2\xb1 %s", text))) != 0) {
            json_decref(entry);
            return NULL;
        }
    }
    return entry;
}

static enum err_code write_custom(struct compose *compose, const struct form_folder *folder,
                                  bool bigger_is_better, const char *name, struct err *e)
{
    const struct form_rows rows = form_rows_make(compose);
    json_t *root = json_array();
    bool failed = false;

    for (size_t i = 0; i < rows.count; i++) {
        for (size_t k = 0; k < ARRAY_COUNT(measures); k++) {
            json_t *entry = measures[k].bigger_is_better == bigger_is_better &&
                                    is_carried(compose, &rows.items[i])
                                ? make_entry(compose, &rows.items[i], k)
                                : NULL;

            if (entry) {
                failed |= json_array_append_new(root, entry) != 0;
            }
        }
    }
    return write_json(folder, name, root, failed, e);
}

enum err_code form_custom(struct compose *compose, struct form_folder *folder, struct err *e)
{
    enum err_code code = write_custom(compose, folder, true, "customBiggerIsBetter.json", e);

    return code == ERR_OK ? write_custom(compose, folder, false, "customSmallerIsBetter.json", e)
                          : code;
}
