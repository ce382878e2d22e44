#!/bin/bash
# Command lines against stored output: run.sh [--update] [CASE...]. A case is NAME.sh, run by bash in an empty folder
# with tacho and tacho-engine of TACHO_BUILD first in PATH; $REPOSITORY names the root. Its status, standard output and
# standard error, after normalise.sed, must be NAME.want. --update writes NAME.want; read the diff before committing it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
REPOSITORY=$(cd "$here/../.." && pwd)
build=$(cd "${TACHO_BUILD:-$REPOSITORY/build/release}" && pwd)
export REPOSITORY PATH=$build:$PATH LC_ALL=C TZ=UTC
update=
[[ ${1:-} == --update ]] && { update=1; shift; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

run_case() { # NAME: prints what the case gave
    local status=0 folder=$scratch/$1.d
    mkdir "$folder"
    (cd "$folder" && timeout 120 bash "$here/$1.sh" </dev/null >"$scratch/out" 2>"$scratch/err") || status=$?
    echo "status $status"
    local stream
    for stream in out err; do
        echo "--- std$stream"
        sed -E -f "$here/normalise.sed" "$scratch/$stream"
    done
}

if [[ $# == 0 ]]; then
    for file in "$here"/*.sh; do
        name=$(basename "$file" .sh)
        [[ $name == run ]] || set -- "$@" "$name"
    done
fi
passed=0 failed=0
for name; do
    run_case "$name" >"$scratch/got"
    if [[ $update ]]; then
        cp "$scratch/got" "$here/$name.want"
        passed=$((passed + 1))
    elif [[ -f $here/$name.want ]] && diff -u --label "$name.want" --label "$name as it is now" "$here/$name.want" "$scratch/got"; then
        passed=$((passed + 1))
    else
        [[ -f $here/$name.want ]] || echo "golden: $name has no $name.want (make golden-update)" >&2
        echo "golden: FAILED $name" >&2
        failed=$((failed + 1))
    fi
done
for want in "$here"/*.want; do # a stored output that no case gives would never be looked at
    grep -q '^status ' "$want" || continue
    [[ -f ${want%.want}.sh ]] || { echo "golden: $(basename "$want") has no case" >&2; failed=$((failed + 1)); }
done
echo "golden: $passed passed, $failed failed"
[[ $failed == 0 ]]
