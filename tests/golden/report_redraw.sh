# Anyone draws a report's figures again from plots/: the same curves, marks and words as in the pictures of the report.
sqlite3 demo.db <"$REPOSITORY/datasets/runs/demo.sql" || exit
tacho report demo.db -o report --format plots >/dev/null || exit
mkdir again && cp report/plots/*.gp report/plots/*.tsv again || exit
drawn() { grep -o " d='[^']*'\|<use [^>]*>\|<text>[^<]*" "$1"; }
cd again || exit
for script in *.gp; do
    name=${script%.gp}
    LC_ALL=C.UTF-8 gnuplot -d "$script" || exit
    cmp <(drawn "$name.svg") <(drawn "../report/plots/$name.svg") && echo "$name: the same, $(drawn "$name.svg" | wc -l) pieces"
    xmllint --noout "../report/plots/$name.svg"
    head -n 1 "../report/plots/$name.csv" | tr -d '\r'
done
