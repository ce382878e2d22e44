#!/bin/bash
# A signed bundle with sources, judged by other people's programs, each of which must also find a planted fault: GNU
# tar, bsdtar, sha256sum, bagit, the sqlite3 shell with awk, ssh-keygen, ajv with the schema of CITATION.cff,
# citation-js, ro-crate and jsonld. What is not from Debian comes into a temporary folder; where one cannot be had, it
# is skipped and says why.
# shellcheck disable=SC2016,SC2317 # functions are called, and texts expanded, by judge()
set -euo pipefail
cd "$(dirname "$0")/.."
tacho=$PWD/${TACHO_BUILD:-build/release}/tacho
here=$PWD/ci
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

has() { # PROGRAM NAME: whether NAME can judge
    command -v "$1" >/dev/null && return 0
    echo "judges: $2: skipped: there is no $1"
    return 1
}

judge() { # NAME COMMAND...: the command, quietly, in the unpacked top folder
    local status
    set +e # in a condition, functions would go on after a failed command
    (
        set -e
        cd "$top"
        "${@:2}"
    ) >"$scratch/said" 2>&1
    status=$?
    set -e
    if [[ $status == 0 ]]; then
        echo "judges: $1: ok"
    else
        echo "judges: $1: FAILED: ${*:2}"
        tail -n 20 "$scratch/said"
        failed=1
    fi
}

refuses() { # NAME COMMAND...: the command must find what is planted
    judge "$1 finds a planted fault" bash -c 'if "$@"; then exit 1; fi; [[ $? != 12[67] ]]' _ "${@:2}"
}

