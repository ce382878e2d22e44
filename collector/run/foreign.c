// SPDX-License-Identifier: Apache-2.0
// What the plan's engines need before the first trial.
#include "collector/run/foreign.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/asset.h"
#include "collector/plan/plan_foreign.h"
#include "collector/probe/listener.h"
#include "collector/probe/machine.h"
#include "collector/run/foreign_files.h"
#include "collector/run/helper.h"
#include "collector/run/loader.h"
#include "collector/run/session_rows.h"
#include "engines/base/fs.h"
#include "engines/base/proc.h"

#define BUILD_WITHIN_NS (300 * CLOCK_NS_PER_S)
#define ASK_WITHIN_NS   (20 * CLOCK_NS_PER_S)
#define ANSWER_BYTES    4096
#define TUNABLES_BYTES  16384
#define DPKG_QUERY      "/usr/bin/dpkg-query"

/* --- what is missing --- */

static void missing_add(char *text, size_t capacity, const char *engine, const char *what,
                        const char *is_wanted)
{
    size_t used = strlen(text);

    snprintf(text + used, capacity - used, "%s%.40s needs %s%.60s", used ? "; " : "", engine,
             is_wanted, what);
}

static bool proof_is_there(const struct plan_package *package)
{
    char path[PATH_MAX];

    return package->proof[0] == '/' ? fs_exists(package->proof)
                                    : foreign_find_program(package->proof, ".", path);
}

/* A file that the dynamic linker would only warn of, in a server's output: the trial would be one
 * without the library. */
static void preload_look(const struct plan_engine *engine, const char *list, char *text,
                         size_t capacity)
{
    char folder[PATH_MAX], word[PATH_MAX], path[2 * PATH_MAX];
    const char *at;

    if (engine->builtin) {
        snprintf(folder, sizeof(folder), ".");
    } else {
        foreign_format_folder(engine, folder);
    }
    for (size_t length; (length = loader_next(&list, &at)) > 0;) {
        snprintf(word, sizeof(word), "%.*s", (int)length, at);
        snprintf(path, sizeof(path), "%s%s%s", word[0] == '/' ? "" : folder,
                 word[0] == '/' ? "" : "/", word);
        /* A name without a slash is looked for by the linker, in places of its own; what "$LIB"
         * stands for is the linker's as well. */
        if (!strchr(word, '/') || strchr(word, '$')) {
            continue;
        }
        if (!fs_exists(path)) {
            missing_add(text, capacity, engine->name, word, "the library of LD_PRELOAD ");
        } else if (!loader_is_library(path)) {
            missing_add(text, capacity, engine->name, word, "a library in LD_PRELOAD, not ");
        }
    }
}

static void engine_look(const struct plan_engine *engine, char *text, size_t capacity)
{
    char path[PATH_MAX], folder[PATH_MAX];

    for (size_t i = 0; i < engine->package_count; i++) {
        if (!proof_is_there(&engine->packages[i])) {
            missing_add(text, capacity, engine->name, engine->packages[i].name,
                        "Debian's package ");
        }
    }
    if (plan_engine_kind(engine) == PLAN_ENGINE_COMMAND) {
        foreign_format_folder(engine, folder);
        if (!foreign_find_program(engine->command.items[0], folder, path)) {
            missing_add(text, capacity, engine->name, engine->command.items[0], "the program ");
        }
    }
    if (plan_engine_kind(engine) == PLAN_ENGINE_URL &&
        !listener_is_there(MACHINE_PROC_ROOT, (uint16_t)engine->port)) {
        missing_add(text, capacity, engine->name, engine->url, "a server at ");
    }
    const char *preloaded = plan_engine_variable(engine, "LD_PRELOAD");
    if (preloaded) {
        preload_look(engine, preloaded, text, capacity);
    }
    if (engine->allocator && !foreign_find_allocator(engine->allocator, path)) {
        missing_add(text, capacity, engine->name, foreign_allocator_package(engine->allocator),
                    "Debian's package ");
    }
}

