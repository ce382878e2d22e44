#!/bin/bash
# Each header compiles alone and twice, with gcc and with clang: check-headers.sh HEADER...
set -uo pipefail
flags=(-std=c17 -D_GNU_SOURCE -I. -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c -)
failed=0
for header; do
    for compiler in gcc clang; do
        printf '#include "%s"\n#include "%s"\nextern int not_empty;\n' "$header" "$header" | "$compiler" "${flags[@]}" || {
            echo "check-headers: $header does not compile alone with $compiler" >&2
            failed=1
        }
    done
done
exit "$failed"
