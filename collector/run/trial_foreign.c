// SPDX-License-Identifier: Apache-2.0
// The start of a server that is not built in: its port, its keeper, and whose the listening socket
// is.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collector/probe/listener.h"
#include "collector/probe/machine.h"
#include "collector/run/keeper_command.h"
#include "collector/run/loader.h"
#include "collector/run/trial_work.h"
#include "engines/base/allocator.h"
#include "engines/base/proc.h"
#include "engines/base/units.h"

#define LISTEN_LOOK_NS    (5 * CLOCK_NS_PER_MS)
#define STRANGER_FOR_NS   (300 * CLOCK_NS_PER_MS)
#define PORT_WITHIN_NS    (5 * CLOCK_NS_PER_S) /* for a port that its last owner gives up late */
#define TEXT_BYTES        ((size_t)256 << 10)
#define TUNABLES          "GLIBC_TUNABLES"
#define ENVIRONMENT_BYTES ((size_t)256 << 10)
#define MAPS_BYTES        ((size_t)4 << 20)
#define PORT_WORD_BYTES   (sizeof(PLAN_PORT_WORD) - 1)

/* --- the port --- */

/* Whether a server could listen there now. port 0: one that is free, told in *port_out. */
static bool port_try(uint16_t port, uint16_t *port_out)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    socklen_t address_bytes = sizeof(address);
    int on = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    /* What is in TIME_WAIT hinders no server that sets SO_REUSEADDR, as all do. */
    bool is_free = fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
                   bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
                   getsockname(fd, (struct sockaddr *)&address, &address_bytes) == 0 &&
                   !listener_is_there(MACHINE_PROC_ROOT, ntohs(address.sin_port));

    if (fd >= 0) {
        close(fd);
    }
    *port_out = ntohs(address.sin_port);
    return is_free;
}

static void port_taken_tell(struct trial *trial, uint16_t port)
{
    struct listener_owner owner;

    if (listener_find_owner(MACHINE_PROC_ROOT, port, &owner, NULL) == ERR_OK) {
        trial_stop(trial, TRIAL_FAILED,
                   "port %u is in use by process %d (%s): end it, or choose another port", port,
                   (int)owner.pid, owner.name);
    } else {
        trial_stop(trial, TRIAL_FAILED,
                   "port %u is in use by a process of somebody else: choose another port", port);
    }
}

/* False: the trial is over. */
static bool port_choose(struct trial *trial)
{
    const struct clock *clock = trial->config->clock;
    uint16_t wanted = (uint16_t)trial->config->engine->port;
    int64_t deadline_ns = clock_now_ns(clock) + PORT_WITHIN_NS;

    while (!port_try(wanted, &trial->port)) {
        if (trial_step_is_over(trial, "before the server was started")) {
            return false;
        }
        if (clock_now_ns(clock) >= deadline_ns) {
            port_taken_tell(trial, wanted);
            return false;
        }
        trial_slice_sleep(trial, deadline_ns, LISTEN_LOOK_NS);
    }
    return true;
}

/* --- the command --- */

/* Words and variables with the port in its place. */
struct filled {
    const char *words[PLAN_COMMAND_COUNT_MAX];
    struct plan_variable variables[PLAN_VARIABLE_COUNT_MAX];
    size_t used;
    char text[TEXT_BYTES];
};

/* The port is never longer than the word that stands for it. */
static const char *text_fill(struct filled *filled, const char *text, uint16_t port)
{
    char *start = filled->text + filled->used, *out = start;

    if (filled->used + strlen(text) + 1 > sizeof(filled->text)) {
        return text;
    }
    while (*text) {
        if (strncmp(text, PLAN_PORT_WORD, PORT_WORD_BYTES) == 0) {
            out += snprintf(out, PORT_WORD_BYTES + 1, "%u", port);
            text += PORT_WORD_BYTES;
        } else {
            *out++ = *text++;
        }
    }
    *out++ = '\0';
    filled->used += (size_t)(out - start);
    return start;
}

static enum err_code kept_start(struct trial *trial, struct err *e)
{
    const struct trial_config *config = trial->config;
    const struct plan_engine *engine = config->engine;
    struct filled *filled = malloc(sizeof(*filled));
    struct keeper_command command;

