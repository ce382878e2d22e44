// SPDX-License-Identifier: Apache-2.0
// What the connections of a server over TLS spoke, and what their handshakes came to.
#include <math.h>
#include <string.h>

#include "report/compose/compose_parts.h"

enum column {
    ENGINE,
    WORKLOAD,
    CONNECTIONS,
    TRIALS,
    VERSION,
    CIPHER,
    FULL,
    RESUMED,
    HANDSHAKE,
    COLUMN_COUNT
};

#define MS 1e-6

static const struct document_column columns[COLUMN_COUNT] = {
    [ENGINE] = COMPOSE_PLACE_COLUMNS,
    [TRIALS] = {"trial_count", "1", "trials", .number = DOCUMENT_INTEGER, .views = 1},
    [VERSION] = {"version", NULL, "version", .views = 1, .precision = 24},
    [CIPHER] = {"cipher", NULL, "cipher", .views = 1, .precision = 40},
    [FULL] = {"full_count", "1", "full handshakes", .number = DOCUMENT_INTEGER, .views = 1},
    [RESUMED] = {"resumed_count", "1", "resumed", .number = DOCUMENT_INTEGER, .views = 1},
    [HANDSHAKE] = {"handshake_ns", "ns", "mean handshake (ms)", MS, DOCUMENT_SIGNIFICANT,
                   .views = 1},
};

/* The counted trials of a row together. */
struct tls_sum {
    const char *version, *cipher;
    int64_t trial_count, full_count, resumed_count, handshake_ns;
};

static const char *joined(const char *before, const char *more)
{
    return !before || strcmp(before, more) == 0 ? more : "mixed";
}

/* Of a foreign file: no sum goes round. */
static int64_t added(int64_t left, int64_t right)
{
    int64_t sum = 0;

    return __builtin_add_overflow(left, right, &sum) ? INT64_MAX : sum;
}

static void trial_add(const struct results_tls *tls, struct tls_sum *sum)
{
    sum->version = joined(sum->version, tls->version);
    sum->cipher = joined(sum->cipher, tls->cipher);
    sum->trial_count++;
    sum->full_count = added(sum->full_count, tls->full_count);
    sum->resumed_count = added(sum->resumed_count, tls->resumed_count);
    sum->handshake_ns = added(sum->handshake_ns, tls->handshake_ns);
}

static struct tls_sum row_sum(const struct compose *compose, const struct analysis_row *row)
{
    const struct results *results = compose->results;
    struct tls_sum sum = {0};

    for (size_t i = 0; i < results->trial_count; i++) {
        const struct results_trial *trial = &results->trials[i];

        if (compose->analysis->trials[i].valid && trial->cell_index == row->cell_index &&
            trial->engine_index == row->engine_index && trial->tls.version) {
            trial_add(&trial->tls, &sum);
        }
    }
    return sum;
}

static void add_row(struct compose *compose, struct document_table *table,
                    const struct analysis_row *row, const struct tls_sum *sum)
{
    struct document_cell *cells = document_add_row(table);
    int64_t count = added(sum->full_count, sum->resumed_count);

    compose_set_place(compose, cells, ENGINE, row->engine_index, row->cell_index);
    document_set_integer(cells, TRIALS, sum->trial_count);
    document_set_text(cells, VERSION, sum->version);
    document_set_text(cells, CIPHER, sum->cipher);
    document_set_integer(cells, FULL, sum->full_count);
    document_set_integer(cells, RESUMED, sum->resumed_count);
    document_set_number(cells, HANDSHAKE,
                        count > 0 ? (double)sum->handshake_ns / (double)count : (double)NAN);
}

void compose_tls(struct compose *compose, struct document_section *section)
{
    struct document_table *table = NULL;

    for (size_t i = 0; i < compose->analysis->row_count; i++) {
        const struct analysis_row *row = &compose->analysis->rows[i];
        const struct tls_sum sum = row_sum(compose, row);

        if (sum.trial_count == 0) {
            continue;
        }
        if (!table) {
            table = document_new_table(compose->document, "tls", "Over TLS", columns, COLUMN_COUNT);
        }
        add_row(compose, table, row, &sum);
    }
    if (table) {
        table->note = "Handshakes of all counted trials, those before the load included: with kept "
                      "connections they are no part of the window.";
        document_show_table(section, table, 1);
    }
}
