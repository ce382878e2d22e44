#!/bin/bash
# The load driver, over epoll and over io_uring, against wrk, h2load and ab on the servers epoll and uring, in turn:
# A B C D E A B C D E …; median ratios to wrk and their ranges. For short answers also clients that do nothing but receive
# and send, over epoll and over io_uring (ufloor), below which no driver can go, what ours is beside them, and ours without
# its series of 500 ms. Each tool has one client thread; each row tells how full both CPUs were: with the server's full no
# driver has a higher rate, and the ratios say as much of the server and of what a system call costs here as of the drivers.
# First wrk and ours over https against nginx, where it is installed; last the open loop: at 20,000/s, and over a stall of
# the server. Server on CPU 0, client on CPU 1, one thread each.
# ROUNDS (5), SECONDS_EACH (3), SPIN_US (50), CASES ("64:/ping 1000:/ping 8000:/ping 16:/bytes/1048576") and HTTPS_CASES
# ("64:/ping 1000:/ping") may be set; ONLY=https ends after its rows.
set -euo pipefail
# shellcheck source=tests/support/bench.bash
source tests/support/bench.bash
build=${TACHO_BUILD:-build/release}
rounds=${ROUNDS:-5} seconds=${SECONDS_EACH:-3} spin=${SPIN_US:-50}
cases=${CASES:-64:/ping 1000:/ping 8000:/ping 16:/bytes/1048576}
command -v wrk >/dev/null || { echo "driver: skipped, wrk is not installed"; exit 0; }
(($(nproc) >= 2)) || { echo "driver: skipped, needs two CPUs"; exit 0; }
ulimit -n "$(ulimit -Hn)"
folder=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill -CONT $server; [[ -z $server ]] || kill $server; rm -rf "$folder"' EXIT

