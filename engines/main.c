// SPDX-License-Identifier: Apache-2.0
// tacho-engine: one built-in server in a process of its own. Prints the line "listening ADDRESS" to
// standard output when clients can connect, and ends with status 0 on SIGTERM and SIGINT.
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "engines/app/routes.h"
#include "engines/base/allocator.h"
#include "engines/base/net.h"
#include "engines/engine.h"
#include "engines/engine_options.h"
#include "engines/extra_work.h"
#include "engines/keeper.h"

enum {
    STATUS_OK = 0,
    STATUS_FAILED = 1,
    STATUS_USAGE = 2,
    STATUS_UNFIT = 3, /* this machine cannot run it */
};

static int status_print(const struct err *e)
{
    fprintf(stderr, "tacho-engine: %s\n", e->text);
    return e->code == ERR_USAGE || e->code == ERR_FORMAT ? STATUS_USAGE : STATUS_FAILED;
}

/* What LD_PRELOAD came to. */
static int allocator_print(void)
{
    const char *name = allocator_of_process("/proc", "self");

    if (!name) {
        perror("tacho-engine: /proc/self/maps");
        return STATUS_FAILED;
    }
    printf("%s\n", name);
    return STATUS_OK;
}

static int engines_list(void)
{
    for (size_t i = 0; engine_get(i); i++) {
        printf("%-12s %s\n", engine_get(i)->name, engine_get(i)->summary);
    }
    return STATUS_OK;
}

/* Makes 0, 1 and 2 exist, so that no socket gets such a number and receives what is printed. */
static void standard_descriptors_open(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd) {
            return;
        }
    }
}

