#!/bin/bash
# The load driver against wrk on one server, in turn: A B A B …; prints each round and the median ratios.
# Then the open loop: at 20,000/s, and over a stall of the server. Server on CPU 0, client on CPU 1.
# ROUNDS (5), SECONDS_EACH (3), CONNECTIONS (64), SPIN_US (50) may be set.
set -euo pipefail
# shellcheck source=tests/support/bench.bash
source tests/support/bench.bash
build=${TACHO_BUILD:-build/release}
rounds=${ROUNDS:-5} seconds=${SECONDS_EACH:-3} connections=${CONNECTIONS:-64} spin=${SPIN_US:-50}
command -v wrk >/dev/null || { echo "driver: skipped, wrk is not installed"; exit 0; }
(($(nproc) >= 2)) || { echo "driver: skipped, needs two CPUs"; exit 0; }
folder=$(mktemp -d)
taskset -c 0 "$build/tacho-engine" epoll --threads 1 >"$folder/listening" &
server=$!
trap 'kill -CONT $server; kill $server; rm -rf "$folder"' EXIT
for _ in $(seq 100); do [[ -s $folder/listening ]] && break; sleep 0.05; done
port=$(sed 's/.*://' "$folder/listening")

wrk_round() { # req/s and CPU µs per request of wrk
    local times
    times=$({ TIMEFORMAT='%U %S'; time taskset -c 1 wrk -t1 "-c$connections" "-d${seconds}s" \
        "http://127.0.0.1:$port/ping" >"$folder/wrk" 2>/dev/null; } 2>&1)
    awk -v times="$times" '/requests in/ {n = $1} /Requests\/sec/ {rate = $2}
        END {split(times, t, " "); printf "%s %.3f\n", rate, (t[1] + t[2]) * 1e6 / n}' "$folder/wrk"
}
driver_round() { # the same of ours
    taskset -c 1 "$build/bench-drive" "$port" "$connections" 1 "$seconds" /ping "$spin" |
        awk '/^req\/s/ {print $2, $4}'
}
echo "driver: $connections connections, $seconds s each; wrk req/s, wrk us/req, ours req/s, ours us/req, ratios"
for _ in $(seq "$rounds"); do
    read -r wrk_rate wrk_cpu < <(wrk_round)
    read -r our_rate our_cpu < <(driver_round)
    awk -v a="$wrk_rate" -v b="$wrk_cpu" -v c="$our_rate" -v d="$our_cpu" \
        'BEGIN {printf "%8.0f %6.2f %8.0f %6.2f  %.3f %.3f\n", a, b, c, d, c / a, d / b}'
done | tee "$folder/rounds"
echo "driver: median req/s ratio $(awk '{print $5}' "$folder/rounds" | median), CPU per request ratio $(awk '{print $6}' "$folder/rounds" | median)"

number() { json_number "$@" <"$folder/json"; }
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
