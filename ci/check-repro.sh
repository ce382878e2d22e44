#!/bin/bash
# Builds the committed files and what is changed in two folders, one of them with a space in its name: the same bytes must
# come out.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
build_in() { # FOLDER JOBS: prints the hashes
    mkdir -p "$1"
    git ls-files -z --cached --others --exclude-standard | tar --null -T - -c 2>/dev/null | tar -x -C "$1"
    env -u MAKEFLAGS -u MAKELEVEL GIT_CEILING_DIRECTORIES="$1/.." make -s -C "$1" -j"$2" all >/dev/null
    (cd "$1/build/release" && sha256sum tacho tacho-engine)
}
first=$(build_in "$scratch/one" 2)
second=$(build_in "$scratch/another place" 2)
if [[ $first != "$second" ]]; then
    printf 'check-repro: two folders gave other bytes:\n%s\n%s\n' "$first" "$second" >&2
    exit 1
fi
echo "check-repro: ok"
