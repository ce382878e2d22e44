// SPDX-License-Identifier: Apache-2.0
// Settings of the machine that root can change.
#include "collector/probe/tune.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engines/base/fs.h"
#include "engines/base/proc.h"

#define FILE_BYTES 512

struct setting {
    bool is_sys;
    const char *path; /* with "%zu": one for each CPU */
    const char *fine; /* words with '|' between them; NULL: a number of at least `minimum` */
    const char *wanted;
    long minimum;
};

static const struct setting settings[] = {
    {true, "devices/system/cpu/cpu%zu/cpufreq/scaling_governor", "performance", "performance", 0},
    {true, "devices/system/cpu/cpufreq/boost", "0", "0", 0},
    {true, "devices/system/cpu/intel_pstate/no_turbo", "1", "1", 0},
    {true, "kernel/mm/transparent_hugepage/enabled", "madvise|never", "madvise", 0},
    {true, "kernel/mm/ksm/run", "0|2", "0", 0},
    {false, "sys/kernel/randomize_va_space", "2", "2", 0},
    {false, "sys/kernel/sched_autogroup_enabled", "0", "0", 0},
    {false, "sys/net/core/somaxconn", NULL, "4096", 4096},
    {false, "sys/net/ipv4/tcp_max_syn_backlog", NULL, "4096", 4096},
    {false, "sys/net/ipv4/tcp_tw_reuse", "1|2", "2", 0},
};

static const char *root_of(const struct tune_machine *machine, bool is_sys)
{
    return is_sys ? machine->sys_root : machine->proc_root;
}

/* The word of a file, or the one in brackets where the kernel shows all of them. */
static bool value_read(const struct tune_machine *machine, bool is_sys, const char *path,
                       char out[TUNE_VALUE_BYTES])
{
    char text[FILE_BYTES];
    ssize_t length = proc_read(root_of(machine, is_sys), text, sizeof(text), "%s", path);
    const char *bracket = length > 0 ? strchr(text, '[') : NULL;
    const char *word = bracket ? bracket + 1 : text;
    size_t bytes = length > 0 ? strcspn(word, bracket ? "]" : " \t\n") : 0;

    if (bytes == 0 || bytes >= TUNE_VALUE_BYTES) {
        return false;
    }
    for (size_t i = 0; i < bytes; i++) {
        if (!isalnum((unsigned char)word[i]) && !strchr("_-.", word[i])) {
            return false; /* no such value could be given back */
        }
    }
    memcpy(out, word, bytes);
    out[bytes] = '\0';
    return true;
}

static bool word_is_among(const char *words, const char *word)
{
    size_t bytes = strlen(word);

    for (const char *at = words; at; at = strchr(at, '|')) {
        at += *at == '|';
        if (strncmp(at, word, bytes) == 0 && (at[bytes] == '\0' || at[bytes] == '|')) {
            return true;
        }
    }
    return false;
}

static bool is_fine(const struct setting *setting, const char *value)
{
    return setting->fine ? word_is_among(setting->fine, value)
                         : strtol(value, NULL, 10) >= setting->minimum;
}

/* False: there is no such file, so no CPU of that number either. */
static bool setting_look(const struct tune_machine *machine, const struct setting *setting,
                         const char *path, struct tune *tune)
{
    struct tune_change change = {.is_sys = setting->is_sys};

    if (!value_read(machine, setting->is_sys, path, change.former)) {
        return false;
    }
    if (!is_fine(setting, change.former) && tune->count < TUNE_CHANGE_COUNT_MAX) {
        snprintf(change.path, sizeof(change.path), "%s", path);
        snprintf(change.tuned, sizeof(change.tuned), "%s", setting->wanted);
        tune->changes[tune->count++] = change;
    }
    return true;
}

static void boot_read(const struct tune_machine *machine, char out[TUNE_BOOT_BYTES])
{
    char text[FILE_BYTES];
    ssize_t length = proc_read(machine->proc_root, text, sizeof(text), "sys/kernel/random/boot_id");

    snprintf(out, TUNE_BOOT_BYTES, "%.*s", length > 0 ? (int)strcspn(text, "\n") : 0, text);
}

struct tune *tune_plan(const struct tune_machine *machine)
{
    struct tune *tune = calloc(1, sizeof(*tune));
    char path[TUNE_PATH_BYTES];

    if (!tune) {
        return NULL;
    }
    boot_read(machine, tune->boot_id);
    for (size_t i = 0; i < ARRAY_COUNT(settings); i++) {
        const char *number = strstr(settings[i].path, "%zu");

        for (size_t cpu = 0; cpu < (number ? 1024 : 1); cpu++) {
            snprintf(path, sizeof(path), "%s", settings[i].path);
            if (number) {
                snprintf(path, sizeof(path), "%.*s%zu%s", (int)(number - settings[i].path),
                         settings[i].path, cpu, number + strlen("%zu"));
            }
            (void)setting_look(machine, &settings[i], path, tune);
        }
    }
    return tune;
}

bool tune_knows(bool is_sys, const char *path)
{
    for (size_t i = 0; i < ARRAY_COUNT(settings); i++) {
        const char *known = settings[i].path;
        const char *at = path;

        while (*known && *at) {
            if (strncmp(known, "%zu", 3) == 0 && isdigit((unsigned char)*at)) {
                known += 3;
                at += strspn(at, "0123456789");
            } else if (*known++ != *at++) {
                known = "x"; /* another one */
                break;
            }
        }
        if (settings[i].is_sys == is_sys && !*known && !*at) {
            return true;
        }
    }
    return false;
}

