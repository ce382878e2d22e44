# What the README of a bundle says to a stranger up to the engines: of claims of most kinds, of a session that is unfit, of
# one with a trial that crashed. report_claims_kinds has the other claims.
for run in example unfit crashed; do
    sqlite3 "$run.db" <"$REPOSITORY/datasets/runs/$run.sql" && tacho bundle "$run.db" -o "$run" >told || exit
    echo "== $run"
    tar -xOf "$run"/*.tar --wildcards '*/data/README.md' |
        sed -E 's/(bundled with tacho|should say) [0-9]+\.[0-9]+\.[0-9]+(\+[0-9a-z]+(-dirty)?)?/\1 VERSION/; /^## The machine/,$d'
done
