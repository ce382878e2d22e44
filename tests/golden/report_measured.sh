# The report of a session that was measured, and that its rows agree with each other.
sqlite3 measured.db <"$REPOSITORY/datasets/runs/measured.sql" || exit
tacho results --check measured.db || exit
tacho report measured.db --format md,csv || exit
cat measured-report/report.md
tr -d '\r' <measured-report/tables/comparisons.csv
