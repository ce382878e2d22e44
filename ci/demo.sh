#!/bin/bash
# The whole of it once: build, measure the built-in plan, report, bundle, verify. Each run has a folder of its own,
# demo/TIME/ (demo/latest points at the newest that verified), so nothing of an earlier run is touched.
# Arguments are options of tacho run.
# Status: 0 everything worked, whatever the numbers say; 1 a step failed; 3 the machine was refused or lacks packages.
set -euo pipefail
cd "$(dirname "$0")/.."

stage() { printf '\n== %s\n' "$*"; }
fail() { echo "demo: $*" >&2; exit 1; }

stage "packages"
ci/install build
stage "build"
make --no-print-directory -j"$(nproc)" all || fail "the build failed"
tacho=$PWD/build/release/tacho

folder=demo/$(date -u +%Y%m%dT%H%M%SZ)
while ! mkdir -p demo || ! mkdir "$folder" 2>/dev/null; do
    [[ -d $folder ]] || fail "$folder cannot be made"
    sleep 1 # another demo began in this second
    folder=demo/$(date -u +%Y%m%dT%H%M%SZ)
done

stage "tacho run: the built-in plan, epoll against one thread per connection (about a minute and a half)"
run_status=0
"$tacho" run --force "$@" -o "$folder/results.db" || run_status=$?
case $run_status in
0) told="every trial finished" ;;
3) told="tacho run ended with 3: this machine was found unfit, nothing was measured (reason above)" ;;
4) told="tacho run ended with 4: at least one trial is invalid; the report shows which and why" ;;
129 | 130 | 143) echo "demo: interrupted; what was measured is in $folder/results.db" >&2; exit "$run_status" ;;
*) fail "tacho run ended with $run_status" ;;
esac
[[ $run_status == 3 ]] && { echo "demo: $told" >&2; exit 3; }

stage "tacho report"
report_status=0
report_told=$("$tacho" report "$folder/results.db" -o "$folder/report") || report_status=$?
echo "$report_told"
[[ $report_status == [01] ]] || fail "tacho report ended with $report_status" # 1: the plan's claim is refuted
verdict=${report_told##*VERDICT=}
stage "tacho bundle"
"$tacho" bundle "$folder/results.db" -o "$folder" || fail "tacho bundle ended with $?"
bundles=("$folder"/*.tar)
[[ ${#bundles[@]} == 1 && -f ${bundles[0]} ]] || fail "expected one bundle in $folder"
sha256=$(sha256sum <"${bundles[0]}")
sha256=${sha256%% *}
stage "tacho verify"
"$tacho" verify --sha256 "$sha256" "${bundles[0]}" || fail "the bundle does not verify: tacho verify ended with $?"
ln -sfn "${folder#demo/}" demo/latest

stage "done: $told"
cat <<END
  verdict   $verdict
$(sed -n '/^#### /q; s/^[->] /            /p' "$folder/report/report.md")
  report    $folder/report/report.html
  results   $folder/results.db (SQLite)
  bundle    ${bundles[0]}
  SHA-256   $sha256

Next: open the report in a browser. Then, for instance
  sqlite3 -box demo/latest/results.db          # ask the record; README.md has queries (Debian's package sqlite3)
  cp datasets/plans/demo.yaml my.yaml          # a plan of your own; README.md explains each key
  build/release/tacho run my.yaml -o my.db && build/release/tacho report my.db
END
[[ $verdict != UNFIT ]] || echo "UNFIT is about this machine in these minutes: the report says what disturbed. Repeat when it is idle."
