# The report of a recorded session in Portuguese, as text; files for programs are the same in every language.
sqlite3 demo.db <"$REPOSITORY/datasets/runs/example.sql" || exit
tacho report demo.db --lang pt-BR --format text,json,csv,junit,bmf -o portuguese || exit
cat portuguese/report.txt
tacho report demo.db --format text,json,csv,junit,bmf -o english >/dev/null
diff -rq english portuguese
for language in en pt-BR; do tacho report demo.db --format plots --lang $language -o plots-$language >/dev/null; done
for file in plots-en/plots/*.csv; do cmp "$file" plots-pt-BR/plots/"${file##*/}" && echo "same: ${file##*/}"; done
tacho report demo.db --lang PT_br --format text -o spelt >/dev/null; cmp spelt/report.txt portuguese/report.txt
tacho report demo.db --lang pt-
tacho report demo.db --lang tlh
