#!/bin/bash
# Makes datasets/runs/*.sql but demo.sql again, as after a change of the schema: datasets/record.sh, then make golden-update.
# With the results file of a session of the built-in plan: makes measured.sql of it, and nothing else.
# Three are the demo session with one thing changed and without histograms; wide.sql is made up by tests/bench/results_many.c. No machine was measured.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${TACHO_BUILD:-build/release}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

write_run() { # NAME COMMENT: $scratch/NAME.db as SQL text, columns that are NULL everywhere left out
    local db=$scratch/$1.db table column row columns
    {
        echo "-- $2"
        echo "PRAGMA application_id = $(sqlite3 "$db" 'PRAGMA application_id');"
        echo "PRAGMA user_version = $(sqlite3 "$db" 'PRAGMA user_version');"
        echo "PRAGMA foreign_keys=OFF;"
        echo "BEGIN TRANSACTION;"
        sqlite3 "$db" "SELECT sql || ';' FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"
        for table in $(sqlite3 "$db" "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid"); do
            columns=() row=()
            for column in $(sqlite3 "$db" "SELECT name FROM pragma_table_info('$table')"); do
                [[ $(sqlite3 "$db" "SELECT count($column) FROM $table") == 0 ]] && continue
                columns+=("$column") row+=("quote($column)")
            done
            [[ ${#columns[@]} == 0 ]] && continue
            (IFS=,; echo "INSERT INTO $table(${columns[*]}) VALUES")
            sqlite3 "$db" "SELECT '(' || $(printf "%s" "${row[0]}"; printf " || ',' || %s" "${row[@]:1}") || '),' FROM $table" |
                sed '$s/,$/;/'
        done
        echo "COMMIT;"
    } >"datasets/runs/$1.sql"
}

change_demo() { # NAME COMMENT: SQL on standard input
    sqlite3 "$scratch/$1.db" <datasets/runs/demo.sql
    { echo "UPDATE sample SET histogram = NULL;" # most of the bytes
        echo "UPDATE session SET session_uid = substr('$(printf '%s' "$1" | od -An -tx1 | tr -d ' \n')' || session_uid, 1, 32);"
        cat; } | sqlite3 "$scratch/$1.db"
    write_run "$1" "$2"
}

if [[ $# == 1 ]]; then
    sqlite3 "$1" "VACUUM INTO '$scratch/measured.db'"
    write_run measured "A session that was measured: tacho run, the built-in plan, on a virtual machine with two CPUs."
    exit
fi
change_demo crashed "The demo session with one server that crashed: made by datasets/record.sh from demo.sql." <<'SQL'
CREATE TEMP TABLE chosen AS SELECT trial_id FROM trial JOIN engine USING (engine_id) WHERE name = 'epoll' AND block_index = 1;
UPDATE trial SET state = 'crashed', reason = 'the server ended during the trial: signal 11', server_exit = 'signal 11',
    server_request_count = NULL WHERE trial_id IN chosen;
DELETE FROM outcome WHERE trial_id IN chosen AND sample_index > 3;
DELETE FROM sample WHERE trial_id IN chosen AND sample_index > 3;
INSERT INTO event (session_id, trial_id, at_utc_ns, severity, kind, text)
    SELECT 1, trial_id, started_utc_ns + 2100000000, 'error', 'server_crashed', 'the server ended during the trial: signal 11'
    FROM trial WHERE trial_id IN chosen;
SQL
change_demo unfit "The demo session on a machine that others used as well: made by datasets/record.sh from demo.sql." <<'SQL'
UPDATE sample SET machine_busy_ns = machine_busy_ns + 120000000, machine_idle_ns = max(machine_idle_ns - 120000000, 0)
    WHERE phase = 'window';
SQL
change_demo single "The demo session with a single trial of each engine: made by datasets/record.sh from demo.sql." <<'SQL'
CREATE TEMP TABLE kept AS SELECT trial_id FROM trial WHERE block_index IS NULL OR block_index = 0;
DELETE FROM outcome WHERE trial_id NOT IN kept;
DELETE FROM sample WHERE trial_id NOT IN kept;
DELETE FROM event WHERE trial_id IS NOT NULL AND trial_id NOT IN kept;
DELETE FROM trial WHERE trial_id NOT IN kept;
SQL
"$build/bench-results_many" "$scratch/wide.db" 20 8 6 3 0
sqlite3 "$scratch/wide.db" "UPDATE session SET session_uid = '77696465000000000000000000000000'"
write_run wide "20 engines, 8 workloads, 6 blocks, without histograms: made by datasets/record.sh with bench-results_many."
wc -c datasets/runs/*.sql
