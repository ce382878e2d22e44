#!/bin/bash
# Runs fuzzers of build/asan for a while, each over its corpus, as many at once as there are CPUs: ci/fuzz.sh SECONDS
# [NAME...]; without a name all. A crash's input stays in build/asan/fuzz_NAME.crash-…; new inputs that reach more code
# are not kept.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=$1
names=("${@:2}")
[[ $seconds =~ ^[0-9]+$ ]] || { echo "fuzz: \"$seconds\" is no number of seconds" >&2; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=()

fuzz() { # NAME: its log is $scratch/NAME.log, its status $scratch/NAME.status
    mkdir "$scratch/$1"
    local status=0
    "build/asan/fuzz_$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 \
        -artifact_prefix="build/asan/fuzz_$1." "$scratch/$1" "tests/fuzz/corpus/$1" >"$scratch/$1.log" 2>&1 || status=$?
    echo "$status" >"$scratch/$1.status"
}

if [[ ${#names[@]} == 0 ]]; then
    for source in tests/fuzz/fuzz_*.c; do
        name=$(basename "$source" .c)
        names+=("${name#fuzz_}")
    done
fi
for name in "${names[@]}"; do
    [[ -e tests/fuzz/fuzz_$name.c ]] || { echo "fuzz: there is no tests/fuzz/fuzz_$name.c" >&2; exit 2; }
    [[ -d tests/fuzz/corpus/$name ]] || { echo "fuzz: $name has no corpus tests/fuzz/corpus/$name" >&2; exit 1; }
done
for name in "${names[@]}"; do
    while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n || true; done
    fuzz "$name" &
done
wait
for name in "${names[@]}"; do
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$scratch/$name.log")
    status=$(cat "$scratch/$name.status")
    echo "fuzz: $name: ${executions:-?} inputs in $seconds s, status $status"
    if [[ $status != 0 ]]; then
        tail -n 40 "$scratch/$name.log" >&2
        failed+=("$name")
    fi
done
[[ ${#failed[@]} == 0 ]] || { echo "fuzz: failed: ${failed[*]}" >&2; exit 1; }
