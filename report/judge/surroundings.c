// SPDX-License-Identifier: Apache-2.0
// What differs between two machines.
#include "report/judge/surroundings.h"

#include <stdlib.h>
#include <string.h>

#include "engines/base/attr.h"

static bool begins_with_any(const char *name, const char *const *prefixes)
{
    for (; *prefixes; prefixes++) {
        if (strncmp(name, *prefixes, strlen(*prefixes)) == 0) {
            return true;
        }
    }
    return false;
}

bool surroundings_matter(const char *name)
{
    /* The first that fits decides. */
    static const char *const indifferent[] = {
        "memory.total",   "memory.swap_total", "cgroup.memory",
        "server.nofile",  "server.env",        "server.scheduling_source",
        "machine.vendor", "machine.product",   NULL};
    static const char *const decisive[] = {"cpu.",
                                           "kernel.",
                                           "memory.",
                                           "machine.",
                                           "net.",
                                           "cgroup.",
                                           "libc.",
                                           "driver.",
                                           "server.",
                                           "order.",
                                           "session.",
                                           "program.optimised",
                                           "program.tacho_engine_sha256",
                                           NULL};

    return !begins_with_any(name, indifferent) && begins_with_any(name, decisive);
}

static bool is_lasting(const struct results_fact *fact)
{
    static const char *const moments[] = {
        "state.",         "pressure.",           "kernel.boot_id",
        "server.padding", "machine.fingerprint", NULL}; /* of the others */

    return strcmp(fact->moment, "start") == 0 && !begins_with_any(fact->name, moments);
}

static bool is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool has_row(const struct surroundings *surroundings, const char *name)
{
    for (size_t i = 0; i < surroundings->count; i++) {
        if (strcmp(surroundings->rows[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* The facts that make the class are lasting ones: where they differ there is a row. */
bool surroundings_are_same_class(const struct surroundings *surroundings,
                                 const struct results *here)
{
    static const char *const facts[] = {"cpu.vendor", "cpu.family", "cpu.model_number", "cpu.model",
                                        "cpu.online"};

    for (size_t i = 0; i < ARRAY_COUNT(facts); i++) {
        if (has_row(surroundings, facts[i])) {
            return false;
        }
    }
    /* Of a machine that is not known nothing can be said. */
    return results_find_fact(here, "start", "cpu.model") ||
           results_find_fact(here, "start", "cpu.model_number");
}

/* Facts of `from` that the other session has otherwise or not at all. */
static void differences_add(const struct results *from, const struct results *published,
                            const struct results *here, struct surroundings *surroundings)
{
    for (size_t i = 0; i < from->fact_count; i++) {
        const char *name = from->facts[i].name;
        const char *a = results_find_fact(published, "start", name);
        const char *b = results_find_fact(here, "start", name);

        if (is_lasting(&from->facts[i]) && !is_same(a, b) && !has_row(surroundings, name)) {
            surroundings->rows[surroundings->count++] =
                (struct surrounding){name, a, b, a && b, surroundings_matter(name)};
        }
    }
}

static int row_compare(const void *left, const void *right)
{
    const struct surrounding *a = left, *b = right;

    return strcmp(a->name, b->name);
}

enum err_code surroundings_make(const struct results *published, const struct results *here,
                                struct surroundings *surroundings_out, struct err *e)
{
    struct surroundings surroundings = {0};

    surroundings.rows =
        calloc(published->fact_count + here->fact_count + 1, sizeof(*surroundings.rows));
    if (!surroundings.rows) {
        return err_set(e, ERR_LIMIT, "no memory for the facts of two machines");
    }
    differences_add(published, published, here, &surroundings);
    differences_add(here, published, here, &surroundings);
    qsort(surroundings.rows, surroundings.count, sizeof(*surroundings.rows), row_compare);
    surroundings.same_class = surroundings_are_same_class(&surroundings, here);
    *surroundings_out = surroundings;
    return ERR_OK;
}

void surroundings_release(struct surroundings *surroundings)
{
    free(surroundings->rows);
    surroundings->rows = NULL;
}
