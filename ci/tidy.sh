#!/bin/bash
# clang-tidy on some files: tidy.sh FLAG... -- FILE... Prints findings alone, not the count of suppressed ones. The static
# analyzer visits at most TIDY_NODES states of a function.
set -uo pipefail
flags=()
while [[ $1 != -- ]]; do
    flags+=("$1")
    shift
done
shift
status=0
findings=$(clang-tidy --quiet --warnings-as-errors='*' "$@" \
    -- "${flags[@]}" -Xclang -analyzer-config -Xclang "max-nodes=${TIDY_NODES:-225000}" 2>/dev/null) || status=$?
[[ -z $findings ]] || printf '%s\n' "$findings"
exit "$status"
