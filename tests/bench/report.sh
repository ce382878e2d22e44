#!/bin/bash
# How long a report takes and how much memory: results files of 10,000, 100,000 and 1,000,000 samples (seeded, real schema,
# histograms), each reported in every form. Prints seconds, peak memory and the size of the page, and the exponent of
# time against samples. Status 1 when the largest takes more than SECONDS_MAX (5), MIB_MAX (256) or has a page of 2 MB.
set -euo pipefail
build=${TACHO_BUILD:-build/release}
seconds_max=${SECONDS_MAX:-5} mib_max=${MIB_MAX:-256}
folder=$(mktemp -d "${TMPDIR:-/tmp}/tacho-bench-XXXXXX")
trap 'rm -rf "$folder"' EXIT

measure() { # BLOCKS SAMPLES-A-TRIAL: "samples seconds MiB page-bytes" of the faster of two
    "$build/bench-results_many" "$folder/r.db" 10 4 "$1" "$2"
    local count times=''
    count=$(sqlite3 "$folder/r.db" 'SELECT count(*) FROM sample')
    for _ in 1 2; do
        rm -rf "$folder/report"
        "$build/bench-usage" "$build/tacho" report "$folder/r.db" -o "$folder/report" >"$folder/out" 2>"$folder/usage"
        times+="$(tail -n 1 "$folder/usage" | cut -d ' ' -f 1,2) $(stat -c %s "$folder/report/report.html")"$'\n'
    done
    echo "$count $(sort -n <<<"${times%$'\n'}" | head -n 1)"
}

echo "report: samples, seconds, MiB, bytes of the page"
{ measure 6 38; measure 16 140; measure 50 450; } | tee "$folder/lines"
awk -v seconds_max="$seconds_max" -v mib_max="$mib_max" '
    {n[NR] = $1; t[NR] = $2; m = $3; bytes = $4}
    END {
        printf "report: exponent of time against samples: %.2f (10 thousand to 1 million), %.2f (100 thousand to 1 million)\n",
            log(t[3] / t[1]) / log(n[3] / n[1]), log(t[3] / t[2]) / log(n[3] / n[2])
        if (t[3] > seconds_max) {print "report: FAILED: more than " seconds_max " s"; failed = 1}
        if (m > mib_max) {print "report: FAILED: more than " mib_max " MiB"; failed = 1}
        if (bytes >= 2000000) {print "report: FAILED: a page of 2 MB or more"; failed = 1}
        exit failed
    }' "$folder/lines"
