#!/bin/sh
# Runs a Criterion program: run-criterion.sh PROGRAM [PATTERN]. Criterion 2.4 calls a test that leaks "passed", so
# sanitizer reports go to files, and a file is a failure.
set -eu
program=$1
pattern=${2:-}
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
options="log_path=$logs/report:detect_leaks=1:abort_on_error=0"
export ASAN_OPTIONS="$options" UBSAN_OPTIONS="log_path=$logs/report:print_stacktrace=1" LSAN_OPTIONS="log_path=$logs/report"
status=0
"$program" --jobs "${JOBS:-2}" ${pattern:+--filter "$pattern"} ${TIMEOUT:+--timeout "$TIMEOUT"} || status=$?
if [ -n "$(ls "$logs")" ]; then
    cat "$logs"/*
    echo "run-criterion: $(ls "$logs" | wc -l) sanitizer report(s): the run failed" >&2
    exit 1
fi
exit $status
