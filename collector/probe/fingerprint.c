// SPDX-License-Identifier: Apache-2.0
// What makes two machines the same for a benchmark.
#include "collector/probe/fingerprint.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct fingerprint {
    json_t *facts;
    bool has_failed; /* for want of memory */
};

bool fingerprint_has_fact(const char *name)
{
    static const char *const prefixes[] = {"cpu.", "kernel.", "machine.", "memory.",
                                           "net.", "cgroup.", "os."};
    /* Of the boot, of what a virtual machine is given and lends, of names, of one session. */
    static const char *const excepted[] = {
        "kernel.boot_id",     "memory.total", "memory.swap_total", "machine.name_sha256",
        "cgroup.path_sha256", "cpu.allowed",  FINGERPRINT_FACT};

    for (size_t i = 0; i < ARRAY_COUNT(excepted); i++) {
        if (strcmp(name, excepted[i]) == 0) {
            return false;
        }
    }
    for (size_t i = 0; i < ARRAY_COUNT(prefixes); i++) {
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

enum err_code fingerprint_new(struct fingerprint **fingerprint_out, struct err *e)
{
    struct fingerprint *fingerprint = calloc(1, sizeof(*fingerprint));
    json_t *facts = json_object();

    if (!fingerprint || !facts) {
        json_decref(facts);
        free(fingerprint);
        return err_set(e, ERR_LIMIT, "no memory for a fingerprint");
    }
    fingerprint->facts = facts;
    *fingerprint_out = fingerprint;
    return ERR_OK;
}

void fingerprint_add(struct fingerprint *fingerprint, const char *name, const char *value)
{
    if (fingerprint_has_fact(name)) {
        /* Bytes of a file that are no UTF-8 are as good as unknown. */
        json_t *text = value ? json_string(value) : NULL;

        fingerprint->has_failed |=
            json_object_set_new(fingerprint->facts, name, text ? text : json_null()) < 0;
    }
}

enum err_code fingerprint_finish(const struct fingerprint *fingerprint,
                                 char hex_out[DIGEST_HEX_BYTES], struct err *e)
{
    char *text = fingerprint->has_failed
                     ? NULL
                     : json_dumps(fingerprint->facts, JSON_COMPACT | JSON_SORT_KEYS);

    if (!text) {
        return err_set(e, ERR_LIMIT, "no memory for a fingerprint");
    }
    enum err_code code = digest_bytes(text, strlen(text), hex_out, e);
    free(text);
    return code;
}

void fingerprint_free(struct fingerprint *fingerprint)
{
    if (fingerprint) {
        json_decref(fingerprint->facts);
        free(fingerprint);
    }
}
