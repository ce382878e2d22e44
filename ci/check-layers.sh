#!/bin/bash
# The arrows engines/base < engines < collector < report < tests, and what one module alone may do.
#   check-layers.sh ROOT          looks at the tree; prints each violation; status 1 when there is one
#   check-layers.sh --self-test   plants one violation of each rule and demands that it is found
set -euo pipefail

# RULE<TAB>files it does not concern (regex)<TAB>what must not be there (regex of awk)
# Besides the files named: the tests, which are the users of everything. The short list of proc: proc.c opens files below
# a root; probe, trial, session, supervise, the keeper and tacho-engine hand it the root; driver.c counts its own descriptors; cmd.c finds its
# own folder. engines/external holds programs of their own, each with an engine.yaml. That of sql: the store writes, query reads, export copies, verify looks at a foreign file, main prints
# the version.
rules() {
    cat <<'END'
clock	^engines/base/clock\.c$	(^|[^a-z_])(clock_gettime|clock_nanosleep|nanosleep|usleep|sleep|gettimeofday|time|ftime|timespec_get) *\(
proc	^(engines/(base/proc|keeper|main)\.c|collector/probe/.*|collector/run/(trial|session|supervise)\.c|collector/driver/driver\.c|report/cmd\.c)$	"/proc
sql	^(collector/store/.*\.c|report/query/.*\.c|report/bundle/(export|compare_vfs|verify_results)\.c|report/main\.c)$	#include <sqlite3\.h>
yaml	^collector/plan/[a-z_]*\.[ch]$	#include <yaml\.h>
curl	^(collector/run/[a-z_]*\.c|report/bundle/fetch\.c)$	#include <curl/
openssl	^collector/(digest|driver/tls)\.c$	#include <openssl/
json	^(collector|report)/.*\.[ch]$	#include <jansson\.h>
terminal	^(engines/(main|keeper)\.c|engines/base/options\.c|report/main\.c|report/cmd[a-z_]*\.[ch])$	(^|[^a-z_])(printf|puts|putchar|perror|vprintf) *\(|fprintf *\( *std|(fputs|fwrite|vfprintf|putc|fputc) *\(.*(stdout|stderr)
exit	^(engines/main\.c|report/main\.c|report/cmd[a-z_]*\.c)$	(^|[^a-z_])exit *\(
END
}

violations() { # ROOT
    cd "$1"
    local -a files names
    mapfile -t files < <(find engines collector report tests ! -path 'engines/external/*' \( -name '*.[ch]' -o -name '*.def' \) | LC_ALL=C sort)
    awk '
        function layer(path) {
            if (path ~ /^engines\/base\//) return 1
            if (path ~ /^engines\//) return 2
            if (path ~ /^collector\//) return 3
            if (path ~ /^report\//) return 4
            if (path ~ /^tests\//) return 5
            return 0
        }
        /^[ \t]*#[ \t]*include[ \t]*"/ {
            split($0, part, "\"")
            to = part[2]
            if (layer(to) == 0) printf "%s:%d: include \"%s\" is not written from the root\n", FILENAME, FNR, to
            else if (layer(to) > layer(FILENAME)) printf "%s:%d: layer: may not include %s\n", FILENAME, FNR, to
        }' "${files[@]}"
    # A rule is about code: comments and strings with the word in them would be found too, so line comments go first.
    local rule but pattern file
    while IFS=$'\t' read -r rule but pattern; do
        for file in "${files[@]}"; do
            [[ $file =~ ^tests/ || $file =~ $but ]] && continue
            # Texts go as well, but for paths of /proc and the names of headers.
            sed -E 's://.*$::; s:/\*[^*]*\*/::g; /^ \* /s/.*//; /"\/proc/!{/#include/!s/"([^"\\]|\\.)*"/""/g}' "$file" | awk -v rule="$rule" -v file="$file" -v pattern="${pattern//\\/\\\\}" \
                '$0 ~ pattern { printf "%s:%d: %s: only its own module may do this: %s\n", file, FNR, rule, $0 }'
        done
    done < <(rules)
    mapfile -t names < <(find engines collector report tests datasets ci -type f ! -path '*/fixtures/*' ! -path '*/corpus/*' \
        -printf '%f\n' 2>/dev/null | grep -v -e '^\.' -e '^main\.c$' -e '^engine\.yaml$' | sort | uniq -d)
    [[ ${#names[@]} == 0 ]] || printf '%s: two files have this name\n' "${names[@]}"
}

plant() { # FILE TEXT: one more file in the tree of the self-test
    mkdir -p "$(dirname "$root/$1")"
    printf '%s\n' "$2" >"$root/$1"
}

self_test() {
    root=$(mktemp -d)
    trap 'rm -rf "$root"' EXIT
    local -a planted=(
        'engines/base/a1.c|#include "engines/engine.h"' 'engines/a2.c|#include "collector/asset.h"'
        'collector/a3.c|#include "report/cmd.h"' 'report/a4.c|#include "tests/support/prop.h"'
        'report/a5.c|#include "cmd.h"' 'collector/run/a6.c|    clock_gettime(CLOCK_MONOTONIC, &t);'
        'report/judge/a7.c|    open("/proc/stat", O_RDONLY);' 'report/judge/a8.c|#include <sqlite3.h>'
        'report/judge/a9.c|#include <yaml.h>' 'collector/driver/a10.c|#include <curl/curl.h>'
        'report/bundle/a11.c|#include <openssl/evp.h>' 'engines/a12.c|#include <jansson.h>'
        'collector/run/a13.c|    printf("x");' 'collector/run/a14.c|    exit(1);' 'report/render/a15.c|    time(NULL);'
        'collector/a16.c|    fprintf(stderr, "x");'
    )
    local one found=0 missed=0
    mkdir -p "$root"/{engines/base,collector,report,tests}
    plant report/good.c $'#include "collector/asset.h"\n// clock_gettime( in a comment\nint lifetime(int x);'
    plant tests/good_test.c $'#include "report/cmd.h"\nint main(void) { printf("x"); }'
    [[ -z $(violations "$root") ]] || { echo "check-layers: the self-test's good tree is refused" >&2; violations "$root" >&2; exit 1; }
    for one in "${planted[@]}"; do
        plant "${one%%|*}" "${one#*|}"
        if [[ $(violations "$root") == "${one%%|*}:1: "* ]]; then found=$((found + 1)); else
            echo "check-layers: not found: $one" >&2
            missed=1
        fi
        rm "$root/${one%%|*}"
    done
    plant engines/same.c ''
    plant report/same.c ''
    [[ $(violations "$root") == 'same.c: two files'* ]] || { echo "check-layers: two files of one name not found" >&2; missed=1; }
    [[ $missed == 0 ]] || exit 1
    echo "check-layers: self-test ok ($((found + 1)) planted violations found)"
}

if [[ $1 == --self-test ]]; then
    self_test
    exit
fi
found=$(violations "$1")
[[ -z $found ]] || { printf '%s\n' "$found" >&2; exit 1; }
echo "check-layers: ok"
