#!/bin/bash
# How long a report takes and how much memory: results files of 10,000, 100,000 and 1,000,000 samples and one of 20
# engines under 8 loads (seeded, real schema, histograms), each reported in every form. Prints seconds, peak memory and
# the size of the page, and the exponent of time against samples. Status 1 when a million samples take more than
# SECONDS_MAX (5), anything more than MIB_MAX (128), a page has 2 MB, or the exponent of CPU time is above 1.1. On a
# machine that does other work at the same time only CPU seconds mean something: SECONDS_MAX=0 limits no seconds.
set -euo pipefail
build=${TACHO_BUILD:-build/release}
seconds_max=${SECONDS_MAX:-5} mib_max=${MIB_MAX:-128}
folder=$(mktemp -d "${TMPDIR:-/tmp}/tacho-bench-XXXXXX")
trap 'rm -rf "$folder"' EXIT

measure() { # RUNS ENGINES LOADS BLOCKS SAMPLES-A-TRIAL: "samples seconds MiB CPU-seconds page-bytes" of the fastest
    local runs=$1 count times='' best
    shift
    "$build/bench-results_many" "$folder/r.db" "$@"
    count=$(sqlite3 "$folder/r.db" 'SELECT count(*) FROM sample')
    for ((run = 0; run < runs; run++)); do
        rm -rf "$folder/report"
        "$build/bench-usage" "$build/tacho" report "$folder/r.db" -o "$folder/report" >"$folder/out" 2>"$folder/usage"
        times+="$(tail -n 1 "$folder/usage") $(stat -c %s "$folder/report/report.html")"$'\n'
    done
    read -r -a best < <(sort -n <<<"${times%$'\n'}")
    printf '%8d %8.2f %8.1f %8.2f %10d  %s\n' "$count" "${best[@]}" "$1 engines x $2 loads x $3 blocks"
}

printf '%8s %8s %8s %8s %10s\n' samples s MiB CPU-s page-bytes
{ measure 3 10 4 6 38; measure 2 10 4 16 140; measure 2 10 4 50 450; measure 1 20 8 50 30; } | tee "$folder/lines"
awk -v seconds_max="$seconds_max" -v mib_max="$mib_max" '
    function fail(what) { print "report: FAILED: " what; failed = 1 }
    {
        n[NR] = $1; t[NR] = $2; cpu[NR] = $4
        if ($3 > mib_max) fail($1 " samples: more than " mib_max " MiB")
        if ($5 >= 2000000) fail($1 " samples: a page of 2 MB or more")
    }
    END {
        if (NR != 4) { fail("not everything was measured"); exit failed }
        decades = log(n[3] / n[1])
        printf "report: exponent of time against samples, from 10 thousand to 1 million: %.2f, of CPU time %.2f\n",
            log(t[3] / t[1]) / decades, log(cpu[3] / cpu[1]) / decades
        if (log(cpu[3] / cpu[1]) / decades > 1.1) fail("time grows faster than the number of samples")
        if (seconds_max > 0 && t[3] > seconds_max) fail("a million samples take more than " seconds_max " s")
        exit failed
    }' "$folder/lines"