static bool is_wanted(const bool *wanted, size_t index)
{
    return !wanted || wanted[index];
}

bool foreign_find_missing(const struct plan *plan, const bool *wanted, char *text_out,
                          size_t capacity)
{
    text_out[0] = '\0';
    for (size_t i = 0; i < plan->engine_count; i++) {
        if (is_wanted(wanted, i)) {
            engine_look(&plan->engines[i], text_out, capacity);
        }
    }
    return text_out[0] != '\0';
}

/* --- facts --- */

/* The names are "engine.NAME.WHAT". Without memory, or beyond so many, one is left out. */
static void fact_add(struct foreign_set *set, const char *engine, const char *what,
                     const char *format, ...) ATTR_PRINTF(4, 5);
static void fact_add(struct foreign_set *set, const char *engine, const char *what,
                     const char *format, ...)
{
    struct foreign_fact fact = {NULL, NULL};
    va_list arguments;

    if (set->fact_count == FOREIGN_FACT_COUNT_MAX ||
        asprintf(&fact.name, "engine.%s.%s", engine, what) < 0) {
        return;
    }
    va_start(arguments, format);
    if (vasprintf(&fact.value, format, arguments) < 0) {
        fact.value = NULL;
    }
    va_end(arguments);
    set->facts[set->fact_count++] = fact;
}

/* Files that the command names: a program is often a script. */
static enum err_code files_tell(struct foreign_set *set, const struct plan_engine *engine,
                                const char *folder, struct err *e)
{
    char path[PATH_MAX], what[300], hex[DIGEST_HEX_BYTES];
    struct stat status;
    enum err_code code = ERR_OK;

    for (size_t i = 1; i < engine->command.count && code == ERR_OK; i++) {
        const char *word = engine->command.items[i];

        if (snprintf(path, sizeof(path), "%s%s%s", word[0] == '/' ? "" : folder,
                     word[0] == '/' ? "" : "/", word) < PATH_MAX &&
            stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
            code = digest_file(path, hex, e);
            snprintf(what, sizeof(what), "file.%.200s", word);
            fact_add(set, engine->name, what, "%s", hex);
        }
    }
    return code;
}

/* The line "NAME VERSION" of an answer. */
static bool version_find(const char *answer, const char *package, char *version_out,
                         size_t capacity)
{
    size_t length = strlen(package);

    for (const char *line = answer; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        if (strncmp(line, package, length) == 0 && line[length] == ' ') {
            snprintf(version_out, capacity, "%.*s", (int)strcspn(line + length + 1, "\n"),
                     line + length + 1);
            return true;
        }
    }
    return false;
}

/* The program that proves a package: a start script's own digest would say nothing of it. */
static void program_tell(struct foreign_set *set, const char *engine,
                         const struct plan_package *package)
{
    char path[PATH_MAX], what[300], hex[DIGEST_HEX_BYTES];

    if (foreign_find_program(package->proof, ".", path) &&
        session_program_digest(path, hex, NULL) == ERR_OK) {
        snprintf(what, sizeof(what), "program.%.200s", package->name);
        fact_add(set, engine, what, "%s", hex);
    }
}

/* The version of a package, where Debian's own list is there. */
static void package_tell(const struct foreign_config *config, struct foreign_set *set,
                         const char *engine, const char *package)
{
    const struct plan_words words = {{"dpkg-query", "-W", "-f=${Package} ${Version}\\n", package},
                                     4};
    const struct helper_config helper = {.engine_program = config->engine_program,
                                         .program = DPKG_QUERY,
                                         .words = &words,
                                         .folder = "/",
                                         .within_ns = ASK_WITHIN_NS,
                                         .clock = config->clock,
                                         .stop = config->stop};
    char answer[ANSWER_BYTES] = "", version[200], what[300];

    snprintf(what, sizeof(what), "package.%.200s", package);
    if (fs_exists(DPKG_QUERY) && helper_run(&helper, answer, sizeof(answer), NULL) == ERR_OK &&
        version_find(answer, package, version, sizeof(version))) {
        fact_add(set, engine, what, "%s", version);
    }
}