server_start() { # ENGINE: instead of the one that runs
    [[ -z $server ]] || kill "$server"
    : >"$folder/listening"
    taskset -c 0 "$build/tacho-engine" "$1" --threads 1 >"$folder/listening" 2>"$folder/refusal" &
    server=$!
    for _ in $(seq 100); do
        [[ -s $folder/listening || -s $folder/refusal ]] && break
        sleep 0.05
    done
    port=$(sed 's/.*://' "$folder/listening")
    [[ -n $port ]] || { server=; echo "driver: no rows of the server $1: $(cat "$folder/refusal")"; return 1; }
}
server_ticks() { awk '{sub(/.*\) /, ""); print $12 + $13}' "/proc/$server/stat"; } # CPU time so far, in 1/CLK_TCK s
client() { # PROGRAM ARGUMENT...: on the client's CPU; its output and what it used go to files
    taskset -c 1 "$build/bench-usage" "$@" >"$folder/out" 2>"$folder/usage" || true
}
numbers() { # AWK PROGRAM that sets rate and count (of the output): prints requests/s, CPU us a request, peak memory in MiB
    read -r _ memory cpu < <(tail -1 "$folder/usage")
    awk -v memory="$memory" -v cpu="$cpu" "$1"' END {printf "%.1f %.3f %.2f\n", rate, count ? cpu * 1e6 / count : 0, memory}' "$folder/out"
}
# shellcheck disable=SC2016
run_wrk() { # CONNECTIONS PATH
    client wrk -t1 "-c$1" "-d${seconds}s" "$scheme://127.0.0.1:$port$2"
    numbers '/requests in/ {count = $1} /^Requests\/sec/ {rate = $2}'
}
# shellcheck disable=SC2016
run_h2load() {
    client h2load --h1 -t1 "-c$1" "-D$seconds" "http://127.0.0.1:$port$2"
    numbers '/^finished in/ {rate = $4} /^requests:/ {count = $8}'
}
# shellcheck disable=SC2016
run_ab() {
    client ab -k -q "-t$seconds" -n 100000000 "-c$1" "http://127.0.0.1:$port$2"
    numbers '/^Complete requests/ {count = $3} /^Requests per second/ {rate = $4}'
}
run_ours() { # [CONNECTIONS PATH [IO [whole]]] its CPU time is of the window, without polls that found nothing
    local way=${3:-epoll}
    [[ $scheme == http ]] || way=$scheme
    client "$build/bench-drive" "$port" "$1" 1 "$seconds" "$2" "$spin" "$way" "${4-}"
    read -r _ memory _ < <(tail -1 "$folder/usage")
    awk -v memory="$memory" '/^req\/s/ {print $2, $4, memory}' "$folder/out"
}
run_floor() { # CONNECTIONS PATH [IO]: receiving and sending alone; nothing where there is no io_uring
    client "$build/bench-floor" "$port" "$1" "$seconds" "$2" "${3:-epoll}"
    read -r _ memory _ < <(tail -1 "$folder/usage")
    [[ ! -s $folder/out ]] || echo "$(<"$folder/out") $memory"
}
run_ufloor() {
    run_floor "$1" "$2" uring
}
run_uring() { # ours over io_uring
    run_ours "$1" "$2" uring
}
run_whole() { # ours over epoll without the series
    run_ours "$1" "$2" epoll whole
}
spread() { # of the numbers given, one a line: median [smallest largest]
    sort -n | awk '$1 == "n/a" {unknown = 1} {v[NR] = $1}
        END {if (unknown) printf "n/a (wrk got no answer)"; else printf "%.3f [%.3f %.3f]", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2, v[1], v[NR]}'
}
column() { # TOOL COLUMN: of the rounds
    awk -v tool="$1" -v column="$2" '$1 == tool {print $column}' "$folder/rounds"
}
case_show() { # of one case: a row a tool
    local tool
    for tool in "${tools[@]}"; do
        grep -q "^$tool " "$folder/rounds" || continue
        printf '%-8s %12s req/s, ratio %s; %8s us a request, ratio %s; %s MiB; server %s us; %s\n' "$tool" \
            "$(column "$tool" 2 | spread | sed 's/\..*//')" "$(column "$tool" 5 | spread)" \
            "$(column "$tool" 3 | spread | sed 's/ .*//')" "$(column "$tool" 6 | spread)" "$(column "$tool" 4 | spread | sed 's/ .*//')" \
            "$(column "$tool" 7 | spread | sed 's/ .*//')" "$(bound "$tool")"
    done
    beside_show ours whole 'the series of 500 ms: req/s with by without'
    beside_show ours floor 'ours by its floor: req/s'
    beside_show uring ufloor 'ours over io_uring by its floor: req/s'
}
bound() { # TOOL: whose CPU was full; the time that ours spins is not counted as full
    awk -v server="$(column "$1" 8 | median)" -v client="$(column "$1" 9 | median)" 'BEGIN {
        if (server >= 95) full = client >= 95 ? "both full" : "the server full"
        else full = client >= 95 ? "the client full" : "neither full"
        printf "CPU of the server %.0f %%, of the client %.0f %%: %s", server, client, full}'
}
beside_show() { # TOOL OTHER TEXT: of each round, the one by the other
    local column
    grep -q "^$2 " "$folder/rounds" || return 0
    for column in 2 3; do
        awk -v tool="$1" -v other="$2" -v column="$column" '{v[$1] = $column}
            $1 == tool || $1 == other {seen[$1] = 1}
            seen[tool] && seen[other] {if (v[other] > 0) printf "%.4f\n", v[tool] / v[other]; delete seen}' "$folder/rounds" |
            spread >"$folder/beside.$column"
    done
    echo "         $3 $(<"$folder/beside.2"), us a request $(<"$folder/beside.3")"
}
tools=(wrk floor ours whole ufloor uring)
for tool in h2load ab; do
    if command -v "$tool" >/dev/null; then tools+=("$tool"); else echo "driver: no rows of $tool, it is not installed"; fi
