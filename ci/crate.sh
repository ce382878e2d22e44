#!/bin/bash
# The RO-Crate metadata of a bundle, judged by other people's programs: the npm packages ro-crate and jsonld, in a
# temporary folder. The check itself is offline. Skips, with the reason, where npm or its registry cannot be had.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$PWD/${TACHO_BUILD:-build/release}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for program in npm node sqlite3; do
    command -v "$program" >/dev/null || { echo "crate: skipped: there is no $program"; exit 0; }
done
npm install --prefix "$scratch" --no-audit --no-fund --ignore-scripts ro-crate@3.7.2 jsonld@9 >"$scratch/npm.log" 2>&1 ||
    { echo "crate: skipped: npm cannot install: $(tail -n 1 "$scratch/npm.log")"; exit 0; }
sqlite3 "$scratch/demo.db" <datasets/runs/demo.sql
"$build/tacho" bundle "$scratch/demo.db" -o "$scratch/bundle" >/dev/null
tar -xf "$scratch"/bundle/*.tar -C "$scratch/bundle"
node ci/crate.js "$scratch/node_modules" "$scratch"/bundle/*/data
