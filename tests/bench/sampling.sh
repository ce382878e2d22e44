#!/bin/bash
# What sampling costs: CPU time of a reading for servers of 1 to 600 threads; the rate with and without it, in turn, at
# full load; how late the readings are, the second time beside a busy process. Server on CPU 0, driver on CPU 1.
# ROUNDS (10), SECONDS_EACH (4), CONNECTIONS (64) may be set. Wants a quiet machine.
set -euo pipefail
build=${TACHO_BUILD:-build/release}
rounds=${ROUNDS:-10} seconds=${SECONDS_EACH:-4} connections=${CONNECTIONS:-64}
echo "sampling: at most 0.2 % of a CPU for one process, 1 % for 600 threads"
"$build/bench-sampling" cost
(($(nproc) >= 2)) || { echo "sampling: rounds skipped, they need two CPUs"; exit 0; }
folder=$(mktemp -d)
busy=
taskset -c 0 "$build/tacho-engine" epoll --threads 1 >"$folder/listening" &
server=$!
trap 'kill $server $busy; rm -rf "$folder"' EXIT
for _ in $(seq 100); do [[ -s $folder/listening ]] && break; sleep 0.05; done
port=$(sed 's/.*://' "$folder/listening")
echo "sampling: $rounds rounds of $seconds s, $connections connections; the interval should hold 1, 99 % be within 2 ms, none be missing"
"$build/bench-sampling" rounds "$server" "$port" "$connections" "$seconds" "$rounds"
echo "sampling: the same beside a process that keeps a CPU busy"
bash -c 'while :; do :; done' &
busy=$!
"$build/bench-sampling" rounds "$server" "$port" "$connections" "$seconds" "$rounds"
