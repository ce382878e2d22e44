#!/bin/bash
# What a request costs in each server: CPU time (user and system, of the process) for each request, and `limit`'s for the
# same beside it, in interleaved rounds; nginx and h2o in the same rounds where they are installed; then memory.
# Servers on CPU 0, driver on CPU 1. ROUNDS (5), SECONDS_EACH (2), CELLS, SERVERS may be set. Status 1: a target is missed.
set -euo pipefail
# shellcheck source=tests/support/bench.bash
source tests/support/bench.bash
build=${TACHO_BUILD:-build/release}
rounds=${ROUNDS:-5} seconds=${SECONDS_EACH:-2}
cells=${CELLS-ping64 ping512 pipelined close post64k}
servers=${SERVERS-limit epoll uring reactor blocking bare pool nginx h2o}
(($(nproc) >= 2)) || { echo "engines: skipped, needs two CPUs"; exit 0; }
ulimit -n "$(ulimit -Hn)"
folder=$(mktemp -d)
declare -A pids urls
trap 'kill "${pids[@]}" 2>/dev/null; wait; rm -rf "$folder"' EXIT
head -c 65536 /dev/zero >"$folder/64k"
missed=0

# --- servers ---

engine_start() { # NAME [OPTION...]
    local name=$1 words=("$build/tacho-engine" "$1")
    shift
    case $name in
    bare) words=("$build/bench-bare") ;; # the floor of a thread a connection: no server, answers pings alone
    blocking | pool) ;;
    *) words+=(--threads 1) ;;
    esac
    # A group of its own would be for job control; the pid is that of the engine, for taskset becomes it.
    taskset -c 0 "${words[@]}" "$@" >"$folder/$name" 2>"$folder/$name.err" &
    pids[$name]=$!
    for _ in $(seq 100); do
        [[ -s $folder/$name ]] && break
        kill -0 "${pids[$name]}" 2>/dev/null || { unset "pids[$name]"; return 1; }
        sleep 0.05
    done
    urls[$name]=http://$(sed 's/listening //' "$folder/$name")
}

foreign_wait() { # NAME PORT: until it answers
    urls[$1]=http://127.0.0.1:$2
    for _ in $(seq 100); do
        curl -sf --max-time 1 "${urls[$1]}/ping" >/dev/null && return
        sleep 0.05
    done
    cat "$folder/$1".* >&2
    kill "${pids[$1]}" 2>/dev/null || true
    unset "pids[$1]"
    return 1
}

nginx_start() {
    local port program
    program=$(PATH=$PATH:/usr/sbin command -v nginx) || return 1
    port=$(port_free)
    cat >"$folder/nginx.conf" <<CONF
daemon off; master_process off; pid $folder/nginx.pid; error_log $folder/nginx.err crit;
events { worker_connections 16384; multi_accept on; }
http {
    access_log off; keepalive_requests 1000000000; client_body_temp_path $folder; client_body_buffer_size 128k;
    proxy_temp_path $folder; fastcgi_temp_path $folder; uwsgi_temp_path $folder; scgi_temp_path $folder;
    server { listen 127.0.0.1:$port backlog=4096; default_type text/plain; location / { return 200 pong; } }
}
CONF
    taskset -c 0 "$program" -e "$folder/nginx.err" -p "$folder" -c "$folder/nginx.conf" 2>"$folder/nginx.out" &
    pids[nginx]=$!
    foreign_wait nginx "$port"
}

h2o_start() {
    local port
    command -v h2o >/dev/null || return 1
    port=$(port_free)
    mkdir "$folder/h2o-files"
    printf pong | tee "$folder/h2o-files/ping" >"$folder/h2o-files/sink"
    cat >"$folder/h2o.conf" <<CONF
num-threads: 1
max-connections: 16384
listen: { host: 127.0.0.1, port: $port }
hosts: { default: { paths: { /: { file.dir: $folder/h2o-files } } } }
CONF
    [[ $(id -u) != 0 ]] || echo "user: root" >>"$folder/h2o.conf"
    taskset -c 0 h2o -c "$folder/h2o.conf" >/dev/null 2>"$folder/h2o.err" &
    pids[h2o]=$!
    foreign_wait h2o "$port"
}

# --- a round ---

cpu_ticks() { # NAME: user and system time of the process, dead threads included (proc(5))
    sed 's/.*) //' "/proc/${pids[$1]}/stat" | awk '{print $12 + $13}'
}

drive() { # NAME CELL: prints CPU µs per request of the server
    local name=$1 before arguments=() path=/ping
    case $2 in
    ping64) arguments=(-c64) ;;
    ping512) arguments=(-c512) ;;
    pipelined) arguments=(-c64 --pipeline 16) ;;
    close) arguments=(-c64 --requests-per-connection 1) ;;
    post64k) arguments=(-c64 -b "$folder/64k") path=/sink ;;
    esac
    [[ $name != h2o || $2 != post64k ]] || arguments+=(--expect 405) # it reads the body, and serves files by GET alone
    before=$(cpu_ticks "$name")
    taskset -c 1 "$build/tacho" drive --json -t1 "-d${seconds}s" "${arguments[@]}" "${urls[$name]}$path" >"$folder/json" ||
        { echo "engines: tacho drive failed on $name" >&2; return 1; }
    awk -v ticks=$(($(cpu_ticks "$name") - before)) -v hertz="$(getconf CLK_TCK)" \
        -v count="$(json_number window started_count <"$folder/json")" 'BEGIN {printf "%.3f\n", ticks / hertz * 1e6 / count}'
}

