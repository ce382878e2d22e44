// SPDX-License-Identifier: Apache-2.0
// The places of a sitting.
#include "collector/run/session_places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/plan/plan_near.h"
#include "collector/run/session_rows.h"

/* "ENGINE" or "ENGINE:WORKLOAD" as indexes; SIZE_MAX: every workload. */
struct selection {
    size_t arm_index, workload_index;
};

/* The A/A arm has a name of its own. */
static size_t arm_find(const struct plan *plan, const char *name, size_t length)
{
    size_t baseline_bytes = strlen(plan->baseline);

    for (size_t i = 0; i < plan->engine_count; i++) {
        if (strlen(plan->engines[i].name) == length &&
            memcmp(plan->engines[i].name, name, length) == 0) {
            return i;
        }
    }
    if (plan->aa_arm && length == baseline_bytes + strlen(PLAN_AA_SUFFIX) &&
        memcmp(name, plan->baseline, baseline_bytes) == 0 &&
        memcmp(name + baseline_bytes, PLAN_AA_SUFFIX, strlen(PLAN_AA_SUFFIX)) == 0) {
        return plan->engine_count;
    }
    return SIZE_MAX;
}

static size_t workload_find(const struct plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->workload_count; i++) {
        if (strcmp(plan->workloads[i].name, name) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

static enum err_code engine_fail(const struct plan *plan, const char *text, struct err *e)
{
    const char *names[PLAN_ENGINE_COUNT_MAX];
    char near[PLAN_NEAR_BYTES];

    for (size_t i = 0; i < plan->engine_count; i++) {
        names[i] = plan->engines[i].name;
    }
    return err_set(e, ERR_USAGE, "--only %.80s: no engine of the plan has that name; %s", text,
                   plan_near_hint(text, strcspn(text, ":"), names, plan->engine_count, near));
}

static enum err_code workload_fail(const struct plan *plan, const char *text, const char *workload,
                                   struct err *e)
{
    const char *names[PLAN_WORKLOAD_COUNT_MAX];
    char near[PLAN_NEAR_BYTES];

    for (size_t i = 0; i < plan->workload_count; i++) {
        names[i] = plan->workloads[i].name;
    }
    return err_set(e, ERR_USAGE, "--only %.80s: no workload of the plan has that name; %s", text,
                   plan_near_hint(workload, strlen(workload), names, plan->workload_count, near));
}

/* A name may hold colons: the whole text is tried first, then what is before and after each colon.
 */
static enum err_code selection_parse(const struct plan *plan, const char *text,
                                     struct selection *selection_out, struct err *e)
{
    struct selection selection = {arm_find(plan, text, strlen(text)), SIZE_MAX};
    const char *unknown = NULL;

    if (selection.arm_index != SIZE_MAX) {
        *selection_out = selection;
        return ERR_OK;
    }
    for (const char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':')) {
        selection.arm_index = arm_find(plan, text, (size_t)(colon - text));
        selection.workload_index = workload_find(plan, colon + 1);
        if (selection.arm_index != SIZE_MAX && selection.workload_index != SIZE_MAX) {
            *selection_out = selection;
            return ERR_OK;
        }
        unknown = selection.arm_index != SIZE_MAX ? colon + 1 : unknown;
    }
    return unknown ? workload_fail(plan, text, unknown, e) : engine_fail(plan, text, e);
}

static void selection_apply(const struct selection *selection, const struct schedule *schedule,
                            struct session_places *places)
{
    for (size_t i = 0; i < schedule->count; i++) {
        const struct schedule_entry *entry = &schedule->entries[i];

        if (entry->arm_index == selection->arm_index &&
            (selection->workload_index == SIZE_MAX ||
             selection->workload_index == entry->workload_index)) {
            places->items[i].is_wanted = true;
        }
    }
}

/* An engine of the plan, and no replay, which starts none. */
static bool is_measured(const struct plan *plan, const struct schedule_entry *entry)
{
    return entry->arm_index != SCHEDULE_LIMIT &&
           plan->workloads[entry->workload_index].driver != PLAN_DRIVER_REPLAY;
}

/* The limit is measured at the numbers of connections that are measured at all. */
static void calibration_add(const struct plan *plan, const struct schedule *schedule,
                            struct session_places *places)
{
    for (size_t i = 0; i < schedule->count; i++) {
        const struct schedule_entry *entry = &schedule->entries[i];

        for (size_t k = 0; k < schedule->count && entry->arm_index == SCHEDULE_LIMIT; k++) {
            const struct schedule_entry *other = &schedule->entries[k];

            if (places->items[k].is_wanted && is_measured(plan, other) &&
                other->connection_count == entry->connection_count) {
                places->items[i].is_wanted = true;
            }
        }
    }
}

static void engines_find(const struct plan *plan, struct session_places *places)
{
    places->is_replay = true;
    for (size_t i = 0; i < places->schedule->count; i++) {
        const struct schedule_entry *entry = &places->schedule->entries[i];

        if (places->items[i].is_wanted && is_measured(plan, entry)) {
            places->is_replay = false;
            places->engines_wanted[session_rows_engine(plan, entry->arm_index) - plan->engines] =
                true;
        }
    }
}

static void wanted_count(struct session_places *places, size_t count)
{
    places->wanted_count = 0;
    for (size_t i = 0; i < count; i++) {
        places->wanted_count += places->items[i].is_wanted;
    }
}

enum err_code session_places_make(const struct session_config *config,
                                  const struct schedule *schedule,
                                  struct session_places *places_out, struct err *e)
{
    struct session_places places = {.schedule = schedule,
                                    .items = calloc(schedule->count, sizeof(*places.items))};
    enum err_code code = ERR_OK;

    if (!places.items) {
        return err_set(e, ERR_LIMIT, "no memory for the places of the session");
    }
    for (size_t i = 0; i < schedule->count; i++) {
        places.items[i].is_wanted = config->only_count == 0;
    }
    for (size_t i = 0; i < config->only_count && code == ERR_OK; i++) {
        struct selection selection = {0};

        code = selection_parse(config->plan, config->only[i], &selection, e);
        if (code == ERR_OK) {
            selection_apply(&selection, schedule, &places);
        }
    }
    if (code != ERR_OK) {
        free(places.items);
        return code;
    }
    calibration_add(config->plan, schedule, &places);
    engines_find(config->plan, &places);
    wanted_count(&places, schedule->count);
    *places_out = places;
    return ERR_OK;
}

void session_places_drop_done(struct session_places *places, const struct store_past *past)
{
    for (size_t i = 0; i < past->places.count; i++) {
        const int64_t *numbers = past->places.rows[i].numbers;

        if (numbers[0] < 0 || (uint64_t)numbers[0] >= places->schedule->count) {
            continue;
        }
        struct session_place *place = &places->items[numbers[0]];
        place->attempt_index = numbers[1];
        place->is_wanted = place->is_wanted && !numbers[2];
    }
    wanted_count(places, places->schedule->count);
}

void session_places_release(struct session_places *places)
{
    free(places->items);
    *places = (struct session_places){0};
}
