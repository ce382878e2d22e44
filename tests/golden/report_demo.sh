# The report of the recorded run of the built-in plan, and that its rows agree with each other.
sqlite3 demo.db <"$REPOSITORY/datasets/runs/demo.sql" || exit
tacho results --check demo.db || exit
tacho report demo.db --format md,csv || exit
cat demo-report/report.md
tr -d '\r' <demo-report/tables/comparisons.csv
