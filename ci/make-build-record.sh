#!/bin/bash
# Writes how tacho-engine was built, so that it can be built again bit for bit: make-build-record.sh PROGRAM SOURCE... > build.json
# CC, CODE_FLAGS and LINK_FLAGS are those of the Makefile. Warnings and folders of libraries are left out: the
# program depends on neither. {folder} in an argument stands for the folder that holds engines/.
set -euo pipefail
program=$1
shift
declare -a compiler flags link_words objects=()
eval "compiler=($CC) flags=($CODE_FLAGS) link_words=($LINK_FLAGS)"

words() { # WORD...: as a JSON array
    local word list=
    for word; do
        word=${word//\\/\\\\}
        list+=", \"${word//\"/\\\"}\""
    done
    printf '[%s]' "${list:2}"
}

tool() { # NAME SEPARATOR WORD...: what a tool says of itself, in one line
    local says
    says=$("${@:3}" 2>/dev/null) || says=
    printf '    {"name": "%s", "argv": %s, "says": %s}%s\n' "$1" "$(words "${@:3}")" "$(words "${says%%$'\n'*}" | sed 's/^\[//; s/\]$//')" "$2"
}

object_of() { # SOURCE
    local name=${1%.c}
    printf '../obj/%s.o' "${name//\//-}"
}

printf '{\n  "format": "tacho-build-1",\n  "toolchain": [\n'
tool compiler , "${compiler[@]}" --version
tool assembler , as --version
tool linker , ld --version
tool libc '' ldd --version
printf '  ],\n  "environment": {"LC_ALL": "C", "SOURCE_DATE_EPOCH": "%s"},\n  "steps": [\n' "$SOURCE_DATE_EPOCH"
for source in engines/main.c "$@"; do
    printf '    %s,\n' "$(words "${compiler[@]}" "${flags[@]}" '-ffile-prefix-map={folder}=.' -c -o "$(object_of "$source")" "$source")"
    [[ $source == engines/main.c ]] || objects+=("$(object_of "$source")")
done
printf '    %s,\n' "$(words ar rcsD ../obj/libengines.a "${objects[@]}")"
printf '    %s\n  ],\n' "$(words "${compiler[@]}" "${link_words[@]}" -o ../bin/tacho-engine "$(object_of engines/main.c)" ../obj/libengines.a)"
printf '  "product": {"path": "bin/tacho-engine", "sha256": "%s"}\n}\n' "$(sha256sum <"$program" | cut -d' ' -f1)"
