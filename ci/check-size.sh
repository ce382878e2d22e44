#!/bin/bash
# Limits that keep a file readable: check-size.sh FILE... A file has at most 600 lines, a header 150; a function has at
# most 70 lines (clang-tidy says so as well, but not of the tests) and, without the tests, a complexity of at most 15
# (McCabe, a switch counts once).
set -euo pipefail
found=$(
    wc -l "$@" | awk '$2 != "total" {
        limit = $2 ~ /\.h$/ ? 150 : 600
        if ($1 > limit) printf "%s: %d lines, at most %d\n", $2, $1, limit
    }'
    sources=()
    for file; do [[ $file == *.c ]] && sources+=("$file"); done
    pmccabe "${sources[@]}" | awk -F'\t' '{
        own = $6 !~ /^tests\//
        if (own && $1 > 15) printf "%s: complexity %d, at most 15\n", $6, $1
        if ($5 > 70 && (own || $6 !~ /: Test$/)) printf "%s: a function of %d lines, at most 70\n", $6, $5
    }'
)
[[ -z $found ]] || { printf 'check-size: %s\n' "$found" >&2; exit 1; }
echo "check-size: ok ($# files)"
