#!/bin/bash
# Every form of a report, judged by other people's programs: recorded sessions, one that is measured here (for its
# histograms), and the same with every name of tests/support/hostile_names.json. Judges that are not from Debian come
# into a temporary folder; where one cannot be had, it is skipped and says why.
#   formats.sh [FOLDER]   keeps the reports in FOLDER
# shellcheck disable=SC2317 # the judges are called by name
set -euo pipefail
cd "$(dirname "$0")/.."
tacho=$PWD/${TACHO_BUILD:-build/release}/tacho
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
out=${1:-$scratch/reports}
mkdir -p "$out"
failed=0

complain() { # TEXT...
    echo "formats: $*"
    failed=1
}

make_results() { # a results file for each session, in $scratch
    local file name
    for file in datasets/runs/*.sql; do
        name=$(basename "$file" .sql)
        sqlite3 "$scratch/$name.db" <"$file"
    done
    cat >"$scratch/plan.yaml" <<'END'
title: a short session for the formats
baseline: blocking
trials: 2
settle: 0s
warmup: 500ms
window: 1s
cooldown: 0s
engines:
  - { name: epoll, builtin: epoll }
  - { name: blocking, builtin: blocking }
workloads:
  - { name: ping, get: /ping, expect: { status: 200, body: pong }, connections: 8 }
END
    "$tacho" run --force --wait 0s "$scratch/plan.yaml" -o "$scratch/short.db" >"$scratch/run.out" 2>&1 ||
        complain "the short session did not run: $(tail -n 1 "$scratch/run.out")"
    # What else the machine did is not the question here: trials of a busy machine count as well.
    sqlite3 "$scratch/short.db" 'UPDATE sample SET machine_busy_ns = NULL'
    python3 ci/formats.py hostile "$scratch/short.db" tests/support/hostile_names.json "$scratch/hostile-"
    python3 ci/formats.py hostile "$scratch/example.db" tests/support/hostile_names.json "$scratch/hostile-example-"
    mkdir "$scratch/published"
    cp datasets/published/[!s]*.json "$scratch/published/"
    python3 ci/formats.py published tests/support/hostile_names.json "$scratch/published/hostile-"
}

drive_json() { # NAME STATUS WORD...: one load by hand, its JSON in $scratch/drive/NAME.json
    local name=$1 want=$2 status=0
    shift 2
    "$@" >"$scratch/drive/$name.json" 2>"$scratch/drive/error" || status=$?
    [[ $status -eq $want ]] || complain "tacho drive, $name: status $status instead of $want: $(tail -n 1 "$scratch/drive/error")"
}

drive_over_tls() { # the same over https: an HTTP/1.0 server of OpenSSL that closes after each answer
    local folder=$scratch/drive port='' server
    openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 \
        -keyout "$folder/key.pem" -out "$folder/cert.pem" 2>/dev/null
    echo pong >"$folder/ping"
    (cd "$folder" && exec openssl s_server -accept 127.0.0.1:0 -WWW -key key.pem -cert cert.pem) >"$folder/server.out" 2>&1 &
    server=$!
    until [[ -n $port ]] || ! kill -0 "$server" 2>/dev/null; do
        sleep 0.1
        port=$(sed -n 's/^ACCEPT .*:\([0-9]*\)$/\1/p' "$folder/server.out")
    done
    drive_json tls 0 "$tacho" drive --json -d500ms -t1 -c1 --cacert "$folder/cert.pem" "https://127.0.0.1:$port/ping"
    drive_json tls_refused 4 "$tacho" drive --json -d200ms -t1 -c1 "https://127.0.0.1:$port/ping"
    kill "$server"
    wait "$server" || true
}

judge_drive() { # the JSON of loads by hand: every loop and shape, a search, and those that end otherwise
    local folder=$scratch/drive url engine
    mkdir "$folder"
    "${tacho%/*}/tacho-engine" --address "unix:$folder/socket" epoll >"$folder/engine.out" 2>&1 &
    engine=$!
    until [[ -S $folder/socket ]] || ! kill -0 "$engine" 2>/dev/null; do sleep 0.1; done
    url=unix:$folder/socket:/ping
    local drive=("$tacho" drive --json -d300ms)
    drive_json closed 0 "${drive[@]}" "$url"
    drive_json counted 0 "${drive[@]}" -n 100 "$url"
    drive_json uring 0 "${drive[@]}" --io uring "$url"
    drive_json pipeline 0 "${drive[@]}" --pipeline 8 "$url"
    drive_json churn 0 "${drive[@]}" --requests-per-connection 1 "$url"
    drive_json thinking 0 "${drive[@]}" --think-time 5ms --think-kind exponential "$url"
    drive_json mix 0 "${drive[@]}" --request '9 GET /ping' --request '1 HEAD /book' "$url"
    drive_json poisson 0 "${drive[@]}" -R500 --arrivals poisson "$url"
    drive_json steps 0 "${drive[@]}" -R500,1000 --deadline 50ms "$url"
    drive_json ramp 0 "${drive[@]}" -R500..1000 "$url"
    drive_json late 0 "$tacho" drive --json -d1 -c1 -t1 -R200 --deadline 10ms "${url%ping}delay/50"
    drive_json wrong 4 "${drive[@]}" --expect 404 "$url"
    drive_json interrupted 130 timeout --preserve-status -s INT 1 "$tacho" drive --json -d20 "$url"
    drive_json found 0 "$tacho" drive --json -d200ms -R50 --find-rate 'p50<100s' "$url"
    drive_json search 1 "$tacho" drive --json -d100ms --find-rate 'p50<1us' "$url"
    kill "$engine"
    wait "$engine" || true
    rm -f "$folder/socket"
    drive_json nothing 4 "${drive[@]}" "$url"
    drive_over_tls
    python3 ci/formats.py drive report/drive.schema.json "$folder"/*.json || complain "JSON of tacho drive is not by its schema"
}

make_reports() {
    local database name
    for database in "$scratch"/*.db; do
        name=$(basename "$database" .db)
        (cd "$scratch" && "$tacho" report "$database" -o "$out/$name" >"$scratch/report.out" 2>&1) ||
            [[ $(tail -n 1 "$scratch/report.out") == VERDICT=* ]] ||
            complain "$name has no report: $(tail -n 1 "$scratch/report.out")"
        ! grep 'gnuplot' "$scratch/report.out" || complain "$name has no figures"
    done
    for database in "$scratch"/published/*.json; do # published numbers alone, and beside a session
        name=published-$(basename "$database" .json)
        (cd "$scratch" && "$tacho" report "$database" -o "$out/$name" && "$tacho" report example.db --published "$database" \
            -o "$out/beside-$name" --format html,md,text,summary,latex,json,csv) >"$scratch/report.out" 2>&1 ||
            complain "$name has no report: $(tail -n 1 "$scratch/report.out")"
    done
    echo "formats: $(find "$out" -name report.json | wc -l) reports"
}

judge_names() {
    [[ -z $(find "$scratch" "$out" -name 'pwned*') ]] || complain "a name was executed: $(find "$scratch" "$out" -name 'pwned*')"
}

make_articles() { # of the example, the demo and a wide session in both languages, of hostile names: $out/article-NAME
    local database name language
    for database in "$scratch"/example.db "$scratch"/demo.db "$scratch"/wide.db "$scratch"/hostile-example-?.db; do
        for language in en pt-BR; do
            name=article-$(basename "$database" .db)-$language
            # No-scan is not asked for: a name may look like a secret, and then there is no bundle and no article.
            (cd "$scratch" && "$tacho" report "$database" --article "$out/$name" --lang "$language") >"$scratch/report.out" 2>&1 ||
                grep -qE 'VERDICT=|UNFIT|secret' "$scratch/report.out" || complain "$name: $(tail -n 1 "$scratch/report.out")"
        done
    done
    echo "formats: $(find "$out" -name article.md | wc -l) articles"
}

judge_xml() {
    local log=$scratch/xml.log
    find "$out" -name '*.svg' -print0 | xargs -0 xmllint --nonet --noout || complain "a figure is not well formed"
    find "$out" -name junit.xml -print0 | xargs -0 xmllint --nonet --noout --schema ci/junit.xsd 2>"$log" ||
        { grep -v ' validates$' "$log" | head; complain "a junit.xml is not by its schema"; }
    echo "xmllint: $(find "$out" -name '*.svg' | wc -l) figures, $(grep -c ' validates$' "$log") junit.xml"
}

judge_latex() {
    local file count=0
    command -v pdflatex >/dev/null || { echo "pdflatex: skipped: there is no pdflatex"; return; }
    for file in "$out"/*/latex/all.tex "$out"/*/article.tex; do
        if ! (cd "$(dirname "$file")" && pdflatex -no-shell-escape -interaction=nonstopmode -halt-on-error \
            -output-directory="$scratch" "$(basename "$file")" </dev/null >"$scratch/latex.log" 2>&1); then
            grep -A 3 '^!' "$scratch/latex.log" | head -n 8
            complain "$file is refused"
        elif grep -E '^(LaTeX Warning: .*(undefined|multiply|not found)|Missing character|Overfull)' "$scratch/latex.log"; then
            complain "$file has warnings"
        fi
        count=$((count + 1))
    done
    echo "pdflatex: $count documents"
}

install_npm() { # PACKAGE@VERSION into $scratch/PACKAGE; false with the reason printed
    local program
    for program in npm node; do
        command -v "$program" >/dev/null || { echo "$1: skipped: there is no $program"; return 1; }
    done
    local folder=$scratch/${1%@*}
    npm install --prefix "$folder" --no-audit --no-fund --ignore-scripts "$1" >"$folder.log" 2>&1 ||
        { echo "$1: skipped: npm cannot install: $(tail -n 1 "$folder.log")"; return 1; }
}

judge_histograms() {
    install_npm hdr-histogram-js@3.0.1 || return 0
    node ci/formats.js "$scratch/hdr-histogram-js/node_modules" "$out"/*/histograms || complain "percentiles are not those of HdrHistogram"
}

