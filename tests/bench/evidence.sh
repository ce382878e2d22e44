#!/bin/bash
# Sealing and verifying a large bundle against `sha256sum` over the same bytes, in turn; the ratios of time and the memory.
# `evidence.sh make FILE.db MIB` only makes the results file: the example of datasets/runs with more blocks, whose servers wrote
# much, so that rows and log files give a bundle of about MIB MiB. No chance is in it: the same MIB gives the same rows.
# ROUNDS (5) and EVIDENCE_MIB (1000) may be set.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${TACHO_BUILD:-build/release}" && pwd)

make_results() { # FILE.db MIB: each of a copy's 18 trials has a log of 512 KiB, which is in the bundle twice
    local copies=$((($2 + 17) / 18))
    sqlite3 "$1" <"$root/datasets/runs/example.sql"
    sqlite3 "$1" "
        PRAGMA foreign_keys = OFF;
        BEGIN;
        CREATE TEMP TABLE copy AS WITH RECURSIVE k(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM k WHERE k < $copies - 1)
            SELECT k FROM k WHERE $copies > 1;
        CREATE TEMP TABLE old AS SELECT * FROM trial WHERE block_index IS NOT NULL;
        CREATE TEMP TABLE new AS SELECT old.*, k, trial_id + 1 + 18 * k AS new_id FROM old, copy;
        UPDATE new SET order_index = order_index + 1 + 18 * k, block_index = block_index + 6 * k,
            started_utc_ns = started_utc_ns + k * 100000000000, ended_utc_ns = ended_utc_ns + k * 100000000000;
        CREATE TEMP TABLE sample_new AS SELECT sample.*, new_id FROM sample JOIN new USING (trial_id);
        CREATE TEMP TABLE outcome_new AS SELECT outcome.*, new_id FROM outcome JOIN new USING (trial_id);
        UPDATE sample_new SET trial_id = new_id;
        UPDATE outcome_new SET trial_id = new_id;
        UPDATE new SET trial_id = new_id;
        ALTER TABLE new DROP COLUMN k;
        ALTER TABLE new DROP COLUMN new_id;
        ALTER TABLE sample_new DROP COLUMN new_id;
        ALTER TABLE outcome_new DROP COLUMN new_id;
        INSERT INTO trial SELECT * FROM new;
        INSERT INTO sample SELECT * FROM sample_new;
        INSERT INTO outcome SELECT * FROM outcome_new;
        INSERT INTO log SELECT trial_id, 1048576, head, head FROM (SELECT trial_id, CAST(substr(replace(hex(zeroblob(8192)),
            '00', printf('%06d worker 7 answered GET /orderbook with 200 in 41 us\n', trial_id)), 1, 262144) AS BLOB) AS head
            FROM trial WHERE block_index IS NOT NULL);
        UPDATE session SET ended_utc_ns = (SELECT max(ended_utc_ns) FROM trial),
            plan_text = replace(plan_text, 'trials: 6', 'trials: ' || $copies * 6);
        COMMIT;"
    local digest
    digest=$(sqlite3 "$1" "SELECT plan_text FROM session" | head -c -1 | sha256sum | cut -c1-64)
    sqlite3 "$1" "UPDATE session SET plan_digest = '$digest'"
}

if [[ ${1:-} == make ]]; then
    make_results "$2" "$3"
    exit
fi
rounds=${ROUNDS:-5} mib=${EVIDENCE_MIB:-1000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
make_results results.db "$mib"
measure() { # NAME COMMAND...: seconds, user seconds, KiB; the command's output is lost
    local name=$1
    shift
    /usr/bin/time -f "$name %e %U %M" -o times -a "$@" >/dev/null
}
for _ in $(seq "$rounds"); do
    rm -rf out
    measure bundle "$build/tacho" bundle results.db -o out
    measure sha256sum sha256sum out/*.tar
    measure verify "$build/tacho" verify out/*.tar
done
echo "evidence: a bundle of $(($(stat -c %s out/*.tar) >> 20)) MiB; seconds of sha256sum, verify, bundle; speed of verify, time of bundle"
awk '{t[$1] = $2} $1 == "verify" {printf "%7.2f %7.2f %7.2f  %6.2f %6.2f\n", t["sha256sum"], $2, t["bundle"], t["sha256sum"] / $2, t["bundle"] / t["sha256sum"]}' times |
    tee rounds
median() { sort -n | awk '{v[NR] = $1} END {print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2}'; }
echo "evidence: median speed of verify over sha256sum $(awk '{print $4}' rounds | median) (>= 0.8)," \
    "time of bundle over sha256sum $(awk '{print $5}' rounds | median) (<= 3)"
echo "evidence: memory of verify $(awk '$1 == "verify" && $4 > m {m = $4} END {printf "%.1f", m / 1024}' times) MiB (<= 64)," \
    "of bundle $(awk '$1 == "bundle" && $4 > m {m = $4} END {printf "%.1f", m / 1024}' times) MiB"