/* --- preparing --- */

static enum err_code folder_make(const struct foreign_config *config, struct foreign_set *set,
                                 struct err *e)
{
    if (set->work_folder[0]) {
        return ERR_OK;
    }
    snprintf(set->work_folder, sizeof(set->work_folder), "%s/tacho-engines-XXXXXX",
             config->temporary_folder);
    if (!mkdtemp(set->work_folder)) {
        enum err_code code =
            err_set_sys(e, "%.200s: no folder can be made there", config->temporary_folder);
        set->work_folder[0] = '\0';
        return code;
    }
    return ERR_OK;
}

/* The engine's files, as this program carries them, and their digest. */
static enum err_code sources_write(struct foreign_set *set, const struct plan_engine *engine,
                                   const char *folder, struct err *e)
{
    char prefix[400], path[PATH_MAX], hex[DIGEST_HEX_BYTES], what[300];
    enum err_code code = fs_make_directories(folder, e);
    int length = snprintf(prefix, sizeof(prefix), PLAN_EXTERNAL_PREFIX "%s/", engine->external);

    for (const struct asset *asset = assets; asset->name && code == ERR_OK; asset++) {
        if (strncmp(asset->name, prefix, (size_t)length) != 0) {
            continue;
        }
        snprintf(path, sizeof(path), "%.3000s/%.500s", folder, asset->name + length);
        snprintf(what, sizeof(what), "file.%.200s", asset->name + length);
        code = fs_write_file(path, asset->bytes, asset->length, e);
        if (code == ERR_OK) {
            code = digest_bytes(asset->bytes, asset->length, hex, e);
        }
        if (code == ERR_OK) {
            fact_add(set, engine->name, what, "%s", hex);
        }
    }
    return code;
}

static enum err_code external_build(const struct foreign_config *config,
                                    const struct plan_engine *engine, const char *folder,
                                    struct err *e)
{
    char program[PATH_MAX], answer[ANSWER_BYTES];
    const struct helper_config helper = {.engine_program = config->engine_program,
                                         .program = program,
                                         .words = &engine->build,
                                         .folder = folder,
                                         .within_ns = BUILD_WITHIN_NS,
                                         .clock = config->clock,
                                         .stop = config->stop};
    struct err why;

    if (engine->build.count == 0) {
        return ERR_OK;
    }
    if (!foreign_find_program(engine->build.items[0], folder, program)) {
        return err_set(e, ERR_LIMIT, "%s: its build needs the program %s", engine->name,
                       engine->build.items[0]);
    }
    return helper_run(&helper, answer, sizeof(answer), &why) == ERR_OK
               ? ERR_OK
               : err_set(e, ERR_LIMIT, "%s: its build failed: %s", engine->name, why.text);
}

static enum err_code external_prepare(const struct foreign_config *config, struct foreign_set *set,
                                      const struct plan_engine *engine, char folder[PATH_MAX],
                                      struct err *e)
{
    enum err_code code = folder_make(config, set, e);

    /* Two engines of one recipe have a folder each. */
    snprintf(folder, PATH_MAX, "%.3000s/%td", set->work_folder, engine - config->plan->engines);
    if (code == ERR_OK) {
        code = sources_write(set, engine, folder, e);
    }
    if (code == ERR_OK) {
        code = external_build(config, engine, folder, e);
    }
    for (size_t i = 0; i < engine->package_count && code == ERR_OK; i++) {
        package_tell(config, set, engine->name, engine->packages[i].name);
        program_tell(set, engine->name, &engine->packages[i]);
    }
    return code;
}

static enum err_code command_prepare(const struct foreign_config *config, struct foreign_set *set,
                                     const struct plan_engine *engine, struct foreign_engine *item,
                                     struct err *e)
{
    char folder[PATH_MAX];
    enum err_code code = ERR_OK;

