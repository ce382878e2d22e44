// SPDX-License-Identifier: Apache-2.0
// Taking a session up again.
#include "collector/run/session_resume.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "collector/plan/plan_diff.h"
#include "collector/plan/plan_read.h"
#include "collector/store/store_past.h"
#include "engines/base/units.h"

#define KEYS_BYTES          300
#define CANONICAL_BYTES_MAX ((size_t)32 << 20)

/* --- the same plan --- */

static enum err_code plan_refuse(const struct session_config *config, const struct store_past *past,
                                 struct err *e)
{
    char keys[KEYS_BYTES] = "";
    struct buf text;

    buf_init(&text, CANONICAL_BYTES_MAX);
    plan_format(config->plan, &text);
    enum err_code code = buf_check(&text, "the plan's text", e);
    if (code == ERR_OK) {
        code = plan_diff(past->plan_text, text.bytes, keys, sizeof(keys), e);
    }
    buf_release(&text);
    return code == ERR_OK ? err_set(e, ERR_USAGE,
                                    "%.200s: its newest session is of another plan, which differs "
                                    "in %s; run without --resume",
                                    config->results_path, keys)
                          : code;
}

static enum err_code past_find(const struct session_config *config, struct store_past **past_out,
                               struct err *e)
{
    char digest[DIGEST_HEX_BYTES];
    enum err_code code = plan_digest(config->plan, digest, e);

    if (code == ERR_OK) {
        code = store_past_read(config->results_path, digest, past_out, e);
    }
    if (code == ERR_MISMATCH) {
        assert(*past_out); /* what it is of another plan than */
        code = plan_refuse(config, *past_out, e);
        store_past_free(*past_out);
    }
    return code;
}

/* --- the same rows --- */

static int64_t engine_find(const struct store_past *past, const char *name)
{
    for (size_t i = 0; i < past->engines.count; i++) {
        if (strcmp(past->engines.rows[i].texts[0], name) == 0) {
            return past->engines.rows[i].numbers[0];
        }
    }
    return METRIC_UNKNOWN;
}

static int64_t cell_find(const struct store_past *past, const char *workload,
                         const struct plan_cell *cell)
{
    for (size_t i = 0; i < past->cells.count; i++) {
        const struct store_past_row *row = &past->cells.rows[i];

        if (strcmp(row->texts[0], workload) == 0 && row->numbers[1] == cell->connection_count &&
            row->numbers[2] == cell->rate_per_s) {
            return row->numbers[0];
        }
    }
    return METRIC_UNKNOWN;
}

static enum err_code row_fail(const struct session_config *config, const char *name, struct err *e)
{
    return err_set(e, ERR_USAGE,
                   "%.200s: its session has no row of %.80s, which the plan names; run without "
                   "--resume",
                   config->results_path, name);
}

static enum err_code engines_map(const struct session_config *config, const struct store_past *past,
                                 struct session_rows *rows, struct err *e)
{
    const struct plan *plan = config->plan;

    session_rows_name_aa(rows, plan);
    for (size_t i = 0; i < plan->engine_count + plan->aa_arm; i++) {
        const char *name = i < plan->engine_count ? plan->engines[i].name : rows->aa_name;

        rows->arm_ids[i] = engine_find(past, name);
        if (rows->arm_ids[i] == METRIC_UNKNOWN) {
            return row_fail(config, name, e);
        }
    }
    rows->limit_id = engine_find(past, session_calibration.name);
    return rows->limit_id == METRIC_UNKNOWN ? row_fail(config, session_calibration.name, e)
                                            : ERR_OK;
}

static enum err_code cells_map(const struct session_config *config, const struct store_past *past,
                               struct session_rows *rows, struct err *e)
{
    const struct plan *plan = config->plan;
    size_t count = plan_connection_counts(plan, rows->calibration_counts);