/* As many descriptors as the administrator allows: a server with a connection each needs them. */
static void descriptors_raise(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static uint32_t cpus_count(void)
{
    cpu_set_t cpus;
    int count = sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? CPU_COUNT(&cpus) : 1;

    return (uint32_t)(count < COUNTERS_SLOT_COUNT ? count : COUNTERS_SLOT_COUNT);
}

/* The page of the collector, or one that nobody reads, so that the hot path has one form. */
static enum err_code counters_open(int fd, struct counters_page **page_out, struct err *e)
{
    if (fd >= 0) {
        return counters_map(fd, page_out, e);
    }
    void *page = mmap(NULL, sizeof(struct counters_page), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (page == MAP_FAILED) {
        return err_set_sys(e, "a page for the counters");
    }
    *page_out = page;
    return ERR_OK;
}

/* A descriptor that is readable once the process was told to end. The signals stay blocked and
 * unread, so every loop that watches it sees it. */
static enum err_code stop_open(int *fd_out, struct err *e)
{
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    signal(SIGPIPE, SIG_IGN);
    if (sigprocmask(SIG_BLOCK, &signals, NULL) < 0) {
        return err_set_sys(e, "blocking the signals");
    }
    int fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0) {
        return err_set_sys(e, "a descriptor for the signals");
    }
    *fd_out = fd;
    return ERR_OK;
}

/* Sockets that share an address join those of any other server of this user that shares it: it must
 * be free first. */
static enum err_code address_check_free(const struct net_address *address, struct err *e)
{
    struct net_address ignored;
    int fd;
    enum err_code code = net_listen(address, 1, false, &fd, &ignored, e);

    if (code == ERR_OK) {
        close(fd);
    }
    return code;
}

/* Opens `count` listening sockets at one address; those opened before a failure stay open. */
static enum err_code listeners_open(const struct engine_settings *settings, uint32_t count,
                                    int *fds, struct net_address *address_out, struct err *e)
{
    struct net_address address;
    enum err_code code = net_parse(settings->address, (uint16_t)settings->port, &address, e);

    if (code == ERR_OK && net_is_path(&address) && settings->port > 0) {
        return err_set(e, ERR_USAGE, "--port: %.60s has none; leave it out", settings->address);
    }
    if (code == ERR_OK && count > 1 && net_port(&address) > 0) {
        code = address_check_free(&address, e);
    }
    if (code == ERR_OK) {
        code = net_listen(&address, (int)settings->backlog, count > 1, &fds[0], &address, e);
    }
    for (uint32_t i = 1; code == ERR_OK && i < count; i++) {
        if (!net_is_path(&address)) {
            code = net_listen(&address, (int)settings->backlog, true, &fds[i], &address, e);
            continue;
        }
        /* A path has one socket; all loops listen to it. */
        fds[i] = fcntl(fds[0], F_DUPFD_CLOEXEC, 3);
        if (fds[i] < 0) {
            code = err_set_sys(e, "sharing the listening socket");
        }
    }
    if (code == ERR_OK) {
        *address_out = address;
    }
    return code;
}

/* How many threads and listening sockets: the engine's default, when nothing is said. */
static enum err_code threads_set(const struct engine *engine, struct engine_config *config,
                                 struct err *e)
{
    bool is_loops = engine->threads == ENGINE_THREADS_LOOPS;

    if (engine->threads == ENGINE_THREADS_PER_CONNECTION) {
        config->listen_count = 1;
        return config->thread_count == 0
                   ? ERR_OK
                   : err_set(e, ERR_USAGE, "--threads: %s has one thread a connection",
                             engine->name);
    }
    if (config->thread_count > engine_threads_max(engine)) {
        return err_set(e, ERR_USAGE, "--threads: %s has at most %" PRIu32, engine->name,
                       engine_threads_max(engine));
    }
    if (config->thread_count == 0) {
        config->thread_count = engine->threads_default ? engine->threads_default : cpus_count();
    }
    config->listen_count = is_loops ? config->thread_count : 1;
    return ERR_OK;
}

static enum err_code engine_serve(const struct engine *engine,
                                  const struct engine_settings *settings, struct err *e)
{
    int listen_fds[COUNTERS_SLOT_COUNT];
    struct net_address address;
    char address_text[NET_TEXT_BYTES];
    _Atomic uint32_t open_count = 0;
    struct engine_config config = {
        .listen_fds = listen_fds,
        .thread_count = (uint32_t)settings->thread_count,
        .extra_work_percent = (uint32_t)settings->extra_work_percent,
        .connections_max = (uint32_t)settings->connections_max,
        .queue_count = (uint32_t)settings->queue_count,
        .idle_seconds = (uint32_t)settings->idle_seconds,
        .head_seconds = (uint32_t)settings->head_seconds,
        .body_bytes_per_s = (uint32_t)settings->body_bytes_per_s,
        .open_count = &open_count,
    };

    if (config.extra_work_percent && strcmp(engine->name, "limit") == 0) {
        return err_set(e, ERR_USAGE, "--extra-work: limit does no work of its own");
    }
    if (threads_set(engine, &config, e) != ERR_OK) {
        return ERR_USAGE;
    }
    enum err_code code = counters_open((int)settings->counters_fd, &config.counters, e);
    if (code == ERR_OK) {
        code = stop_open(&config.stop_fd, e);
    }
    if (code == ERR_OK) {
        code = listeners_open(settings, config.listen_count, listen_fds, &address, e);
    }
    if (code != ERR_OK) {
        return code;
    }
    net_format(&address, address_text);
    /* Nobody may be reading; the server serves all the same. */
    printf("listening %s\n", address_text);
    fflush(stdout);
    code = engine->run(&config, e);
    net_remove(&address);
    return code;
}

int main(int argc, char **argv)
{
    struct engine_settings settings = engine_settings_usual;
    const char *name;
    int name_count = 0;
    bool help = false;
    struct err e = {0};

    if (argc > 1 && strcmp(argv[1], KEEPER_OPTION) == 0) {
        return keeper_run(argc - 2, argv + 2);
    }
    standard_descriptors_open();
    if (options_parse(&engine_options, argc, argv, &settings, &name, &name_count, &help, &e) !=
        ERR_OK) {
        return status_print(&e);
    }
    if (help) {
        options_print_help(&engine_options, stdout);
        return STATUS_OK;
    }
    if (settings.shows_version) {
        printf("tacho-engine %s\n", ENGINE_VERSION);
        return STATUS_OK;
    }
    if (settings.lists) {
        return engines_list();
    }
    if (settings.checks_allocator) {
        return allocator_print();
    }
    if (name_count == 0) {
        err_set(&e, ERR_USAGE, "which server? See tacho-engine --list");
        return status_print(&e);
    }
    const struct engine *engine = engine_find(name);
    if (!engine) {
        err_set(&e, ERR_USAGE, "there is no server \"%.40s\"; see tacho-engine --list", name);
        return status_print(&e);
    }
    if (engine_probe(engine, &e) != ERR_OK) {
        status_print(&e);
        return STATUS_UNFIT;
    }
    descriptors_raise();
    app_init((uint64_t)settings.seed);
    return engine_serve(engine, &settings, &e) == ERR_OK ? STATUS_OK : status_print(&e);
}
