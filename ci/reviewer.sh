#!/bin/bash
# A reviewer's path: a short session is measured and sealed; then a stranger, who has the tar, the SHA-256 and an
# installed tacho and nothing else, pastes the lines that the bundle's own README gives, as they stand.
# Status: 0 every line did what the README says of it; 1 one did not; 3 the machine was refused.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "reviewer: $*" >&2; exit 1; }

make -s --no-print-directory install DESTDIR="$scratch/installed" PREFIX=/usr >"$scratch/install.log" 2>&1 ||
    { cat "$scratch/install.log" >&2; fail "make install failed"; }
mkdir "$scratch/author" "$scratch/stranger"
cat >"$scratch/author/plan.yaml" <<'END'
title: a short session for a reviewer   # the comment stays in the bundle
baseline: blocking
trials: 6
aa: false
settle: 0s
warmup: 200ms
window: 1s
cooldown: 0s
engines:
  - { name: epoll, builtin: epoll }
  - { name: blocking, builtin: blocking, extra_work: 200 }
workloads:
  - { name: ping, get: /ping, expect: { status: 200, body: pong }, connections: 8 }
claims:
  - { id: C1, order: throughput, engines: [epoll, blocking], workload: ping }
  - { id: C2, no_errors: true }
END
status=0
PATH=$scratch/installed/usr/bin:$PATH tacho run --force "$scratch/author/plan.yaml" -o "$scratch/author/r.db" \
    >"$scratch/run.log" 2>&1 || status=$?
[[ $status == 0 || $status == 4 ]] || { cat "$scratch/run.log" >&2; exit "$status"; }
"$scratch/installed/usr/bin/tacho" bundle "$scratch/author/r.db" -o "$scratch/author" >"$scratch/author/told"
HEX=$(sed -n 's/^SHA-256: //p' "$scratch/author/told")
FILE=downloaded.tar
cp "$scratch"/author/*.tar "$scratch/stranger/$FILE"

# What the README gives: indented, each a command of tacho.
tar -xOf "$scratch/stranger/$FILE" --wildcards '*/data/README.md' >"$scratch/README.md"
mapfile -t lines < <(sed -n 's/^    \(tacho [a-z].*\)/\1/p' "$scratch/README.md")
[[ ${#lines[@]} == 4 ]] || { cat "$scratch/README.md" >&2; fail "the README gives ${#lines[@]} lines, not four"; }
want=('^VERDICT=VERIFIED$' '^VERDICT=SOUND$' '^VERDICT=' '^VERDICT=(REPRODUCED|INCONCLUSIVE)$')
export FILE HEX
for i in 0 1 2 3; do
    line=${lines[i]}
    echo "reviewer: $line"
    # Nobody answers here, and root must say so: both as the README tells.
    [[ $line != *' reproduce '* ]] || line+=" --yes$([[ $(id -u) != 0 ]] || echo ' --allow-root')"
    status=0
    (cd "$scratch/stranger" && env -i PATH="$scratch/installed/usr/bin:/usr/bin:/bin" HOME="$scratch/stranger" FILE="$FILE" \
        HEX="$HEX" bash -c "$line") >"$scratch/said" 2>&1 </dev/null || status=$?
    verdict=$(tail -n 1 "$scratch/said")
    echo "reviewer:   $verdict, status $status"
    [[ $verdict =~ ${want[i]} ]] || { cat "$scratch/said" >&2; fail "that is not what the README says"; }
done
mkdir "$scratch/x"
tar -xf "$scratch/stranger/$FILE" -C "$scratch/x"
diff -r "$scratch"/x/*/data/report "$scratch/stranger/report" || fail "the report made again is another one"
cmp "$scratch"/x/*/data/plan/plan.yaml "$scratch/author/plan.yaml" || fail "the plan is not the author's file"
[[ -e $scratch/stranger/reproduced/reproduction.html ]] || fail "the reproduction has no page"
if [[ $verdict == *INCONCLUSIVE ]]; then # says why
    grep -E 'not fit|not measured|holds a limit' "$scratch/said" | sort -u || { cat "$scratch/said" >&2; fail "no reason is given"; }
else
    ls "$scratch"/stranger/reproduced/*.tar >/dev/null || fail "the reproduction has no bundle"
fi
echo "reviewer: the four lines of the README, as they stand"
