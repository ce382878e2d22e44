#!/bin/bash
# The documents say what the programs do: every option in the manual (and none that is not there), in the README and
# in the completion; every plan key and every command in the README; the README's SQL runs; local links lead somewhere.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${TACHO_BUILD:-build/release}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
problems=0
problem() { echo "check-docs: $*" >&2; problems=$((problems + 1)); }

"$build/tacho" --dump-options >"$scratch/dump"
[[ -s $scratch/dump ]] || problem "tacho --dump-options says nothing"
mapfile -t commands < <("$build/tacho" --help | sed -n '/^commands:$/,/^$/s/^  \([a-z]*\) .*/\1/p')

# "tacho run --output" of the dump and of the manual's sections ".Ss tacho run".
awk -F'\t' '{ print $1, $2; if ($3 ~ /^-/) print $1, $3 }' "$scratch/dump" | sort -u >"$scratch/options"
awk '/^\.S[sh] / { section = $2 " " $3 }
    section ~ /^tacho / && /^\.It Fl/ {
        for (i = 2; i < NF; i++) if ($i == "Fl") print section, "-" $(i + 1)
    }' report/tacho.1 | sort -u >"$scratch/manual"
diff --label "the program" --label "report/tacho.1" -u0 "$scratch/options" "$scratch/manual" >&2 ||
    problem "report/tacho.1 and the program have other options (above)"
"$build/tacho-engine" --help | grep -oE '^ +(-[a-zA-Z], )?--[a-z][a-z-]*' | tr -d ' ' | tr , '\n' | sort -u >"$scratch/options"
awk '/^\.It Fl/ { for (i = 2; i < NF; i++) if ($i == "Fl") print "-" $(i + 1) }' engines/tacho-engine.1 | sort -u >"$scratch/manual"
diff --label "the program" --label "engines/tacho-engine.1" -u0 "$scratch/options" "$scratch/manual" >&2 ||
    problem "engines/tacho-engine.1 and the program have other options (above)"

while IFS=$'\t' read -r program long _; do
    grep -qF -- "$long" README.md || problem "README.md does not mention $program $long"
done <"$scratch/dump"
for command in "${commands[@]}"; do
    grep -qF "tacho $command" README.md || problem "README.md does not mention tacho $command"
    grep -q "^\.Ss tacho $command$" report/tacho.1 || problem "report/tacho.1 has no section on tacho $command"
done
"$build/tacho" plan --print | grep -oE '[a-z_]+:' | tr -d : | sort -u | while read -r key; do
    grep -qE "\`$key\`|^ *$key:|[{,] $key:" README.md || echo "$key"
done >"$scratch/keys"
[[ ! -s $scratch/keys ]] || problem "README.md does not mention the plan keys $(tr '\n' ' ' <"$scratch/keys")"

completion_of() { # WORD...: what the completion offers for the last one
    COMP_WORDS=("$build/tacho" "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _tacho
    printf '%s\n' "${COMPREPLY[@]}"
}
# shellcheck source=/dev/null
source report/tacho.bash
[[ $(completion_of '' | sort) == $(printf '%s\n' "${commands[@]}" help --help --version | sort) ]] || problem "tacho.bash: other commands"
for command in "${commands[@]}"; do
    wanted=$(awk -F'\t' -v program="tacho $command" '$1 == program { print $2 }' "$scratch/dump"; echo --help)
    [[ $(completion_of "$command" -- | sort) == $(sort <<<"$wanted") ]] || problem "tacho.bash: other options of tacho $command"
done

for manual in report/tacho.1 engines/tacho-engine.1; do
    mandoc -T lint -W warning "$manual" >&2 || problem "$manual: mandoc finds faults (above)"
done

# Every ```sql block of the README runs against the schema.
cat collector/store/sql/[0-9]*.sql >"$scratch/schema.sql"
awk '/^```sql$/ { inside = 1; next } /^```$/ { inside = 0 } inside' README.md >"$scratch/queries.sql"
[[ -s $scratch/queries.sql ]] || problem "README.md has no SQL"
sqlite3 -bail :memory: ".read $scratch/schema.sql" ".read $scratch/queries.sql" >&2 || problem "README.md: the SQL does not run"

for page in *.md datasets/*.md; do
    while read -r link; do
        [[ -e $(dirname "$page")/$link ]] || problem "$page: no file $link"
    done < <(grep -oE '\]\([^)#: ]+[)#]' "$page" | sed -E 's/^\]\(//; s/[)#]$//')
done
[[ $problems == 0 ]] || exit 1
echo "check-docs: ok"
