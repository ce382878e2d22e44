// SPDX-License-Identifier: Apache-2.0
// What the subcommands share: how an error is told, where the measured program lies.
#include "report/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engines/base/units.h"
#include "report/bundle/verify.h"
#include "report/render/catalogue.h"

/* What a path that somebody gave can be: not there, closed, of the wrong kind, too long. */
static bool is_path_fault(int number)
{
    static const int faults[] = {ENOENT, EACCES,       ENOTDIR, EISDIR,
                                 ELOOP,  ENAMETOOLONG, EROFS,   EPERM};

    for (size_t i = 0; i < ARRAY_COUNT(faults); i++) {
        if (number == faults[i]) {
            return true;
        }
    }
    return false;
}

void cmd_print_error(const struct err *e)
{
    fprintf(stderr, "tacho: %s%s\n", e->text,
            err_is_no_space(e) ? "; make room (df, ulimit -f), or write elsewhere" : "");
}

int cmd_fail(const struct err *e)
{
    cmd_print_error(e);
    switch (e->code) {
    case ERR_USAGE:
    case ERR_FORMAT:
        return EXIT_STATUS_USAGE;
    case ERR_SYS:
    case ERR_DB:
        /* No descriptor is a bad one but a standard output that the caller closed. */
        return err_is_no_space(e) || e->sys_errno == EBADF ? EXIT_STATUS_INVALID
                                                           : EXIT_STATUS_INTERNAL;
    case ERR_OK:
    case ERR_LIMIT:
    case ERR_MISMATCH:
        break;
    }
    return EXIT_STATUS_INTERNAL;
}

int cmd_fail_path(const struct err *e)
{
    int status = cmd_fail(e);

    return e->code == ERR_SYS && is_path_fault(e->sys_errno) ? EXIT_STATUS_USAGE : status;
}

enum err_code cmd_check_language(const char **language, struct err *e)
{
    const char *known = *language ? catalogue_name(*language) : NULL;

    if (*language && !known) {
        return err_set(e, ERR_USAGE, "--lang %.20s: there are en and pt-BR", *language);
    }
    *language = known;
    return ERR_OK;
}

bool cmd_is_bundle(const char *path)
{
    struct stat status;
    char magic[5] = "";

    if (stat(path, &status) != 0 || S_ISDIR(status.st_mode)) {
        return stat(path, &status) == 0;
    }
    int fd = S_ISREG(status.st_mode) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (fd < 0) {
        return false;
    }
    ssize_t count = pread(fd, magic, sizeof(magic), 257);
    close(fd);
    return count == (ssize_t)sizeof(magic) && memcmp(magic, "ustar", sizeof(magic)) == 0;
}

enum err_code cmd_engine_program(char *path_out, size_t path_bytes, struct err *e)
{
    char own_path[PATH_MAX];
    const char *given = getenv("TACHO_ENGINE");

    if (given && *given) {
        if (snprintf(path_out, path_bytes, "%s", given) >= (int)path_bytes) {
            return err_set(e, ERR_LIMIT, "TACHO_ENGINE is too long");
        }
        return ERR_OK;
    }
    ssize_t length = readlink("/proc/self/exe", own_path, sizeof(own_path) - 1);
    if (length < 0) {
        return err_set_sys(e, "/proc/self/exe");
    }
    own_path[length] = '\0';
    if (snprintf(path_out, path_bytes, "%s/tacho-engine", dirname(own_path)) >= (int)path_bytes) {
        return err_set(e, ERR_LIMIT, "the path of this program is too long");
    }
    return ERR_OK;
}

enum err_code cmd_default_folder(const char *path, const char *suffix, char out[PATH_MAX],
                                 struct err *e)
{
    static const char *const endings[] = {".db", ".tar", ".json"};
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    if (length && path[length - 1] == '.' && (length == 1 || strchr("./", path[length - 2]))) {
        return err_set(e, ERR_USAGE, "%.200s: --output is wanted: this folder has no name", path);
    }
    for (size_t i = 0; i < ARRAY_COUNT(endings); i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && memcmp(path + length - ending, endings[i], ending) == 0) {
            length -= ending;
        }
    }
    if (snprintf(out, PATH_MAX, "%.*s-%s", (int)length, path, suffix) >= PATH_MAX) {
        return err_set(e, ERR_USAGE, "%.80s…: the path is too long", path);
    }
    return ERR_OK;
}

const char *cmd_temporary_folder(void)
{
    const char *given = getenv("TMPDIR");

    return given && *given ? given : "/tmp";
}

void cmd_print_findings(const struct verify_result *result)
{
    for (size_t i = 0; i < result->finding_count; i++) {
        const struct verify_finding *finding = &result->findings[i];
        fprintf(stderr, "tacho: %s %s: %s\n", finding->stage, finding->code, finding->text);
    }
    if (result->finding_left_out_count) {
        fprintf(stderr, "tacho: %zu more finding%s\n", result->finding_left_out_count,
                units_word((int64_t)result->finding_left_out_count, "", "s"));
    }
}

/* A folder with neither the mark of a bundle nor its list of files: nobody sealed it. */
static enum err_code check_bag(const char *path, struct err *e)
{
    static const char *const marks[] = {"bagit.txt", "manifest-sha256.txt"};
    struct stat status;
    char mark[PATH_MAX];

    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) {
        return ERR_OK;
    }
    for (size_t i = 0; i < ARRAY_COUNT(marks); i++) {
        snprintf(mark, sizeof(mark), "%s/%s", path, marks[i]);
        if (stat(mark, &status) == 0) {
            return ERR_OK;
        }
    }
    return err_set(e, ERR_USAGE,
                   "%.200s: no bundle here (no bagit.txt); name a results file, a bundle "
                   "NAME-ID.tar or the folder that was in one",
                   path);
}

int cmd_use_bundle(const char *path,
                   enum err_code (*use)(const char *results_path, void *context, struct err *e),
                   void *context)
{
    /* What is missing the reader is told by what is made of the rest. */
    const struct verify_config config = {.path = path,
                                         .policy = {.allow_gaps = true},
                                         .program_version = cmd_version,
                                         .temporary_folder = cmd_temporary_folder(),
                                         .use = use,
                                         .use_context = context};
    struct verify_result *result = NULL;
    struct err e;

    if (check_bag(path, &e) != ERR_OK || verify_run(&config, &result, &e) != ERR_OK) {
        return cmd_fail_path(&e);
    }
    cmd_print_findings(result);
    int status = result->finding_count ? EXIT_STATUS_EVIDENCE : EXIT_STATUS_OK;
    free(result);
    return status;
}

int cmd_use_results(const char *path, bool *immutable_out,
                    enum err_code (*use)(const char *results_path, void *context, struct err *e),
                    void *context)
{
    struct err e;

    *immutable_out = cmd_is_bundle(path);
    if (*immutable_out) {
        return cmd_use_bundle(path, use, context);
    }
    return use(path, context, &e) == ERR_OK ? EXIT_STATUS_OK : cmd_fail_path(&e);
}
