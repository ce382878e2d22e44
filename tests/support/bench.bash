# What the benchmarks share: sourced by tests/bench/*.sh.

median() { sort -n | awk '{v[NR] = $1} END {print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2}'; }

json_number() { # OBJECT KEY: out of what `tacho drive --json` prints, on standard input
    awk -v object="\"$1\": {" -v key="\"$2\":" \
        'index($0, "  " object) == 1 {inside = 1} inside && $1 == key && !found {sub(/,$/, "", $2); print $2; found = 1}'
}

port_free() { # a port that nobody listens at now
    local port
    while port=$((20000 + RANDOM % 10000)); do
        (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
    done
}
