#!/bin/bash
# Runs every fuzzer of build/fuzz for a while over its corpus: ci/fuzz.sh SECONDS. A crash's input stays in
# build/fuzz/NAME.crash-…; new inputs that reach more code are not kept.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=$1
[[ $seconds =~ ^[0-9]+$ ]] || { echo "fuzz: \"$seconds\" is no number of seconds" >&2; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=()
for source in tests/fuzz/fuzz_*.c; do
    [[ -e $source ]] || { echo "fuzz: no fuzzers"; exit 0; }
    name=$(basename "$source" .c)
    corpus=tests/fuzz/corpus/${name#fuzz_}
    [[ -d $corpus ]] || { echo "fuzz: $name has no corpus $corpus" >&2; failed+=("$name"); continue; }
    mkdir "$scratch/$name"
    status=0
    "build/fuzz/$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 \
        -artifact_prefix="build/fuzz/$name." "$scratch/$name" "$corpus" >"$scratch/log" 2>&1 || status=$?
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$scratch/log")
    echo "fuzz: $name: ${executions:-?} inputs in $seconds s, status $status"
    if [[ $status != 0 ]]; then
        tail -n 40 "$scratch/log" >&2
        failed+=("$name")
    fi
done
[[ ${#failed[@]} == 0 ]] || { echo "fuzz: failed: ${failed[*]}" >&2; exit 1; }