done
cases_measure() { # ENGINE, which runs
    local case connections path tool rate cpu memory wrk_rate=0 wrk_cpu=0 idle ticks
    read -r _ _ idle < <(run_ours 1 /ping)
    for case in $cases; do
        connections=${case%%:*} path=${case#*:}
        if ((connections + 64 > $(ulimit -n))); then
            echo "driver: $connections connections skipped, the limit of open files is $(ulimit -n)"
            continue
        fi
        echo "driver: server $1, $connections connections, GET $path, $rounds rounds of $seconds s: median, ratio to wrk [range]"
        for _ in $(seq "$rounds"); do
            for tool in "${tools[@]}"; do
                # Its answers come in one piece; one histogram or many is nothing beside long bodies.
                [[ ! $tool =~ ^(u?floor|whole)$ || $path == /ping ]] || continue
                ticks=$(server_ticks)
                read -r rate cpu memory < <("run_$tool" "$connections" "$path") || continue
                [[ $tool == wrk ]] && wrk_rate=$rate wrk_cpu=$cpu
                awk -v tool="$tool" -v rate="$rate" -v cpu="$cpu" -v memory="$memory" -v wrk_rate="$wrk_rate" -v wrk_cpu="$wrk_cpu" \
                    -v server_us="$((($(server_ticks) - ticks) * 1000000 / $(getconf CLK_TCK)))" -v seconds="$seconds" \
                    'BEGIN {print tool, rate, cpu, memory, (wrk_rate ? rate / wrk_rate : "n/a"), (wrk_cpu ? cpu / wrk_cpu : "n/a"),
                        (rate ? server_us / (rate * seconds) : 0), server_us / seconds / 1e4, rate * cpu / 1e4}'
            done
        done >"$folder/rounds"
        case_show
        ((connections < 1000)) || column ours 4 | sort -n | awk -v idle="$idle" -v connections="$connections" \
            '{v[NR] = $1} END {printf "         ours above its idle %.2f MiB: %.0f B a connection\n", idle, (v[int((NR + 1) / 2)] - idle) * 1048576 / connections}'
    done
}
nginx_start() { # over https, with a certificate of its own; status 1: it cannot be had
    local program
    if ! program=$(PATH=$PATH:/usr/sbin command -v nginx) || ! command -v openssl >/dev/null; then
        echo "driver: no rows of https, nginx or openssl is not installed"
        return 1
    fi
    port=$(port_free)
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=tacho \
        -keyout "$folder/key.pem" -out "$folder/cert.pem" 2>/dev/null
    cat >"$folder/nginx.conf" <<CONF
daemon off; master_process off; pid $folder/nginx.pid; error_log $folder/nginx.err crit;
events { worker_connections 16384; multi_accept on; }
http {
    access_log off; keepalive_requests 1000000000; client_body_temp_path $folder;
    proxy_temp_path $folder; fastcgi_temp_path $folder; uwsgi_temp_path $folder; scgi_temp_path $folder;
    server {
        listen 127.0.0.1:$port ssl backlog=4096; ssl_certificate $folder/cert.pem; ssl_certificate_key $folder/key.pem;
        default_type text/plain; location / { return 200 pong; }
    }
}
CONF
    taskset -c 0 "$program" -e "$folder/nginx.err" -p "$folder" -c "$folder/nginx.conf" 2>"$folder/nginx.out" &
    server=$!
    for _ in $(seq 100); do
        (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null && return
        sleep 0.05
    done
    echo "driver: no rows of https, nginx does not start: $(cat "$folder/nginx.err" "$folder/nginx.out")"
    return 1
}
https_measure() {
    local scheme=https tools=(wrk ours) cases=${HTTPS_CASES:-64:/ping 1000:/ping}
    cases_measure 'nginx over https'
}
scheme=http
echo "driver: a system call that does nothing takes $(taskset -c 1 "$build/bench-floor") ns on the client's CPU; $rounds rounds of $seconds s for each tool"
if nginx_start; then https_measure; fi
[[ ${ONLY-} != https ]] || exit 0
for engine in uring epoll; do
    server_start "$engine" && cases_measure "$engine"
done
connections=64
number() { json_number "$@" <"$folder/json"; } # OBJECT KEY
drive() { # the open loop of `tacho drive` on the client's CPU
    taskset -c 1 "$build/tacho" drive --json -t1 --spin "${spin}us" "$@" "http://127.0.0.1:$port/ping" >"$folder/json"
}
echo "driver: open loop, 20000/s, $connections connections: sent of what was due (>= 0.999), response p50 - service p50 (<= 20 us), lag p99"
for _ in $(seq "$rounds"); do
    drive -R 20000 "-c$connections" "-d${seconds}s"
    awk -v sent="$(number window achieved_ratio)" -v response="$(number latency p50_ns)" \
        -v service="$(number service p50_ns)" -v lag="$(number lag p99_ns)" \
        'BEGIN {printf "%8.4f %8.1f us %8.1f us\n", sent, (response - service) / 1e3, lag / 1e3}'
done
# All of 2000/s that is due while the server stands still for 1 s waits, evenly from 1 s to 0: p90 of 6 s is 1 - 6 * 0.1 s.
echo "driver: a stall of 1 s in 6 s at 2000/s: p90 (0.4 s within 5 %), maximum (1.00 to 1.15 s)"
for _ in $(seq "$rounds"); do
    drive -R 2000 -c16 -d6s &
    driving=$!
    sleep 2
    kill -STOP "$server"
    sleep 1
    kill -CONT "$server"
    wait "$driving"
    awk -v p90="$(number latency p90_ns)" -v max="$(number latency max_ns)" \
        'BEGIN {printf "%8.3f s %8.3f s\n", p90 / 1e9, max / 1e9}'
done
