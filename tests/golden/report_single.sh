# The report of datasets/runs/single.sql: what its page says but for the figures' numbers and the facts, and the comparisons.
sqlite3 single.db <"$REPOSITORY/datasets/runs/single.sql" || exit
tacho report single.db --format md,csv || exit
sed '/^#### Figures/,/^#### Every trial/d; /^#### Methods/,$d' single-report/report.md
tr -d '\r' <single-report/tables/comparisons.csv
