#!/bin/bash
# Builds the committed files and what is changed once more, in a folder with a space in its name: the programs of B must
# come out, byte by byte. check-repro.sh MAKE; variables that were given to make hold for the copy as well.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
copy="$scratch/another place"
mkdir "$copy"
git ls-files -z --cached --others --exclude-standard | tar --null -T - -c 2>/dev/null | tar -x -C "$copy"
[[ ! -e config.mk ]] || cp config.mk "$copy"
env GIT_CEILING_DIRECTORIES="$scratch" "$1" -s -C "$copy" "B=$B" "GIT_COMMIT=$GIT_COMMIT" all >/dev/null
for program in tacho tacho-engine; do
    cmp "$B/$program" "$copy/$B/$program" || { echo "check-repro: another folder gave another $program" >&2; exit 1; }
done
echo "check-repro: ok"