    for (size_t i = 0; i < plan->workload_count; i++) {
        for (size_t k = 0; k < plan_cell_count(&plan->workloads[i]); k++) {
            struct plan_cell cell = plan_cell(&plan->workloads[i], k);

            rows->cell_ids[i][k] = cell_find(past, plan->workloads[i].name, &cell);
            if (rows->cell_ids[i][k] == METRIC_UNKNOWN) {
                return row_fail(config, plan->workloads[i].name, e);
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        struct plan_cell cell = {.connection_count = rows->calibration_counts[i]};

        rows->calibration_cell_ids[i] = cell_find(past, session_calibration.name, &cell);
        if (rows->calibration_cell_ids[i] == METRIC_UNKNOWN) {
            return row_fail(config, session_calibration.name, e);
        }
    }
    rows->calibration_cell_count = count;
    return ERR_OK;
}

/* --- what an earlier sitting left out (--only) --- */

static const struct store_past_row *engine_row_find(const struct store_past *past,
                                                    int64_t engine_id)
{
    for (size_t i = 0; i < past->engines.count; i++) {
        if (past->engines.rows[i].numbers[0] == engine_id) {
            return &past->engines.rows[i];
        }
    }
    return NULL;
}

/* The program of an engine is the one that earlier sittings ran, or is looked at for the first
 * time. */
static enum err_code binaries_add(const struct session_config *config,
                                  const struct session_setup *setup, const struct store_past *past,
                                  const struct session_rows *rows, struct store *store,
                                  struct err *e)
{
    const struct plan *plan = config->plan;
    enum err_code code = ERR_OK;

    for (size_t i = 0; code == ERR_OK && i < plan->engine_count + plan->aa_arm; i++) {
        const struct plan_engine *engine = session_rows_engine(plan, (uint32_t)i);
        const struct foreign_engine *foreign = foreign_of(setup->foreign, plan, engine);
        const struct store_past_row *row = engine_row_find(past, rows->arm_ids[i]);

        if (!foreign || !*foreign->program_sha256 || !row) {
            continue;
        }
        if (!row->texts[1]) {
            code = store_set_engine_binary(store, rows->arm_ids[i], foreign->program_sha256, e);
        } else if (strcmp(row->texts[1], foreign->program_sha256) != 0) {
            code = err_set(e, ERR_MISMATCH,
                           "not what it was measured with: the program of %.80s is another file; "
                           "run without --resume",
                           row->texts[0]);
        }
    }
    return code;
}

static bool fact_is_there(const struct store_past *past, const char *name)
{
    for (size_t i = 0; i < past->facts.count; i++) {
        if (strcmp(past->facts.rows[i].texts[0], name) == 0) {
            return true;
        }
    }
    return false;
}

static enum err_code facts_add(const struct session_setup *setup, const struct store_past *past,
                               struct store *store, struct err *e)
{
    size_t count = setup->foreign ? setup->foreign->fact_count : 0;
    enum err_code code = ERR_OK;

    for (size_t i = 0; code == ERR_OK && i < count; i++) {
        const struct foreign_fact *fact = &setup->foreign->facts[i];

        if (!fact_is_there(past, fact->name)) {
            code = store_add_fact(store, past->session_id, "start", fact->name, fact->value, e);
        }
    }
    return code;
}

/* --- one more sitting --- */

static enum err_code sitting_begin(const struct session_config *config,
                                   const struct store_past *past,
                                   const struct session_places *places, struct store *store,
                                   struct err *e)
{
    const struct clock *clock = config->clock;
    char text[160];
    enum err_code code = store_resume_session(store, past->session_id, e);

    snprintf(text, sizeof(text),
             "taken up again, sitting %" PRId64 ": %zu %s missing; a comparison pairs "
             "trials of one sitting only",
             past->sitting_count + 1, places->wanted_count,
             units_word((int64_t)places->wanted_count, "trial was", "trials were"));
    return code == ERR_OK
               ? store_queue_event(store, past->session_id, METRIC_UNKNOWN,
                                   clock->wall_ns(clock->self), "warning", "resumed", text, e)
               : code;
}

static enum err_code past_take(const struct session_config *config,
                               const struct session_setup *setup, const struct store_past *past,
                               struct store *store, struct session_rows *rows,
                               struct session_resume *resume, struct err *e)
{
    enum err_code code = engines_map(config, past, rows, e);

    if (code == ERR_OK) {
        code = cells_map(config, past, rows, e);
    }
    if (code == ERR_OK) {
        code = session_facts_compare(config, setup, past, e);
    }
    if (code == ERR_OK) {
        code = binaries_add(config, setup, past, rows, store, e);
    }
    resume->is_refused = code == ERR_MISMATCH;
    if (code == ERR_OK) {
        code = facts_add(setup, past, store, e);
    }
    resume->sitting_index = past->sitting_count;
    return code;
}

enum err_code session_resume(const struct session_config *config, const struct session_setup *setup,
                             struct store *store, struct session_rows *rows,
                             struct session_places *places, struct session_resume *resume_out,
                             struct err *e)
{
    struct store_past *past = NULL;
    struct session_resume resume = {0};
    enum err_code code = past_find(config, &past, e);

    if (code != ERR_OK) {
        return code;
    }
    code = past_take(config, setup, past, store, rows, &resume, e);
    if (code == ERR_OK) {
        session_places_drop_done(places, past);
        resume.has_nothing_to_do = places->wanted_count == 0;
    }
    if (code == ERR_OK && !resume.has_nothing_to_do) {
        code = sitting_begin(config, past, places, store, e);
        rows->session_id = code == ERR_OK ? past->session_id : 0;
    }
    store_past_free(past);
    *resume_out = resume;
    return code;
}
