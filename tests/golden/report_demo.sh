# The report of a recorded session as text: the Markdown, the comparisons and the trials.
sqlite3 demo.db <"$REPOSITORY/datasets/runs/demo.sql" || exit
tacho report demo.db --format md,csv || exit
cat demo-report/report.md
tr -d '\r' <demo-report/tables/comparisons.csv
tr -d '\r' <demo-report/tables/trials.csv
# What is not known is no number.
sqlite3 demo.db "UPDATE sample SET machine_busy_ns = NULL, machine_idle_ns = NULL, histogram = NULL"
tacho report demo.db --format text -o unknown | tail -n 1
grep -E "n/a (ms|MiB)|at most n/a|0.0 % of the CPUs|not known" unknown/report.txt
