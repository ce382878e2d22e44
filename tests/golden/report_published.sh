# The three published articles: what a careful reader notices, by rules, and their claims by their own numbers.
for name in dext mooncompiler wrk; do
    tacho report "$REPOSITORY/datasets/published/$name.json" -o "$name" --format md,json,csv
    echo "status $?"
    cat "$name/report.md"
done
echo "--- tables of wrk"
for table in wrk/tables/*.csv; do
    echo "$table" && head -n 2 "$table"
done
echo "--- other numbers"
try() { # SED'S-SCRIPT OPTIONS...
    sed -E "$1" "$REPOSITORY/datasets/published/dext.json" >other.json
    shift
    tacho report other.json "$@"
    echo "status $?"
}
try 's/("latency_mean_ms": )6.27/\143/' --format md
try 's/("latency_mean_ms": )6.27/\1-1/' --format md
try '/requests_per_s_max": [0-9]/d' --format md --require-verdict
ls other-report/
try '' -p | tail -n 2
try '' --format plots
echo "--- beside a session"
sqlite3 demo.db <"$REPOSITORY/datasets/runs/example.sql" || exit
sed 's/"stand_in": "reactor"/"stand_in": "epoll"/; s/"latency_max_s": { "over": 3.6 },/&"requests_per_s": 11000,/' \
    "$REPOSITORY/datasets/published/dext.json" >stand.json
tacho report demo.db --published stand.json --published "$REPOSITORY/datasets/published/wrk.json" --format md
echo "status $?"
sed -n '/^#### Published beside/,/^#### Figures/p' demo-report/report.md
tacho report demo.db --published stand.json --format md --lang pt-BR -o portuguese >/dev/null
grep '(s) |.* | sim |' portuguese/report.md
tacho report stand.json --published stand.json
tacho report demo.db --published demo.db
tacho report demo.db --published missing.json
