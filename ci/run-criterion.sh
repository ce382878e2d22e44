#!/bin/bash
# Runs a Criterion program: run-criterion.sh PROGRAM [PATTERN]. JOBS tests at once (2); with RETRY_FAILED=1, tests that
# failed run once more, alone, and only what fails twice fails the run. Criterion 2.4 calls a test that leaks "passed",
# so sanitizer reports go to files, and a file is a failure. Programs that a test starts with a clean environment write
# to the folder that ci/sanitizer.c built into them, beside the programs.
set -euo pipefail
program=$1
pattern=${2:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
logs=$scratch/reports
mkdir "$logs"
built_in=${TACHO_BUILD:-$(dirname "$program")}/sanitizer
mkdir -p "$built_in"
rm -f "$built_in"/report.*
# A report decides, not the exit status, which the runner's own leak would spoil as well.
export ASAN_OPTIONS="log_path=$logs/report:detect_leaks=1:abort_on_error=0:exitcode=0"
export UBSAN_OPTIONS="log_path=$logs/report:print_stacktrace=1" LSAN_OPTIONS="log_path=$logs/report:exitcode=0"
export TSAN_OPTIONS="log_path=$logs/report:exitcode=0"

# Criterion's runner now and then forgets small objects of its own when it ends. A suppression of LeakSanitizer cannot
# name them: the library has no symbols, and its own name is in the stack of every test. So a report of leaks alone, each
# allocated by the library itself (the first frame that is neither the sanitizer's nor libc's), is not counted.
is_own_leak_of_criterion() { # REPORT
    awk '/runtime error:/ || (/ERROR: / && !/LeakSanitizer/) { other = 1 }
        / leak of .* allocated from:$/ { leaks++; looking = 1; next }
        looking && /^ *#[0-9]/ && !/__interceptor_|\/libc\.so| in (malloc|calloc|realloc|strdup) / { looking = 0; if (/\/libcriterion\.so/) theirs++ }
        END { exit !(leaks > 0 && theirs == leaks && !other) }' "$1"
}

run_tests() { # JOBS PATTERN
    "$program" --jobs "$1" --xml="$scratch/results.xml" ${2:+--filter "$2"} ${TIMEOUT:+--timeout "$TIMEOUT"}
}

failed_tests() { # of the run before: suite/test, a line each
    sed -nE 's/^ *<testsuite name="([^"]*)".*/suite \1/p; s/^ *<testcase name="([^"]*)".* status="([A-Z_]*)".*/\2 \1/p' \
        "$scratch/results.xml" | awk '$1 == "suite" { suite = $2; next } $1 != "PASSED" && $1 != "SKIPPED" { print suite "/" $2 }'
}

# A test that an assertion ended has freed nothing: the leaks of those that run again are forgotten, other faults never.
forget_leaks() { # SUITE/TEST...
    local name file
    for name; do
        for file in "$logs"/*; do
            [[ -e $file ]] || continue
            ! grep -qF " in ${name/\//_}_impl " "$file" || grep -qE 'runtime error:|ERROR: (AddressSanitizer|Undefined|Thread)' "$file" || rm "$file"
        done
    done
}

status=0
run_tests "${JOBS:-2}" "$pattern" || status=$?
if [[ $status != 0 && ${RETRY_FAILED:-} && -s $scratch/results.xml ]]; then
    mapfile -t again < <(failed_tests)
    if [[ ${#again[@]} != 0 ]]; then
        echo "run-criterion: failed, and once more alone: ${again[*]}"
        forget_leaks "${again[@]}"
        status=0
        run_tests 1 "@($(IFS='|'; echo "${again[*]}"))" || status=$?
        [[ $status != 0 ]] || echo "run-criterion: passed at the second try; the first one's messages are above"
    fi
fi
reports=()
for file in "$logs"/* "$built_in"/report.*; do
    [[ -e $file ]] || continue
    is_own_leak_of_criterion "$file" || reports+=("$file")
done
if [[ ${#reports[@]} != 0 ]]; then
    cat "${reports[@]}"
    echo "run-criterion: ${#reports[@]} sanitizer report(s): the run failed" >&2
    exit 1
fi
exit "$status"
