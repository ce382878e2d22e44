#!/bin/bash
# Adding an engine touches one file and one line: adds one to a copy of the sources, builds it and asks it.
set -euo pipefail
cd "$(dirname "$0")/.."
copy=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null; rm -rf "$copy"' EXIT
cp -r engines Makefile ci "$copy"
cd "$copy"

echo 'ENGINE(toy)' >>engines/engines.def
cat >engines/toy.c <<'C'
// One client after the other.
#include <poll.h>
#include <sys/socket.h>

#include "engines/acceptor.h"
#include "engines/blocking_conn.h"

static enum err_code toy_run(const struct engine_config *config, struct err *e)
{
    struct acceptor acceptor;
    struct pollfd events[2] = {{.fd = config->stop_fd, .events = POLLIN}, {.fd = config->listen_fds[0], .events = POLLIN}};
    enum err_code code = acceptor_init(&acceptor, -1, config, 0, 0, e);

    while (code == ERR_OK && poll(events, 2, -1) > 0 && !events[0].revents) {
        struct extra_work none = {0};
        int fd = acceptor_accept(&acceptor);
        struct blocking_conn *conn = fd < 0 ? NULL : blocking_conn_open(config, fd, &config->counters->slots[0], 1000);

        if (conn) {
            blocking_conn_serve(conn, &none, NULL, NULL);
            blocking_conn_close(conn);
        }
    }
    acceptor_release(&acceptor);
    return code;
}

const struct engine engine_toy = {
    .name = "toy", .summary = "one client after the other", .threads = ENGINE_THREADS_PER_CONNECTION, .run = toy_run};
C
make -s MODE=debug V=1 build/debug/tacho-engine >/dev/null
build/debug/tacho-engine --list | grep '^toy ' >/dev/null || { echo "check-engine: --list does not name it" >&2; exit 1; }
build/debug/tacho-engine toy >"$copy/listening" &
server=$!
for _ in $(seq 100); do [[ -s $copy/listening ]] && break; sleep 0.05; done
exec 3<>"/dev/tcp/127.0.0.1/$(sed 's/.*://' "$copy/listening")"
printf 'GET /ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n' >&3
[[ $(cat <&3) == *$'\r\n\r\npong' ]] || { echo "check-engine: no pong" >&2; exit 1; }
exec 3>&-
kill "$server"
wait "$server" || { echo "check-engine: it ended with status $?" >&2; exit 1; }
server=
echo 'check-engine: ok'
