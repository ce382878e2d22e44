# The report of a recorded session in which a server crashed: its rows agree, what its page says but for the figures' numbers
# and the facts, and the comparisons.
sqlite3 crashed.db <"$REPOSITORY/datasets/runs/crashed.sql" || exit
tacho results --check crashed.db | tail -n 1
tacho report crashed.db --format md,csv || exit
sed '/^#### Figures/,/^#### Every trial/d; /^#### Methods/,$d' crashed-report/report.md
tr -d '\r' <crashed-report/tables/comparisons.csv