    if (engine->external) {
        code = external_prepare(config, set, engine, folder, e);
    } else {
        foreign_format_folder(engine, folder);
    }
    if (code == ERR_OK && !realpath(folder, item->folder)) {
        code = err_set_sys(e, "%s: its folder %.200s", engine->name, folder);
    }
    if (code == ERR_OK &&
        !foreign_find_program(engine->command.items[0], item->folder, item->program)) {
        code = err_set(e, ERR_LIMIT, "%s: there is no program %s", engine->name,
                       engine->command.items[0]);
    }
    if (code == ERR_OK) {
        code = session_program_digest(item->program, item->program_sha256, e);
    }
    return code == ERR_OK && !engine->external ? files_tell(set, engine, item->folder, e) : code;
}

/* Of process 1 every process descends that has no parent any more. */
static enum err_code process_check(const struct plan_engine *engine, pid_t pid, struct err *e)
{
    if ((engine->pid == 1 && pid == 1) || listener_is_above(MACHINE_PROC_ROOT, pid, getpid())) {
        return err_set(e, ERR_USAGE,
                       "%.40s: process %d is no server apart from tacho: what tacho itself uses "
                       "would count as the server's; give the server's own pid",
                       engine->name, (int)pid);
    }
    return ERR_OK;
}

enum err_code foreign_check_pids(const struct plan *plan, const bool *wanted, struct err *e)
{
    enum err_code code = ERR_OK;

    for (size_t i = 0; i < plan->engine_count && code == ERR_OK; i++) {
        if (plan->engines[i].pid && is_wanted(wanted, i)) {
            code = process_check(&plan->engines[i], (pid_t)plan->engines[i].pid, e);
        }
    }
    return code;
}

/* Nobody started it for us: who it is can be seen of a process of one's own only. */
static enum err_code url_prepare(struct foreign_set *set, const struct plan_engine *engine,
                                 struct foreign_engine *item, struct err *e)
{
    struct listener_owner owner;
    char path[PATH_MAX];

    if (listener_find_owner(MACHINE_PROC_ROOT, (uint16_t)engine->port, &owner, NULL) != ERR_OK) {
        fact_add(set, engine->name, "process", "not known: its CPU and memory are not measured");
        return ERR_OK;
    }
    if (!engine->pid && process_check(engine, owner.pid, e) != ERR_OK) {
        return ERR_USAGE;
    }
    fact_add(set, engine->name, "process", "%.16s, found by its listening socket", owner.name);
    if (proc_read_link(MACHINE_PROC_ROOT, path, sizeof(path), "%d/exe", (int)owner.pid) <= 0 ||
        session_program_digest(path, item->program_sha256, NULL) != ERR_OK) {
        item->program_sha256[0] = '\0';
    }
    return ERR_OK;
}

static enum err_code allocator_prepare(const struct foreign_config *config, struct foreign_set *set,
                                       const struct plan_engine *engine,
                                       struct foreign_engine *item, struct err *e)
{
    const char *package;
    char hex[DIGEST_HEX_BYTES];

    if (!engine->allocator) {
        return ERR_OK;
    }
    package = foreign_allocator_package(engine->allocator);
    if (!foreign_find_allocator(engine->allocator, item->preload)) {
        return err_set(e, ERR_LIMIT, "%s: %s is not installed; its package is %s", engine->name,
                       engine->allocator, package);
    }
    fact_add(set, engine->name, "allocator", "%s", engine->allocator);
    if (!item->preload[0]) {
        return ERR_OK;
    }
    package_tell(config, set, engine->name, package);
    enum err_code code = session_program_digest(item->preload, hex, e);
    if (code == ERR_OK) {
        fact_add(set, engine->name, "allocator_sha256", "%s", hex);
    }
    return code;
}

/* glibc says nothing of a tunable that it does not know. Where its loader lists none, nobody can
 * tell. */
