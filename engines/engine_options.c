// SPDX-License-Identifier: Apache-2.0
// Options of tacho-engine, and whether words are some of them.
#include "engines/engine_options.h"

#include "engines/app/routes.h"
#include "engines/base/net.h"
#include "engines/engine.h"
#include "engines/extra_work.h"

const struct engine_settings engine_settings_usual = {
    .address = "127.0.0.1",
    .backlog = NET_BACKLOG_DEFAULT,
    .seed = APP_SEED_DEFAULT,
    .counters_fd = -1,
    .queue_count = ENGINE_QUEUE_COUNT,
    .idle_seconds = ENGINE_IDLE_SECONDS,
    .head_seconds = ENGINE_HEAD_SECONDS,
    .body_bytes_per_s = ENGINE_BODY_BYTES_PER_S,
};

static const struct option_row option_rows[] = {
    {"port", 'p', OPTION_COUNT, offsetof(struct engine_settings, port), "N",
     "port to listen on; 0, the default: any free one", 0, 65535},
    {"address", 'a', OPTION_TEXT, offsetof(struct engine_settings, address), "A",
     "IPv4 or IPv6 address, or unix:PATH, to listen on (default 127.0.0.1)", 0, 0},
    {"threads", 't', OPTION_COUNT, offsetof(struct engine_settings, thread_count), "N",
     "event loops, or workers of pools and reactor; not for blocking", 1, ENGINE_WORKERS_MAX},
    {"backlog", 'b', OPTION_COUNT, offsetof(struct engine_settings, backlog), "N",
     "connections that may wait to be accepted (default 4096)", 1, 65535},
    {"max-connections", 'm', OPTION_COUNT, offsetof(struct engine_settings, connections_max), "N",
     "more are answered 503 and closed; 0, the default: no limit of its own", 0, 1 << 30},
    {"queue", 'q', OPTION_COUNT, offsetof(struct engine_settings, queue_count), "N",
     "what may wait for a worker, of pools and reactor (default 4096)", 1, 1 << 30},
    {"idle-timeout", 0, OPTION_COUNT, offsetof(struct engine_settings, idle_seconds), "N",
     "seconds without bytes after which a connection is closed (default 60)", 1, 3600},
    {"head-timeout", 0, OPTION_COUNT, offsetof(struct engine_settings, head_seconds), "N",
     "seconds that the head of a request may take, else 408 (default 10)", 1, 3600},
    {"body-rate", 0, OPTION_COUNT, offsetof(struct engine_settings, body_bytes_per_s), "N",
     "bytes per second that a body must bring over 5 s, else 408 (default 240); 0: any", 0,
     1 << 20},
    {"seed", 's', OPTION_COUNT, offsetof(struct engine_settings, seed), "N",
     "makes the order book of /book (default 1)", 0, INT64_MAX},
    {"counters-fd", 0, OPTION_COUNT, offsetof(struct engine_settings, counters_fd), "N",
     "descriptor of a counters page to write to (default: none)", 0, 1048576},
    {"extra-work", 0, OPTION_COUNT, offsetof(struct engine_settings, extra_work_percent), "PERCENT",
     "busy work beside its own, in percent of its own CPU time (default 0); not for limit", 0,
     EXTRA_WORK_PERCENT_MAX},
    {"list", 'l', OPTION_FLAG, offsetof(struct engine_settings, lists), NULL, "names the servers",
     0, 0},
    {"allocator-check", 0, OPTION_FLAG, offsetof(struct engine_settings, checks_allocator), NULL,
     "prints the allocator that is in this process's map of memory, and ends", 0, 0},
    {"version", 'V', OPTION_FLAG, offsetof(struct engine_settings, shows_version), NULL,
     "prints the version", 0, 0},
};

const struct option_table engine_options = {
    .program = "tacho-engine",
    .arguments = "NAME",
    .summary = "Runs one built-in HTTP server until SIGTERM or SIGINT.",
    .details =
        "Answers GET /, /ping, /book, /bytes/N, /delay/MS and /ação/ID, and POST /echo, /sink,\n"
        "/upload and /fat; --list names the servers. As \"tacho-engine --keep …\" it keeps a\n"
        "server that is not built in for tacho run, and ends all that this server started.",
    .rows = option_rows,
    .row_count = ARRAY_COUNT(option_rows),
    .positional_minimum = 0,
    .positional_maximum = 1,
};

enum err_code engine_options_check(size_t word_count, const char *const *words, struct err *e)
{
    char **argv = (char **)(uintptr_t)words; /* which are only read */
    struct engine_settings settings = engine_settings_usual;
    const char *name = NULL;
    int name_count = 0;
    bool helps = false;
    enum err_code code = options_parse(&engine_options, (int)word_count, argv, &settings, &name,
                                       &name_count, &helps, e);

    if (code == ERR_OK &&
        (helps || settings.lists || settings.shows_version || settings.checks_allocator)) {
        return err_set(e, ERR_USAGE,
                       "--help, --list, --version and --allocator-check print and serve nothing");
    }
    return code;
}