    if (!filled) {
        return err_set(e, ERR_LIMIT, "no memory for the server's command");
    }
    filled->used = 0;
    for (size_t i = 0; i < engine->command.count; i++) {
        filled->words[i] = text_fill(filled, engine->command.items[i], trial->port);
    }
    for (size_t i = 0; i < engine->variable_count; i++) {
        filled->variables[i] = (struct plan_variable){
            engine->variables[i].name, text_fill(filled, engine->variables[i].value, trial->port)};
    }
    const struct keeper_settings settings = {.input = plan_engine_input(engine),
                                             .is_daemon = engine->is_daemon,
                                             .folder = config->foreign->folder,
                                             .program = config->foreign->program,
                                             .words = filled->words,
                                             .word_count = engine->command.count};
    keeper_command_init(&command, &settings);
    const struct supervise_config supervise = {
        .program = config->engine_program,
        .arguments = command.words,
        .variables = filled->variables,
        .variable_count = engine->variable_count,
        .preload = *config->foreign->preload ? config->foreign->preload : NULL,
        .cpus = config->server_cpus,
        .nofile = config->nofile,
        .grace_ns = KEEPER_GRACE_NS,
        .counters_fd = -1,
        .padding_bytes = config->padding_bytes,
        .clock = config->clock};
    enum err_code code = supervise_start(&supervise, &trial->server, e);
    free(filled);
    return code;
}

/* --- whose it is --- */

static void listener_absence_tell(struct trial *trial)
{
    char limit[UNITS_TEXT_BYTES];

    units_format_duration(trial_ready_within_ns(trial), limit);
    trial_stop(trial, TRIAL_FAILED, "not ready within %s: nobody listens on port %u", limit,
               trial->port);
}

/* False: the trial is over. Whoever answers must be what was started. A server that just ends is
 * gone from among its processes before its keeper has ended, and that it ended says more: only who
 * is a stranger for a while is one. */
static bool listener_wait(struct trial *trial)
{
    const struct clock *clock = trial->config->clock;
    int64_t deadline_ns = trial->asked_ns + trial_ready_within_ns(trial);
    int64_t stranger_ns = INT64_MAX; /* since when the port is a stranger's */
    struct err why;

    for (;;) {
        bool is_there = listener_is_there(MACHINE_PROC_ROOT, trial->port);

        if (is_there &&
            listener_check_owner(MACHINE_PROC_ROOT, trial->root_pid, trial->port, &why) == ERR_OK) {
            return true;
        }
        if (trial_step_is_over(trial, is_there ? "before it was ready" : "before it listened")) {
            return false;
        }
        int64_t now_ns = clock_now_ns(clock);
        if (!is_there && now_ns >= deadline_ns) {
            listener_absence_tell(trial);
            return false;
        }
        stranger_ns = !is_there ? INT64_MAX : stranger_ns < now_ns ? stranger_ns : now_ns;
        if (is_there && now_ns - stranger_ns >= STRANGER_FOR_NS) {
            trial_stop(trial, TRIAL_FAILED, "%s", why.text);
            return false;
        }
        trial_slice_sleep(trial, now_ns + LISTEN_LOOK_NS, LISTEN_LOOK_NS);
    }
}

/* What is preloaded may be ignored: by a program without libraries. */
static bool allocator_check(struct trial *trial, const char *wanted, const char *pid)
{
    const char *found = *pid ? allocator_of_process(MACHINE_PROC_ROOT, pid) : NULL;

    if (found && strcmp(found, wanted) == 0) {
        return true;
    }
    trial_stop(trial, TRIAL_FAILED, "the plan wants the allocator %s, the server's map has %s",
               wanted, found ? found : "none that can be read");
    return false;
}

