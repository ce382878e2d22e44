#!/bin/bash
# Reports of recorded runs, opened in Chromium: page.js says what is asked of them. Screenshots, to be looked at, and the
# printed pages stay in build/browser. Skips, with the reason, where there is no Chromium or no node.
# BROWSER_RUNS: which of datasets/runs (example demo crashed unfit single wide).
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${TACHO_BUILD:-build/release}
chromium=$(command -v chromium || command -v chromium-browser || true)
[[ $chromium ]] || { echo "browser: skipped: there is no chromium"; exit 0; }
command -v node >/dev/null || { echo "browser: skipped: there is no node"; exit 0; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p build/browser
pages=()
for name in ${BROWSER_RUNS:-example demo crashed unfit single wide}; do
    sqlite3 "$scratch/$name.db" <"datasets/runs/$name.sql"
    "$build/tacho" report "$scratch/$name.db" -o "$scratch/$name" --format plots,html >/dev/null || (($? == 1)) # 1: a claim is refuted
    pages+=("$name=$scratch/$name/report.html")
done
node tests/browser/page.js "$chromium" build/browser "${pages[@]}"
