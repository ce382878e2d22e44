# A recorded session with a flood and every kind of claim: each word, the last line and the exit status.
sqlite3 demo.db <"$REPOSITORY/datasets/runs/example.sql" || exit
# The trials of the first load point once more, as those of a flood of 1 s that all servers survive.
sqlite3 demo.db "
    CREATE TEMP TABLE w AS SELECT * FROM workload WHERE workload_id = 2;
    UPDATE w SET workload_id = 3, name = 'flood', flood_ns = 1000000000, recover_within_ns = 2000000000;
    INSERT INTO workload SELECT * FROM w;
    INSERT INTO cell (cell_id, workload_id, connection_count) VALUES (3, 3, 2000);
    CREATE TEMP TABLE t AS SELECT * FROM trial WHERE cell_id = 2;
    UPDATE t SET trial_id = trial_id + 100, order_index = order_index + 100, cell_id = 3, recover_ns = 40000000;
    INSERT INTO trial SELECT * FROM t;
    CREATE TEMP TABLE s AS SELECT * FROM sample WHERE trial_id + 100 IN (SELECT trial_id FROM t);
    UPDATE s SET trial_id = trial_id + 100;
    INSERT INTO sample SELECT * FROM s;
    CREATE TEMP TABLE o AS SELECT * FROM outcome WHERE trial_id + 100 IN (SELECT trial_id FROM t);
    UPDATE o SET trial_id = trial_id + 100;
    INSERT INTO outcome SELECT * FROM o;" || exit
try() { # CLAIMS OPTIONS...
    sqlite3 demo.db "UPDATE session SET plan_text = 'claims:' || char(10) || '$1'" || exit
    shift
    tacho report demo.db --format md,json "$@"
    echo "status $?"
    grep '^- .*Claim C' demo-report/report.md
}
good='  - { id: C1, ratio: throughput, of: epoll, over: blocking, at_least: 1.5 }
  - { id: C2, order: server_cpu, engines: [epoll, blocking] }
  - { id: C3, bound: rss, of: epoll, at_most: 2MiB }
  - { id: C4, level: throughput, of: blocking, value: 31000/s, within: 3% }
  - { id: C5, no_errors: true }
  - { id: C6, recovers: epoll, workload: flood, at_most: 1s }
'
try "$good" --require-verdict
tacho report demo.db --format junit >told
grep -c 'classname="claims"' demo-report/junit.xml
grep 'classname="claims"' demo-report/junit.xml | head -n 7
sed -n '/^#* After the flood/,/^#* Figures/p' demo-report/report.md
try "$good  - { id: C7, recovers: blocking, at_most: 499ms }"
try "$good  - { id: C8, recovers: epoll, growth: 1B }" # its memory wavers by some KiB
try "$good  - { id: C9, level: throughput, of: blocking, value: 31000/s, within: 0.1% }" --require-verdict
tacho report demo.db --format junit >told
grep -A 1 'name="C9' demo-report/junit.xml
# One trial of the flood ended with the server: refuted, whatever the others say.
sqlite3 demo.db "UPDATE trial SET state = 'crashed', reason = 'signal 11' WHERE trial_id = (SELECT min(trial_id) FROM trial
    JOIN engine USING (engine_id) WHERE cell_id = 3 AND name = 'epoll')" || exit
try "$good"
# The same claims in the README of a bundle: each with what would refute it.
digest=$(sqlite3 demo.db "SELECT writefile('plan', CAST(plan_text AS BLOB)) FROM session" >told && sha256sum <plan | cut -d' ' -f1)
sqlite3 demo.db "UPDATE session SET plan_digest = '$digest'" && tacho bundle demo.db -o bundle >told || exit
tar -xOf bundle/*.tar --wildcards '*/data/README.md' | sed -n '/^\*\*Verdict/p; /^| claim/,/^## A rev/p'
