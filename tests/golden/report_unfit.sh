# The report of a session recorded beside a busy loop: its rows agree, what its page says but for the figures' numbers
# and the facts, and the comparisons.
sqlite3 unfit.db <"$REPOSITORY/datasets/runs/unfit.sql" || exit
tacho results --check unfit.db | tail -n 1
tacho report unfit.db --format md,csv || exit
sed '/^#### Figures/,/^#### Every trial/d; /^#### Methods/,$d' unfit-report/report.md
tr -d '\r' <unfit-report/tables/comparisons.csv
