// SPDX-License-Identifier: Apache-2.0
// Libraries to preload and tunables of the dynamic loader.
#include "collector/run/loader.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The program itself is told first. */
static int interpreter_find(struct dl_phdr_info *info, size_t size, void *found)
{
    const char **path = found;

    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_INTERP) {
            *path = (const char *)(uintptr_t)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        }
    }
    return 1;
}

const char *loader_path(void)
{
    const char *path = NULL;

    (void)dl_iterate_phdr(interpreter_find, &path);
    return path;
}

bool loader_is_library(const char *path)
{
    /* The type stands at one place in files of 32 and of 64 bits. */
    struct {
        unsigned char ident[EI_NIDENT];
        uint16_t type;
    } head;
    FILE *file = fopen(path, "re");
    bool is_read = file && fread(&head, sizeof(head), 1, file) == 1;

    if (file) {
        fclose(file);
    }
    return is_read && memcmp(head.ident, ELFMAG, SELFMAG) == 0 && head.type == ET_DYN;
}

size_t loader_next(const char **list, const char **word_out)
{
    const char *word = *list + strspn(*list, ": ");
    size_t length = strcspn(word, ": ");

    *word_out = word;
    *list = word + length;
    return length;
}

/* The path is the rest of a line, from its first slash on. */
static bool line_is_of(const char *path, size_t length, const char *wanted)
{
    size_t wanted_length = strlen(wanted);

    if (*wanted == '/') {
        return length == wanted_length && memcmp(path, wanted, length) == 0;
    }
    return length > wanted_length && path[length - wanted_length - 1] == '/' &&
           memcmp(path + length - wanted_length, wanted, wanted_length) == 0;
}

bool loader_is_mapped(const char *maps, const char *word, const char *folder)
{
    char path[2 * PATH_MAX], real[PATH_MAX] = "";

    snprintf(path, sizeof(path), "%s%s%s", *word == '/' ? "" : folder, *word == '/' ? "" : "/",
             word);
    if (strchr(word, '/') && !realpath(path, real)) {
        return false;
    }
    for (const char *line = maps; *line;) {
        size_t length = strcspn(line, "\n");
        const char *slash = memchr(line, '/', length);

        if (slash &&
            line_is_of(slash, length - (size_t)(slash - line), strchr(word, '/') ? real : word)) {
            return true;
        }
        line += length + (line[length] == '\n');
    }
    return false;
}

/* The rest of the tunable's line, behind its name and the colon; NULL: there is none. */
static const char *line_find(const char *known, const char *name, size_t length, size_t *rest_out)
{
    for (const char *line = known; *line;) {
        size_t line_length = strcspn(line, "\n");

        if (length > 0 && line_length > length && memcmp(line, name, length) == 0 &&
            line[length] == ':') {
            *rest_out = line_length - length - 1;
            return line + length + 1;
        }
        line += line_length + (line[line_length] == '\n');
    }
    return NULL;
}

/* As glibc reads them: decimal, octal or hexadecimal; what is negative goes round. */
static bool number_read(const char *text, uint64_t *number_out)
{
    char *end = NULL;

    errno = 0;
    *number_out = strtoull(text, &end, 0);
    return end != text && *end == '\0' && errno == 0;
}

/* Of limits that cannot be read nobody can tell. */
static bool value_is_within(const char *limits, const char *value)
{
    char low[LOADER_NAME_BYTES], high[LOADER_NAME_BYTES];
    uint64_t least = 0, most = 0, number = 0;

    if (sscanf(limits, "min: %119[^,], max: %119[^)]", low, high) != 2 ||
        !number_read(low, &least) || !number_read(high, &most)) {
        return true;
    }
    return number_read(value, &number) && number >= least && number <= most;
}

/* "NAME=VALUE" of `length` bytes, the name of `name_length`. */
static bool tunable_is_taken(const char *known, const char *tunable, size_t name_length,
                             size_t length, struct loader_refusal *refusal)
{
    char value[LOADER_NAME_BYTES];
    size_t rest_length = 0;
    const char *rest = line_find(known, tunable, name_length, &rest_length);
    const char *open = rest ? memchr(rest, '(', rest_length) : NULL;

    snprintf(refusal->name, sizeof(refusal->name), "%.*s", (int)name_length, tunable);
    refusal->limits[0] = '\0';
    if (!rest || name_length == length) {
        return false;
    }
    if (!open) {
        return true;
    }
    size_t limits_length = rest_length - (size_t)(open + 1 - rest);
    bool is_closed = limits_length > 0 && open[limits_length] == ')';

    snprintf(refusal->limits, sizeof(refusal->limits), "%.*s", (int)(limits_length - is_closed),
             open + 1);
    snprintf(value, sizeof(value), "%.*s", (int)(length - name_length - 1),
             tunable + name_length + 1);
    return length - name_length - 1 < sizeof(value) && value_is_within(refusal->limits, value);
}

bool loader_takes_tunables(const char *known, const char *tunables,
                           struct loader_refusal *refusal_out)
{
    for (const char *at = tunables; *at;) {
        size_t length = strcspn(at, ":");
        struct loader_refusal refusal;

        if (!tunable_is_taken(known, at, strcspn(at, ":="), length, &refusal)) {
            *refusal_out = refusal;
            return false;
        }
        at += length + (at[length] == ':');
    }
    return true;
}
