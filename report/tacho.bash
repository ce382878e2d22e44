# Completion of tacho for bash. Commands and options come from the program itself, so they are never out of date.
_tacho_commands() { "$1" --help 2>/dev/null | sed -n '/^commands:$/,/^$/s/^  \([a-z]*\) .*/\1/p'; }
_tacho_options() { "$1" --dump-options 2>/dev/null | awk -F'\t' -v program="tacho $2" '$1 == program { print $2 }'; }

_tacho() {
    local program=${COMP_WORDS[0]} command=${COMP_WORDS[1]:-} word=${COMP_WORDS[COMP_CWORD]}
    local words=
    if ((COMP_CWORD == 1)); then
        words="$(_tacho_commands "$program") help --help --version"
    elif [[ $command == help ]]; then
        words=$(_tacho_commands "$program")
    elif [[ $word == -* ]]; then
        words="$(_tacho_options "$program" "$command") --help"
    fi
    if [[ $words ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -o filenames -F _tacho tacho