make_bundle() { # with a title that must be quoted everywhere
    sqlite3 "$scratch/demo.db" <datasets/runs/example.sql
    sqlite3 "$scratch/demo.db" "UPDATE session SET plan_source = plan_text || '# as written', title = 'it''s \"one\": {a} # title'"
    ssh-keygen -q -t ed25519 -N '' -C jane@example.org -f "$scratch/key"
    echo "jane@example.org $(cut -d' ' -f1,2 "$scratch/key.pub")" >"$scratch/signers"
    "$tacho" bundle "$scratch/demo.db" -o "$scratch/out" --sign "$scratch/key" >"$scratch/told"
    archive=$(echo "$scratch"/out/*.tar)
    mkdir "$scratch/x"
    tar -xf "$archive" -C "$scratch/x"
    top=$(echo "$scratch"/x/*)
    cp -a "$top" "$scratch/changed"
    sed -i '1s/E/e/' "$scratch/changed/data/README.md"
}

tar_again() { # by GNU tar, of what was unpacked
    LC_ALL=C tar -C "$scratch/x" --sort=name --format=ustar "--mtime=@$(sed -n 's/^Tacho-Time: //p' bag-info.txt)" \
        --owner=0 --group=0 --numeric-owner --mode=u+rwX,go+rX,go-w,a-s -cf - "$(basename "$top")" | cmp - "$archive"
}

bsdtar_lists() {
    bsdtar -tf "$archive" | cmp - <(tar -tf "$archive")
    mkdir "$scratch/bsd"
    bsdtar -xf "$archive" -C "$scratch/bsd"
    diff -r "$scratch/bsd" "$scratch/x"
    test "$(find "$scratch/bsd" -type f | wc -l)" = $(($(wc -l <manifest-sha256.txt) + 4))
}

sums_check() { # FOLDER
    cd "$1"
    sha256sum --strict -c manifest-sha256.txt tagmanifest-sha256.txt
}

# The digest of the bundle's README in SQL: each row as the hex digits of its fields, then awk makes bytes of them.
tables="session session_id
fact session_id, moment, name
engine engine_id
workload workload_id
request workload_id, request_index
cell cell_id
trial trial_id
sample trial_id, sample_index
outcome trial_id, sample_index, kind
request_total trial_id, request_index
foreign_load trial_id
log trial_id
event event_id"
samples_digest() { # DATABASE
    local table key
    local field="CASE typeof(@) WHEN 'null' THEN hex('n') WHEN 'integer' THEN hex('i ' || @)
        WHEN 'text' THEN hex('t ' || length(CAST(@ AS BLOB)) || ' ') || hex(@)
        ELSE hex('b ' || length(@) || ' ') || hex(@) END || '0A'"
    while read -r table key; do
        echo "SELECT hex('$table' || char(10));"
        echo "SELECT $(sqlite3 "$1" "SELECT group_concat(replace('${field//\'/\'\'}', '@', name), ' || ')
            FROM pragma_table_info('$table')") FROM $table ORDER BY $key;"
    done <<<"$tables" | sqlite3 -readonly "$1" | LC_ALL=C awk '
        BEGIN { for (i = 0; i < 256; i++) value[sprintf("%02X", i)] = i }
        { for (i = 1; i < length($0); i += 2) printf "%c", value[substr($0, i, 2)] }' | sha256sum | cut -d' ' -f1
}

digest_again() { # DATABASE
    test "$(samples_digest "$1")" = "$(sed -n 's/^Tacho-Samples-Digest: //p' bag-info.txt)"
}

signature_verify() { # FILE
    ssh-keygen -Y verify -f "$scratch/signers" -I jane@example.org -n tacho-bundle -s "$archive.sig" <"$1"
}

signed_by_hand() { # ssh-keygen signs, tacho verifies
    mkdir "$scratch/hand"
    cp "$archive" "$scratch/hand/b.tar"
    ssh-keygen -Y sign -f "$scratch/key" -n "${1:-tacho-bundle}" <tagmanifest-sha256.txt >"$scratch/hand/b.tar.sig"
    "$tacho" verify --signers "$scratch/signers" "$scratch/hand/b.tar"
    ssh-keygen -Y sign -f "$scratch/key" -n other <tagmanifest-sha256.txt >"$scratch/hand/b.tar.sig"
    ! "$tacho" verify --signers "$scratch/signers" "$scratch/hand/b.tar"
}

judge_debian() {
    cp "$scratch/demo.db" "$scratch/other.db"
    sqlite3 "$scratch/other.db" "UPDATE sample SET lateness_ns = lateness_ns + 1 WHERE trial_id = 3"
    judge "GNU tar" tar_again
    ! has bsdtar bsdtar || judge bsdtar bsdtar_lists
    judge "sha256sum of the archive" bash -c 'cd "$1" && sha256sum --strict -c ./*.sha256' _ "$scratch/out"
    judge "sha256sum" sums_check "$top"
    refuses "sha256sum" bash -c 'cd "$1" && sha256sum --strict -c manifest-sha256.txt' _ "$scratch/changed"
    judge "sqlite3 and awk" digest_again data/results/results.db
    judge "sqlite3 and awk, of the file that was bundled" digest_again "$scratch/demo.db"
    judge "sqlite3 and awk find a planted fault" eval '! digest_again "$scratch/other.db"'
    judge "ssh-keygen" signature_verify tagmanifest-sha256.txt
    judge "ssh-keygen finds a planted fault" eval '! signature_verify manifest-sha256.txt'
    judge "signed by ssh-keygen" signed_by_hand
}

judge_pypi() {
    has python3 "bagit, CFF schema" || return 0
    if ! python3 -m pip download -q --no-deps --disable-pip-version-check -d "$scratch" bagit==1.9.0 cffconvert==2.0.0 \
        >"$scratch/pip.log" 2>&1; then
        echo "judges: bagit, CFF schema: skipped: pip cannot download: $(tail -n 1 "$scratch/pip.log")"
        return 0
    fi
    mkdir "$scratch/python"
    python3 -m zipfile -e "$scratch"/cffconvert-*.whl "$scratch/python"
    tar -xf "$scratch"/bagit-*.tar.gz -C "$scratch/python" --strip-components=1
    judge bagit python3 "$scratch/python/bagit.py" --quiet --validate "$top"
    refuses bagit python3 "$scratch/python/bagit.py" --quiet --validate "$scratch/changed"
}

judge_npm() {
    has npm "ajv, citation-js, ro-crate, jsonld" || return 0
    has node "ajv, citation-js, ro-crate, jsonld" || return 0
    if ! npm install --prefix "$scratch" --no-audit --no-fund --ignore-scripts ro-crate@3.7.2 jsonld@9 ajv@8 ajv-formats@3 \
        js-yaml@4 @citation-js/core@0.7 @citation-js/plugin-cff@0.7 >"$scratch/npm.log" 2>&1; then
        echo "judges: ajv, citation-js, ro-crate, jsonld: skipped: npm cannot install: $(tail -n 1 "$scratch/npm.log")"
        return 0
    fi
    judge "ro-crate and jsonld" node "$here/crate.js" "$scratch/node_modules" "$top/data"
    local schema=("$scratch"/python/cffconvert/schemas/1.2.0/schema.json) judge=" and ajv"
    if [[ ! -e ${schema[0]} ]]; then
        echo "judges: ajv: skipped: cffconvert, which has the schema, was not to be had"
        schema=() judge=
    fi
    judge "citation-js$judge" node "$here/citation.js" "$scratch/node_modules" "$top/data/CITATION.cff" "${schema[@]}"
}

export scratch top archive
make_bundle
judge_debian
judge_pypi
judge_npm
exit "$failed"
