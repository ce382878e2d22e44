#!/bin/bash
# Real sessions whose truth is known: truth.sh [SAME [SLOWED]], how many of each (20 and 3).
# SAME: one and the same engine under two names; any DIFFERENT fails. SLOWED: an engine with 10 % extra work; what was
# found must hold the truth, which is measured apart from any session: CPU time for each request, from /proc, in turn with
# and without. Of intervals at 95 % one in twenty misses, so one miss passes and two fail. A session may say that it cannot
# tell; then it must say why. On a quiet machine with two CPUs a session takes about 40 s. TRIALS (8), WINDOW (800ms).
set -euo pipefail
build=${TACHO_BUILD:-build/release}
same=${1:-20} slowed=${2:-3} trials=${TRIALS:-8} window=${WINDOW:-800ms}
connections=16 extra=10 failed=0
folder=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null; rm -rf "$folder"' EXIT
machine=
((${PIN:-$(($(nproc) >= 2))})) && machine='machine: { server_cpus: "0", driver_cpus: "1" }'

plan_write() { # SEED ENGINES
    printf '%s\n' "title: truth" "trials: $trials" "settle: 0s" "warmup: 300ms" "window: $window" "cooldown: 100ms" \
        "sample: 100ms" "seed: $1" "$machine" "engines:" "  - { name: epoll, builtin: epoll, threads: 1 }" "  - $2" \
        "workloads:" "  - { name: ping, get: /ping, expect: { body: pong }, connections: $connections }" >"$folder/plan.yaml"
}

field() { # COLUMN: of the row of the engine "other" in comparisons.csv
    awk -F, -v name="$1" 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i} $1 == "other" {print $at[name]}' \
        <(tr -d '\r' <"$folder/report/tables/comparisons.csv")
}

session_run() { # SEED ENGINE: sets word, trust, ratio, low, high, saturated
    plan_write "$@"
    rm -rf "$folder/report" "$folder"/results.db*
    local status=0
    "$build/tacho" run "$folder/plan.yaml" -o "$folder/results.db" >/dev/null 2>"$folder/messages" || status=$?
    if [[ ! -e $folder/results.db ]]; then
        word=REFUSED trust="exit $status: $(tail -n 1 "$folder/messages")" ratio='' low='' high='' saturated=''
        return
    fi
    trust=$("$build/tacho" report "$folder/results.db" -o "$folder/report" --format md,csv 2>/dev/null |
        sed -n 's/^VERDICT=//p' || true)
    word=$(field verdict) ratio=$(field ratio) low=$(field ratio_low) high=$(field ratio_high) saturated=$(field saturated)
    word=${word:-$trust}
}

reasons() { # what the report says of a session without a verdict
    sed -nE 's/^- ✘ (Other programs|The baseline|No trial)/    \1/p; s/^- ▲ (other serves .*)/    \1/p' \
        "$folder/report/report.md" | head -n 3
}

# --- the same engine twice ---
declare -A counts=()
echo "truth: one engine under two names, $same sessions of $trials blocks"
for ((i = 1; i <= same; i++)); do
    session_run "$((1000 + i))" '{ name: other, builtin: epoll, threads: 1 }'
    counts[$word]=$((${counts[$word]:-0} + 1))
    printf '  %2d  %-12s  %s [%s, %s]  session: %s\n' "$i" "$word" "${ratio:0:6}" "${low:0:6}" "${high:0:6}" "$trust"
    [[ $word != UNFIT && $word != INCONCLUSIVE ]] || reasons
done
for word in DIFFERENT SMALL EQUIVALENT INCONCLUSIVE TOO_FEW UNFIT REFUSED; do
    printf '  %s %d' "$word" "${counts[$word]:-0}"
done
echo
if ((${counts[DIFFERENT]:-0} > 0)); then
    echo "truth: FAILED: the same engine was found DIFFERENT from itself"
    failed=1
fi
((slowed > 0)) || exit "$failed"

# --- slowed by a known amount ---
ticks_of() { # user and system time of a process, in clock ticks
    sed 's/.*) //' "/proc/$1/stat" | awk '{print $12 + $13}'
}

cpu_per_request() { # EXTRA: ticks for each million requests of one fresh server under load
    local port before after requests
    rm -f "$folder/listening" # of the server before
    "$build/tacho-engine" epoll --threads 1 --extra-work "$1" >"$folder/listening" &
    server=$!
    for _ in $(seq 100); do [[ -s $folder/listening ]] && break; sleep 0.05; done
    port=$(sed 's/.*://' "$folder/listening")
    before=$(ticks_of "$server")
    requests=$("$build/tacho" drive "http://127.0.0.1:$port/ping" -c "$connections" -t 1 -d 3s --spin 0s --json |
        awk '/"started_count":/ && !seen++ {gsub(/[^0-9]/, "", $2); print $2}')
    after=$(ticks_of "$server")
    kill "$server"
    wait "$server" 2>/dev/null || true
    server=
    awk -v ticks=$((after - before)) -v n="${requests:-0}" 'BEGIN {print (ticks > 0 && n > 0 ? ticks * 1e6 / n : "none")}'
}

: >"$folder/pairs"
for _ in 1 2 3 4; do
    plain=$(cpu_per_request 0) more=$(cpu_per_request "$extra")
    if [[ $plain == none || $more == none ]]; then
        echo "truth: FAILED: the CPU time of a request could not be measured"
        exit 1
    fi
    awk -v a="$plain" -v b="$more" 'BEGIN {printf "%.5f\n", a / b}' >>"$folder/pairs"
done
read -r truth least most < <(awk '{s += log($1); if (NR == 1 || $1 < l) l = $1; if ($1 > m) m = $1}
    END {printf "%.4f %.4f %.4f\n", exp(s / NR), l, m}' "$folder/pairs")
echo "truth: --extra-work $extra: CPU time for each request, plain over slowed, in 4 pairs: $truth ($least to $most; by its" \
    "definition $(awk -v e="$extra" 'BEGIN {printf "%.4f", 100 / (100 + e)}')): so many requests a saturated server gives"
told=0 missed=0
for ((i = 1; i <= slowed; i++)); do
    session_run "$((2000 + i))" "{ name: other, builtin: epoll, threads: 1, extra_work: $extra }"
    holds=$(awk -v l="$low" -v h="$high" -v a="$least" -v b="$most" \
        'BEGIN {print l != "" && l <= b && a <= h ? "holds the truth" : "misses the truth"}')
    printf '  %2d  %-12s  %s [%s, %s]  %s; saturated: %s; session: %s\n' "$i" "$word" "${ratio:0:6}" "${low:0:6}" \
        "${high:0:6}" "$holds" "$saturated" "$trust"
    case $word in
    DIFFERENT | SMALL | EQUIVALENT)
        told=$((told + 1))
        [[ $holds == holds* ]] || missed=$((missed + 1))
        ;;
    *) reasons ;;
    esac
done
echo "  decided $told, of which $missed missed the truth; could not tell $((slowed - told))"
if ((missed > 1)); then
    echo "truth: FAILED: more than one interval missed the truth"
    failed=1
fi
exit "$failed"
