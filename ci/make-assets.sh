#!/bin/sh
# Writes the assembly that carries files in the program: make-assets.sh BUILD_JSON FILE... > assets.S
# The table `assets` (collector/asset.h) is sorted by name; the build record is named build.json.
set -eu
build_json=$1
shift
{
    printf 'build.json\t%s\n' "$build_json"
    for file; do printf '%s\t%s\n' "$file" "$file"; done
} | LC_ALL=C sort | awk -F'\t' '
    {
        printf ".section .rodata\n"
        printf "asset_name_%d: .asciz \"%s\"\n", NR, $1
        printf "asset_bytes_%d: .incbin \"%s\"\nasset_end_%d: .byte 0\n", NR, $2, NR
        table = table sprintf(".quad asset_name_%d, asset_bytes_%d, asset_end_%d - asset_bytes_%d\n", NR, NR, NR, NR)
    }
    END {
        printf ".section .data.rel.ro,\"aw\",@progbits\n.balign 16\n.globl assets\n.type assets, @object\nassets:\n%s", table
        printf ".quad 0, 0, 0\n.size assets, . - assets\n.section .note.GNU-stack,\"\",@progbits\n"
    }'
