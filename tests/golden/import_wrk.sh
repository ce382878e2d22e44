# wrk's own output becomes the same numbers as those that the article printed, and has the same report.
corpus=$REPOSITORY/tests/fuzz/corpus/wrk_text
cp "$corpus"/{mormot2,flask}.txt . && cp "$corpus/odd.txt" odd-one.txt
tacho import wrk mormot2.txt flask.txt -o wrk.json --title "Two of wrk's runs"
echo "status $?"
cat wrk.json
tacho report wrk.json --format md
sed -n '/^\*\*/,/^####/p' wrk-report/report.md
echo "--- one that warns, to standard output"
tacho import wrk odd-one.txt
echo "status $?"
echo "--- refused"
for files in "wrk missing.txt" "wrk wrk.json" "wrk flask.txt flask.txt" "ab flask.txt" "wrk"; do
    # shellcheck disable=SC2086
    tacho import $files -o other.json
    echo "status $?"
done
ls other.json 2>/dev/null