/* A script between may have dropped them, and glibc says nothing of what did not reach it. */
static bool tunables_check(struct trial *trial, const char *wanted, const char *pid)
{
    char *text = malloc(ENVIRONMENT_BYTES);
    ssize_t length = text && *pid
                         ? proc_read(MACHINE_PROC_ROOT, text, ENVIRONMENT_BYTES, "%s/environ", pid)
                         : -1;
    bool is_there = false;

    for (char *at = text; length > 0 && at < text + length && !is_there; at += strlen(at) + 1) {
        is_there = strncmp(at, TUNABLES "=", sizeof(TUNABLES)) == 0 &&
                   strcmp(at + sizeof(TUNABLES), wanted) == 0;
    }
    free(text);
    if (!is_there) {
        trial_stop(trial, TRIAL_FAILED, "the plan wants " TUNABLES "=%.200s, %s", wanted,
                   length < 0 ? "the server's environment cannot be read"
                              : "which is not in the server's environment");
    }
    return is_there;
}

/* The linker goes on without what it cannot load, and a script between may have dropped it. */
static bool preload_check(struct trial *trial, const char *list, const char *pid)
{
    const struct foreign_engine *foreign = trial->config->foreign;
    const char *folder = foreign && *foreign->folder ? foreign->folder : ".";
    char *maps = malloc(MAPS_BYTES);
    ssize_t length =
        maps && *pid ? proc_read(MACHINE_PROC_ROOT, maps, MAPS_BYTES, "%s/maps", pid) : -1;
    char word[PATH_MAX] = "";
    bool is_there = length > 0;
    const char *at;

    for (size_t bytes; is_there && (bytes = loader_next(&list, &at)) > 0;) {
        snprintf(word, sizeof(word), "%.*s", (int)bytes, at);
        is_there = strchr(word, '$') || loader_is_mapped(maps, word, folder);
    }
    free(maps);
    if (!is_there) {
        trial_stop(trial, TRIAL_FAILED, "the plan wants LD_PRELOAD=%.200s, %s",
                   length > 0 ? word : list,
                   length > 0 ? "which is not in the server's map of memory"
                              : "and the server's map of memory cannot be read");
    }
    return is_there;
}

bool trial_process_check(struct trial *trial)
{
    const struct plan_engine *engine = trial->config->engine;
    const char *tunables = plan_engine_variable(engine, TUNABLES);
    const char *preloaded = plan_engine_variable(engine, "LD_PRELOAD");
    struct listener_owner owner;
    char pid[16] = "";

    if (!trial->server || (!engine->allocator && !tunables && !preloaded)) {
        return true;
    }
    if (listener_find_owner(MACHINE_PROC_ROOT, trial->port, &owner, NULL) == ERR_OK) {
        snprintf(pid, sizeof(pid), "%d", (int)owner.pid);
    }
    return (!engine->allocator || allocator_check(trial, engine->allocator, pid)) &&
           (!tunables || tunables_check(trial, tunables, pid)) &&
           (!preloaded || preload_check(trial, preloaded, pid));
}

static void url_look(struct trial *trial)
{
    const struct plan_engine *engine = trial->config->engine;
    struct listener_owner owner;
    struct err why;

    trial->port = (uint16_t)engine->port;
    trial->asked_ns = clock_now_ns(trial->config->clock);
    if (engine->pid) {
        if (listener_check_owner(MACHINE_PROC_ROOT, (pid_t)engine->pid, trial->port, &why) !=
            ERR_OK) {
            trial_stop(trial, TRIAL_FAILED, "pid %u of the plan: %s", engine->pid, why.text);
            return;
        }
        trial->root_pid = (pid_t)engine->pid;
    } else if (listener_find_owner(MACHINE_PROC_ROOT, trial->port, &owner, NULL) == ERR_OK) {
        trial->root_pid = owner.pid;
    }
    trial->step = TRIAL_STEP_READY;
}

enum err_code trial_foreign_run(struct trial *trial, struct err *e)
{
    if (trial->config->engine->url) {
        url_look(trial);
        return ERR_OK;
    }
    if (!port_choose(trial)) {
        return ERR_OK;
    }
    enum err_code code = kept_start(trial, e);
    if (code != ERR_OK) {
        trial_stop(trial, TRIAL_FAILED, "%s", e->text);
        return code;
    }
    trial->root_pid = supervise_pid(trial->server);
    trial->asked_ns = supervise_started_ns(trial->server);
    if (listener_wait(trial) && trial_process_check(trial)) {
        trial->step = TRIAL_STEP_READY;
    }
    return ERR_OK;
}
