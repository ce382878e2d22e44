// SPDX-License-Identifier: Apache-2.0
// Libraries to preload and tunables of the dynamic loader.
#include "collector/run/loader.h"

#include <elf.h>
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

static bool name_is_known(const char *known, const char *name, size_t length)
{
    for (const char *line = known; *line;) {
        size_t line_length = strcspn(line, "\n");

        if (length > 0 && line_length > length && memcmp(line, name, length) == 0 &&
            line[length] == ':') {
            return true;
        }
        line += line_length + (line[line_length] == '\n');
    }
    return false;
}

bool loader_knows_tunables(const char *known, const char *tunables,
                           char name_out[LOADER_NAME_BYTES])
{
    for (const char *at = tunables; *at;) {
        size_t length = strcspn(at, ":");
        size_t name_length = strcspn(at, ":=");

        if (name_length == length || !name_is_known(known, at, name_length)) {
            snprintf(name_out, LOADER_NAME_BYTES, "%.*s", (int)name_length, at);
            return false;
        }
        at += length + (at[length] == ':');
    }
    return true;
}
