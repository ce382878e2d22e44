#!/bin/bash
# The recorded sessions of datasets/runs: demo single crashed unfit wide. `make golden-update` afterwards shows what a report says of them.
#   record.sh NAME...        measures each anew with `tacho run`, on a quiet machine (a minute and a half each, wide eleven), and writes NAME.sql
#   record.sh NAME FILE.db   writes NAME.sql of a results file that is there
#   record.sh again NAME...  after a change of the schema: the rows of NAME.sql (example too) in tables as they are now, nothing is measured.
#                            A new column is NULL in them; one that may not be NULL first needs a value: write it into the INSERT of NAME.sql by hand.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${TACHO_BUILD:-build/release}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

what_is() { # NAME: the first line of its file
    local machine="recorded by datasets/record.sh with tacho run, on a virtual machine with two CPUs."
    case $1 in
    demo) echo "The built-in plan, $machine" ;;
    single) echo "The built-in plan with a single trial of each server, $machine" ;;
    crashed) echo "The built-in plan; the server of one trial of epoll was sent SIGSEGV, $machine" ;;
    unfit) echo "The built-in plan beside a busy loop, $machine" ;;
    wide) echo "datasets/plans/wide.yaml: 20 servers, 8 loads, without histograms and what else the machine did, $machine" ;;
    example) sed -n '1s/^-- //p' "datasets/runs/$1.sql" ;;
    *) echo "record: \"$1\" is none of demo single crashed unfit wide" >&2; return 2 ;;
    esac
}

write_run() { # NAME FILE.db: as SQL text, columns that are NULL everywhere left out
    local name=$1 db=$scratch/written.db told table column row columns
    told=$(what_is "$name")
    rm -f "$db"
    sqlite3 -readonly "$2" "VACUUM INTO '$db'"
    if [[ $name == wide ]]; then # a megabyte is enough: what judging does not read is left out
        sqlite3 "$db" "SELECT 'UPDATE sample SET histogram = NULL' || group_concat(', ' || name || ' = NULL', '') || ';'
            FROM pragma_table_info('sample') WHERE name GLOB 'cgroup_*' OR (name GLOB 'machine_*' AND name NOT IN
            ('machine_busy_ns', 'machine_idle_ns', 'machine_user_ns', 'machine_softirq_ns', 'machine_steal_ns', 'machine_frequency_min_khz', 'machine_frequency_max_khz'))" |
            sqlite3 "$db"
        sqlite3 "$db" "DELETE FROM event WHERE kind = 'phase'; DELETE FROM log"
    fi
    {
        echo "-- $told"
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
    } >"$scratch/written.sql"
    # What would tell where it was measured belongs into no repository.
    if grep -nE "[^a-z0-9_]/(home|root|tmp|work|usr/src)/|[^a-zA-Z0-9]$(hostname)\." "$scratch/written.sql" >&2; then
        echo "record: $name: a path or the name of this machine is in it (above); nothing was written" >&2
        return 1
    fi
    mv "$scratch/written.sql" "datasets/runs/$name.sql"
    wc -c "datasets/runs/$name.sql"
}

kill_one_epoll() { # PID-OF-TACHO LOG: SIGSEGV to its server epoll in the window of a trial in the middle
    local server
    while kill -0 "$1" 2>/dev/null; do
        if [[ $(grep -c 'req/s$' "$2") -ge 8 ]] && server=$(pgrep -P "$1" -f '^tacho-engine epoll' | head -n 1) && [[ $server ]]; then
            sleep 2
            kill -SEGV "$server"
            return
        fi
        sleep 0.1
    done
}

measure() { # NAME: into $scratch/NAME.db
    local tacho=$build/tacho db=$scratch/$1.db log=$scratch/$1.log status=0 helper=
    case $1 in
    demo) "$tacho" run -o "$db" ;;
    single) "$tacho" run -s trials=1 -o "$db" ;;
    wide) "$tacho" run datasets/plans/wide.yaml -o "$db" ;;
    crashed)
        "$tacho" run -o "$db" 2>"$log" & helper=$!
        kill_one_epoll "$helper" "$log"
        wait "$helper" || status=$?
        cat "$log" >&2
        [[ $status == 4 ]] # a trial is not valid
        ;;
    unfit)
        timeout 300 sh -c 'while :; do :; done' & helper=$!
        "$tacho" run --force --wait 0s -o "$db" || status=$?
        kill "$helper"
        wait "$helper" || true
        [[ $status == [03] ]]
        ;;
    esac
}

if [[ $# == 2 && $2 == *.db ]]; then
    write_run "$1" "$2"
elif [[ ${1:-} == again ]]; then
    for name in "${@:2}"; do
        told=$(what_is "$name") # or it ends here
        cat collector/store/sql/[0-9]*.sql | sqlite3 "$scratch/$name.db"
        { grep -m 2 '^PRAGMA [au]' "datasets/runs/$name.sql"; echo "PRAGMA foreign_keys=OFF; BEGIN TRANSACTION;"
            sed -n '/^INSERT INTO/,$p' "datasets/runs/$name.sql"; } | sqlite3 -bail "$scratch/$name.db"
        write_run "$name" "$scratch/$name.db"
    done
elif [[ $# != 0 ]]; then
    for name; do
        told=$(what_is "$name")
        echo "record: $told"
        measure "$name"
        write_run "$name" "$scratch/$name.db"
    done
else
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
