#!/bin/bash
# The data files are what they say: each datasets/published/NAME.json is read by tacho and fits schema.json beside it
# (python3-jsonschema; skipped without it), and what the schema refuses tacho refuses as well; each plan checks.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${TACHO_BUILD:-build/release}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
problems=0
problem() { echo "check-datasets: $*" >&2; problems=$((problems + 1)); }

count=0
for file in datasets/published/*.json; do
    [[ $file == */schema.json ]] && continue
    count=$((count + 1))
    "$build/tacho" report "$file" -o "$scratch/report" --format md >/dev/null || problem "$file: tacho does not read it"
    cp "$file" "$scratch/"
done
[[ $count -gt 0 ]] || problem "no datasets/published/*.json"
for plan in datasets/plans/*.yaml; do
    "$build/tacho" plan "$plan" >/dev/null || problem "$plan: not a plan"
done

# Mistakes of the kinds that a schema can see, planted in the first file: jq's filters.
mistakes=(
    '.format = "tachograph-published-2"' 'del(.source)' '.colour = 1' '.title = ""' '.engines = []'
    '.engines[0].speed = 1' 'del(.engines[0].name)' '.workloads[0].connections = 0' '.workloads[0].connections = 1.5'
    '.workloads[0].duration_s = "10"' '.figures[0].requests_per_s = -1' '.figures[0].latency_mean = 1'
    '.figures[0].latency_mean_h = 1' '.figures[0].rss_mib = {}' '.figures[0].rss_mib = { over: 1, under: 2 }'
    '.figures[0].rss_mib = { near: 1 }' '.figures[0].requests_per_s = null' 'del(.figures[0].engine)'
    '.conditions.cpu = "x"' '.conditions.nofile = "many"' '.notes = []' '.claims[0].says = 3' 'del(.claims[0].metric)'
    'del(.claims[0].workload)' '.claims[0].over = "Indy"' '.claims[0].order = ["Indy"]' '.claims[0].of = "Indy"'
)
planted=0
for mistake in "${mistakes[@]}"; do
    planted=$((planted + 1))
    jq "$mistake" datasets/published/dext.json >"$scratch/mistake-$planted.json"
    ! "$build/tacho" report "$scratch/mistake-$planted.json" -o "$scratch/report" --format md >/dev/null 2>&1 ||
        problem "tacho takes dext.json with $mistake"
done

if ! python3 -c 'import jsonschema' 2>/dev/null; then
    echo "check-datasets: the schema is not tried: python3-jsonschema is not installed" >&2
else
    python3 - "$scratch"/*.json <<'PYTHON' || problem "schema.json and the files (above)"
import json, sys, jsonschema
schema = json.load(open("datasets/published/schema.json"))
jsonschema.Draft202012Validator.check_schema(schema)
judge = jsonschema.Draft202012Validator(schema)
wrong = 0
for path in sys.argv[1:]:
    name = path.rsplit("/", 1)[1]
    errors = list(judge.iter_errors(json.load(open(path))))
    if bool(errors) != name.startswith("mistake-"):
        print(f"check-datasets: {name}: the schema says {errors[0].message if errors else 'nothing'}", file=sys.stderr)
        wrong += 1
sys.exit(wrong != 0)
PYTHON
fi
[[ $problems == 0 ]] || exit 1
echo "check-datasets: ok ($count files, $planted planted mistakes)"