static enum err_code tunables_check(const struct foreign_config *config,
                                    const struct plan_engine *engine, struct err *e)
{
    const char *tunables = plan_engine_variable(engine, "GLIBC_TUNABLES");
    const char *loader = tunables ? loader_path() : NULL;
    const struct plan_words words = {{"ld.so", "--list-tunables"}, 2};
    const struct helper_config helper = {.engine_program = config->engine_program,
                                         .program = loader,
                                         .words = &words,
                                         .folder = "/",
                                         .within_ns = ASK_WITHIN_NS,
                                         .clock = config->clock,
                                         .stop = config->stop};
    char known[TUNABLES_BYTES];
    struct loader_refusal refusal;

    if (!loader || helper_run(&helper, known, sizeof(known), NULL) != ERR_OK ||
        loader_takes_tunables(known, tunables, &refusal)) {
        return ERR_OK;
    }
    if (*refusal.limits) {
        return err_set(
            e, ERR_LIMIT,
            "%.40s: the glibc of this machine takes \"%s\" only within %s and would pass "
            "over another value without a word",
            engine->name, refusal.name, refusal.limits);
    }
    return err_set(e, ERR_LIMIT,
                   "%.40s: the glibc of this machine has no tunable \"%s\" and would say nothing; "
                   "%.60s --list-tunables names those it has",
                   engine->name, refusal.name, loader);
}

/* Whom the engine's certificate was checked by. */
static enum err_code ca_prepare(struct foreign_set *set, const struct plan_engine *engine,
                                struct err *e)
{
    char path[PATH_MAX], hex[DIGEST_HEX_BYTES];

    if (!engine->tls.ca) {
        return ERR_OK;
    }
    foreign_format_ca(engine, path);
    enum err_code code = session_program_digest(path, hex, e);
    if (code == ERR_OK) {
        fact_add(set, engine->name, "tls_ca_sha256", "%s", hex);
    }
    return code;
}

enum err_code foreign_prepare(const struct foreign_config *config, struct foreign_set **set_out,
                              struct err *e)
{
    struct foreign_set *set = calloc(1, sizeof(*set));
    enum err_code code = ERR_OK;

    if (!set) {
        return err_set(e, ERR_LIMIT, "no memory for the plan's engines");
    }
    *set_out = set;
    for (size_t i = 0; i < config->plan->engine_count && code == ERR_OK; i++) {
        const struct plan_engine *engine = &config->plan->engines[i];

        if (!is_wanted(config->wanted, i)) {
            continue;
        }
        switch (plan_engine_kind(engine)) {
        case PLAN_ENGINE_BUILTIN:
            break;
        case PLAN_ENGINE_COMMAND:
        case PLAN_ENGINE_EXTERNAL:
            code = command_prepare(config, set, engine, &set->items[i], e);
            break;
        case PLAN_ENGINE_URL:
            code = url_prepare(set, engine, &set->items[i], e);
            break;
        }
        if (code == ERR_OK) {
            code = tunables_check(config, engine, e);
        }
        if (code == ERR_OK) {
            code = ca_prepare(set, engine, e);
        }
        if (code == ERR_OK) {
            code = allocator_prepare(config, set, engine, &set->items[i], e);
        }
    }
    return code;
}

const struct foreign_engine *foreign_of(const struct foreign_set *set, const struct plan *plan,
                                        const struct plan_engine *engine)
{
    return set && engine >= plan->engines && engine < plan->engines + plan->engine_count
               ? &set->items[engine - plan->engines]
               : NULL;
}

void foreign_release(struct foreign_set *set)
{
    if (!set) {
        return;
    }
    for (size_t i = 0; i < set->fact_count; i++) {
        free(set->facts[i].name);
        free(set->facts[i].value);
    }
    if (set->work_folder[0]) {
        /* What is left behind lies where temporary files do. */
        enum err_code code = fs_remove_tree(set->work_folder, NULL);
        (void)code;
    }
    free(set);
}
