# The report of the made-up session: the Markdown, the comparisons and the trials.
sqlite3 example.db <"$REPOSITORY/datasets/runs/example.sql" || exit
tacho report example.db --format md,csv || exit
cat example-report/report.md
tr -d '\r' <example-report/tables/comparisons.csv
tr -d '\r' <example-report/tables/trials.csv
# What is not known is no number.
cp example.db unknown.db
sqlite3 unknown.db "UPDATE sample SET machine_busy_ns = NULL, machine_idle_ns = NULL, histogram = NULL"
tacho report unknown.db --format text -o unknown | tail -n 1
grep -E "n/a (ms|MiB)|n/a of the|0.0 % of the CPUs|not known" unknown/report.txt
# One trial fewer than a verdict wants, and a claim is refuted: first page and exit status.
sqlite3 example.db "UPDATE trial SET state = 'crashed', reason = 'the server ended during the trial: signal 11', server_exit = 'signal 11',
    server_request_count = NULL WHERE block_index = 1 AND engine_id = (SELECT engine_id FROM engine WHERE name = 'epoll')"
tacho report example.db --format md -o refuted
echo "status $?"
sed '/^#### Figures/,$d' refuted/report.md