judge_html() {
    command -v java >/dev/null || { echo "vnu: skipped: there is no java"; return; }
    install_npm vnu-jar@26.9.27 || return 0
    # It takes data: in img-src for no match of a data: address; a browser, and CSP 3 (6.7.2.8), take it for one. Names
    # stay as they came, whatever their normal form.
    if find "$out" \( -name report.html -o -name article.html \) -print0 | xargs -0 java -jar "$scratch"/vnu-jar/node_modules/vnu-jar/build/dist/vnu.jar \
        --filterpattern '.*(image .data:image/svg.xml.* blocked by .img-src. directive|not in Unicode Normalization Form C).*' \
        >"$scratch/vnu.log" 2>&1 &&
        [[ ! -s $scratch/vnu.log ]]; then
        echo "vnu: $(find "$out" -name report.html -o -name article.html | wc -l) pages, no message"
    else
        sed 's/^"[^"]*\/\([^"\/]*\/[a-z]*.html\)"/\1/' "$scratch/vnu.log" | cut -c 1-300 | head -n 20
        complain "the HTML has $(wc -l <"$scratch/vnu.log") messages"
    fi
}

judge_benchstat() {
    local file
    command -v go >/dev/null || { echo "benchstat: skipped: there is no go"; return; }
    GOBIN=$scratch/go GOFLAGS=-modcacherw GOPATH=$scratch/gopath \
        go install golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da >"$scratch/go.log" 2>&1 ||
        { echo "benchstat: skipped: go cannot install: $(tail -n 1 "$scratch/go.log")"; return; }
    for file in "$out"/*/benchstat.txt; do
        "$scratch/go/benchstat" -col /engine "$file" >"$scratch/benchstat.out" 2>"$scratch/benchstat.err" ||
            complain "$file: $(tail -n 1 "$scratch/benchstat.err")"
        # Lines that it could not read are told on standard error; of missing or few samples it may complain.
        grep -E 'benchstat.txt:[0-9]+' "$scratch/benchstat.err" && complain "$file has lines that benchstat cannot read"
    done
    "$scratch/go/benchstat" -col /engine "$out/demo/benchstat.txt" 2>/dev/null | grep 'req/s' >/dev/null ||
        complain "benchstat finds no req/s in the demo"
    echo "benchstat: $(find "$out" -name benchstat.txt | wc -l) files"
}

judge_python() {
    judge_drive
    python3 ci/formats.py judge "$out"/*/ || complain "a file is not by its format (above)"
}

judge() { # NAME: its words and its status into files, since several judge at once
    judge_"$1" >"$scratch/$1.words" 2>&1
    echo "$failed" >"$scratch/$1.failed"
}

make_results
make_reports
make_articles
judges=(python latex html names xml histograms benchstat) # the slow ones first
for name in "${judges[@]}"; do
    while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n || true; done
    judge "$name" &
done
wait
for name in "${judges[@]}"; do
    cat "$scratch/$name.words"
    [[ $(cat "$scratch/$name.failed" 2>/dev/null) == 0 ]] || complain "$name: not clean (above)"
done
[[ $failed == 0 ]] && echo "formats: ok"
exit "$failed"
