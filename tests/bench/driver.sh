#!/bin/bash
# The load driver against wrk on one server, in turn: A B A B …; prints each round and the median ratios.
# Server on CPU 0, client on CPU 1. ROUNDS (5), SECONDS_EACH (3), CONNECTIONS (64), SPIN_US (50) may be set.
set -euo pipefail
build=${TACHO_BUILD:-build/release}
rounds=${ROUNDS:-5} seconds=${SECONDS_EACH:-3} connections=${CONNECTIONS:-64} spin=${SPIN_US:-50}
command -v wrk >/dev/null || { echo "driver: skipped, wrk is not installed"; exit 0; }
(($(nproc) >= 2)) || { echo "driver: skipped, needs two CPUs"; exit 0; }
folder=$(mktemp -d)
taskset -c 0 "$build/tacho-engine" epoll --threads 1 >"$folder/listening" &
server=$!
trap 'kill $server; rm -rf "$folder"' EXIT
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
median() { sort -n | awk '{v[NR] = $1} END {print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2}'; }
echo "driver: median req/s ratio $(awk '{print $5}' "$folder/rounds" | median), CPU per request ratio $(awk '{print $6}' "$folder/rounds" | median)"
