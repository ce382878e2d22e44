# The report of a recorded session as text: the Markdown, the comparisons and the trials.
sqlite3 demo.db <"$REPOSITORY/datasets/runs/demo.sql" || exit
tacho report demo.db --format md,csv || exit
cat demo-report/report.md
tr -d '\r' <demo-report/tables/comparisons.csv
tr -d '\r' <demo-report/tables/trials.csv
