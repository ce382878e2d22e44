#!/bin/bash
# Prints compiler flags with -march=native and its kin spelled out for this machine, so that another one can repeat
# them: expand-native.sh COMPILER FLAG...
set -euo pipefail
read -ra compiler <<<"$1"
shift
line=$("${compiler[@]}" "$@" -### -E -x c /dev/null 2>&1 | grep -m1 -E '/cc1"? |"-cc1" ' | tr -d '"') || line=
declare -a found=() words kept=()
read -ra words <<<"$line"
for ((i = 0; i < ${#words[@]}; i++)); do
    case ${words[i]} in
    -mrelocation-model | -mframe-pointer=* | -mconstructor-aliases) ;; # of clang's own, not of the machine
    -march=* | -mtune=* | -mcpu=* | --param=*) found+=("${words[i]}") ;;
    --param) found+=("--param=${words[i + 1]}") ;;
    -target-cpu) found+=("-march=${words[i + 1]}") ;;
    -m*) [[ $line == *-target-cpu* ]] || found+=("${words[i]}") ;;
    esac
done
for flag; do
    case $flag in
    -march=native | -mtune=native | -mcpu=native) ;;
    *) kept+=("$flag") ;;
    esac
done
[[ ${#found[@]} -gt 0 ]] || { echo "expand-native: ${compiler[*]} does not say what native is" >&2; exit 1; }
echo "${found[@]}" "${kept[@]}"