cell_run() { # CELL: all servers in each round, each round in another order
    local round name
    for ((round = 0; round < rounds; round++)); do
        for name in $(shuf -e "${!pids[@]}"); do
            [[ $name != bare || $1 == ping* ]] || continue
            drive "$name" "$1" >>"$folder/$1.$name" || rm -f "$folder/$1.$name"
        done
    done
}

# --- what is wanted ---

target_of() { # CELL NAME: the least ratio to limit, or "of NAME RATIO" for one to another server
    case $1.$2 in
    ping*.epoll) echo "limit 0.90" ;;
    pipelined.epoll) echo "limit 0.85" ;;
    close.epoll | post64k.epoll) echo "limit 0.92" ;;
    *.uring) echo "epoll 1.00" ;;
    ping*.reactor | ping64.blocking) echo "limit 0.60" ;;
    ping*.blocking) echo "bare 0.85" ;; # with many threads it is their switching that costs
    ping*.pool) echo "blocking 0.95" ;;
    esac
}

ratio_of() { # CELL NAME OTHER: median over the rounds of OTHER's time by NAME's
    paste "$folder/$1.$3" "$folder/$1.$2" | awk '{print $1 / $2}' | median
}

judge() { # CELL NAME OTHER LEAST: tells, and counts what is missed
    local ratio word=ok
    [[ -s $folder/$1.$3 && -s $folder/$1.$2 ]] || return 0
    ratio=$(ratio_of "$1" "$2" "$3")
    awk -v ratio="$ratio" -v least="$4" 'BEGIN {exit !(ratio < least)}' && { word=MISSED; missed=$((missed + 1)); }
    printf '  %-10s %.3f of %s, wanted at least %s: %s\n' "$2" "$ratio" "$3" "$4" "$word"
}

cell_show() { # CELL
    local name target
    printf '%s: server, CPU us per request, ratio to limit (%d rounds)\n' "$1" "$rounds"
    for name in $servers; do
        [[ -s $folder/$1.$name ]] || continue
        printf '  %-10s %8.3f %7.3f\n' "$name" "$(median <"$folder/$1.$name")" "$(ratio_of "$1" "$name" limit)"
    done
    for name in $servers; do
        target=$(target_of "$1" "$name")
        # shellcheck disable=SC2086 # two words
        [[ -z $target ]] || judge "$1" "$name" $target
    done
    judge "$1" epoll nginx 1.00
    judge "$1" epoll h2o 1.00
}

# --- memory ---

rss_kib() { awk '/^VmRSS:/ {print $2}' "/proc/${pids[$1]}/status"; }

memory_show() { # NAME CONNECTIONS LEAST-KIB-EACH MOST-KIB: of a fresh server with idle connections that were answered once
    local before held word=ok driving
    engine_start "$1"
    curl -sf "${urls[$1]}/ping" >/dev/null
    before=$(rss_kib "$1")
    taskset -c 1 "$build/tacho" drive --json -t1 "-c$2" "-R$2" -d4s --connect-rate 3000 "${urls[$1]}/ping" >"$folder/json" &
    driving=$!
    for _ in $(seq 200); do # until all are there
        (($(find "/proc/${pids[$1]}/fd" | wc -l) < $2)) || break
        sleep 0.05
    done
    sleep 2.5 # of 4 s: each was asked more than once
    held=$(rss_kib "$1")
    wait "$driving" || true
    [[ $(json_number connections served <"$folder/json") == "$2" ]] || word="not all were served"
    awk -v grown=$((held - before)) -v count="$2" -v each="$3" -v held="$held" -v most="$4" \
        'BEGIN {exit !(grown / count > each || held >= most)}' && { word=MISSED; missed=$((missed + 1)); }
    awk -v name="$1" -v grown=$((held - before)) -v count="$2" -v each="$3" -v held="$held" -v most="$4" -v word="$word" \
        'BEGIN {printf "  %-10s %d connections: %.2f KiB each (at most %s), %.1f MiB in all (below %.0f): %s\n", name, count, grown / count, each, held / 1024, most / 1024, word}'
    kill "${pids[$1]}"
    wait "${pids[$1]}" || true
    unset "pids[$1]"
}

for name in $servers; do
    case $name in
    nginx | h2o) "${name}_start" || echo "engines: without $name, it is not installed or does not start" ;;
    *) engine_start "$name" || echo "engines: without $name: $(cat "$folder/$name.err")" ;;
    esac
done
echo "engines: $rounds rounds of $seconds s; $(uname -r); $(nginx -v 2>&1 | sed 's/.*: //'); $(h2o --version 2>/dev/null | head -n 1)"
for cell in $cells; do
    cell_run "$cell"
    cell_show "$cell"
done
kill "${pids[@]}"
wait
pids=()
echo "memory:"
memory_show epoll 6000 1 8192
memory_show blocking 512 20 1000000
((missed == 0)) || { echo "engines: $missed targets missed"; exit 1; }
echo "engines: all targets met"