size_t tune_count(const struct tune *tune, enum tune_outcome outcome)
{
    size_t count = 0;

    for (size_t i = 0; i < tune->count; i++) {
        count += tune->changes[i].outcome == outcome;
    }
    return count;
}

/* Some files take what they do not keep. */
static void value_write(const struct tune_machine *machine, struct tune_change *change,
                        const char *value)
{
    char now[TUNE_VALUE_BYTES] = "";

    errno = 0;
    if (!proc_write(root_of(machine, change->is_sys), value, "%s", change->path)) {
        change->outcome = TUNE_FAILED;
        change->sys_errno = errno;
        return;
    }
    bool is_kept =
        value_read(machine, change->is_sys, change->path, now) && strcmp(now, value) == 0;
    change->outcome = is_kept ? TUNE_DONE : TUNE_FAILED;
    change->sys_errno = is_kept ? 0 : EINVAL;
}

static enum err_code state_write(const struct tune_machine *machine, const struct tune *tune,
                                 struct err *e)
{
    struct buf text;

    buf_init(&text, TUNE_STATE_BYTES_MAX);
    tune_state_format(tune, &text);
    enum err_code code = buf_check(&text, machine->state_path, e);
    if (code == ERR_OK) {
        code = fs_write_file(machine->state_path, text.bytes, text.length, e);
    }
    buf_release(&text);
    return code;
}

static enum err_code state_remove(const struct tune_machine *machine, struct err *e)
{
    return unlink(machine->state_path) == 0 ? ERR_OK : err_set_sys(e, "%s", machine->state_path);
}

static enum err_code state_read(const struct tune_machine *machine, struct tune *tune,
                                struct err *e)
{
    struct buf text;

    buf_init(&text, TUNE_STATE_BYTES_MAX);
    enum err_code code = fs_read_file(machine->state_path, &text, e);
    if (code == ERR_OK) {
        code = tune_state_parse(text.bytes, text.length, tune, e);
        if (code != ERR_OK) {
            err_wrap(e, "%s", machine->state_path);
        }
    }
    buf_release(&text);
    return code;
}

/* Another boot's state is of settings that are gone. */
static bool is_tuned(const struct tune_machine *machine)
{
    struct tune *tune = calloc(1, sizeof(*tune));
    char boot_id[TUNE_BOOT_BYTES];
    bool is_old = tune && state_read(machine, tune, NULL) == ERR_OK;

    boot_read(machine, boot_id);
    is_old = is_old && strcmp(tune->boot_id, boot_id) != 0;
    free(tune);
    return !is_old && fs_exists(machine->state_path);
}

enum err_code tune_apply(const struct tune_machine *machine, struct tune *tune, struct err *e)
{
    if (is_tuned(machine)) {
        return err_set(e, ERR_USAGE,
                       "%s: the machine is tuned already; give it back first (--reset)",
                       machine->state_path);
    }
    if (tune->count == 0) {
        return ERR_OK;
    }
    /* Before the first change: whoever is killed in the middle can give back what there was. */
    enum err_code code = state_write(machine, tune, e);
    for (size_t i = 0; code == ERR_OK && i < tune->count; i++) {
        value_write(machine, &tune->changes[i], tune->changes[i].tuned);
    }
    if (code == ERR_OK) {
        code =
            tune_count(tune, TUNE_DONE) ? state_write(machine, tune, e) : state_remove(machine, e);
    }
    return code;
}

static void change_undo(const struct tune_machine *machine, struct tune_change *change)
{
    char now[TUNE_VALUE_BYTES];

    if (!value_read(machine, change->is_sys, change->path, now)) {
        change->outcome = TUNE_FAILED;
        change->sys_errno = ENOENT;
    } else if (strcmp(now, change->former) == 0) {
        change->outcome = TUNE_DONE;
    } else if (strcmp(now, change->tuned) != 0) {
        change->outcome = TUNE_LEFT;
    } else {
        value_write(machine, change, change->former);
    }
}

enum err_code tune_reset(const struct tune_machine *machine, struct tune **tune_out, struct err *e)
{
    struct tune *tune = calloc(1, sizeof(*tune));
    char boot_id[TUNE_BOOT_BYTES];

    if (!tune) {
        return err_set(e, ERR_LIMIT, "no memory for the settings of the machine");
    }
    enum err_code code =
        fs_exists(machine->state_path)
            ? state_read(machine, tune, e)
            : err_set(e, ERR_USAGE, "%s: not there; nothing is tuned", machine->state_path);
    boot_read(machine, boot_id);
    if (code == ERR_OK && strcmp(tune->boot_id, boot_id) != 0) {
        tune->count = 0;
    }
    for (size_t i = tune->count; code == ERR_OK && i > 0; i--) {
        change_undo(machine, &tune->changes[i - 1]);
    }
    if (code == ERR_OK && tune_count(tune, TUNE_FAILED) == 0) {
        code = state_remove(machine, e);
    }
    if (code != ERR_OK) {
        free(tune);
        return code;
    }
    *tune_out = tune;
    return ERR_OK;
}
