// SPDX-License-Identifier: Apache-2.0
// All pairs of the engines of a cell.
#include "report/judge/groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/judge/comparison_rows.h"
#include "report/judge/comparisons.h"
#include "report/stats/paired.h"

/* Two rows of one cell. */
struct pair {
    size_t left, right; /* into rows */
    bool is_known;      /* enough blocks */
    bool disagrees;
};

struct pairs {
    struct pair *items;
    double *p, *adjusted;
    size_t *order;
    size_t count, known_count;
    size_t block_count_most; /* of a known pair */
};

static bool takes_part(const struct analysis *analysis, const struct analysis_row *row)
{
    const char *role = analysis->results->engines[row->engine_index].role;

    return (strcmp(role, "baseline") == 0 || strcmp(role, "subject") == 0) &&
           !analysis->results->workloads[analysis->results->cells[row->cell_index].workload_index]
                .is_calibration;
}

static bool is_pair(const struct analysis *analysis, size_t left, size_t right)
{
    return analysis->rows[left].cell_index == analysis->rows[right].cell_index &&
           takes_part(analysis, &analysis->rows[left]) &&
           takes_part(analysis, &analysis->rows[right]);
}

size_t groups_count_pairs(const struct analysis *analysis)
{
    size_t count = 0;

    for (size_t i = 0; i < analysis->row_count; i++) {
        for (size_t k = i + 1; k < analysis->row_count; k++) {
            count += is_pair(analysis, i, k);
        }
    }
    return count;
}

/* The raw p of a known pair goes behind those that there are. */
static enum err_code measure(const struct analysis *analysis, struct pairs *pairs,
                             struct pair *pair, struct err *e)
{
    const struct comparison_sides sides = {.cell_index = analysis->rows[pair->left].cell_index,
                                           .engine_index = analysis->rows[pair->left].engine_index,
                                           .other_index = analysis->rows[pair->right].engine_index,
                                           .metric = PLAN_METRIC_THROUGHPUT};
    struct comparison_pairs blocks;
    struct stats_interval hl;
    enum err_code code = comparison_pairs_make(analysis, &sides, &blocks, e);

    if (code != ERR_OK) {
        return code;
    }
    code = paired_hodges_lehmann(blocks.d, blocks.count, COMPARISON_CONFIDENCE, &hl, e);
    if (code == ERR_OK && blocks.count >= COMPARISON_PAIRS_MIN) {
        struct stats_interval t = paired_ratio(blocks.d, blocks.count, COMPARISON_CONFIDENCE);

        pair->is_known = true;
        if (blocks.count > pairs->block_count_most) {
            pairs->block_count_most = blocks.count;
        }
        pair->disagrees = comparisons_side(t.low, t.high) != comparisons_side(hl.low, hl.high);
        pairs->p[pairs->known_count++] = paired_sign_flip_p(blocks.d, blocks.count);
    }
    free(blocks.d);
    return code;
}

static enum err_code list_pairs(const struct analysis *analysis, struct pairs *pairs, struct err *e)
{
    enum err_code code = ERR_OK;

    for (size_t i = 0; i < analysis->row_count && code == ERR_OK; i++) {
        for (size_t k = i + 1; k < analysis->row_count && code == ERR_OK; k++) {
            if (is_pair(analysis, i, k)) {
                struct pair *pair = &pairs->items[pairs->count++];

                *pair = (struct pair){.left = i, .right = k};
                code = measure(analysis, pairs, pair, e);
            }
        }
    }
    return code;
}

/* The rows of a cell that take part, best rate first. Returns how many. */
static size_t list_cell(const struct analysis *analysis, size_t cell,
                        size_t rows[LETTERS_ITEM_COUNT_MAX])
{
    size_t count = 0;

    for (size_t i = 0; i < analysis->row_count; i++) {
        const struct analysis_row *row = &analysis->rows[i];
        size_t at = count;

        if (row->cell_index != cell || !takes_part(analysis, row) ||
            count == LETTERS_ITEM_COUNT_MAX) {
            continue;
        }
        for (; at > 0 && row->ok_per_s.value > analysis->rows[rows[at - 1]].ok_per_s.value; at--) {
            rows[at] = rows[at - 1];
        }
        rows[at] = i;
        count++;
    }
    return count;
}

static size_t find_place(const size_t *rows, size_t count, size_t row)
{
    size_t at = 0;

    while (at < count && rows[at] != row) {
        at++;
    }
    return at;
}

/* No letters where a pair of the cell has too few blocks. */
static void write_cell(struct analysis *analysis, const struct pairs *pairs, size_t cell)
{
    size_t rows[LETTERS_ITEM_COUNT_MAX];
    char texts[LETTERS_ITEM_COUNT_MAX][LETTERS_TEXT_BYTES];
    size_t count = list_cell(analysis, cell, rows);
    struct letters_pairs told_apart = {0};
    size_t known = 0;

    for (size_t i = 0; i < pairs->count; i++) {
        const struct pair *pair = &pairs->items[i];
        size_t left = find_place(rows, count, pair->left);
        size_t right = find_place(rows, count, pair->right);

        if (pair->is_known) {
            bool is_different = pairs->adjusted[known++] < COMPARISON_ALPHA && !pair->disagrees;

            if (is_different && left < count && right < count) {
                letters_set_different(&told_apart, left, right);
            }
        } else if (left < count && right < count) {
            return;
        }
    }
    if (count < 2 || !letters_make(&told_apart, count, texts)) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(analysis->rows[rows[i]].letters, texts[i], sizeof(texts[i]));
    }
}

static void pairs_free(struct pairs *pairs)
{
    free(pairs->items);
    free(pairs->p);
    free(pairs->order);
}

enum err_code groups_make(struct analysis *analysis, struct err *e)
{
    size_t most = groups_count_pairs(analysis);
    struct pairs pairs = {.items = calloc(most + 1, sizeof(*pairs.items)),
                          .p = calloc(2 * most + 1, sizeof(*pairs.p)),
                          .order = calloc(most + 1, sizeof(*pairs.order))};
    enum err_code code = ERR_OK;

    if (!pairs.items || !pairs.p || !pairs.order) {
        pairs_free(&pairs);
        return err_set(e, ERR_LIMIT, "no memory for %zu pairs of engines", most);
    }
    pairs.adjusted = pairs.p + most;
    code = list_pairs(analysis, &pairs, e);
    if (code == ERR_OK) {
        stats_holm(pairs.p, pairs.known_count, pairs.adjusted, pairs.order);
    }
    analysis->pairs_untellable =
        pairs.known_count > 0 &&
        pairs.block_count_most < comparisons_blocks_least(pairs.known_count);
    for (size_t cell = 0;
         cell < analysis->results->cell_count && code == ERR_OK && !analysis->pairs_untellable;
         cell++) {
        write_cell(analysis, &pairs, cell);
    }
    pairs_free(&pairs);
    return code;
}
