# The report of a recorded session with one trial of each server: its rows agree, what its page says but for the figures' numbers
# and the facts, and the comparisons.
sqlite3 single.db <"$REPOSITORY/datasets/runs/single.sql" || exit
tacho results --check single.db | tail -n 1
tacho report single.db --format md,csv || exit
sed '/^#### Figures/,/^#### Every trial/d; /^#### Methods/,$d' single-report/report.md
tr -d '\r' <single-report/tables/comparisons.csv
