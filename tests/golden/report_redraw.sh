# Anyone draws a report's figures again from plots/: the same curves, marks and words as in the pictures of the report.
sqlite3 demo.db <"$REPOSITORY/datasets/runs/example.sql" || exit
tacho report demo.db -o report --format plots >/dev/null || exit
mkdir again && cp report/plots/*.gp report/plots/*.tsv again || exit
drawn() { # curves, words and marks: a report writes the same numbers in fewer bytes
    tr '\n\t' '  ' <"$1" | sed 's/</\n</g' |
        sed -E "s/([0-9]\.[0-9]*[1-9])0+([^0-9])/\1\2/g; s/([0-9])\.0+([^0-9])/\1\2/g; /^<path/s/ +([A-Za-z'])/\1/g" |
        awk -F\' '
            function hex(c, p) { return split(c, p, /[(,)] */) < 4 ? c : sprintf("#%02x%02x%02x", p[2], p[3], p[4]) }
            /^<use id=.m/ { mark[$2] = $4 " " $6; next }
            /^<g color=/ { color = $2 }
            /^<use [^ ]* x=/ { k = substr($2, 2); print k in mark ? mark[k] : $2, $4 "," $6, (NF > 7 ? hex($8) : color); next }
            /^<use [^ ]* transform=.translate/ { split($4, t, /[() ]+/); print $2, "scale(" t[4] ")", t[2], hex($6); next }
            /^<use / { sub(/ +$/, ""); print }
            /^<path/ { for (i = 1; i < NF; i++) if ($i ~ /(^| )d=$/) print $(i + 1) }
            /^<text>/'
}
cd again || exit
for script in *.gp; do
    name=${script%.gp}
    LC_ALL=C.UTF-8 gnuplot -d "$script" || exit
    cmp <(drawn "$name.svg") <(drawn "../report/plots/$name.svg") && echo "$name: the same, $(drawn "$name.svg" | wc -l) pieces"
    xmllint --noout "../report/plots/$name.svg"
    [[ $name == *-narrow ]] || head -n 1 "../report/plots/$name.csv" | tr -d '\r'
done
