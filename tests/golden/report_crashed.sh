# The report of datasets/runs/crashed.sql: what its page says but for the figures' numbers and the facts, and the comparisons.
sqlite3 crashed.db <"$REPOSITORY/datasets/runs/crashed.sql" || exit
tacho report crashed.db --format md,csv && exit 9 # a claim is refuted
sed '/^#### Figures/,/^#### Every trial/d; /^#### Methods/,$d' crashed-report/report.md
tr -d '\r' <crashed-report/tables/comparisons.csv
