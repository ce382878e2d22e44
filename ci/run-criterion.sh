#!/bin/bash
# Runs a Criterion program: run-criterion.sh PROGRAM [PATTERN]. Criterion 2.4 calls a test that leaks "passed", so
# sanitizer reports go to files, and a file is a failure. Programs that a test starts with a clean environment write to
# the folder that ci/sanitizer.c built into them, beside the programs.
set -euo pipefail
program=$1
pattern=${2:-}
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
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

status=0
"$program" --jobs "${JOBS:-2}" ${pattern:+--filter "$pattern"} ${TIMEOUT:+--timeout "$TIMEOUT"} || status=$?
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
