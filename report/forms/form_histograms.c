// SPDX-License-Identifier: Apache-2.0
// Latency histograms for HdrHistogram's tools, a file for each engine and load point: the
// percentile distribution over all counted trials (.hgrm, in ms), and a log with an interval for
// each of them
// (.hlog, in ns). They pool requests: for looking at, not for intervals.
//
// source   HdrHistogram Java, AbstractHistogram.outputPercentileDistribution, PercentileIterator
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "collector/driver/histogram_bucket.h"
#include "report/compose/compose_parts.h"
#include "report/drive/hdr_log.h"
#include "report/forms/form.h"
#include "report/forms/form_rows.h"
#include "report/render/text_safe.h"

#define TICKS_PER_HALF_DISTANCE 5
#define NS_PER_MS               1e6
#define NAME_BYTES              64

/* The name is the same for the same results file; histograms/index.csv says what it stands for. */
static const char *file_name(const struct analysis_row *row, const char *extension,
                             char out[NAME_BYTES])
{
    snprintf(out, NAME_BYTES, "histograms/cell-%zu-engine-%zu.%s", row->cell_index + 1,
             row->engine_index + 1, extension);
    return out;
}

/* The next level, in percent, at which HdrHistogram reports: five to each halving of what is left.
 */
static double next_level(double level)
{
    double halvings = floor(log(100.0 / (100.0 - level)) / log(2)) + 1;

    return level + 100.0 / (TICKS_PER_HALF_DISTANCE * pow(2, halvings));
}

/* Java rounds an exact half up, printf to the even digit. */
static double half_up(double value)
{
    return nextafter(value, (double)INFINITY);
}

static void add_line(int64_t value_ns, double level, uint64_t count, struct buf *out)
{
    buf_addf(out, "%12.3f %2.12f %10" PRIu64, half_up((double)value_ns / NS_PER_MS),
             half_up(level / 100), count);
    if (level < 100) {
        buf_addf(out, " %14.2f", half_up(1 / (1 - level / 100)));
    }
    buf_add_char(out, '\n');
}

static void add_lines(const struct histogram *histogram, struct buf *out)
{
    uint64_t total = 0, seen = 0;
    double level = 0;
    int64_t last_ns = 0;

    for (uint32_t i = 0; i < HISTOGRAM_COUNT; i++) {
        total += histogram->counts[i];
    }
    for (uint32_t i = 0; i < HISTOGRAM_COUNT && seen < total; i++) {
        if (histogram->counts[i] == 0) {
            continue;
        }
        seen += histogram->counts[i];
        last_ns = bucket_highest_ns(i);
        while (100.0 * (double)seen / (double)total >= level) {
            add_line(last_ns, level, seen, out);
            level = next_level(level);
            if (seen == total) {
                break;
            }
        }
    }
    if (total > 0) {
        add_line(last_ns, 100, total, out);
    }
}

/* Mean and standard deviation of the middles of the buckets, as HdrHistogram has them. */
static void add_footer(const struct histogram *histogram, struct buf *out)
{
    double total = 0, sum = 0, squares = 0, highest_ns = 0;

    for (uint32_t i = 0; i < HISTOGRAM_COUNT; i++) {
        if (histogram->counts[i] > 0) {
            total += histogram->counts[i];
            sum += (double)histogram->counts[i] * (double)bucket_median_ns(i);
            highest_ns = (double)bucket_highest_ns(i);
        }
    }
    double mean = total > 0 ? sum / total : 0;
    for (uint32_t i = 0; i < HISTOGRAM_COUNT; i++) {
        double distance = (double)bucket_median_ns(i) - mean;

        squares += (double)histogram->counts[i] * distance * distance;
    }
    buf_addf(out,
             "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n"
             "#[Max     = %12.3f, Total count    = %12.0f]\n"
             "#[Buckets = %12d, SubBuckets     = %12d]\n",
             half_up(mean / NS_PER_MS),
             half_up((total > 0 ? sqrt(squares / total) : 0) / NS_PER_MS),
             half_up(highest_ns / NS_PER_MS), total, HISTOGRAM_COUNT / BUCKET_HALF_COUNT - 1,
             BUCKET_SUB_COUNT);
}

static enum err_code add_distribution(const struct compose *compose,
                                      const struct histogram *histogram, struct buf *out,
                                      struct err *e)
{
    (void)compose;
    (void)e;
    buf_add_text(out, "       Value     Percentile TotalCount 1/(1-Percentile)\n\n");
    add_lines(histogram, out);
    add_footer(histogram, out);
    return ERR_OK;
}

/* One interval: from the beginning of the session to its end. */
static enum err_code add_log(const struct compose *compose, const struct histogram *histogram,
                             struct buf *out, struct err *e)
{
    const struct results *results = compose->results;
    int64_t length_ns = results->ended_utc_ns > results->started_utc_ns
                            ? results->ended_utc_ns - results->started_utc_ns
                            : 0;

    hdr_log_begin(results->started_utc_ns, "tacho report", out);
    return hdr_log_add(NULL, 0, length_ns, histogram, out, e);
}

typedef enum err_code add_file(const struct compose *compose, const struct histogram *histogram,
                               struct buf *out, struct err *e);

static void add_index_row(struct compose *compose, const struct form_row *item, struct buf *out)
{
    char name[NAME_BYTES];

    buf_addf(out, "%s,", file_name(item->row, "*", name) + sizeof("histograms"));
    text_add_csv(out, compose_engine(compose, item->row->engine_index)->name);
    buf_add_char(out, ',');
    text_add_csv(out, compose_load_name(compose, item->row->cell_index));
    buf_addf(out, ",%lld\r\n", item->connection_count);
}

/* A file for each row that has a request, and which file is of what. */
static enum err_code write_rows(struct compose *compose, const struct form_folder *folder,
                                const char *extension, add_file *add, struct err *e)
{
    const struct form_rows rows = form_rows_make(compose);
    enum err_code code = ERR_OK;
    struct buf out, index;
    char name[NAME_BYTES];

    buf_init(&out, FORM_BYTES_MAX);
    buf_init(&index, FORM_BYTES_MAX);
    buf_add_text(&index, "file,engine,workload,connection_count\r\n");
    for (size_t i = 0; i < rows.count && code == ERR_OK; i++) {
        const struct histogram *histogram = form_row_histogram(compose, rows.items[i].row);

        if (histogram) {
            buf_clear(&out);
            add_index_row(compose, &rows.items[i], &index);
            code = add(compose, histogram, &out, e);
            if (code == ERR_OK) {
                code = form_write(folder, file_name(rows.items[i].row, extension, name), &out, e);
            }
        }
    }
    if (code == ERR_OK) {
        code = form_write(folder, "histograms/index.csv", &index, e);
    }
    buf_release(&index);
    buf_release(&out);
    return code;
}

enum err_code form_hgrm(struct compose *compose, struct form_folder *folder, struct err *e)
{
    return write_rows(compose, folder, "hgrm", add_distribution, e);
}

enum err_code form_hlog(struct compose *compose, struct form_folder *folder, struct err *e)
{
    return write_rows(compose, folder, "hlog", add_log, e);
}
