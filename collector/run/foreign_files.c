// SPDX-License-Identifier: Apache-2.0
// Where programs and libraries lie.
#include "collector/run/foreign_files.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engines/base/attr.h"

#define PATH_DEFAULT "/usr/local/bin:/usr/bin:/bin"

static const struct {
    const char *allocator, *library, *package;
} allocators[] = {{"jemalloc", "libjemalloc.so.2", "libjemalloc2"},
                  {"mimalloc", "libmimalloc.so.2*", "libmimalloc2.0"},
                  {"tcmalloc", "libtcmalloc_minimal.so.4", "libtcmalloc-minimal4"}};

/* Folders are "executable" too. */
static bool is_program(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

static bool program_is_in(const char *folder, size_t folder_bytes, const char *word,
                          char path_out[PATH_MAX])
{
    /* Not its real path: Python finds its modules by the name that it was called by. */
    return snprintf(path_out, PATH_MAX, "%.*s/%s", (int)folder_bytes, folder, word) < PATH_MAX &&
           is_program(path_out);
}

bool foreign_find_program(const char *word, const char *folder, char path_out[PATH_MAX])
{
    const char *path = getenv("PATH");

    if (word[0] == '/') {
        return snprintf(path_out, PATH_MAX, "%s", word) < PATH_MAX && is_program(word);
    }
    if (strchr(word, '/')) {
        return program_is_in(folder, strlen(folder), word, path_out);
    }
    for (const char *at = path ? path : PATH_DEFAULT; *at;) {
        size_t length = strcspn(at, ":");

        if (length && program_is_in(at, length, word, path_out)) {
            return true;
        }
        at += length + (at[length] == ':');
    }
    return false;
}

void foreign_format_folder(const struct plan_engine *engine, char out[PATH_MAX])
{
    const char *base = engine->plan_folder ? engine->plan_folder : ".";

    snprintf(out, PATH_MAX, "%s%s%s", base, engine->folder ? "/" : "",
             engine->folder ? engine->folder : "");
}

void foreign_format_ca(const struct plan_engine *engine, char out[PATH_MAX])
{
    const char *base = engine->plan_folder ? engine->plan_folder : ".";

    snprintf(out, PATH_MAX, "%s/%s", base, engine->tls.ca);
}

bool foreign_find_allocator(const char *allocator, char path_out[PATH_MAX])
{
    static const char *const folders[] = {"/usr/lib/*-linux-gnu*", "/usr/lib64", "/usr/lib",
                                          "/usr/local/lib"};

    path_out[0] = '\0';
    for (size_t i = 0; i < ARRAY_COUNT(allocators); i++) {
        if (strcmp(allocators[i].allocator, allocator) != 0) {
            continue;
        }
        for (size_t k = 0; k < ARRAY_COUNT(folders) && !path_out[0]; k++) {
            char pattern[PATH_MAX];
            glob_t found = {0};

            snprintf(pattern, sizeof(pattern), "%s/%s", folders[k], allocators[i].library);
            if (glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc > 0) {
                snprintf(path_out, PATH_MAX, "%s", found.gl_pathv[0]);
            }
            globfree(&found);
        }
        return path_out[0] != '\0';
    }
    return true;
}

const char *foreign_allocator_package(const char *allocator)
{
    for (size_t i = 0; i < ARRAY_COUNT(allocators); i++) {
        if (strcmp(allocators[i].allocator, allocator) == 0) {
            return allocators[i].package;
        }
    }
    return "";
}
